#!/bin/sh
# Resolves the dependencies of pyproject.toml anew, for all systems and Pythons, into $PINS. Called by `make pins`.
set -eu
: "${UV:=uv}" "${PINS:=requirements/dev.txt}"

command -v "$UV" >/dev/null || {
    echo "pins: this one command needs uv: pip install uv, or make pins UV=/path/to/uv" >&2
    exit 1
}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
    echo "# Made by \`make pins\` from pyproject.toml, with every extra and the dev group. Not edited by hand."
    # No index, no links: where packages come from is the installing machine's own affair.
    "$UV" pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --upgrade \
        --generate-hashes --only-binary :all: --emit-build-options --no-emit-index-url --no-header --quiet
} >"$new"
mkdir -p "$(dirname "$PINS")"
cp "$new" "$PINS"
echo "pins: $PINS names $(grep -c '^[a-z].*==' "$PINS") packages"

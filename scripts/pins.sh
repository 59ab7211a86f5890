#!/bin/sh
# Resolves the dependencies of pyproject.toml anew, for all systems and Pythons, into $PINS and $FUZZ_PINS. Called by `make pins`.
set -eu
: "${UV:=uv}" "${PINS:=requirements/dev.txt}" "${FUZZ_PINS:=requirements/fuzz.txt}"

command -v "$UV" >/dev/null || {
    echo "pins: this one command needs uv: pip install uv, or make pins UV=/path/to/uv" >&2
    exit 1
}
new=$(mktemp)
trap 'rm -f "$new"' EXIT

# pins FILE WHAT OPTION…: resolves what the options name into the file.
pins() {
    file=$1 what=$2
    shift 2
    {
        echo "# Made by \`make pins\` from pyproject.toml, with $what. Not edited by hand."
        # No index, no links: where packages come from is the installing machine's own affair.
        "$UV" pip compile "$@" --universal --python-version 3.11 --upgrade \
            --generate-hashes --only-binary :all: --emit-build-options --no-emit-index-url --no-header --quiet
    } >"$new"
    mkdir -p "$(dirname "$file")"
    cp "$new" "$file"
    echo "pins: $file names $(grep -c '^[a-z].*==' "$file") packages"
}

pins "$PINS" "every extra and the dev group" pyproject.toml --all-extras --group dev
pins "$FUZZ_PINS" "the fuzz group alone" --group fuzz

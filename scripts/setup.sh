#!/bin/sh
# Makes $VENV: everything pinned in $PINS, and this package, editable. Called by `make setup`.
set -eu
: "${PYTHON:=python3}" "${VENV:=.venv}" "${PINS:=requirements/dev.txt}"

say() { echo "setup: $*"; }
fail() {
    echo "setup: $1" >&2
    shift
    for line in "$@"; do echo "    $line" >&2; done
    exit 1
}

"$PYTHON" -c "" 2>/dev/null ||
    fail "no working Python under the name '$PYTHON'. On Debian or Ubuntu:" "sudo apt-get install python3 python3-venv" \
        "or name another one:  make setup PYTHON=/path/to/python3"

version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "'$PYTHON' is Python $version, and Opposable needs 3.11 or later. Name another one:" "make setup PYTHON=python3.12"

if [ ! -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
    if ! "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null; then
        # Debian's own python3 has it in python3-venv; any other version of Debian's in a package named after it.
        package=python$version-venv
        [ "$version" = "$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" ] &&
            package=python3-venv
        fail "'$PYTHON' cannot make environments: its venv and ensurepip are packaged apart. On Debian or Ubuntu:" \
            "sudo apt-get install $package"
    fi
    say "making $VENV with Python $version"
    "$PYTHON" -m venv --clear "$VENV"
fi

# The exact files that the pins name by hash, all wheels: nothing is compiled, so nothing unpinned is fetched to build.
say "installing what $PINS pins (about 150 MB at the first time)"
"$VENV/bin/python" -m pip install --disable-pip-version-check --require-hashes -r "$PINS"
say "installing this package, editable"
"$VENV/bin/python" -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
"$VENV/bin/python" -c 'import xllamacpp' 2>/dev/null ||
    say "note: the model engine (xllamacpp) does not load; on a small Debian or Ubuntu it misses: sudo apt-get install libgomp1"
say "done"

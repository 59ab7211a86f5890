#!/bin/sh
# Fuzzes the parser for $MINUTES on all cores: one process led by coverage where atheris can be had, the others by seed.
# What atheris finds worth keeping stays in .fuzz/corpus, what breaks a law in .fuzz/crash-*. Called by `make fuzz`.
set -eu
: "${PY:=.venv/bin/python}" "${PINS:=requirements/fuzz.txt}" "${MINUTES:=30}" "${SEED:=0}"

SITE=.fuzz/site # apart from .venv, which holds what its own pins say
seconds=$("$PY" -c 'import sys; print(int(float(sys.argv[1]) * 60))' "$MINUTES")
jobs=$("$PY" -c 'import os; print(os.cpu_count() or 1)')
mkdir -p .fuzz/corpus

guided=
if ! PYTHONPATH="$SITE" "$PY" -c 'import atheris' 2>/dev/null; then
    "$PY" -m pip install --disable-pip-version-check --quiet --require-hashes --target "$SITE" -r "$PINS" ||
        echo "fuzz: atheris cannot be installed here; inputs are made by seed alone" >&2
fi
if PYTHONPATH="$SITE" "$PY" -c 'import atheris' 2>/dev/null; then
    PYTHONPATH="$SITE" "$PY" -m tests.fuzz.guided .fuzz/dictionary .fuzz/corpus -max_total_time="$seconds" -max_len=1024 \
        -len_control=0 -artifact_prefix=.fuzz/ >.fuzz/guided.log 2>&1 &
    guided=$!
    trap 'kill "$guided" 2>/dev/null || true' EXIT
    [ "$jobs" -lt 2 ] || jobs=$((jobs - 1))
fi

failed=0
"$PY" -m tests.fuzz --seconds "$seconds" --seed "$SEED" --jobs "$jobs" || failed=1
if [ -n "$guided" ]; then
    wait "$guided" || failed=1
    trap - EXIT
    echo "fuzz: led by coverage: $(grep -E '^(Done|#[0-9]+	DONE)' .fuzz/guided.log | tr '\n' ' ')"
    grep -q '^Done' .fuzz/guided.log || tail -n 40 .fuzz/guided.log
fi
exit "$failed"

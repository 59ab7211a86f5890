# All commands of the project. `make` alone lists them.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
UV ?= uv
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.complete
PINS := requirements/dev.txt
FUZZ_PINS := requirements/fuzz.txt

# `within N` bounds what follows to N seconds, where the machine has coreutils' timeout.
TIMEOUT := $(shell command -v timeout || command -v gtimeout)
# In CI it ends all children too; elsewhere it stays in the foreground, so that Ctrl-C reaches what runs.
within = $(if $(TIMEOUT),$(TIMEOUT) --kill-after=10 $(if $(CI),,--foreground) $(1))

.PHONY: help
help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(STAMP) ## make .venv with everything the commands below need; quick when up to date
	@echo "ready: $(VENV) is up to date"

$(STAMP): pyproject.toml $(PINS) scripts/setup.sh
	@PYTHON="$(PYTHON)" VENV="$(VENV)" PINS="$(PINS)" sh scripts/setup.sh
	@touch $@

.PHONY: demo
demo: $(STAMP) ## watch a small model call tools, on this machine, without a key
	@$(PY) examples/demo.py

.PHONY: test
test: $(STAMP) ## the fast suite, at most 5 minutes
	@$(call within,300) $(PY) -m pytest -m "not slow"

.PHONY: check
check: static test ## format, lint, types, floors, the fast suite with the docs' code blocks

.PHONY: check-all
check-all: static ## check, with the whole suite in one run, and full branch coverage of the parser and the loop
	@$(call within,3000) $(PY) -m pytest --cov

.PHONY: static
static: format-check lint types floors

.PHONY: format-check
format-check: $(STAMP)
	@$(call within,60) $(PY) -m ruff format --check

.PHONY: lint
lint: $(STAMP)
	@$(call within,60) $(PY) -m ruff check

.PHONY: types
types: $(STAMP)
	@$(call within,300) $(PY) -m mypy

.PHONY: floors
floors: $(STAMP)
	@$(call within,60) $(VENV)/bin/lint-imports

.PHONY: bench
bench: $(STAMP) ## the benchmarks; those of the embedded model fetch it if it is not here
	@shopt -s nullglob; \
	for file in benchmarks/*.py; do echo "== $$file"; $(call within,600) $(PY) "$$file"; done

MINUTES ?= 30
SEED ?= 0

.PHONY: fuzz
fuzz: $(STAMP) ## inputs made by seed and led by coverage, for the parser; MINUTES=30 and SEED=0 where not said
	@PY="$(PY)" PINS="$(FUZZ_PINS)" MINUTES="$(MINUTES)" SEED="$(SEED)" sh scripts/fuzz.sh

.PHONY: format
format: $(STAMP) ## format the code and mend what the linter can mend
	@$(PY) -m ruff check --fix-only
	@$(PY) -m ruff format

.PHONY: docs
docs: $(STAMP) ## write the generated pages of docs/ anew: shapes, contests, conformance
	@$(PY) -m tests.wire.pages
	@$(PY) -m tests.conformance.page

.PHONY: pins
pins: ## resolve the dependencies anew into requirements/ (needs uv)
	@UV="$(UV)" PINS="$(PINS)" FUZZ_PINS="$(FUZZ_PINS)" sh scripts/pins.sh

.PHONY: clean
clean: ## remove .venv, caches and builds
	@rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* .fuzz
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

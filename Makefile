# Each target makes its own .venv when there is none, or when pyproject.toml has changed.
PYTHON ?= python3
# How many processes run the tests; 0 = this one only.
JOBS ?= 0
BIN := .venv/bin
STAMP := .venv/made-$(shell cksum pyproject.toml | cut -d ' ' -f 1)
HELPERS := row dialogue timeline looks moments screens
BENCHMARKS := $(filter-out $(HELPERS:%=benchmarks/%.py),$(wildcard benchmarks/*.py))

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench docs clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

demo: $(STAMP) ## hear a conversation happen (fetches the models it needs, once)
	@$(BIN)/visavis demo

test: $(STAMP) ## run all tests (fetches the models they need, once)
	@$(BIN)/visavis pull --tier tiny
	@$(BIN)/visavis pull human-speech
	@$(BIN)/pytest -n $(JOBS)

lint: $(STAMP) ## style, types, architecture, and that generated pages are up to date
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python tools/generate_docs.py --check

bench: $(STAMP) ## run the benchmarks; each prints its row for benchmarks/RESULTS.md
	@for file in $(BENCHMARKS); do $(BIN)/python $$file || exit 1; done

docs: $(STAMP) ## write the pages of docs/ that are made from the tables
	@$(BIN)/python tools/generate_docs.py

clean: ## remove .venv and everything else that was made; models stay
	@rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): export PYTHON := $(PYTHON)
$(STAMP):
	@tools/venv.sh $@

# The README's commands. Everything is installed into .venv; nothing outside this folder is changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.dev-ready

.PHONY: demo test check bench docs clean

demo: $(READY)
	@$(BIN)/python demo/run.py

test: check
	$(BIN)/pytest -n 2

check: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/recollect bench store

docs: $(DEV_READY)
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV):
	$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml | $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $(READY)

$(DEV_READY): pyproject.toml | $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY) $(DEV_READY)

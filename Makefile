# The README's commands. Everything is installed into .venv; nothing outside this folder is changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.dev-ready
NPM := $(VENV)/npm
NPM_READY := $(VENV)/.npm-ready
INSPECTOR_READY := $(VENV)/.inspector-ready
MCP := @modelcontextprotocol

.PHONY: demo test check model servers bench docs clean

demo: $(READY) model
	@$(BIN)/python demo/run.py

# Three workers on two cores: tests that start processes wait a third of their time.
test: check model servers
	$(BIN)/pytest -n 3

check: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The embedding model, kept in the user's cache. Without it search goes by words, and says so.
model: $(READY)
	@$(BIN)/recollect model list --json | grep -q '"installed": true' || $(BIN)/recollect model install || \
		echo "no model could be had: search goes by words, and the tests that need it are skipped"

# Published MCP servers and a client, for the tests of the gateway.
servers: $(DEV_READY)
	@test -f $(NPM_READY) || npm install --silent --no-audit --no-fund --prefix $(NPM) \
		$(MCP)/server-everything@^2026 $(MCP)/server-filesystem@^2026 \
		$(MCP)/server-memory@^2026 $(MCP)/server-sequential-thinking@^2026 && touch $(NPM_READY) || \
		echo "the MCP servers of npm could not be had: the tests that need them are skipped"
	@test -f $(INSPECTOR_READY) || npm install --silent --no-audit --no-fund --prefix $(NPM) \
		$(MCP)/inspector@^2.12 && touch $(INSPECTOR_READY) || \
		echo "the MCP inspector could not be had: the tests that need it are skipped"

bench: $(READY) model
	$(BIN)/recollect bench gate
	$(BIN)/recollect bench store
	$(BIN)/recollect bench speed

docs: $(DEV_READY)
	PYTHONPATH=. $(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV):
	$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml | $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[mcp,vectors]'
	@touch $(READY)

$(DEV_READY): pyproject.toml | $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY) $(DEV_READY)

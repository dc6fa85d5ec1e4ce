# `make demo`, `make test` and `make reproduce` set everything up by themselves.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test reproduce format clean

setup: .venv/ready

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("maskwise needs Python 3.11 or newer; set PYTHON=... to one.") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@if java -version >/dev/null 2>&1; then $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[spark]"; fi
	@touch .venv/ready

demo: setup
	$(BIN)/maskwise demo

test: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

reproduce: setup
	$(BIN)/python -m experiments

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv demo-output

# Every target sets up what it needs by itself.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: setup demo test nightly fast fast-tests lint docs coverage torture reproduce format clean

setup: .venv/ready .venv/kernels

# The product alone, for the demo.
.venv/product: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("maskwise needs Python 3.11 or newer; set PYTHON=... to one.") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	@touch .venv/product

# The tools of development and, where there is Java, Spark.
.venv/ready: .venv/product
	$(PIP) --editable ".[dev]"
	@if java -version >/dev/null 2>&1; then $(PIP) --editable ".[spark]"; fi
	@touch .venv/ready

demo: .venv/product
	$(BIN)/maskwise demo

# Loops are compiled once before the tests start, not in each of their processes.
.venv/kernels: .venv/ready tests/compile_kernels.py $(wildcard src/maskwise/*/*kernels.py src/maskwise/*/*/*kernels.py)
	$(BIN)/python -m tests.compile_kernels
	@touch .venv/kernels

# What continuous integration runs with every change.
test: .venv/ready
	$(MAKE) --jobs=2 setup lint docs
	$(BIN)/pytest -n 2 -m "not nightly"

# All tests, also the lengthy ones, with more examples: what continuous integration runs at night.
nightly: .venv/ready
	$(MAKE) --jobs=2 setup lint docs
	HYPOTHESIS_PROFILE=nightly $(BIN)/pytest -n 2

# The checks for every few minutes: no server, no Spark, no slow test, fewer examples. Types are checked meanwhile.
fast: setup
	$(MAKE) --jobs=2 lint fast-tests

fast-tests: setup
	HYPOTHESIS_PROFILE=fast $(BIN)/pytest -q -n 2 -m "not slow and not engine and not nightly" --ignore=tests/engines

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The documentation as a site, in site/; a broken link or anchor is an error.
docs: .venv/ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# Which lines the tests reach. Loops that numba compiles are not traced, so they count as not reached.
coverage: setup
	$(BIN)/pytest -q -n 2 --ignore=tests/engines --cov --cov-report=term --cov-report=html

# Try to break it, for SECONDS seconds (or CASES seeds of each part), from SEED on; figures are kept and gone on from.
SECONDS ?= 14400
torture: setup
	nice -n 19 $(BIN)/python -m torture $(PARTS) --seconds $(SECONDS) $(if $(CASES),--cases $(CASES)) $(if $(SEED),--seed $(SEED))

reproduce: setup
	$(BIN)/python -m experiments

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv demo-output site htmlcov .coverage

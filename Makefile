# Everything runs inside .venv, which is made here on first use and again when pyproject.toml changes.
# Needed on the machine: Python 3.11 or newer, pip and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip -qq --disable-pip-version-check

# Compiled, a kernel is one step to the coverage of Python: these tests reach all of them and are quick enough without.
KERNEL_TESTS := tests/relax/test_diagonal.py tests/exact/test_core.py tests/exact/test_tree.py::test_the_checker_agrees_with_plain_loops \
  tests/restricted/test_dense_kernel.py tests/search/test_descent.py tests/search/test_flips.py \
  tests/search/test_vertices.py -k "not solve_uses_it and not cut_short and not deadline and not threads and not few_nodes"

.DEFAULT_GOAL := help
.PHONY: help demo test coverage lint format bench docs clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.installed  ## solve a portfolio and its frontier on built-in data (ARGS="--hold 8")
	@$(BIN)/hybridmip demo $(ARGS)

test: lint  ## linters, types, then all tests, which build the site too (ARGS="-k frontier")
	@echo "==> pytest"
	@$(BIN)/python -m pytest -n 2 $(ARGS)

coverage: $(VENV)/.installed-dev  ## all tests, with the branch coverage of src/ (kernels by their own tests, uncompiled)
	@echo "==> pytest of the kernels, as plain Python"
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 $(KERNEL_TESTS) -W ignore::RuntimeWarning --cov --cov-report=
	@echo "==> pytest"
	@$(BIN)/python -m pytest -n 2 --cov --cov-append --cov-report=term $(ARGS)

lint: $(VENV)/.installed-dev  ## ruff, mypy and the layers of imports
	@echo "==> ruff check"
	@$(BIN)/ruff check .
	@echo "==> ruff format --check"
	@$(BIN)/ruff format --check .
	@echo "==> mypy"
	@$(BIN)/mypy
	@echo "==> lint-imports"
	@$(BIN)/lint-imports

format: $(VENV)/.installed-dev  ## rewrite the sources the way the linters want them
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.installed-bench  ## compare with other solvers, write benchmarks/RESULTS.md (ARGS="--quick")
	@$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/.installed-dev  ## build the site into docs/_build/html (examples are run, links checked; a warning is an error)
	@echo "==> sphinx, every example, every link"
	@$(BIN)/python docs/build.py docs/_build/html
	@echo "==> docs/_build/html/index.html"

clean:  ## remove caches, build output and what the demo wrote; .venv stays
	@rm -rf build dist docs/_build docs/examples docs/reference/generated hybridmip-demo benchmarks/quick .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# A Python without ensurepip (some Linux packages) cannot put pip into a new venv; its own pip can.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; say where it is: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "==> creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || \
	  { $(PYTHON) -m venv --clear --without-pip $(VENV) && \
	    $(PYTHON) -m pip -qq --python $@ install pip; } || { rm -rf $(VENV); exit 1; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "==> installing hybridmip into $(VENV) (once; a minute or two)"
	@$(PIP) install -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "==> installing hybridmip and its development tools into $(VENV) (once; a minute or two)"
	@$(PIP) install -e ".[dev]"
	@touch $(VENV)/.installed $@

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	@echo "==> installing hybridmip and the solvers it is compared with into $(VENV) (once; a few minutes)"
	@$(PIP) install -e ".[bench]"
	@touch $(VENV)/.installed $@

PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INFOPROP_DATA ?= ../shared/data
export INFOPROP_DATA

.PHONY: demo test test-oldest coverage soak lint bench reproduce docs clean
.DEFAULT_GOAL := demo

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing infoprop into $(VENV) ..."
	$(PIP) --editable ".[cli]"
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing infoprop and the developers' tools into $(VENV) ..."
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	@echo "Installing what the benchmarks compare with into $(VENV) ..."
	$(PIP) --editable ".[bench]"
	@touch $@

$(OLDEST)/.installed: pyproject.toml constraints-oldest.txt
	@echo "Installing infoprop with the lowest versions that it claims into $(OLDEST) ..."
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt \
		--editable ".[cli,plots,excel,omics,peers,serve,dask,docs,test]"
	@touch $@

# Where it is set, every process translates the tests and infoprop itself again: ten seconds each.
unexport PYTHONDONTWRITEBYTECODE

demo: $(VENV)/.installed  ## run the main job on built-in data and write infoprop-demo.html and .json
	$(BIN)/infoprop demo --report infoprop-demo.html

PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist worksteal

test: $(VENV)/.installed-dev  ## every test, the same inputs every time, in two processes
	$(BIN)/python tests/precompile.py
	$(PYTEST)

coverage: $(VENV)/.installed-dev  ## the same tests, and which lines and branches of src they ran
	$(BIN)/python tests/precompile.py
	$(PYTEST) --cov=infoprop --cov-branch --cov-report=term:skip-covered --cov-report=json:coverage.json

ROUNDS ?= 20
ifndef SEED
SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
endif

soak: $(VENV)/.installed-dev  ## what takes long, and every property with new inputs; SEED=... repeats one
	@echo "An hour or more on two cores. The seed is $(SEED)."
	@$(PYTEST) -m "soak or hypothesis" --hypothesis-profile soak --seed $(SEED) --rounds $(ROUNDS) || \
	  { echo "make soak SEED=$(SEED) ROUNDS=$(ROUNDS) tries the same again."; exit 1; }

test-oldest: $(OLDEST)/.installed  ## run every test with the lowest versions that pyproject.toml claims
	$(OLDEST)/bin/python tests/precompile.py
	$(OLDEST)/bin/python -m pytest --numprocesses 2 --dist worksteal

lint: $(VENV)/.installed-dev  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-bench  ## speed against peers, as ratios measured in one run
	$(BIN)/python benchmarks/run.py

reproduce: $(VENV)/.installed-dev  ## re-run the papers and rewrite experiments/README.md
	$(BIN)/python experiments/reproduce.py

docs: $(VENV)/.installed-dev  ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build/html

clean:
	rm -rf $(VENV) .venv-* build dist docs/_build infoprop-demo.html infoprop-demo.json

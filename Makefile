PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INFOPROP_DATA ?= ../shared/data
export INFOPROP_DATA

.PHONY: demo test lint bench reproduce docs clean
.DEFAULT_GOAL := demo

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing infoprop into $(VENV) ..."
	$(PIP) --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing infoprop and the developers' tools into $(VENV) ..."
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed  ## run the main job on built-in data and write infoprop-demo.html and .json
	$(BIN)/infoprop demo --report infoprop-demo.html

test: $(VENV)/.installed-dev  ## run every test, in two processes
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

lint: $(VENV)/.installed-dev  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-dev  ## speed against peers, as ratios measured in one run
	$(BIN)/python benchmarks/run.py

reproduce: $(VENV)/.installed-dev  ## re-run the papers and rewrite experiments/README.md
	$(BIN)/python experiments/reproduce.py

docs: $(VENV)/.installed-dev  ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build/html

clean:
	rm -rf $(VENV) build dist docs/_build infoprop-demo.html infoprop-demo.json

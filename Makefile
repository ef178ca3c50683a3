# Everything runs in .venv, made on first use from the Python on the PATH (3.11 or later).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

BUDGET ?= 60
SEED ?= 1

.PHONY: demo fast pure test test-all campaign lint bench docs screenshots clean

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[test]'
	$(BIN)/python -m compileall -q src  # as pip does with what is not installed in place
	touch $@

$(VENV)/.lint: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet -e '.[lint]'
	touch $@

demo: $(VENV)/.ready  ## simulate a bundled example under EASY backfilling and show the outcome
	$(BIN)/windtunnel run example:small --scheduler easy --out out/demo
	@echo "The files written:" && ls out/demo

fast: $(VENV)/.ready  ## compile the hot modules (needs a C compiler) and install that build into .venv
	WINDTUNNEL_COMPILE=1 $(BIN)/python -m pip install --quiet --force-reinstall --no-deps .
	$(BIN)/windtunnel --version

pure: $(VENV)/.ready  ## back to the sources, in place
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps -e .
	$(BIN)/windtunnel --version

test: $(VENV)/.ready  ## all tests but the longer ones, with fewer random examples than test-all
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-quick} $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

test-all: $(VENV)/.ready  ## the longer tests too, as .ci/run does
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

campaign: $(VENV)/.ready  ## generators of odd inputs, dialogues and damage, for BUDGET seconds from SEED on
	$(BIN)/python -m tests.campaign.run --budget $(BUDGET) --seed $(SEED)

lint: $(VENV)/.lint  ## style and types, on Linux, macOS and Windows
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32

bench: $(VENV)/.ready  ## the figures of docs/reference/performance.md; NAMES="runs startup" AGAINST=DIR for some of them
	$(BIN)/python -m compileall -q src benchmarks
	$(BIN)/python -m benchmarks $(NAMES) $(if $(AGAINST),--against $(AGAINST))

docs: $(VENV)/.ready  ## the documentation as a site
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	$(BIN)/mkdocs build --strict

screenshots: $(VENV)/.ready  ## the pictures of the documentation; needs Chromium
	$(BIN)/python -m pip install --quiet -e '.[browser,web]'
	$(BIN)/python docs/screenshots.py

clean:
	rm -rf $(VENV) out site .mypy_cache .ruff_cache .pytest_cache .hypothesis

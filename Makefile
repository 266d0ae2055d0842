# Everything from a clean clone; needs Python 3.11 or later and make, nothing else. The first target
# that runs creates .venv; anvil, forge and solc are installed into the user's cache when first used.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c $(NEW_ENOUGH) 2>/dev/null && echo $$p && break; done)
NEW_ENOUGH := 'import sys; sys.exit(sys.version_info < (3, 11))'
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.installed-base
DEV := $(VENV)/.installed-dev
TOOLS := .venv-tools
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help demo bench test lint types layers slither symbolic fraction agreement learned mutants mutants-python fuzz contexts tool-sets chaos faults chaos-runs chaos-deploys chaos-requests soak released ci clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(BASE) ## an agent run on a local chain, each decision proven
	@$(BIN)/zkagent demo

bench: $(BASE) ## measure what a proof costs (about eight minutes)
	@$(PIP) install -qq -e '.[bench]'
	@$(BIN)/zkagent bench

test: $(DEV) ## all tests, a file at a time in each of two processes
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

lint: $(DEV) ## ruff, and forge fmt on the Solidity sources
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python -m zkagent.verifier_contracts.toolchain.forge fmt --check

types: $(DEV) ## mypy, strict
	@$(BIN)/mypy
	@$(BIN)/mypy --strict examples/*.py

layers: $(DEV) ## imports point downwards only
	@$(BIN)/python tests/layers.py

slither: $(DEV) $(TOOLS) ## slither over the contracts, against what was read
	@$(BIN)/python -m tests.assurance.static_analysis

symbolic: $(DEV) $(TOOLS) ## halmos over the checks of verifier_contracts/test/symbolic
	@$(BIN)/python -m tests.assurance.symbolic

fraction: $(DEV) ## the patched verifier's sum against the plain formula: CASES=1000000
	@$(BIN)/python -m tests.circuits.halo2.fraction --cases $(or $(CASES),1000000) \
		$(if $(SEED),--seed $(SEED))

agreement: $(DEV) ## networks computed in four ways, at the edges of every range: CASES=1000, SEED=...
	@$(BIN)/python -m tests.circuits.agreement --cases $(or $(CASES),1000) \
		$(if $(SEED),--seed $(SEED))

learned: $(DEV) ## models of scikit-learn, XGBoost and LightGBM, each imported and proven (ten minutes)
	@$(PIP) install -qq -e '.[import]'
	@$(BIN)/python -m tests.circuits.networks.imports.acceptance

mutants: $(DEV) ## do tests notice changed contracts? SAMPLE=150, SEED=... to repeat
	@$(BIN)/python -m tests.assurance.contract_mutants --sample $(or $(SAMPLE),150) \
		$(if $(SEED),--seed $(SEED))

mutants-python: $(DEV) $(TOOLS) ## the same of the Python that verifies and audits: SAMPLE=150, SEED=...
	@$(BIN)/python -m tests.assurance.python_mutants --sample $(or $(SAMPLE),150) \
		$(if $(SEED),--seed $(SEED))

fuzz: $(DEV) ## random tests with a fresh seed: TIME=10 minutes, SEED=... to repeat
	@$(BIN)/python -m tests.fuzz --minutes $(or $(TIME),10) $(if $(SEED),--seed $(SEED))

contexts: $(DEV) ## a million random contexts, Solidity against Python (an hour): SEED=...
	@$(BIN)/python -m tests.fuzz --only-contexts 100 --contexts 10000 $(if $(SEED),--seed $(SEED))

tool-sets: $(DEV) ## tools and prompts at random, contracts and circuit against Python: SETS=2000, SEED=...
	@$(BIN)/python -m tests.fuzz --only-tool-sets $(or $(SETS),2000) $(if $(SEED),--seed $(SEED))

chaos: $(DEV) ## a service killed at random: PROOFS=1000, KILLS=150, SEED=...
	@$(BIN)/python -m tests.prover.service.chaos --proofs $(or $(PROOFS),1000) \
		--kills $(or $(KILLS),150) $(if $(SEED),--seed $(SEED))

faults: $(DEV) ## a service among failing disks, keys, databases and peers: ROUNDS=3
	@$(BIN)/python -m tests.prover.service.faults --rounds $(or $(ROUNDS),1)

chaos-runs: $(DEV) ## runs killed at random on a chain that mines late: INTENTS=30, KILLS=20, SEED=...
	@$(BIN)/python -m tests.integration.run_chaos --intents $(or $(INTENTS),30) \
		--kills $(or $(KILLS),20) $(if $(SEED),--seed $(SEED))

chaos-deploys: $(DEV) ## deployments killed around broadcasts: DEPLOYMENTS=10, KILLS=6, SEED=...
	@$(BIN)/python -m tests.integration.deploy_chaos --deployments $(or $(DEPLOYMENTS),10) \
		--kills $(or $(KILLS),6) $(if $(SEED),--seed $(SEED))

chaos-requests: $(DEV) ## an operator killed, blocks lost, fees high: REQUESTS=200, KILLS=20, LATE=10, SEED=...
	@$(BIN)/python -m tests.integration.request_chaos --requests $(or $(REQUESTS),200) \
		--kills $(or $(KILLS),20) --late $(or $(LATE),10) $(if $(SEED),--seed $(SEED))

soak: $(DEV) ## a service under load, its memory bounded: TIME=30 minutes
	@$(BIN)/python -m tests.prover.service.soak --minutes $(or $(TIME),30)

released: $(DEV) ## write down what the contracts of a release compile to: VERSION=0.2.0
	@$(BIN)/python -m zkagent.verifier_contracts.deployment.release $(VERSION) \
		tests/verifier_contracts/deployment/released

ci: ## what a pull request must pass
	@.ci/run

clean: ## remove .venv and everything generated in this folder
	rm -rf $(VENV) $(TOOLS) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf verifier_contracts/out verifier_contracts/cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "zkagent needs Python 3.11 or later"; exit 1; }
	@$(PYTHON) -c $(NEW_ENOUGH) || { echo "PYTHON=$(PYTHON) is no Python 3.11 or later," \
		"which zkagent needs: name another one"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "could not create $(VENV); on Debian and Ubuntu: apt install python3-venv"; exit 1; }

# Whoever made it, with whatever Python.
.PHONY: checked-venv
checked-venv: $(BIN)/python
	@$(BIN)/python -c $(NEW_ENOUGH) || { echo "$(VENV) has no Python 3.11 or later, which zkagent" \
		"needs: make clean, then try again"; exit 1; }

$(BASE): pyproject.toml | checked-venv
	@echo "installing zkagent into $(VENV) (once; one to five minutes, by network and disk)"
	@$(PIP) install -qq -e .
	@touch $@

# torch first and exactly: a looser requirement can pull several GB of CUDA packages.
$(DEV): pyproject.toml | checked-venv
	@echo "installing zkagent with all that tests and training need into $(VENV) (once; some minutes, by network and disk)"
	@$(PIP) install -qq torch==2.13.0
	@$(PIP) install -qq -e '.[dev,train]'
	@touch $@ $(BASE)

# Analysers of contracts and tests, which want other versions of our libraries.
$(TOOLS): tests/assurance/requirements.txt
	@echo "installing slither, halmos and cosmic-ray into $(TOOLS) (once; some minutes)"
	@$(PYTHON) -m venv --clear $(TOOLS) && \
		$(TOOLS)/bin/python -m pip --disable-pip-version-check --no-input install -qq \
		-r tests/assurance/requirements.txt || { rm -rf $(TOOLS); exit 1; }
	@touch $@

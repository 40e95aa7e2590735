# The whole house on one machine. Needs make and Python 3.11 or newer with venv; everything else is installed in .venv.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

.PHONY: run test demo bench lies rng setup lint format types lock clean

run: setup
	$(BIN)/shoelog up $(ARGS)

# On every core, a file at a time on each; ARGS=-n0 for one after another, as on a server that is given.
CORES := $(if $(filter-out embedded,$(SHOELOG_TEST_POSTGRES_URL)),0,auto)
test: setup
	$(BIN)/python -m pytest --numprocesses $(CORES) --maxprocesses 8 --dist loadfile $(ARGS)

demo: setup
	$(BIN)/shoelog demo --out build/demo $(ARGS)

bench: setup
	$(BIN)/python -m services.house.bench $(ARGS)

# Thousands of lies told to both verifiers, every verdict compared; ARGS="--lies 1000 --seed 7" for other ones.
lies: setup
	$(BIN)/python -m tests.audit.cross_examination --out build/lies.json $(ARGS)

# What a test laboratory asks of the shuffle; dieharder and rngtest are run where they are installed.
rng: setup
	$(BIN)/shoelog rng report --out build/rng.md $(ARGS)

setup: .venv/.shoelog-installed

# Two stamps: a changed lock builds the environment anew; a changed pyproject.toml installs the project again, in seconds.
.venv/.lock-installed: requirements.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name yours: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements.lock
	@touch $@

.venv/.shoelog-installed: .venv/.lock-installed pyproject.toml
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index --editable .
	@touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: setup
	$(BIN)/mypy

# Resolves pyproject.toml for every Python and platform at once; pins stay where they are unless ARGS=--upgrade.
lock: setup
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --all-extras --group dev --no-config \
		--generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--output-file requirements.lock $(ARGS)

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

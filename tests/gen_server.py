"""Run `gen` for tests in forked processes, so that modules are imported only once.

A line of JSON on standard input asks for a run: words, folder, environment, and files for what
output. The answer is a line with the exit status. Importing the modules of a command and reading
the world and sentences of kinship take longer than most commands of tests.

Two things differ from a fresh `gen`. The machine seems to have one core, so that workers, which
import everything again, start only if a test sets their number. And modules, plugins, worlds and
sentences are loaded before the command starts, so tests of lazy loading need a new process.
"""

import functools
import gc
import importlib
import json
import os
import pkgutil
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

# Modules that most commands import when they run.
LIGHT = (
    "relsmith.cli.main relsmith.cli.flags relsmith.cli.show relsmith.cli.write"
    " relsmith_comparatives relsmith.generators.analogy relsmith.generators.cloze"
    " relsmith.generators.clutrr relsmith.generators.relinf rich.console rich.table"
    " relsmith.cli.entry pandas matplotlib.figure networkx relsmith.dataset.suite"
).split()


HEAVY = {
    "eval": ["torch"],
    "--plot": ["matplotlib.pyplot", "matplotlib.backends.backend_agg"],
    "view": ["relsmith.web.view.file", "relsmith.web.view.site", "relsmith.web.server"],
    "annotate": ["relsmith.web.annotate.site", "relsmith.web.annotate.transfer"],
    "model": ["relsmith.evaluation.picture.panels", "relsmith.evaluation.picture.page"],
}
"""Modules to import before the first command that contains this word."""


def preload() -> None:
    """Import the modules of most commands, before forking."""
    for name in LIGHT:
        importlib.import_module(name)
    import typer

    import relsmith
    from relsmith.cli.main import app
    from relsmith.engines.engine import ENGINES
    from relsmith.exporting.exporter import EXPORTERS
    from relsmith.registry import GENERATORS, WORLDS
    from relsmith.templates.bank import find_bank

    for module in pkgutil.iter_modules(importlib.import_module("relsmith.cli").__path__):
        importlib.import_module(f"relsmith.cli.{module.name}")
    typer.main.get_command = functools.cache(typer.main.get_command)
    typer.main.get_command(app)
    for registry in (ENGINES, EXPORTERS, GENERATORS, WORLDS):
        assert registry.entries
    with tempfile.TemporaryDirectory() as folder:  # which makes options, manifests and judges
        dataset = Path(folder) / "dataset"
        relsmith.write(relsmith.make("comparatives"), dataset, {"train": 2})
        assert not list(relsmith.verify(dataset))
    find_bank("kinship")
    assert relsmith.make("clutrr")[0]
    with suppress(AttributeError):  # other systems have none
        os.sched_getaffinity = _one_core
    gc.freeze()


def load_for(words: list[str]) -> None:
    """Import modules of some commands, before the first of them."""
    modules = [module for word in words for module in HEAVY.get(word, ())]
    for module in modules:
        with suppress(ImportError):  # the command reports it
            importlib.import_module(module)
    if "eval" in words:
        _models()
    if {"score", "report"} & set(words):
        _worlds()
    if "relinf" in words:
        _candidates()


@functools.cache
def _models() -> None:
    with suppress(ImportError):
        from relsmith.evaluation.model import MODELS

        MODELS.load_working()


@functools.cache
def _worlds() -> None:
    """Load every world, because scoring needs the world of a story."""
    from relsmith.kb.worlds.world import find_world
    from relsmith.registry import WORLDS

    for name in WORLDS.entries:
        find_world(name)


@functools.cache
def _candidates() -> None:
    """Fill the cache of relinf for its default questions."""
    import relsmith
    from relsmith.errors import RelsmithError

    with suppress(RelsmithError):  # the command reports it
        relsmith.make("relinf").capacity(("train",), 0)


def _one_core(process: int) -> set[Any]:
    return {0}


def run(words: list[str], folder: str, environment: dict[str, str], files: list[str]) -> None:
    """Run `gen` in a folder and exit (in the child process)."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for stream, path in enumerate([os.devnull, *files]):
        mode = os.O_WRONLY | os.O_CREAT if stream else os.O_RDONLY
        os.dup2(os.open(path, mode | (os.O_TRUNC if stream else 0)), stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (the process ends with it)
    sys.argv = ["gen", *words]
    vars(sys.modules["__main__"]).pop("__file__", None)  # or each worker would import it
    from relsmith.cli.entry import main

    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # at once: to free all imported modules takes as long again


def main() -> None:
    """Serve requests until the input ends."""
    preload()
    for line in sys.stdin:
        request = json.loads(line)
        load_for(request["words"])
        gc.freeze()
        child = os.fork()
        if not child:
            run(**request)
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 (the answer)


if __name__ == "__main__":
    main()

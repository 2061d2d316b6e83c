"""Run `gen` for tests again and again, each time in a process of its own, imported but once.

A line of JSON on standard input asks for a run: words, folder, environment, and files for what
is printed. The answer is a line with the exit status. Importing `gen` takes longer than most of
what tests ask of it.
"""

import gc
import importlib
import json
import os
import sys
from contextlib import suppress

# What the commands import when they are run; torch is imported when the first of them needs it.
LIGHT = (
    "relsmith.cli.main relsmith.cli.flags relsmith.cli.show relsmith.cli.write"
    " relsmith_comparatives relsmith.generators.analogy relsmith.generators.cloze"
    " relsmith.generators.clutrr relsmith.generators.relinf rich.console rich.table"
    " relsmith.cli.entry pandas matplotlib.figure"
).split()


def run(words: list[str], folder: str, environment: dict[str, str], files: list[str]) -> None:
    """What the child does: be `gen` in that folder, and end."""
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
    except SystemExit as end:  # at once: to take down all that is imported takes as long again
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else 0)


def main() -> None:
    """Answer requests until there are none."""
    for name in LIGHT:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        if "eval" in request["words"]:
            with suppress(ImportError):
                importlib.import_module("torch")
        child = os.fork()
        if not child:
            run(**request)
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 (the answer)


if __name__ == "__main__":
    main()

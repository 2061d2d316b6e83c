"""Kill a write at its first file operation, its second, and so on; each time, take it up again.

    python tests/crash_everywhere.py FOLDER fresh|force

With `force` another dataset stands there first. An audit hook sees every file operation that
Python makes, so no moment between two of them is left out.
"""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import relsmith
from relsmith.errors import AlreadyExists
from relsmith_comparatives import Comparatives

OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}


def write(out: Path, force: bool) -> None:
    relsmith.write(Comparatives(), out, {"train": 20, "test": 10}, shards=2, force=force)


def survives(out: Path, fatal: int, force: bool) -> bool:
    """Write in a child that is killed before its fatal-th operation."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event in OPERATIONS and str(out) in str(arguments[0]):
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    write(out, force)
    os._exit(0)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def main() -> None:
    base, force = Path(sys.argv[1]), sys.argv[2] == "force"
    write(base / "whole", force=False)
    whole = contents(base / "whole")
    fatal, survived = 0, False
    while not survived:
        fatal += 1
        out = base / str(fatal)
        if force:
            relsmith.write(Comparatives(extra=1), out, {"train": 30}, shards=5)
        survived = survives(out, fatal, force)
        complete = (out / "manifest.json").exists()
        if complete:
            assert list(relsmith.verify(out)) == [], f"half a dataset after operation {fatal}"
        # Where the kill came after the last write, there is nothing left to take up.
        with suppress(AlreadyExists):
            write(out, force)
        assert contents(out) == whole, f"other bytes after operation {fatal}"
    print(fatal - 1)  # noqa: T201 (the answer)


if __name__ == "__main__":
    main()

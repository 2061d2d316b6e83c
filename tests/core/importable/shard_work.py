"""Work functions for engines."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from relsmith.errors import CannotWrite, CheckFailed

Tick = Callable[[int], None]


def square(number: int, tick: Tick) -> int:
    """Multiply."""
    tick(1)
    return number * number


def die_once(spec: tuple[Path, int], tick: Tick) -> int:
    """Kill the process of shard 0 at first, once the parent has all other results."""
    folder, number = spec
    with (folder / f"tries-{number}").open("a") as tries:
        tries.write("x")
    if number == 0 and (folder / "tries-0").read_text() == "x":
        while len(list(folder.glob("collected-*"))) < 3:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_at_first(note: Path, tick: Tick) -> str:
    """Kill the process at first."""
    if not note.exists():
        note.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "again"


def always_die(number: int, tick: Tick) -> int:
    """Kill the process."""
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail_on_two(number: int, tick: Tick) -> int:
    """Raise an error for shard 2."""
    if number == 2:
        raise CheckFailed("shard 2 is wrong")
    return number


def linger(note: Path, tick: Tick) -> None:
    """Write the process id, and wait."""
    note.with_suffix(".tmp").write_text(str(os.getpid()))
    note.with_suffix(".tmp").replace(note)
    time.sleep(300)


def fail_once(note: Path, tick: Tick) -> str:
    """Raise a write error at first."""
    if note.exists():
        return "again"
    if note.parent.exists():
        note.touch()
    raise CannotWrite("no room")


def take_a_while(number: int, tick: Tick) -> int:
    """Sleep."""
    time.sleep(0.02)
    return number


def nothing(number: int, tick: Tick) -> None:
    """Do nothing."""

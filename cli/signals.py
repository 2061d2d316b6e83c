"""Ctrl-C and SIGTERM: one line and an exit code, whenever they come."""

import os
import signal
import sys
import threading
import time
from typing import Any, NoReturn

INTERRUPTED = "interrupted; nothing is half written, and the same command can be given again"
_HEEDED = [
    number
    for number in (signal.SIGINT, signal.SIGTERM)
    if signal.getsignal(number) is not signal.SIG_IGN  # as nohup has it, and scripts for what has &
]


came: list[int] = []
"""The signals that the command was asked by to end."""


def check_stopped(error: BaseException | None) -> None:
    """Stop where that is behind an error: libraries turn what comes while they load into others."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            raise error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def on_signals(handler: Any) -> None:
    """Do this when a signal comes from now on."""
    for number in _HEEDED:
        signal.signal(number, handler)


def leave(number: int, frame: object) -> NoReturn:
    """End at once, while there is nothing to tidy."""
    os.write(2, f"gen: {INTERRUPTED}\n".encode())
    os._exit(128 + number)


def stop(number: int, frame: object) -> None:
    """End by way of all that tidies up."""
    if _asking_again.is_set():  # an exception would be lost here; the signal is sent once more
        return
    on_signals(signal.SIG_IGN)  # what follows is short, and must not be cut off
    came.append(number)
    raise KeyboardInterrupt


def ask_again(unraisable: Any) -> None:
    """Ask again where the signal came in a place that lets no exception through."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _asking_again.set()
        on_signals(stop)
        # Told twice of one interrupt, or of one that did not pass `stop`, there is none to take.
        number = came.pop() if came else signal.SIGINT
        threading.Thread(target=_send_until_taken, args=[number], daemon=True).start()
        _asking_again.clear()
    else:
        sys.__unraisablehook__(unraisable)


_asking_again = threading.Event()


def _send_until_taken(number: int) -> None:
    """Send the signal to this process until `stop` has taken it."""
    while not came:
        time.sleep(0.01)
        os.kill(os.getpid(), number)

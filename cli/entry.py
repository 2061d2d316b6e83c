"""Where `gen` begins: from its first moment on, a signal ends it in one line."""

import os
import signal
import sys
import threading
from typing import Any, NoReturn

_INTERRUPTED = "interrupted; nothing is half written, and the same command can be given again"
_HEEDED = [
    number
    for number in (signal.SIGINT, signal.SIGTERM)
    if signal.getsignal(number) is not signal.SIG_IGN  # as nohup has it, and scripts for what has &
]


class Stopped(BaseException):
    """A signal asks the command to end; all that it has begun is tidied on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main() -> None:
    """Run `gen`."""
    _on_signals(_leave)  # nothing is begun yet, and an import must not be unwound
    from .main import main as run

    sys.unraisablehook = _hook
    try:
        _on_signals(_stop)
        run()
    except Stopped as stopped:
        sys.stderr.write(f"gen: {_INTERRUPTED}\n")
        sys.exit(128 + stopped.number)
    finally:
        _on_signals(signal.SIG_IGN)  # nothing is left to stop


def check_stopped(error: BaseException | None) -> None:
    """Stop where that is behind an error: libraries turn what comes while they load into others."""
    while error is not None:
        if isinstance(error, Stopped):
            raise error
        error = error.__cause__ or error.__context__


def _on_signals(handler: Any) -> None:
    for number in _HEEDED:
        signal.signal(number, handler)


def _leave(number: int, frame: object) -> NoReturn:
    os.write(2, f"gen: {_INTERRUPTED}\n".encode())
    os._exit(128 + number)


def _stop(number: int, frame: object) -> NoReturn:
    _on_signals(signal.SIG_IGN)  # what follows is short, and must not be cut off
    raise Stopped(number)


def _hook(unraisable: Any) -> None:
    """Ask again where the signal came in a place that lets no exception through."""
    if isinstance(unraisable.exc_value, Stopped):
        _on_signals(_stop)
        threading.Timer(0.01, signal.raise_signal, [unraisable.exc_value.number]).start()
    else:
        sys.__unraisablehook__(unraisable)

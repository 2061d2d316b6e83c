"""Ctrl-C and SIGTERM end `gen` with one line and an exit code, at any time."""

import os
import signal
import sys
import threading
import time
from typing import Any, NoReturn

INTERRUPTED = "interrupted; nothing is half written; run the same command again"
_HANDLED = [
    number
    for number in (signal.SIGINT, signal.SIGTERM)
    if signal.getsignal(number)
    is not signal.SIG_IGN  # set by nohup and by scripts for commands with &
]


received: list[int] = []
"""The signals that interrupt the command."""


def check_stopped(error: BaseException | None) -> None:
    """Raise the KeyboardInterrupt that caused an error: libraries may wrap it while loading."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            raise error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def on_signals(handler: Any) -> None:
    """Set the handler of the signals."""
    for number in _HANDLED:
        signal.signal(number, handler)


def exit_now(number: int, frame: object) -> NoReturn:
    """Exit at once, while there is nothing to clean up."""
    os.write(2, f"gen: {INTERRUPTED}\n".encode())
    os._exit(128 + number)


def interrupt(number: int, frame: object) -> None:
    """Raise KeyboardInterrupt, so that everything is cleaned up."""
    if _resending.is_set():  # an exception would be lost here; the signal is sent again
        return
    on_signals(signal.SIG_IGN)  # cleaning up is short, and must not be interrupted
    received.append(number)
    raise KeyboardInterrupt


def resend(unraisable: Any) -> None:
    """Send the signal again if it arrived where exceptions are ignored."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _resending.set()
        on_signals(interrupt)
        # Empty if one interrupt is reported twice, or did not pass through `interrupt`.
        number = received.pop() if received else signal.SIGINT
        threading.Thread(target=_send_until_received, args=[number], daemon=True).start()
        _resending.clear()
    else:
        sys.__unraisablehook__(unraisable)


_resending = threading.Event()


def _send_until_received(number: int) -> None:
    """Send the signal to this process until `interrupt` has received it."""
    while not received:
        time.sleep(0.01)
        os.kill(os.getpid(), number)

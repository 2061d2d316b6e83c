"""Where `gen` begins: it minds signals first, and imports the rest then."""

import signal
import sys

from .signals import INTERRUPTED, Stopped, ask_again, leave, on_signals, stop


def main() -> None:
    """Run `gen`."""
    on_signals(leave)  # nothing is begun yet, and an import must not be unwound
    from .main import main as run

    sys.unraisablehook = ask_again
    try:
        on_signals(stop)
        run()
    except Stopped as stopped:
        sys.stderr.write(f"gen: {INTERRUPTED}\n")
        sys.exit(128 + stopped.number)
    finally:
        on_signals(signal.SIG_IGN)  # nothing is left to stop

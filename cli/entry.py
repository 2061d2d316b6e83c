"""Where `gen` begins: it minds signals first, and imports the rest then."""

import os
import signal
import sys

from .signals import INTERRUPTED, ask_again, came, leave, on_signals, stop


def main() -> None:
    """Run `gen`."""
    on_signals(leave)  # nothing is begun yet, and an import must not be unwound
    # pydantic would scan every installed distribution for plugins of its own.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from ..errors import Interrupted
    from .main import main as run

    sys.unraisablehook = ask_again
    try:
        on_signals(stop)
        run()
        code: str | int | None = 0
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        sys.stderr.write(f"gen: {INTERRUPTED}\n")
        code = Interrupted.exit_code
    on_signals(signal.SIG_IGN)  # nothing is left to stop
    sys.exit(128 + came[-1] if came and code == Interrupted.exit_code else code)

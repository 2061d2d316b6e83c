"""Entry point of `gen`: installs signal handlers before it imports the rest."""

import gc
import os
import signal
import sys

from .signals import INTERRUPTED, exit_now, interrupt, on_signals, received, resend


def main() -> None:
    """Run `gen`."""
    on_signals(exit_now)  # nothing has started, and imports must not be unwound
    gc.set_threshold(50_000, 20, 100)  # imports create few cycles: 10 % less time to start
    # Otherwise pydantic scans every installed distribution for its plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from ..errors import Interrupted
    from .main import main as run
    from .output import prepare

    prepare()  # an exception while it changes a stream would leave none to write to
    sys.unraisablehook = resend
    try:
        on_signals(interrupt)
        run()
        code: str | int | None = 0
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        sys.stderr.write(f"gen: {INTERRUPTED}\n")
        code = Interrupted.exit_code
    on_signals(signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(128 + received[-1] if received and code == Interrupted.exit_code else code)

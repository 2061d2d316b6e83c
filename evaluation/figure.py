"""Figures with matplotlib, which is imported here only."""

from pathlib import Path
from typing import Any

from ..errors import InvalidOption, MissingExtra


def load_pyplot() -> Any:
    """matplotlib without a screen."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra(f"figures need {error.name}: pip install 'relsmith[eval]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def save_figure(pyplot: Any, figure: Any, path: Path) -> None:
    """Write it in the format that the name of the file asks for."""
    figure.tight_layout()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InvalidOption(f"--plot: cannot draw to {path}: {reason}") from None
    finally:
        pyplot.close(figure)

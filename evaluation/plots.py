"""Figures: matplotlib where it is installed, without a window."""

from pathlib import Path
from typing import Any

from ..errors import InvalidOption, MissingExtra, install, reason


def load_pyplot() -> Any:
    """Matplotlib's pyplot, or what to install."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra(f"figures need {error.name}: {install('eval')}") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def save_plot(pyplot: Any, figure: Any, path: Path) -> None:
    """Write the figure, and close it whatever comes."""
    figure.tight_layout()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120, bbox_inches="tight")
    except (OSError, ValueError) as error:
        raise InvalidOption(
            f"--plot: cannot draw to {path.name}: {reason(error)}; name a .png, .svg or .pdf"
        ) from None
    finally:
        pyplot.close(figure)

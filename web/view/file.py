"""Some rows of a dataset as one HTML file, which needs no server and loads nothing."""

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from ...storage.files import replacing
from ..page import HOME
from .shown import show
from .site import Site, plotted


class Page:
    """A dataset as a file: its counts, and rows from all over it."""

    def __init__(self, folder: Path, predictions: Path | None, rows: int) -> None:
        self._site = Site([folder], predictions)
        self._predictions = predictions
        self._desk = self._site.desks[0]
        self.total = len(self._desk.rows)
        count = min(rows, self.total)
        self._numbers = [self.total * n // count for n in range(count)]

    def write(self, path: Path, tell: Callable[[int], None], *, force: bool) -> int:
        """Write the file, telling how many rows are counted; return how many are in it."""
        inputs = [self._predictions] if self._predictions else []
        with replacing(path, force=force, option="--static", inputs=inputs) as successor:
            census = self._desk.census
            while not census.progress.done:
                census.progress.wait(lambda: False)
                tell(census.progress.seen)
            successor.write_text(self._text(), encoding="utf-8")
        return len(self._numbers)

    def _text(self) -> str:
        desk = self._desk
        style = "".join(_own(name) for name in ("base.css", "view.css"))
        script = _own("view.js")
        generator = desk.rows.manifest.generator
        shown = [
            show(row, generator, (desk.answers or {}).get(row.id), desk.judge(row))
            for row in desk.rows.rows(self._numbers)
        ]
        return self._site.pages.text(
            "file.html",
            # Ours, not the rows': these two alone are not escaped.
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            policy=(
                f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
                "form-action 'none'; base-uri 'none'"
            ),
            name=self._site.names[0],
            desk=desk,
            manifest=desk.rows.manifest,
            listed=list(zip(self._numbers, shown, strict=True)),
            **plotted([desk], [desk.census]) | {"desks": [desk]},
        )


def _own(name: str) -> str:
    home = HOME if name == "base.css" else Path(__file__).parent
    return (home / "static" / name).read_text("utf-8")


def _digest(text: str) -> str:
    """How a policy names a script or a style by what is in it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

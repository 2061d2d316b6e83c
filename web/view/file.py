"""Some rows of a dataset as one self-contained HTML file."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from ...storage.files import replacing
from ..page import HOME
from .shown import show
from .site import ViewSite


class Page:
    """A dataset as a file: evenly spaced rows, with predictions if given."""

    def __init__(self, folder: Path, predictions: Path | None, rows: int) -> None:
        self._site = ViewSite(folder, predictions)
        self._predictions = predictions
        self._dataset = self._site.dataset
        self.total = len(self._dataset.rows)
        offered = self._dataset.answered or range(self.total)
        count = min(rows, len(offered))
        self._numbers = [offered[len(offered) * n // count] for n in range(count)]

    def write(self, path: Path, *, force: bool) -> int:
        """Write the file and return its number of rows."""
        inputs = [self._predictions] if self._predictions else []
        with replacing(path, force=force, option="--static", inputs=inputs) as successor:
            successor.write_text(self._text(), encoding="utf-8")
        return len(self._numbers)

    def _text(self) -> str:
        dataset = self._dataset
        style = "".join(_static_text(name) for name in ("base.css", "view.css"))
        script = _static_text("view.js")
        generator = dataset.rows.manifest.generator
        shown = [
            show(row, generator, (dataset.answers or {}).get(row.id), dataset.judge(row))
            for row in dataset.rows.rows(self._numbers)
        ]
        return self._site.pages.text(
            "file.html",
            # Our own files; all other values are escaped.
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            policy=(
                f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
                "form-action 'none'; base-uri 'none'"
            ),
            name=self._site.name,
            dataset=dataset,
            manifest=dataset.rows.manifest,
            listed=list(zip(self._numbers, shown, strict=True)),
        )


def _static_text(name: str) -> str:
    home = HOME if name == "base.css" else Path(__file__).parent
    return (home / "static" / name).read_text("utf-8")


def _digest(text: str) -> str:
    """Return the digest of a script or style for a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

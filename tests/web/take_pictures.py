"""Takes the pictures in docs/view.md: python tests/web/take_pictures.py

They show a dataset made for them, in few colours to keep files small.
"""

import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from relsmith import make, write
from relsmith.web.view.site import ViewSite

sys.path.insert(0, str(Path(__file__).parent))
from conftest import chromium, serving

DOCS = Path(__file__).parents[2] / "docs"
WIDE, PHONE = {"width": 1180, "height": 1010}, {"width": 375, "height": 760}
SHOTS: dict[str, list[tuple[str, str, dict[str, Any], str]]] = {
    "view-row.png": [("stories", "/row/test/2", {"viewport": WIDE}, "nn")],
    "view-table.png": [
        (
            "stories",
            "/rows?m.k=3&q=sister",
            {"viewport": WIDE | {"height": 620}, "color_scheme": "dark"},
            "",
        )
    ],
}


def main() -> None:
    """Make the data, serve it, and take every picture."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        stories, blanks = Path(home, "stories"), Path(home, "blanks")
        write(make("clutrr", k="2..6", noise="all"), stories, {"train": 2400, "test": 600})
        write(make("cloze"), blanks, {"train": 200})
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        with (
            serving(ViewSite(stories).app()) as at_stories,
            serving(ViewSite(blanks).app()) as at_blanks,
        ):
            homes = {"stories": at_stories, "blanks": at_blanks}
            for name, shots in SHOTS.items():
                pictures = []
                for which, path, options, keys in shots:
                    context = browser.new_context(**options)
                    page = context.new_page()
                    page.goto(homes[which] + path)
                    for key in keys:
                        page.keyboard.press(key)
                    pictures.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
                    context.close()
                save(pictures, DOCS / name)
        browser.close()


def save(pictures: list[Image.Image], path: Path) -> None:
    """Save several pictures side by side, with few colours."""
    gap = 16
    width = sum(picture.width for picture in pictures) + gap * (len(pictures) - 1)
    whole = Image.new("RGB", (width, pictures[0].height), "#9aa0a6")
    place = 0
    for picture in pictures:
        whole.paste(picture, (place, 0))
        place += picture.width + gap
    whole.quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()

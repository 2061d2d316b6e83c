"""The gallery page is up to date and has the rows of its commands."""

import re
from pathlib import Path

import gallery
import pytest

from relsmith.testing.profile import thinned

PAGE = (Path(__file__).parents[2] / "docs" / "GALLERY.md").read_text()
SECTIONS = re.findall(r"## (.+)\n\n`gen (.+)`\n\n((?:.|\n)+?)(?=\n\n## |\n\Z)", PAGE)


def test_the_gallery_is_up_to_date(monkeypatch) -> None:
    """Check all sections; in `quick` some."""
    assert [title for title, *_ in gallery._PAGE] == [title for title, *_ in SECTIONS]
    monkeypatch.setattr(gallery, "_PAGE", thinned(gallery._PAGE, least=6))
    made = gallery.gallery().strip().split("\n\n## ")
    assert set(made) <= set(PAGE.strip().split("\n\n## ")), "run make docs"


@pytest.mark.parametrize(("title", "command", "shown"), thinned(SECTIONS[::4]))
def test_a_section_has_the_rows_of_its_command(gen, title: str, command: str, shown: str) -> None:
    """Check every fourth section; in `quick` one, since the rest are made in the same way."""
    made = " ".join(gen(*command.split()).stdout.replace("│", " ").split())
    stories = re.findall(r"(?:> .+\n)+", shown)
    assert len(stories) == 2
    for story in stories:
        assert " ".join(story.replace("> ", "").split()) in made, title


def test_gallery_covers_both_worlds_all_noise_and_all_styles() -> None:
    commands = " ".join(command for _, command, _ in SECTIONS)
    for words in ("spatial", "supporting", "irrelevant", "disconnected", "plain", "facts"):
        assert f" {words} " in commands

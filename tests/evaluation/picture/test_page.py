"""The page shows the answers' figures, and answers cannot inject markup."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relsmith.evaluation.picture.figures import figures
from relsmith.evaluation.picture.findings import findings
from relsmith.evaluation.picture.logs import read
from relsmith.evaluation.picture.page import page
from relsmith.evaluation.picture.panels import panels
from relsmith.evaluation.picture.record import Answer, ModelAnswers
from relsmith.example import Example

from .conftest import Speaker

EVIL = "<script>alert('x')</script>\"'><img src=x onerror=y>$\\frac{$&amp;{brace}\x00\x1b[31m\u202e"
VOID = {"meta", "img", "br"}


class Reader(HTMLParser):
    """Collects the tags, and the tables of a page by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.id = ""
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("figure", "section"):
            self.id = dict(attrs)["id"]
        if tag == "tr":
            self.tables.setdefault(self.id, []).append([])
        if tag in ("td", "th"):
            self.tables[self.id][-1].append("")

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[self.id][-1][-1] += data


def made(every: list[ModelAnswers]) -> Reader:
    numbers = figures(every)
    return Reader(page(every, numbers, findings(numbers), "A title"))


@pytest.fixture(scope="module")
def every(
    plain_log: Path, stories: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[ModelAnswers]:
    second = tmp_path_factory.mktemp("answers") / "second.jsonl"
    second.write_text(plain_log.read_text().replace("answer is", "child of"))
    return read([str(plain_log), str(second)], stories)


@pytest.fixture(scope="module")
def shown(every: list[ModelAnswers]) -> Reader:
    """The page of these answers; tests must not change it."""
    return made(every)


def test_the_figures_of_the_page_are_those_of_the_answers(
    shown: Reader, rows: list[Example], speaker: Speaker
) -> None:
    tables = shown.tables
    right = np.array([speaker(row).endswith(f" {row.target}.") for row in rows])
    ks = np.array([row.metadata["k"] for row in rows])
    noisy = np.array([bool(row.metadata["noise"]) for row in rows])
    for line in tables["k"][1:]:
        chosen = right[ks == int(line[0])]
        assert re.match(rf"{100 * chosen.mean():.1f} \(.*\), n = {len(chosen)}$", line[1])
    assert [line[0] for line in tables["k"][1:]] == ["2", "3", "4"]
    assert tables["k"][0][:4] == ["k", "mine", "second", "chance"]
    for line, chosen in zip(tables["noise"][1:], (right[~noisy], right[noisy]), strict=True):
        assert line[1].startswith(f"{100 * chosen.mean():.1f} (")
    counts: dict[tuple[str, str], int] = {}
    for row, is_right in zip(rows, right, strict=True):
        said = row.target if is_right else speaker(row).split(" is ")[1].rstrip(".")
        counts[row.target, said] = counts.get((row.target, said), 0) + 1
    dots = [float(found["cx"] or 0) for tag, found in shown.tags if tag == "circle"]
    assert dots[0] == pytest.approx(100 * right[ks == 2].mean(), abs=0.051)
    told = {(target, said): int(count) for target, said, count, _ in tables["confusion-0"][1:]}
    assert told == counts


def test_siblings_are_compared_with_the_first_row(
    shown: Reader, rows: list[Example], speaker: Speaker
) -> None:
    right = {row.id: speaker(row).endswith(f" {row.target}.") for row in rows}
    answers = {row.id: speaker(row).split(" is ")[1].rstrip(".").split()[-1] for row in rows}
    lines = {line[1]: line for line in shown.tables["consistency"][1:] if line[0] == "mine"}
    for change in ("names", "noise", "inverse"):
        pairs = [
            (right[row.metadata["group"]], right[row.id])
            for row in rows
            if row.metadata["perturbation"] == change
        ]
        first, sibling = (np.mean([pair[side] for pair in pairs]) for side in (0, 1))
        stays = np.mean([after for before, after in pairs if before])
        both = np.mean([before and after for before, after in pairs])
        for said, share in zip(lines[change][2:6], (first, sibling, both, stays), strict=True):
            assert said.startswith(f"{100 * share:.1f} (")
        if change != "inverse":  # which changes the answer
            alike = np.mean(
                [
                    answers[row.metadata["group"]] == answers[row.id]
                    for row in rows
                    if row.metadata["perturbation"] == change
                ]
            )
            assert lines[change][6].startswith(f"{100 * alike:.1f} (")
    groups = {row.metadata["group"] for row in rows}
    whole = [all(right[row.id] for row in rows if row.metadata["group"] == g) for g in groups]
    assert lines["whole group right"][4].startswith(f"{100 * np.mean(whole):.1f} (")
    # If the first row and the sibling are both right, the answers are consistent.
    for line in lines.values():
        if line[6]:
            assert float(line[6].split()[0]) >= float(line[4].split()[0])


def test_the_page_is_well_formed_and_loads_nothing(shown: Reader) -> None:
    names = {tag for tag, _ in shown.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form", "use"}
    ids = [attributes["id"] for _, attributes in shown.tags if "id" in attributes]
    assert len(ids) == len(set(ids)) > 7
    for _, attributes in shown.tags:
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in ("href", "src", "xlink:href")
            assert "url(" not in (value or "")
    policies = [a["content"] for tag, a in shown.tags if tag == "meta" and "http-equiv" in a]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def evil_answers() -> Iterator[Answer]:
    for number in range(8):
        metadata = {
            "k": 2 + number % 2,
            "noise": [EVIL] if number % 2 else [],
            "group": f"{EVIL}{number // 2}",
            "perturbation": EVIL if number % 2 else "",
        }
        yield Answer(f"{EVIL}{number}", f"{EVIL}t", number % 3 / 2, EVIL, EVIL, metadata, [EVIL])


def test_answers_cannot_inject_markup() -> None:
    every = [ModelAnswers(EVIL, EVIL, list(evil_answers()), EVIL, notes=[EVIL])]
    numbers = figures(every, [])
    text = page(every, numbers, findings(numbers), EVIL)
    shown = Reader(text)
    assert not {tag for tag, _ in shown.tags} & {"script", "img"}
    assert not any(name.startswith("on") for _, found in shown.tags for name in found)
    assert "alert(" in "".join(shown.words)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)


@pytest.mark.slow
def test_the_same_answers_give_the_same_page(every: list[ModelAnswers], shown: Reader) -> None:
    assert made(every).text == shown.text


def test_panels_without_numbers_are_left_out() -> None:
    answers = [
        Answer(f"analogy-v1-s0-test-{n}", "yes" if n % 2 else "no", float(n % 3 > 0), "yes", "yes")
        for n in range(9)
    ]
    every = [ModelAnswers("m", "analogy", answers, "mine")]
    assert [panel.name for panel in panels(figures(every))] == ["overall", "confusion-0"]
    without = [ModelAnswers("m", "analogy", [Answer("a", "yes", 1.0)], "mine")]
    assert [panel.name for panel in panels(figures(without))] == ["overall"]
    assert "not distinguishable over all rows" in "".join(made(without).words)


def test_abstention_is_counted_by_target() -> None:
    said = [("unknown", "unknown"), ("unknown", "aunt"), ("aunt", "unknown"), ("aunt", "aunt")] * 5
    answers = [
        Answer(f"a{n}", target, float(target == read), read, read, metadata={"k": 2})
        for n, (target, read) in enumerate([*said, ("aunt", ""), ("aunt", "aunt")])
    ]
    every = [ModelAnswers("m", "clutrr", answers, "mine")]
    lines = made(every).tables["abstention"][1:]
    assert [line[0] for line in lines] == ["the answer is unknown", "the answer is known"]
    assert lines[0][1].startswith("50.0 (")
    assert lines[0][1].endswith("n = 10")
    assert lines[1][1].startswith("41.7 (")
    assert lines[1][1].endswith("n = 12")

"""Proofs in words: each sentence states its step, and other sentences are found."""

import re
from collections import Counter

import pytest
from stories import clutrr

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.languages import find_language
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled
from relsmith.validation import findings

OPTIONS = [
    {},
    {"world": "spatial"},
    {"world": "time"},
    {"world": "space"},
    {"anonymize": True, "noise": "all"},
    {"questions": "2"},
]
ROWS = scaled(40, least=15)


def explaining(options) -> Clutrr:
    return clutrr("k=2..5 explain=True", **options)


@pytest.mark.parametrize("options", OPTIONS)
def test_every_step_has_its_sentence_and_nothing_else_changes(options) -> None:
    generator, usual = explaining(options), clutrr("k=2..5", **options)
    for row, other in zip(generator.examples(ROWS), usual.examples(ROWS), strict=True):
        assert not findings(generator, row), row.metadata["explanation"]
        assert len(row.metadata.pop("explanation")) == len(row.metadata["proof"])
        assert other.metadata.pop("explanation") == []
        assert row == other


def test_the_last_sentence_names_the_answer() -> None:
    for row in explaining({}).examples(scaled(300)):
        last = row.metadata["explanation"][-1]
        assert all(re.search(rf"\b{name}\b", last) for name in row.metadata["query"])
        assert row.target in last


def test_steps_use_many_frames() -> None:
    beginnings: Counter[str] = Counter()
    sentences = [s for row in explaining({}).examples(300) for s in row.metadata["explanation"]]
    for text in find_language("en").texts.steps:
        pattern = re.sub(r"\\{[a-z]+\\}", ".+", re.escape(text))
        beginnings[text] = sum(bool(re.fullmatch(pattern, sentence)) for sentence in sentences)
    assert min(beginnings.values()) > len(sentences) / 40
    assert len(set(sentences)) > 0.99 * len(sentences)


def changes(row, words):
    """Yield explanations with one error: in names, words, order or number."""
    said = row.metadata["explanation"]
    x, y = row.metadata["query"]
    names = {x: y, y: x}
    swapped = re.sub(rf"(?<!\w)({x}|{y})(?!\w)", lambda name: names[name[1]], said[-1])
    if x in said[-1] and y in said[-1]:
        yield [*said[:-1], swapped]
    for n, sentence in enumerate(said):
        for word in re.findall(rf"\b({'|'.join(map(re.escape, words))})(?!-)\b", sentence)[:1]:
            other = next(w for w in words if w != word)
            yield [*said[:n], sentence.replace(word, other, 1), *said[n + 1 :]]
        if " (here " in sentence:
            yield [*said[:n], re.sub(r" \(here .*\)", "", sentence), *said[n + 1 :]]
            yield [*said[:n], re.sub(r"here .*\)", "here it is so)", sentence), *said[n + 1 :]]
        yield [*said[:n], *said[n + 1 :]]
        yield [*said[:n], sentence[:-1], *said[n + 1 :]]
    if len(said) > 1:
        yield said[::-1]
    yield []


@pytest.mark.parametrize("options", OPTIONS[:2])
def test_a_sentence_for_another_step_is_found(options) -> None:
    generator, noticed = explaining(options), 0
    words = sorted(find_world(generator.world).meanings, key=len, reverse=True)
    for row in generator.examples(ROWS):
        for changed in changes(row, words):
            row.metadata["explanation"], said = changed, row.metadata["explanation"]
            assert findings(generator, row), changed
            row.metadata["explanation"] = said
            noticed += 1
    assert noticed > 5 * ROWS


def test_a_false_step_is_found() -> None:
    """Plant a wrong step in proof and sentence alike, which only the judge finds."""
    generator = explaining({"k": "3"})
    for row in generator.examples(20):
        concluded, said = row.metadata["concluded"], row.metadata["explanation"]
        word = concluded[0]
        wrong = "grandson" if word != "grandson" else "grandfather"
        if re.search(rf"\b{word}\b", said[0]) and said[0].count(word) == 1:
            concluded[0] = wrong
            said[0] = re.sub(rf"\b{word}\b", wrong, re.sub(r" \(here .*\)", "", said[0]))
            assert any("is not true" in finding for finding in findings(generator, row))


def test_an_unrequested_explanation_is_found() -> None:
    (row,) = Clutrr().examples(1)
    row.metadata["explanation"] = ["So it is."]
    assert any("a sentence for each step" in finding for finding in findings(Clutrr(), row))

"""The German and Spanish banks: no findings, and every form of agreement."""

from itertools import product

import pytest

from relsmith.errors import InvalidBank
from relsmith.kb.worlds.languages import world_in
from relsmith.seed import Stream
from relsmith.storage.text import read
from relsmith.templates.bank import Bank, find_bank, parse_bank
from relsmith.templates.lint import lint
from relsmith.templates.stitcher import Stitcher, StoryWords

THEME = "format: 1\ntheme: new\ngroups:\n  - states: [a {} b]\n    frames:\n      new-1: {!r}\n"
NEEDED = {("kinship", "facts"): 400, ("ordering", "facts"): 150}


@pytest.mark.parametrize("world", ["kinship", "ordering"])
@pytest.mark.parametrize("language", ["de", "es"])
def test_the_banks_have_no_findings(language: str, world: str) -> None:
    bank = find_bank(world, language)
    assert [str(finding) for finding in lint(bank)] == []
    assert sum(bool(frame.predicates) for frame in bank.frames) >= NEEDED[world, "facts"]
    assert len(bank.scenes) >= 4


def bank_of(language: str, frame: str, states: str = "any") -> Bank:
    """Return a bank of one frame."""
    world = world_in("kinship", language)
    assert world.sentences is not None and not isinstance(world.sentences, list)
    head = read(world.sentences / "bank.yaml")
    texts = {"bank.yaml": head, "lists.yaml": "format: 1\nlists: {}"}
    return parse_bank(texts | {"new.yaml": THEME.format(states, frame)}, world)


def told(language: str, frame: str, predicate: str) -> list[str]:
    """Return the frame for two people of each gender: male-male, male-female and so on."""
    bank = bank_of(language, frame)
    stitcher = Stitcher(bank)
    texts = []
    for before, after in product(("male", "female"), repeat=2):
        path = (before, predicate, after)
        line = stitcher.realize(["Kim", "Noa"], path, Stream("x"), StoryWords(set(), set()))
        texts.append(line.text)
    return texts


@pytest.mark.parametrize(
    ("language", "frame", "predicate", "expected"),
    [
        (
            *("de", "{a} traf {seinen a>b} {b}.", "un"),
            ["seinen Neffen", "seine Nichte", "ihren Neffen", "ihre Nichte"],
        ),
        (
            *("de", "{a} half {seinem a>b} {b}.", "sibling"),
            ["seinem Bruder", "seiner Schwester", "ihrem Bruder", "ihrer Schwester"],
        ),
        (
            *("de", "{a} nahm das Auto {seines a>b} {b}.", "inv-child"),
            ["seines Vaters", "seiner Mutter", "ihres Vaters", "ihrer Mutter"],
        ),
        (
            *("de", "Wo ist {der a>b} von {a}? {b:Er|Sie}, {b}, kommt.", "inv-grand"),
            ["der Großvater von", "die Großmutter von"] * 2,
        ),
        (
            *("de", "„{mein a>b} kommt“, sagte {a} zu {b}.", "inv-un"),
            ["„Mein Onkel kommt“", "„Meine Tante kommt“"] * 2,
        ),
        (
            *("es", "{a} vio {al a>b} de siempre, {b}, {b:cansado|cansada}.", "un"),
            ["al sobrino de siempre, Noa, cansado.", "a la sobrina de siempre, Noa, cansada."] * 2,
        ),
        (
            *("es", "{b} habló {del a>b} que fue para {a}. {a.el} calló.", "inv-child"),
            ["del padre que", "de la madre que"] * 2,
        ),
    ],
)
def test_determiners_agree(language: str, frame: str, predicate: str, expected: list[str]) -> None:
    if frame.endswith("calló."):
        frame = frame.removesuffix(" {a.el} calló.")
    for text, part in zip(told(language, frame, predicate), expected, strict=True):
        assert part in text


@pytest.mark.parametrize(
    ("language", "frame", "kind"),
    [
        ("de", "{a} fuhr mit {den a>b} {b} los.", "wrong case"),
        ("de", "{a} fuhr ohne {seinem a>b} {b} los.", "wrong case"),
        ("es", "{a} llamó a {el a>b} de la casa, {b}.", "wrong case"),
        ("de", "{a} sah die {a>b} {b}.", "fixed determiner"),
        ("es", "{a} vio a su {a>b} {b}.", "fixed determiner"),
    ],
)
def test_what_does_not_agree_is_found(language: str, frame: str, kind: str) -> None:
    assert kind in {finding.kind for finding in lint(bank_of(language, frame))}


@pytest.mark.parametrize(
    ("language", "frame", "message"),
    [
        ("de", "{a} sah {jenen a>b} {b}.", "no determiner 'jenen' in bank.yaml"),
        ("de", "{seinen a>b} {b} sah {a}.", "comes before"),
        ("es", "{a} y {b} con {sus a>b}.", "no determiner 'sus'"),
        ("de", "{a} und {b}, {sein a+b>b}.", "has two holders"),
    ],
)
def test_bad_frames_are_refused(language: str, frame: str, message: str) -> None:
    with pytest.raises(InvalidBank, match=message):
        bank_of(language, frame)


def test_unclear_possessives_are_not_used() -> None:
    """Check German by gender, Spanish for anybody mentioned before."""
    german = bank_of("de", "{b} sah {a} und {seinen a>b}.").frames[0]
    assert german.fitting_genders == {("male", "female"), ("female", "male")}
    spanish = bank_of("es", "{b} vio a {a} y a {su a>b}.").frames[0]
    assert spanish.fitting_genders == frozenset()

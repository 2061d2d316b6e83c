"""Languages: their files are checked, and a localized world judges as the English one does."""

from pathlib import Path

import pytest

from relsmith.errors import InvalidWorld, NotFound
from relsmith.kb.worlds.languages import Language, LocalizedWorld, find_language, world_in
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.world import find_world

FILE = """\
format: 1
name: Nonsense
answers: {"yes": ya, "no": na, unknown: mu, none: nil}
unknown_hint: Or mu.
possible_answers: "One of {answers}."
genders:
  female: {one: "{names} f", many: "{names} ff"}
  male: {one: "{names} m", many: "{names} mm"}
conjunctions: [{word: " & "}]
steps: ["{first}, {second}, {then}."]
page: {fact: "", step: "{first}, {then}.", asked: "{claim}, {target}", whose: q, open: "{x} mu {y}"}
"""
TEXTS = """
question: What is {y} to {x}?
yes_no: Is {y} {word:le|la} {word} of {x}?
plain: ['{y} is {word:le|la} {word} of {x}.']
legend: Read it so.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a language whose words are those of English, with a prefix."""
    (tmp_path / "kinship").mkdir()
    (tmp_path / "language.yaml").write_text(FILE)
    words = "".join(
        f"  {name}: {{male: x{predicate.word('male')}, female: x{predicate.word('female')}}}\n"
        for name, predicate in find_world("kinship").predicates.items()
    )
    (tmp_path / "kinship" / "world.yaml").write_text(f"format: 1\nwords:\n{words}{TEXTS}")
    return tmp_path


def test_a_language_is_a_folder(folder: Path) -> None:
    language = Language("xx", folder)
    assert language.worlds == ["kinship"]
    world = LocalizedWorld(find_world("kinship"), language)
    facts = [("Ann", "xfather", "Bob"), ("Bob", "xsister", "Eve")]
    genders = {"Ann": "female", "Bob": "male", "Eve": "female"}
    for judge in (world.judge, world.solve):
        verdict = judge(facts, genders, ("Ann", "Eve"), "xaunt")
        assert (verdict.status, verdict.answers) == (Status.ENTAILED, {"xaunt"})
        assert judge(facts, genders, ("Ann", "Eve"), "xmother").status is Status.CONTRADICTED
    assert world.name == "kinship"
    assert world.compositions() == find_world("kinship").compositions()
    with pytest.raises(NotFound, match="'work' is not told in Nonsense; choose from kinship"):
        LocalizedWorld(find_world("work"), language)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  SO: {male: xhusband, female: xwife}\n", "", "no word for the predicate 'SO'"),
        ("xhusband", "xson", "'xson' is the word for 'child male' already"),
        ("{male: xhusband, female: xwife}", "xspouse", "give one word for each of male, female"),
        ("  SO:", "  zzz: {male: a, female: b}\n  SO:", "'kinship' has no predicate 'zzz'"),
        ("legend: Read it so.", "", "legend: missing"),
        ("question:", "aliases: {xdad: [a]}\nquestion:", "'xdad' is no relation word"),
        ("question:", "aliases: {xson: [xwife]}\nquestion:", "'xwife' has another meaning already"),
        ("{y} to {x}", "{z} to {x}", "no slot {z} here"),
    ],
)
def test_mistakes_are_named(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "kinship" / "world.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InvalidWorld, match=message):
        LocalizedWorld(find_world("kinship"), Language("xx", folder))


@pytest.mark.parametrize("code", ["de", "es"])
@pytest.mark.parametrize("name", ["kinship", "ordering"])
def test_verdicts_are_those_of_english(code: str, name: str) -> None:
    """Check every pair of facts: the words of a language mean what those of English mean."""
    english, own = find_world(name), world_in(name, code)
    genders = {"A": "female", "B": "male", "C": "female"} if english.genders else {}
    for one, other, _ in english.compositions():
        first, second = english.predicates[one], english.predicates[other]
        words = (first.word(genders.get("B")), second.word(genders.get("C")))
        local = tuple(
            own.predicates[predicate].word(genders.get(person))
            for predicate, person in ((one, "B"), (other, "C"))
        )
        verdict, same = (
            world.judge([("A", said[0], "B"), ("B", said[1], "C")], genders, ("A", "C"))
            for world, said in ((english, words), (own, local))
        )
        assert verdict.status is same.status
        assert {english.meanings.get(answer, answer) for answer in verdict.answers} == {
            own.meanings.get(answer, answer) for answer in same.answers
        }


def test_answers_of_a_language_differ() -> None:
    for code in ("en", "de", "es"):
        assert len(set(find_language(code).texts.answers.values())) == 4


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("none: nil", "nobody: nil", "give a different text for each of yes, no, unknown, none"),
        ("unknown: mu", "unknown: na", "give a different text for each of yes"),
        ("  male: {one", "  man: {one", "give a different text for each of female, male"),
        ("steps:", "answer_phrases: {unknown: [ya]}\nsteps:", "'ya' has two meanings"),
    ],
)
def test_mistakes_of_the_language_are_named(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "language.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(
        text.replace(old, new, 1) if old != "male: {one" else text.replace("  male:", "  man:")
    )
    with pytest.raises(InvalidWorld, match=message):
        Language("xx", folder)

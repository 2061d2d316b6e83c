"""Sentences are parsed back: those of the bank are accepted, others are found."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise, product

import pytest
from stories import clutrr

from relsmith.generators.clutrr.judging import sentence_parser
from relsmith.generators.clutrr.judging.sentence_parser import StoryCast
from relsmith.generators.clutrr.metadata import stated_facts, story_segments
from relsmith.kb.worlds.world import find_world
from relsmith.templates.bank import find_bank
from relsmith.templates.frame import Frame
from relsmith.templates.samples import possible_genders, render
from relsmith.templates.stitcher import Stitcher
from relsmith.testing.profile import profile, scaled, thinned
from relsmith.validation import findings

PEOPLE = ["Ann", "Ben", "Cat", "Dan"]
WORLDS = (
    "kinship",
    "kinship-extended",
    "ordering",
    "space",
    "spatial",
    "time",
    "work",
)
OTHER = {"he": "she", "she": "he", "him": "her", "his": "her", "her": "his", "hers": "his"}


def check_sentence(bank, template, text, facts, genders, everyone=()) -> str | None:
    """Return the findings about a sentence of a story with these facts, and perhaps with others."""
    people = {name for x, _, y in facts for name in (x, y)} | set(everyone)
    cast = StoryCast(sorted(people), genders)
    return sentence_parser.check_sentence(bank, template, text, facts, cast)


@cache
def some(world: str) -> list[tuple]:
    """Return every frame of a bank with one or two clauses; some of the longer ones of large banks.

    In some worlds the first clauses of frames are symmetric, and mean the same when reversed.
    """
    most = {"kinship-extended": 20, "ordering": 20}
    found = list(tellings(world, most.get(world, 2)))
    step = 7 if profile() == "quick" and world.startswith("kinship") else 3
    return [one for n, one in enumerate(found) if len(one[2]) == 1 or n % step == 0]


def tellings(world: str, most: int) -> Iterator[tuple]:
    bank = find_bank(world)
    stitcher = Stitcher(bank)
    for frame in bank.frames:
        if not frame.predicates:
            continue
        told = list(islice(told_by(stitcher, frame), most))
        assert told, frame.id
        yield from told


def told_by(stitcher: Stitcher, frame: Frame) -> Iterator[tuple]:
    """Yield the frame, its text, its facts and the men, for every clause and all genders."""
    bank = stitcher.bank
    for clause in product(*map(sorted, frame.predicates)):
        for kinds in possible_genders(bank, clause):
            if frame.fits(kinds):
                names = PEOPLE[: len(kinds)]
                facts = [
                    (x, bank.world.predicates[name].word(kind), y)
                    for (x, y), name, kind in zip(pairwise(names), clause, kinds[1:], strict=True)
                ]
                known = dict(zip(names, kinds, strict=True)) if bank.world.genders else {}
                yield frame.id, render(stitcher, frame, False, clause, kinds, names), facts, known


def meant(world: str, facts, rename=None) -> set[tuple]:
    """Return the facts in both directions, without genders, with renamed people."""
    knows, name = find_world(world), (rename or {}).get
    found = set()
    for x, word, y in facts:
        predicate = knows.meanings[word][0]
        found.add((name(x, x), predicate, name(y, y)))
        found.add((name(y, y), knows.inverse(predicate), name(x, x)))
    return found


def swapped(text: str, one: str, other: str) -> str:
    """Swap two names in the text."""
    names = {one: other, other: one}
    return re.sub(rf"(?<!\w)({one}|{other})(?!\w)", lambda found: names[found[1]], text)


@pytest.mark.parametrize("world", WORLDS)
def test_every_frame_of_the_bank_is_accepted(world: str) -> None:
    bank = find_bank(world)
    lengths = Counter()
    for frame, text, facts, known in tellings(world, scaled(6, least=2)):
        assert check_sentence(bank, frame, text, facts, known) is None, (frame, text, facts)
        lengths[len(facts)] += 1
    assert set(lengths) == {1, 2, 3}


def names_swapped(world: str, text: str, facts: list, known: dict) -> Iterator[tuple]:
    """Yield the text with two neighbours on the path swapped."""
    for one, other in pairwise(PEOPLE[: len(facts) + 1]):
        if meant(world, facts, {one: other, other: one}) != meant(world, facts):
            yield swapped(text, one, other), facts


def facts_reversed(world: str, text: str, facts: list, known: dict) -> Iterator[tuple]:
    """Yield the text with the direction of one fact reversed."""
    knows = find_world(world)
    for at, (x, word, y) in enumerate(facts):
        turned = y, knows.predicates[knows.meanings[word][0]].word(known.get(x)), x
        others = [*facts[:at], turned, *facts[at + 1 :]]
        if meant(world, others) != meant(world, facts):
            yield text, others


def wrong_name(world: str, text: str, facts: list, known: dict) -> Iterator[tuple]:
    """Yield the text with one occurrence of a name replaced."""
    people = PEOPLE[: len(facts) + 1]
    for found in re.finditer(rf"\b({'|'.join(people)})\b", text):
        other = people[people.index(found[1]) - 1]
        yield text[: found.start()] + other + text[found.end() :], facts


def wrong_relation(world: str, text: str, facts: list, known: dict) -> Iterator[tuple]:
    knows = find_world(world)
    words = sorted(knows.meanings, key=len, reverse=True)
    for found in re.finditer(rf"\b({'|'.join(map(re.escape, words))})\b", text):
        predicate, gender = knows.meanings[found[1]]
        others = [
            other
            for other, (its, kind) in knows.meanings.items()
            if (its == predicate) != (kind == gender) or (not knows.genders and its != predicate)
        ]
        for other in thinned(others, least=2):
            yield text[: found.start()] + other + text[found.end() :], facts


def wrong_pronoun(world: str, text: str, facts: list, known: dict) -> Iterator[tuple]:
    for found in re.finditer(rf"\b({'|'.join(OTHER)})\b", text):
        yield text[: found.start()] + OTHER[found[1]] + text[found.end() :], facts


@pytest.mark.parametrize(
    ("fault", "world"),
    [
        *thinned(product((names_swapped, facts_reversed, wrong_name, wrong_relation), WORLDS), 6),
        (wrong_pronoun, "kinship"),
    ],
)
def test_a_wrong_sentence_is_found(fault, world: str) -> None:
    noticed = Counter()
    for frame, text, facts, known in some(world):
        for changed, stated in fault(world, text, facts, known):
            assert check_sentence(find_bank(world), frame, changed, stated, known), (frame, changed)
            noticed[len(facts)] += 1
    # The clauses of three facts in the sample are mostly symmetric: reversed, they mean the same.
    assert min(noticed[1], noticed[2]) >= 20, noticed
    assert noticed[3] >= (1 if fault is facts_reversed else 20), noticed


@pytest.mark.parametrize("world", WORLDS)
def test_a_missing_or_extra_fact_is_found(world: str) -> None:
    bank = find_bank(world)
    word = next(iter(find_world(world).meanings))
    for frame, text, facts, known in islice(some(world), 0, None, 3):
        assert check_sentence(bank, frame, text, [*facts, (facts[-1][2], word, "Eve")], known)
        if len(facts) > 1:
            assert check_sentence(bank, frame, text, facts[:-1], known)


def test_asides_are_checked_too() -> None:
    bank, known = find_bank("kinship"), {"Ann": "female", "Ben": "male"}
    said = "Somebody had tied tin cans to the back of the car."
    assert check_sentence(bank, "wedding-25", said, [], known, known) is None
    assert check_sentence(bank, "wedding-25", said.replace("tin ", ""), [], known, known)
    for frame in bank.frames:
        for name, gender in known.items() if frame.path and not frame.predicates else ():
            (text, *_) = frame.realizations((gender,))
            fills = [bank.language.word_lists[n][0] for n in text.word_lists]
            said = text.fill([name, *fills])
            assert check_sentence(bank, frame.id, said, [], known, known) is None, said
            fact = ("Ann", "son", "Ben")
            assert check_sentence(bank, frame.id, said, [fact], known, known), said
            for found in re.finditer(rf"\b({'|'.join(OTHER)})\b", said):
                changed = said[: found.start()] + OTHER[found[1]] + said[found.end() :]
                assert check_sentence(bank, frame.id, changed, [], known, known), changed


def test_an_ambiguous_pronoun_is_found() -> None:
    """Plant an ambiguous pronoun in place of a name."""
    bank, noticed = find_bank("kinship"), 0
    for frame, text, facts, known in tellings("kinship", 6):
        for found in re.finditer(rf"\b({'|'.join(PEOPLE)})('s)?(?= [a-z])", text):
            case = "their" if found[2] else "they"
            slot = next(
                s for s, n in zip(bank.by_id[frame].path, PEOPLE, strict=False) if n == found[1]
            )
            if f"{{{slot}.{case}}}" in bank.by_id[frame].text:
                word = bank.header.pronouns[case].words[known[found[1]]]
                changed = text[: found.start()] + word + text[found.end() :]
                before = set(re.findall("|".join(PEOPLE), text[: found.start()]))
                alike = [n for n in before if known[n] == known[found[1]]]
                if found[1] in before and len(alike) > 1:
                    complaint = check_sentence(bank, frame, changed, facts, known)
                    assert complaint, changed
                    noticed += "could mean" in complaint
    assert noticed > 100


def test_a_word_outside_its_list_is_found() -> None:
    bank = find_bank("kinship")
    fact, known = ("Ann", "husband", "Ben"), {"Ann": "female", "Ben": "male"}
    town = bank.language.lists["town"][0]
    said = f"Ann would follow her husband Ben to the ends of the earth, though not to {town}."
    assert check_sentence(bank, "weddings-40", said, [fact], known) is None
    assert check_sentence(bank, "weddings-40", said.replace(town, "Ben's sister"), [fact], known)
    assert check_sentence(bank, "weddings-40", said.replace(town, "Atlantis"), [fact], known)


@pytest.mark.parametrize("options", ["", "world=spatial", "world=time", "style=plain"])
def test_the_judge_reads_the_sentences_of_a_row(options: str) -> None:
    """Swap two names, as a wrong frame would."""
    generator = clutrr(f"k=2..5 {options}")
    changed = 0
    for row in generator.examples(12):
        facts, told = stated_facts(row.metadata), row.input
        for text, numbers in zip(story_segments(row), row.metadata["states"], strict=True):
            stated = [facts[number] for number in numbers]
            both = {stated[0][0]: stated[0][2], stated[0][2]: stated[0][0]} if stated else {}
            row.input = told.replace(text, swapped(text, *both) if both else text)
            turned = meant(generator.world, stated, both) != meant(generator.world, stated)
            if turned and len(row.input) == len(told):  # sentences start at the same offsets
                assert findings(generator, row), row.input
                changed += 1
    assert changed > 20


@pytest.mark.parametrize(
    ("text", "people", "named"),
    [
        ("Ann met Bo and Ann.", ["Bo", "Ann"], ["Ann", "Bo", "Ann"]),
        ("Ann's Ann-Marie", ["Ann", "Ann-Marie"], ["Ann", "Ann-Marie"]),
        ("Ann Lee, Ann", ["Ann", "Ann Lee"], ["Ann Lee", "Ann"]),
        ("Ann Leeds saw Lee", ["Ann Lee", "Lee"], ["Lee"]),
        ("D'Arcy's D", ["D'Arcy"], ["D'Arcy"]),
        ("@entity-1 and @entity-11", ["@entity-1"], ["@entity-1"]),
        ("Anna, Joanne, ann", ["Ann"], []),
        ("Zoë is Ann's", ["Zoë", "Ann"], ["Zoë", "Ann"]),
    ],
)
def test_names_are_found_whole(text, people, named) -> None:
    assert StoryCast(people, {}).mentioned(text) == named


def test_sentences_name_nobody_else() -> None:
    """Check that no word of a frame is read as a name."""
    bank = find_bank("kinship")
    fact, known = ("Ann", "husband", "Ben"), {"Ann": "female", "Ben": "male"}
    town = bank.language.lists["town"][0]
    said = f"Ann would follow her husband Ben to the ends of the earth, though not to {town}."
    assert check_sentence(bank, "weddings-40", said, [fact], known, ["earth", "follow"])
    assert check_sentence(bank, "weddings-40", said, [fact], known, ["Earth", "Follow"]) is None
    assert check_sentence(bank, "weddings-40", said.replace("Ann", "Annie"), [fact], known)
    assert check_sentence(bank, "weddings-40", said.replace("Ann", "ann"), [fact], known)
    assert check_sentence(bank, "weddings-40", said.replace("Ann", "Eve"), [fact], known, ["Eve"])

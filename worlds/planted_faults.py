"""Planted faults: corrupted rows of a world, each of which its judge must find and name.

`faults_of` lists those that fit the questions of a world; `check_fault` plants one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from ..example import Example
from ..generators.clutrr import Clutrr
from ..generators.clutrr.metadata import stated_facts, story_segments
from ..kb.worlds.world import World, find_world
from ..seed import Stream
from ..testing.profile import profile, scaled
from ..validation import findings

_ROWS = 16
_MAX_PLANTED = 30
"""Rows per fault in the profile `full`."""
_MAX_WORDS = 10
_QUICK = {"side_facts": 2}
"""Options in the profile `quick`: with these, rows of worlds with few answers are made ten times
faster."""

Plant = Callable[[Example, World, Stream], Iterator[Example]]
"""Corrupts a copy of a row, and yields it for each way of doing so."""
_Values = Mapping[str, Iterable[object]]
"""Wrong values of fields of the metadata."""


class Fault(NamedTuple):
    """A kind of corruption."""

    plant: Plant
    says: str = ""
    """A pattern that one of the judge's findings must match."""
    options: Mapping[str, object] = {}
    """Options of the rows to corrupt."""


def check_fault(world: str, name: str) -> None:
    """Assert that the judge of a world finds a fault in all rows in which it can be planted."""
    fault, draw = faults_of(world)[name], Stream("faults", world, name)
    generator, rows = _right_rows(world, fault.options)
    planted = 0
    for wrong in islice(_planted(fault, generator, rows, draw), _MAX_PLANTED):
        planted += 1
        found = [line for line in findings(generator, wrong) if "beyond its judge" not in line]
        assert any(re.search(fault.says, line) for line in found), (
            f"the judge overlooks a fault ({name}), or says something else: {found} of {wrong}"
        )
    assert planted >= min(_ROWS // 4, scaled(_ROWS // 4)), f"{name}: too few rows to plant it in"


def _planted(
    fault: Fault, generator: Clutrr, rows: list[Example], draw: Stream
) -> Iterator[Example]:
    world = find_world(generator.world)
    for number, row in enumerate(rows):
        before, wrongs = row.encoded(), fault.plant(deepcopy(row), world, draw)
        if profile() == "quick":  # one per row, at another place each time
            count = sum(1 for _ in wrongs)
            place = number % max(count, 1)
            wrongs = islice(fault.plant(deepcopy(row), world, draw), place, place + 1)
        for wrong in wrongs:
            assert wrong.encoded() != before, f"nothing was planted in {row.id}"
            yield wrong


def _right_rows(world: str, options: Mapping[str, object]) -> tuple[Clutrr, list[Example]]:
    """Return correct rows for some options; they are made once."""
    quick = _QUICK if profile() == "quick" else {}
    given = {"world": world, "k": "2..4", **quick, **options}
    return _judged_rows(tuple(sorted(given.items())))


@cache
def _judged_rows(options: tuple[tuple[str, object], ...]) -> tuple[Clutrr, list[Example]]:
    generator = Clutrr.configure(dict(options))
    rows = list(generator.examples(min(_ROWS, scaled(_ROWS, least=9))))
    for row in rows:
        assert not findings(generator, row), row
    return generator, rows


def faults_of(name: str) -> dict[str, Fault]:
    """Return all faults that rows of a world can have, by name."""
    world = find_world(name)
    faults = dict(_FAULTS)
    if world.conventions:
        faults["the conventions"] = Fault(_missing_word, "the input is not")
    if any(" is " in sentence for sentence in world.story_spec.plain):
        faults["denied"] = Fault(_denied, _TEXT, {"style": "plain"})
    if world.genders:
        faults |= _GENDERED
    if world.story_spec.who:
        given = {"gender": "given"} if world.genders else {}
        for what, plant in (
            ("one left out", _one_left_out),
            ("one too many", _one_too_many),
            ("another order", _set_turned),
        ):
            faults[f"who: {what}"] = Fault(plant, "is entailed of", {"answer": "who", **given})
    return faults


def _others(world: World, word: str, draw: Stream) -> list[str]:
    """Return other words of a world: first those of the same relation, then any."""
    name = world.meanings[word][0] if word in world.meanings else ""
    same = [o for o, (its_name, _) in world.meanings.items() if its_name == name and o != word]
    rest = [other for other, (its_name, _) in world.meanings.items() if its_name != name]
    draw.shuffle(rest)
    return [*same, *rest][:_MAX_WORDS]


def _possible(row: Example, world: World) -> list[str]:
    """Return the words that may hold, where the answer is open."""
    return [word for word in row.metadata["possible"] if word in world.meanings]


def _is_asymmetric(world: World, word: str) -> bool:
    """Return whether the inverse of a word is another relation."""
    name = world.meanings[word][0]
    return world.inverse(name) != name


def _replace_segment(row: Example, number: int, text: str) -> None:
    """Replace the text of a segment, and move the starts of the following ones."""
    starts = row.metadata["starts"]
    start, after = starts[number], starts[number + 1]
    row.input = row.input[:start] + text + row.input[after - 1 :]
    moved = len(text) - (after - 1 - start)
    row.metadata["starts"] = [*starts[: number + 1], *(at + moved for at in starts[number + 1 :])]


def _segments(change: Callable[[str, list[list[str]], World, Stream], str]) -> Plant:
    """Return a fault that changes one segment at a time: its text, given the facts it states."""

    def plant(row: Example, world: World, draw: Stream) -> Iterator[Example]:
        facts = stated_facts(row.metadata)
        for number, text in enumerate(story_segments(row)):
            said = [facts[fact] for fact in row.metadata["states"][number]]
            if (changed := change(text, said, world, draw)) != text:
                wrong = deepcopy(row)
                _replace_segment(wrong, number, changed)
                yield wrong

    return plant


def _targets(targets: Callable[[Example, World, Stream], Iterable[str]]) -> Plant:
    """Return a fault that gives the row each of some targets."""

    def plant(row: Example, world: World, draw: Stream) -> Iterator[Example]:
        for target in targets(row, world, draw):
            row.target = target
            yield row

    return plant


def _fields(
    fields: Callable[[dict[str, Any], World, Stream], _Values],
) -> Plant:
    """Return a fault that changes one field of the metadata at a time, to each other value."""

    def plant(row: Example, world: World, draw: Stream) -> Iterator[Example]:
        known = row.metadata
        for name, values in fields(known, world, draw).items():
            for value in values:
                if value != known[name]:
                    row.metadata = known | {name: value}
                    yield row

    return plant


def _items(field: str, other: Callable[[str, World, Stream], str]) -> Plant:
    """Return a fault that replaces one item of a list in the metadata at a time."""
    return _fields(
        lambda known, world, draw: {
            field: [
                [*known[field][:n], other(item, world, draw), *known[field][n + 1 :]]
                for n, item in enumerate(known[field])
            ]
        }
    )


def _facts(others: Callable[[list[str], World, Stream], list[list[str]]]) -> Plant:
    """Return a fault that replaces one fact at a time."""

    def plant(row: Example, world: World, draw: Stream) -> Iterator[Example]:
        for fact in stated_facts(row.metadata):
            right = fact.copy()
            for fact[:] in others(right, world, draw):
                yield row
            fact[:] = right

    return plant


def _yes_no(row: Example, world: World, draw: Stream) -> Iterator[Example]:
    """Give the other answers, with the metadata that goes with each."""
    for answer in ("yes", "no", "unknown"):
        wrong = deepcopy(row)
        wrong.target = answer
        if answer == "unknown":
            wrong.metadata |= {"relation": "", "proof": [], "concluded": []}
        elif not row.metadata["relation"]:
            wrong.metadata["relation"] = _possible(row, world)[0]
        if answer != row.target:
            yield wrong


def _other(word: str, world: World, draw: Stream) -> str:
    """Return another relation word."""
    return draw.choice(_others(world, word, draw))


_answer = _targets(lambda row, world, draw: _others(world, row.target, draw))
_no_answer = _targets(lambda row, *_: [f"{row.target}x"])
_certain = _targets(
    lambda row, world, _: _possible(row, world)[:3] if row.target == "unknown" else []
)
_query = _fields(lambda known, *_: {"query": [known["query"][::-1]]})
_noise = _fields(lambda *_: {"noise": [["irrelevant"]]})
_conclusion = _items("concluded", _other)
_reason = _items("explanation", lambda text, world, draw: _other_relation(world, text, draw))
_fact_turned = _facts(lambda fact, world, _: [fact[::-1]] * _is_asymmetric(world, fact[1]))
_fact_word = _facts(lambda fact, world, draw: [[fact[0], _other(fact[1], world, draw), fact[2]]])
_one_left_out = _targets(
    lambda row, *_: ["; ".join(row.target.split("; ")[1:]) or "none"] * (row.target != "none")
)
_set_turned = _targets(
    lambda row, *_: [
        "; ".join(row.target.split("; ")[::-1]) if "; " in row.target else f"{row.target};"
    ]
)


@_fields
def _one_possible_less(known: dict[str, Any], world: World, draw: Stream) -> _Values:
    left_out = draw.choice(known["possible"])
    return {"possible": [[word for word in known["possible"] if word != left_out]]}


@_fields
def _one_possible_more(known: dict[str, Any], world: World, draw: Stream) -> _Values:
    more = [word for word in world.meanings if word not in known["possible"]] or known["possible"]
    return {"possible": [sorted([*known["possible"], draw.choice(more)])]}


@_fields
def _fact_more(known: dict[str, Any], world: World, draw: Stream) -> _Values:
    """Add a fact that contradicts another."""
    x, word, y = known["facts"][0]
    return {"side_facts": [[*known["side_facts"], [x, _other(word, world, draw), y]]]}


@_fields
def _other_field(known: dict[str, Any], world: World, draw: Stream) -> _Values:
    word = next(word for word in sorted(world.meanings) if word != known["relation"])
    return {
        "world": ["kinship" if world.name != "kinship" else "work"],
        "k": [known["k"] + 1],
        "clause": [[*known["clause"][::-1], next(iter(world.predicates))]],
        "relation": ["", word],
        "asked": ["", word],
        "verdict": ["", "entailed", "undetermined"],
        "possible": [[], [word]],
        "proof_depth": [known["proof_depth"] + 1],
        "proofs": [known["proofs"] + 1],
    }


@_fields
def _genders(known: dict[str, Any], world: World, draw: Stream) -> _Values:
    """Give everybody another gender."""
    genders = [
        [name, draw.choice([gender for gender in world.genders if gender != own])]
        for name, own in known["genders"]
    ]
    return {"genders": [genders]}


@_facts
def _gendered_fact(fact: list[str], world: World, draw: Stream) -> list[list[str]]:
    """Give a fact the word for another gender."""
    name = world.meanings[fact[1]][0]
    words = [word for word, (its, _) in world.meanings.items() if its == name and word != fact[1]]
    return [[fact[0], word, fact[2]] for word in words]


def _open(row: Example, world: World, draw: Stream) -> Iterator[Example]:
    """Call an entailed answer open, and remove all traces of the proof."""
    if row.target != "unknown":
        row.metadata |= {"verdict": "undetermined", "proof": [], "concluded": []}
        row.target = "unknown"
        yield row


def _asked_turned(row: Example, world: World, draw: Stream) -> Iterator[Example]:
    """Reverse the pair in the question."""
    start = row.metadata["starts"][-1]
    row.input = row.input[:start] + _swapped(row.input[start:], *row.metadata["query"])
    yield row


def _all_turned(row: Example, world: World, draw: Stream) -> Iterator[Example]:
    """Reverse the query everywhere, but not the answer."""
    if _is_asymmetric(world, row.target):
        row.metadata["query"].reverse()
        yield from _asked_turned(row, world, draw)


def _swapped(text: str, x: str, y: str) -> str:
    other = {x: y, y: x}
    return re.sub(rf"\b({re.escape(x)}|{re.escape(y)})\b", lambda name: other[name[0]], text)


def _other_relation(world: World, text: str, draw: Stream) -> str:
    """Return the text with another relation word for the first in it, the longest of several."""
    words = "|".join(map(re.escape, sorted(world.meanings, key=len, reverse=True)))
    said = re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)
    if said is None:
        return text
    other = draw.choice(_others(world, said[0].lower(), draw))
    return text[: said.start()] + other + text[said.end() :]


_words = _segments(lambda text, _, world, draw: _other_relation(world, text, draw))


@_segments
def _denied(text: str, said: list[list[str]], world: World, draw: Stream) -> str:
    old, new = ("not ", "") if "not " in text else (" is ", " is not ")
    return text.replace(old, new, 1)


@_segments
def _names(text: str, said: list[list[str]], world: World, draw: Stream) -> str:
    """Swap two names in a segment whose facts are not symmetric."""
    turning = said and all(_is_asymmetric(world, word) for _, word, _ in said)
    return _swapped(text, *said[0][::2]) if turning else text


@_segments
def _one_word(text: str, said: list[list[str]], world: World, draw: Stream) -> str:
    """Replace a word by another that relation words consist of: south for north, three for two."""
    words = sorted({part for word in world.meanings for part in word.split(" ")})
    found = [match for word in words for match in re.finditer(rf"\b{word}\b", text)]
    if not found:
        return text
    match = draw.choice(found)
    other = draw.choice([word for word in words if word != match[0]])
    return text[: match.start()] + other + text[match.end() :]


@_segments
def _pronoun(text: str, said: list[list[str]], world: World, draw: Stream) -> str:
    others = ["his", "her", *(["their"] if "unstated" in world.genders else [])]
    pronoun = re.search(r"\b(?:his|her|their)\b", text)
    if pronoun is None:
        return text
    other = draw.choice([other for other in others if other != pronoun[0]])
    return text[: pronoun.start()] + other + text[pronoun.end() :]


def _missing_word(row: Example, world: World, draw: Stream) -> Iterator[Example]:
    """Leave a word of the conventions out."""
    assert world.conventions
    stated = world.conventions.brief
    words = stated.split(" ")
    words.pop(draw.below(len(words)))
    less = " ".join(words)
    row.input = row.input.replace(stated, less, 1)
    moved = len(stated) - len(less)
    row.metadata["starts"] = [at - moved for at in row.metadata["starts"]]
    yield row


def _choices(row: Example, world: World, draw: Stream) -> Iterator[Example]:
    row.choices.remove(row.target)
    yield row


@_targets
def _one_too_many(row: Example, world: World, draw: Stream) -> list[str]:
    known, named = row.metadata, set(row.target.split("; "))
    people = {name for x, _, y in stated_facts(known) for name in (x, y)}
    others = people - named - {known["query"][0]}
    return ["; ".join(sorted({*named - {"none"}, more})) for more in sorted(others)]


_TEXT = r"^['\"]"
"""A finding that quotes a text."""
_PLAIN = "does not say|says by .* times that"
_OPEN = {"unknown_share": 0.5}
_WRONG_TARGET = "but the facts have it"
_FAULTS = {
    "another answer": Fault(_answer, _WRONG_TARGET),
    "another answer by heart": Fault(_answer, _WRONG_TARGET, {"task": "memory"}),
    "another answer amid noise": Fault(
        _answer, _WRONG_TARGET, {"noise": "all", "noise_length": "2"}
    ),
    "no answer": Fault(_no_answer, "is no relation"),
    "open, though certain": Fault(_open, _WRONG_TARGET, _OPEN),
    "certain, though open": Fault(_certain, _WRONG_TARGET, _OPEN),
    "one possible less": Fault(_one_possible_less, "the judge's verdict is", _OPEN),
    "one possible more": Fault(_one_possible_more, "the judge's verdict is", _OPEN),
    "the query turned": Fault(_query, "the input is not"),
    "the question turned": Fault(_asked_turned, "the input is not"),
    "both turned": Fault(_all_turned, _WRONG_TARGET),
    "a fact turned": Fault(_fact_turned, _TEXT),
    "a fact turned, plainly": Fault(_fact_turned, _PLAIN, {"style": "plain"}),
    "another fact": Fault(_fact_word, f"{_TEXT}|{_WRONG_TARGET}"),
    "another fact, plainly": Fault(_fact_word, _PLAIN, {"style": "plain"}),
    "a fact that cannot be": Fault(_fact_more, "exactly one person|at most"),
    "other words": Fault(_words, _TEXT),
    "other words, plainly": Fault(_words, _PLAIN, {"style": "plain"}),
    "other names": Fault(_names, _TEXT),
    "other names, plainly": Fault(_names, _PLAIN, {"style": "plain"}),
    "another word": Fault(_one_word, _TEXT),
    "a field": Fault(_other_field),
    "a field, where some is open": Fault(_other_field, options=_OPEN),
    "another conclusion": Fault(_conclusion, "no rule gives|does not end in"),
    "another reason": Fault(_reason, "does not say that step", {"explain": True}),
    "another kind of noise": Fault(_noise, "should be of the kinds", {"noise": "supporting"}),
    "no right choice": Fault(_choices, "among the choices", {"choices": "1"}),
    "yes for no": Fault(_yes_no, "is (entailed|contradicted|undetermined)$", {"answer": "yes-no"}),
    "yes for unknown": Fault(
        _yes_no, "is (entailed|contradicted|undetermined)$", {"answer": "yes-no", **_OPEN}
    ),
}
"""Faults in rows of every world."""
_GENDERED = {
    "other genders": Fault(_genders),
    "other genders, plainly": Fault(_genders, options={"style": "plain"}),
    "a fact of another gender": Fault(_gendered_fact, f"{_TEXT}|{_WRONG_TARGET}"),
    "a fact of another gender, plainly": Fault(_gendered_fact, options={"style": "plain"}),
    "another pronoun": Fault(_pronoun, _TEXT),
}

"""The judge of siblings: holds the rows of a group against one another, by what they say alone."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....example import Example
from ....kb.worlds.world import World, find_world
from ..metadata import conclusions, stretches, told

if TYPE_CHECKING:
    from ..generator import Clutrr


class _Said:
    """A row taken apart: what stands before the story, its sentences, and the question."""

    def __init__(self, row: Example) -> None:
        self.row, self.known = row, row.metadata
        known = self.known
        self.core: list[list[str]] = known["facts"] + known["beside_facts"]
        self.told = told(known)
        self.texts = stretches(row)
        self.lines = [
            (text, template, [self.told[n] for n in numbers])
            for text, template, numbers in zip(
                self.texts, known["templates"], known["states"], strict=True
            )
        ]
        self.order = [number for numbers in known["states"] for number in numbers]
        starts = known["starts"]
        self.opening, self.question = row.input[: starts[0]], row.input[starts[-1] :]
        self.people = list(dict.fromkeys(name for x, _, y in self.told for name in (x, y)))

    def parts(self, *left_out: str) -> dict[str, Any]:
        """Everything that may differ, by name, but for some of it."""
        known = self.known
        parts = {
            name: known[name]
            for name in (
                *(
                    "k",
                    "noise",
                    "clause",
                    "facts",
                    "beside_facts",
                    "noise_facts",
                    "genders",
                    "query",
                ),
                *("proof", "concluded", "starts", "states", "templates", "proof_depth", "proofs"),
            )
        }
        parts |= {"target": self.row.target, "choices": self.row.choices}
        parts |= {"question": self.question, "opening": self.opening}
        return {name: part for name, part in parts.items() if name not in left_out}


def unlikeness(rows: list[Example], options: "Clutrr") -> list[str]:
    """What is wrong with a group: something else differs than is said, or not that."""
    changes = [row.metadata["change"] for row in rows]
    if changes != ["", *options.siblings]:
        return [f"its changes are {changes[1:]}, not {list(options.siblings)}"]
    if any(row.metadata["group"] != rows[0].id for row in rows):
        return ["its rows are not all of the group of the first"]
    first, world = _Said(rows[0]), find_world(options.world)
    return [
        f"{row.metadata['change']}, {row.id}: {finding}"
        for row in rows[1:]
        for finding in _COMPARED[row.metadata["change"]](first, _Said(row), world)
    ]


def confusion(rows: list[Example]) -> list[str]:
    """What is wrong with questions about one story: more differs than the question, or less."""
    said = [_Said(row) for row in rows]
    first, wrong = said[0], []
    if any(one.known["story"] != rows[0].id for one in said):
        wrong.append("its questions are not all of the story of the first")
    if any((one.opening, one.texts) != (first.opening, first.texts) for one in said):
        wrong.append("its questions are about different texts")
    for what, things in (
        ("facts", [sorted(one.told) for one in said]),
        ("genders", [sorted(one.known["genders"]) for one in said]),
        ("k", [one.known["k"] for one in said]),
    ):
        if any(thing != things[0] for thing in things):
            wrong.append(f"its questions have different {what}")
    if len({frozenset(one.known["query"]) for one in said}) < len(said):
        wrong.append("the same two are asked about twice")
    if len({row.target for row in rows}) < len(rows):
        wrong.append("two of its questions have the same answer")
    return wrong


def _same(first: _Said, other: _Said, *left_out: str) -> Iterator[str]:
    theirs = other.parts(*left_out)
    for name, part in first.parts(*left_out).items():
        if theirs[name] != part:
            yield f"{name} differs, too"


def _words(first: _Said, other: _Said, world: World) -> Iterator[str]:
    yield from _same(first, other, "starts", "states", "templates")
    if first.order != other.order:
        yield "the facts are told in another order"
    if first.texts == other.texts:
        yield "the words are the same"


def _names(first: _Said, other: _Said, world: World) -> Iterator[str]:
    left_out = ("facts", "beside_facts", "noise_facts", "genders", "query")
    yield from _same(first, other, *left_out, "starts", "question", "opening")
    if len(first.people) != len(other.people) or set(first.people) & set(other.people):
        yield "not everyone has another name"
        return
    new = dict(zip(first.people, other.people, strict=True))
    for name in left_out:
        if _named(first.known[name], new) != other.known[name]:
            yield f"{name} differs by more than names"
    pattern = re.compile(
        "|".join(
            rf"(?<![\w@-]){re.escape(name)}(?![\w-])"
            for name in sorted(new, key=lambda name: (-len(name), name))
        )
    )
    for text, theirs in zip(
        [*first.texts, first.question], [*other.texts, other.question], strict=True
    ):
        if pattern.sub(lambda match: new[match[0]], text) != theirs:
            yield f"{theirs!r} differs by more than names"


def _named(value: Any, new: dict[str, str]) -> Any:
    """The value with other names in it."""
    if isinstance(value, dict):
        return {key: _named(inner, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_named(inner, new) for inner in value]
    return new.get(value, value) if isinstance(value, str) else value


def _order(first: _Said, other: _Said, world: World) -> Iterator[str]:
    yield from _same(first, other, "starts", "states", "templates")
    if sorted(first.lines) != sorted(other.lines):
        yield "the sentences are others"
    if first.texts == other.texts:
        yield "the order is the same"


def _noise(first: _Said, other: _Said, world: World) -> Iterator[str]:
    left_out = ("noise", "noise_facts", "genders", "proof", "starts", "states", "templates")
    yield from _same(first, other, *left_out, "opening")
    if first.known["noise_facts"] or not other.known["noise_facts"]:
        yield "there is noise where it should not be, or none where it should"
    if first.known["genders"] != other.known["genders"][: len(first.known["genders"])]:
        yield "somebody has another gender"
    if conclusions(first.known) != conclusions(other.known):
        yield "the proof is another"
    strangers = [name for name in other.people if name not in first.people]
    kept = [
        line
        for line in other.lines
        if all(fact in other.core for fact in line[2])
        and not any(re.search(rf"(?<![\w@-]){re.escape(n)}(?![\w-])", line[0]) for n in strangers)
    ]
    if kept != first.lines:
        yield "the sentences beside the noise are not those of the first"


def _inverse(first: _Said, other: _Said, world: World) -> Iterator[str]:
    left_out = ("clause", "facts", "query", "proof", "concluded", "proofs", "states")
    yield from _same(first, other, *left_out, "target", "question")
    if first.lines != other.lines:
        yield "the story is another"
    if other.known["facts"] != first.known["facts"][::-1]:
        yield "the facts between the two are others"
    if other.known["query"] != first.known["query"][::-1]:
        yield "the question is not turned round"
    gender = dict(first.known["genders"]).get(first.known["query"][0])
    inverse = world.inverse(world.meanings[first.row.target][0])
    if inverse is None or world.predicates[inverse].word(gender) != other.row.target:
        yield f"{other.row.target!r} is not the inverse of {first.row.target!r}"


def _gender(first: _Said, other: _Said, world: World) -> Iterator[str]:
    yield from _same(
        first,
        other,
        *("facts", "beside_facts", "noise_facts", "genders", "query", "concluded", "starts"),
        *("states", "templates", "target", "question", "opening"),
    )
    if len(first.people) != len(other.people) or set(first.people) & set(other.people):
        yield "not everyone has another name"
        return
    new = dict(zip(first.people, other.people, strict=True))
    swapped = {"male": "female", "female": "male"}
    expected = [[new[name], swapped.get(gender, gender)] for name, gender in first.known["genders"]]
    if other.known["genders"] != expected:
        yield "not everyone has the other gender"
    meant = world.meanings
    mine = [(new[x], meant[word][0], new[y]) for x, word, y in first.told]
    if mine != [(x, meant[word][0], y) for x, word, y in other.told]:
        yield "the facts are others"
    if other.known["query"] != [new[name] for name in first.known["query"]]:
        yield "the question is about others"
    if first.order != other.order:
        yield "the facts are told in another order"
    if meant[first.row.target][0] != meant[other.row.target][0]:
        yield "the answer is another relation"


_COMPARED = {
    "words": _words,
    "names": _names,
    "order": _order,
    "noise": _noise,
    "inverse": _inverse,
    "gender": _gender,
}


def agreeing(world: World, first: Example, other: Example, answer: str) -> str:
    """The answer to a sibling that says the same as an answer to the first of its group."""
    change, meant = other.metadata["change"], world.meanings.get(answer)
    if meant is None or change not in ("inverse", "gender"):
        return answer
    predicate, gender = meant
    if change == "gender":
        swapped = {"male": "female", "female": "male"}
        return world.predicates[predicate].word(swapped.get(gender or ""))
    inverse = world.inverse(predicate) or predicate
    # Of the one who is asked about now, the story says the gender.
    return world.predicates[inverse].word(
        dict(first.metadata["genders"]).get(first.metadata["query"][0])
    )

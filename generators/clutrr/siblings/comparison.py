"""Checks of groups: sibling rows, or the questions about a story, against one another."""

import re
from collections.abc import Iterator
from typing import Any

from ....example import NONE, Example
from ....kb.worlds.world import World
from ....tables import load_tables
from ..metadata import conclusions, stated_facts, story_segments, world_of
from ..options import LANGUAGE_SIBLINGS, StoryOptions

_SWAPPED = {"male": "female", "female": "male"}
_TABLES = load_tables(__package__, "comparison.yaml")


class _ParsedRow:
    """A row taken apart: its opening, the segments of the story, and the question."""

    def __init__(self, row: Example) -> None:
        self.row, self.metadata = row, row.metadata
        metadata, starts = self.metadata, row.metadata["starts"]
        self.core: list[list[str]] = metadata["facts"] + metadata["side_facts"]
        self.facts = stated_facts(metadata)
        self.texts = story_segments(row)
        stated = [[self.facts[n] for n in numbers] for numbers in metadata["states"]]
        self.segments = [*zip(self.texts, metadata["templates"], stated, strict=True)]
        self.fact_order = [number for numbers in metadata["states"] for number in numbers]
        self.opening, self.question = row.input[: starts[0]], row.input[starts[-1] :]
        self.people = list(dict.fromkeys(name for x, _, y in self.facts for name in (x, y)))
        self.parts: dict[str, Any] = {name: metadata[name] for name in _TABLES["compared"]}
        self.parts |= {"target": row.target, "choices": row.choices}
        self.parts |= {"question": self.question, "opening": self.opening}


def sibling_violations(rows: list[Example], options: StoryOptions) -> list[str]:
    """Return what is wrong with a group: more differs than the perturbation, or less."""
    changes = [row.metadata["perturbation"] for row in rows]
    if changes != ["", *options.siblings]:
        return [f"its changes are {changes[1:]}, not {list(options.siblings)}"]
    if any(row.metadata["group"] != rows[0].id for row in rows):
        return ["its rows are not all of the group of the first"]
    first, world = _ParsedRow(rows[0]), options.story_world
    found = []
    may_differ = _TABLES["may differ"]
    for row, change in zip(rows[1:], changes[1:], strict=True):
        other = _ParsedRow(row)
        wrong = [
            f"{name} differs, too"
            for name, part in first.parts.items()
            if name not in may_differ[_kind(change)] and other.parts[name] != part
        ]
        wrong += _COMPARISONS[_kind(change)](first, other, world)
        found += [f"{change}, {row.id}: {finding}" for finding in wrong]
    return found


def question_group_violations(rows: list[Example]) -> list[str]:
    """Return what is wrong with the questions about a story: more differs than these, or less."""
    parsed = [_ParsedRow(row) for row in rows]
    first, wrong = parsed[0], []
    if any(one.metadata["story"] != rows[0].id for one in parsed):
        wrong.append("its questions are not all of the story of the first")
    if any((one.opening, one.texts) != (first.opening, first.texts) for one in parsed):
        wrong.append("its questions are about different texts")
    for what, values in (
        ("facts", [sorted(one.facts) for one in parsed]),
        ("genders", [sorted(one.metadata["genders"]) for one in parsed]),
        ("k", [one.metadata["k"] for one in parsed]),
    ):
        if any(value != values[0] for value in values):
            wrong.append(f"its questions have different {what}")
    if len({frozenset(one.metadata["query"]) for one in parsed}) < len(parsed):
        wrong.append("the same query occurs twice")
    if len({row.target for row in rows}) < len(rows):
        wrong.append("two of its questions have the same answer")
    return wrong


def _words(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    if first.fact_order != other.fact_order:
        yield "the facts are stated in another order"
    for (text, _, facts), (new, _, _) in zip(first.segments, other.segments, strict=False):
        if bool(facts) == (text == new):
            yield f"{new!r} has the same words, or is another aside"


def _names(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    if len(first.people) != len(other.people) or set(first.people) & set(other.people):
        yield "not everyone has another name"
        return
    new = dict(zip(first.people, other.people, strict=True))
    for name in ("facts", "side_facts", "noise_facts", "genders", "query"):
        if _renamed(first.metadata[name], new) != other.metadata[name]:
            yield f"{name} differs by more than names"
    longest = map(re.escape, sorted(new, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w@-])(?:{'|'.join(longest)})(?![\w-])")
    texts = zip([*first.texts, first.question], [*other.texts, other.question], strict=True)
    for text, expected in texts:
        if pattern.sub(lambda match: new[match[0]], text) != expected:
            yield f"{expected!r} differs by more than names"


def _renamed(value: Any, new: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(inner, new) for inner in value]
    return new.get(value, value)


def _order(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    if sorted(first.segments) != sorted(other.segments):
        yield "the sentences are different"
    if first.texts == other.texts:
        yield "the order is the same"


def _noise(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    if first.metadata["noise_facts"] or not other.metadata["noise_facts"]:
        yield "there is noise where it should not be, or none where it should"
    if first.metadata["genders"] != other.metadata["genders"][: len(first.metadata["genders"])]:
        yield "somebody has another gender"
    if conclusions(first.metadata) != conclusions(other.metadata):
        yield "the proof is different"
    noise_names = [name for name in other.people if name not in first.people]
    kept = [
        segment
        for segment in other.segments
        if all(fact in other.core for fact in segment[2])
        and not any(_mentions(segment[0], name) for name in noise_names)
    ]
    if kept != first.segments:
        yield "the sentences other than noise are not those of the first"


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w@-]){re.escape(name)}(?![\w-])", text) is not None


def _inverse(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    if first.segments != other.segments:
        yield "the story is different"
    if other.metadata["facts"] != first.metadata["facts"][::-1]:
        yield "the facts of the chain are different"
    if other.metadata["query"] != first.metadata["query"][::-1]:
        yield "the question is not reversed"
    gender = dict(first.metadata["genders"]).get(first.metadata["query"][0])
    inverse = world.inverse(world.meanings[first.row.target][0])
    if inverse is None or world.predicates[inverse].word(gender) != other.row.target:
        yield f"{other.row.target!r} is not the inverse of {first.row.target!r}"


def _gender(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    if len(first.people) != len(other.people) or set(first.people) & set(other.people):
        yield "not everyone has another name"
        return
    new = dict(zip(first.people, other.people, strict=True))
    expected = [
        [new[name], _SWAPPED.get(gender, gender)] for name, gender in first.metadata["genders"]
    ]
    if other.metadata["genders"] != expected:
        yield "not everyone has the other gender"
    meanings = world.meanings
    facts = [(new[x], meanings[word][0], new[y]) for x, word, y in first.facts]
    if facts != [(x, meanings[word][0], y) for x, word, y in other.facts]:
        yield "the facts are different"
    if other.metadata["query"] != [new[name] for name in first.metadata["query"]]:
        yield "the question is about others"
    if meanings[first.row.target][0] != meanings[other.row.target][0]:
        yield "the answer is another relation"
    for text, mirrored in zip(first.texts, other.texts, strict=False):
        if _neutral(text, first.people, world) != _neutral(mirrored, other.people, world):
            yield f"{mirrored!r} differs by more than genders and names"


def _language(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    """Compare facts, their order and the answer, by the meaning of the words in each language."""
    meanings, others = world_of(first.row).meanings, world_of(other.row).meanings
    facts = [(x, meanings[word], y) for x, word, y in first.facts]
    if facts != [(x, others[word], y) for x, word, y in other.facts]:
        yield "the facts are different"
    concluded = [meanings[word] for word in first.metadata["concluded"]]
    if concluded != [others[word] for word in other.metadata["concluded"]]:
        yield "the conclusions are different"
    if not _has_order(first.metadata["states"], other.metadata["states"]):
        yield "the facts are stated in another order"
    if meanings[first.row.target] != others[other.row.target]:
        yield f"{other.row.target!r} is not what {first.row.target!r} is"
    choices = sorted(meanings[word] for word in first.row.choices)
    if choices != sorted(others[word] for word in other.row.choices):
        yield "the choices are different"


def _has_order(first: list[list[int]], other: list[list[int]]) -> bool:
    """Return whether segments state facts in the same order, where one may be split in two."""
    parts = [set(numbers) for numbers in other if numbers]
    for numbers in filter(None, first):
        left = set(numbers)
        while left and parts and parts[0] <= left:
            left -= parts.pop(0)
        if left:
            return False
    return not parts


def _error(first: _ParsedRow, other: _ParsedRow, world: World) -> Iterator[str]:
    lines = zip(first.question.split("\n"), other.question.split("\n"), strict=False)
    wrong = [str(number) for number, (line, changed) in enumerate(lines) if line != changed]
    if first.row.target != NONE or wrong != [other.row.target]:
        yield f"the steps {wrong} are different, and not only the wrong one"


def _neutral(text: str, people: list[str], world: World) -> list[str]:
    """Return the words of a text with names numbered and gendered words without gender."""
    neutral = _TABLES["neutral"] | {
        word: predicate for word, (predicate, _) in world.meanings.items()
    }
    neutral |= {name.lower(): str(number) for number, name in enumerate(people)}
    words = re.findall(r"[\w@-]+|[^\w\s]", text.lower())
    return [neutral.get(word, word) for word in words]


_COMPARISONS = {
    "words": _words,
    "names": _names,
    "order": _order,
    "noise": _noise,
    "inverse": _inverse,
    "gender": _gender,
    "error": _error,
    "language": _language,
}


def _kind(change: str) -> str:
    return "language" if change in LANGUAGE_SIBLINGS else change


def equivalent_answer(first: Example, other: Example, answer: str) -> str:
    """Return the answer to a sibling that is equivalent to an answer to the first of its group."""
    world = world_of(first)
    change, meaning = other.metadata["perturbation"], world.meanings.get(answer)
    if change in LANGUAGE_SIBLINGS and meaning:
        return world_of(other).predicates[meaning[0]].word(meaning[1])
    if change == "error" and answer == first.target:
        return other.target
    if meaning is None or change not in ("inverse", "gender"):
        return answer
    predicate, gender = meaning
    if change == "gender":
        return world.predicates[predicate].word(_SWAPPED.get(gender or ""))
    inverse = world.inverse(predicate) or predicate
    # The story shows the gender of the person asked about now.
    gender = dict(first.metadata["genders"]).get(first.metadata["query"][0])
    return world.predicates[inverse].word(gender)

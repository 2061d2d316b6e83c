"""PhantomWiki: questions in JSON, whose answers are all people that fit, by facts in Prolog.

Only questions about people by their relations are read ("Who is the aunt of the son of Ann?"). An
answer is entailed if the facts entail everybody whom it lists and nobody else.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ....errors import InvalidInput, NotFound
from ....kb.worlds.fact import Fact, components
from ....kb.worlds.verdict import Status
from ....kb.worlds.world import World
from .case import NOT_NAMED, Outcome, Row, UnreadableRow
from .records import column, lines, records, texts
from .settings import Settings
from .text import relation_word

_FACTS: Final = "facts.pl"
_ATOM = r"(?:'((?:[^'\\]|\\.)*)'|\"([^\"]*)\"|([a-z]\w*))"
_CLAUSE = re.compile(
    rf"(parent|gender|marriage|married|divorce)\({_ATOM}, ?{_ATOM}(?:, ?[^()]*)?\)\."
)
_QUESTION = re.compile(r"Who is (the .*?) ?\?")
_STEP = re.compile(r"the ([a-z][a-z_ -]*?) of (.*)")
_AMBIGUOUS: Final = frozenset(["brother-in-law", "sister-in-law"])
"""Relations that PhantomWiki defines more narrowly than our worlds."""


def fits(path: Path, first: object) -> bool:
    """Return whether the first row has a question with a list of answers, and a Prolog query."""
    is_listed = isinstance(column(first, "answer"), list) and column(first, "prolog") is not None
    return is_listed and isinstance(column(first, "question"), str)


def rows(path: Path, settings: Settings) -> Iterator[tuple[float, Row]]:
    """Yield the questions of a file, about the facts beside it or in the folder above."""
    settings.check("facts")
    given = settings.values.get("facts")
    places = [Path(given)] if given else [path.parent / _FACTS, path.parent.parent / _FACTS]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise NotFound(f"there is no {places[0]}; give the facts, with --set facts=FILE")
    base = FactBase(found, settings.find_world("kinship-extended"))
    for _, share, record in records(path):
        yield share, _row(record, base)


class FactBase:
    """The facts of a PhantomWiki, and who is what to whom by them."""

    def __init__(self, path: Path, world: World) -> None:
        self.world = world
        self.genders: dict[str, str] = {}
        told: dict[str, list[tuple[str, str]]] = {"parent": [], "married": [], "divorce": []}
        for _, _, line in lines(path):
            if match := _CLAUSE.fullmatch(line.strip()):
                name, *atoms = match.groups()
                first, second = (next(filter(None, atoms[at : at + 3]), "") for at in (0, 3))
                if name == "gender":
                    self.genders[first] = second
                else:
                    told["married" if name == "marriage" else name].append((first, second))
        divorced = {frozenset(pair) for pair in told["divorce"]}
        facts: list[Fact] = []
        for child, parent in told["parent"]:
            facts.append((child, self._word("parent", parent), parent))
        for first, second in dict.fromkeys(told["married"]):
            word = "ex-spouse" if frozenset((first, second)) in divorced else "spouse"
            facts.append((first, self._word(word, second), second))
        if not facts:
            raise InvalidInput(f"{path} has no facts parent(...). or married(...).; give {_FACTS}")
        self.component: dict[str, tuple[list[Fact], list[str]]] = {}
        (x, _, y), *_ = facts
        for part in components(facts, (x, y)):
            names = list(dict.fromkeys(name for x, _, y in part for name in (x, y)))
            self.component |= dict.fromkeys(names, (part, names))
        self._related: dict[tuple[str, str], dict[Status, set[str]]] = {}

    def _word(self, neutral: str, person: str) -> str:
        try:
            return relation_word(self.world, neutral, self.genders.get(person, ""))
        except UnreadableRow as error:
            raise InvalidInput(f"{error.cause}: {person!r}; give facts with gender(...).") from None

    def related(self, x: str, said: str) -> dict[Status, set[str]]:
        """Return the people by the verdict on their being such a relative of x."""
        if (x, said) not in self._related:
            facts, names = self.component[x]
            found: dict[Status, set[str]] = {status: set() for status in Status}
            for y in names:
                word = relation_word(self.world, said, self.genders.get(y, ""))
                if y != x:
                    known = {name: self.genders[name] for name in names if name in self.genders}
                    found[self.world.judge(facts, known, (x, y), word).status].add(y)
            self._related[x, said] = found
        return self._related[x, said]


def _row(record: Any, base: FactBase) -> Row:
    (question,), answers = texts(record, "question"), column(record, "answer")
    listed = list(map(str, answers)) if isinstance(answers, list) else []
    return Row(question, ", ".join(listed), "", lambda: _judge(question, {*listed}, base))


def _judge(question: str, listed: set[str], base: FactBase) -> Outcome:
    steps, person = _steps(question)
    if person not in base.component:
        raise UnreadableRow(NOT_NAMED, person)
    certain, possible = {person}, {person}
    for step in steps:
        if relation_word(base.world, step, "male") in _AMBIGUOUS:
            raise UnreadableRow("PhantomWiki's in-laws are fewer than ours", step)
        reached = {x: base.related(x, step) for x in possible}
        if any(people[Status.IMPOSSIBLE] for people in reached.values()):
            return Outcome(Status.IMPOSSIBLE, "the facts contradict each other")
        certain = {y for x in certain for y in reached[x][Status.ENTAILED]}
        possible = {
            *certain,
            *(y for people in reached.values() for y in people[Status.UNDETERMINED]),
            *(y for people in reached.values() for y in people[Status.ENTAILED]),
        }
    for status, cause, people in (
        (
            Status.CONTRADICTED,
            "somebody listed does not fit",
            (listed & {*base.component[person][1]}) - possible,
        ),
        (Status.CONTRADICTED, "somebody is missing", certain - listed),
        (Status.UNDETERMINED, "somebody listed may not fit", listed - certain),
    ):
        if people:
            return Outcome(status, cause, ", ".join(sorted(people)))
    return Outcome(Status.ENTAILED)


def _steps(question: str) -> tuple[tuple[str, ...], str]:
    """Return the relations of a question from the person outwards, and the person."""
    match = _QUESTION.fullmatch(question)
    if match is None:
        raise UnreadableRow("it does not ask for people by their relatives", question)
    steps, rest = [], match[1]
    while step := _STEP.fullmatch(rest):
        steps.append(step[1].replace(" ", "-"))
        rest = step[2]
    return tuple(reversed(steps)), rest

"""Derivations to verify: the proof in numbered steps, of which one or none is wrong."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....capabilities import LabelledSteps
from ....errors import Infeasible
from ....example import NONE, Example
from ....kb.worlds.fact import Fact
from ....kb.worlds.verdict import Status
from ....kb.worlds.world import UNSTATED
from ....scoring.steps import CAUSES
from ....seed import Stream
from ..options import StoryOptions
from ..planning.feasibility import rules_of
from ..realizing.explanation import statement
from ..realizing.opening import gender_sentence
from .question import Question

INTRODUCTION: Final = "Somebody answers in steps:"
VERIFY: Final = (
    "Which is the first step that does not follow from the story? Give its number, or none if "
    "every step follows."
)
_MISREAD, _RULE, _PERSON, _DIRECTION = CAUSES


class DerivationWriter:
    """Write the derivation of an answer in numbered steps, of which one or none is wrong.

    Which step is wrong, or that none is, is balanced for each number of steps. The other steps are
    those of the proof: conclusions after the wrong step are right, since they do not use it.
    """

    def __init__(self, options: StoryOptions, stream: Stream) -> None:
        self.options, self.stream = options, stream
        self.world = options.story_world
        rules = rules_of(options.world, options.rules)
        self.fact_predicates, self.conclusion_predicates = (
            [rules.predicates[number] for number in sorted(numbers)]
            for numbers in (rules.body_predicates, rules.head_predicates)
        )
        self.places: dict[int, list[int]] = {}

    def write(
        self, question: Question, known: list[list[str]], proof: list[list[int]], *, is_first: bool
    ) -> None:
        """Ask for the first wrong step of a derivation; the first of siblings has none.

        `known` are the facts and the conclusions of the proof, by their numbers.
        """
        facts = len(known) - len(proof)
        order = [*_derivation(proof, facts, len(known) - 1)]
        claims: list[Fact] = [(x, word, y) for x, word, y in map(known.__getitem__, order)]
        question.relation, question.target = question.target, NONE
        people = sorted({name for x, _, y in claims for name in (x, y)})
        place = 0 if is_first and self.options.siblings else self._place(len(claims))
        if place:
            is_conclusion = order[place - 1] >= facts
            claim, question.verdict = self._wrong(
                claims, place - 1, is_conclusion, people, question
            )
            claims[place - 1], question.target = claim, str(place)
        genders = [[name, gender] for name, gender in question.genders.items() if name in people]
        lines = [question.text]
        if self.options.gender == "text" and any(gender != UNSTATED for _, gender in genders):
            lines[0] += f" {gender_sentence(genders, self.options.language)}"
        lines[0] += f" {INTRODUCTION}"
        for number, ((x, word, y), step) in enumerate(zip(claims, order, strict=True), 1):
            so = "So " * (step >= facts)
            text = statement(self.world, x, word, y, inside=bool(so))
            lines.append(f"Step {number}: {so}{text}.")
        question.text = "\n".join([*lines, VERIFY])
        question.choices = self._choices(question.target, len(claims))

    def _place(self, steps: int) -> int:
        """Return the number of the step to be wrong, 0 for none; each equally often."""
        left = self.places.setdefault(steps, [])
        if not left:
            left += range(bool(self.options.siblings), steps + 1)
            self.stream.shuffle(left)
        return left.pop()

    def _wrong(
        self,
        claims: Sequence[Fact],
        place: int,
        is_conclusion: bool,
        people: list[str],
        question: Question,
    ) -> tuple[Fact, str]:
        """Return a claim that does not follow from the story in place of another, and its kind."""
        kinds = [_RULE if is_conclusion else _MISREAD, _PERSON, _DIRECTION]
        self.stream.shuffle(kinds)
        of_kind = self._kinds_of_people(claims)
        for kind in kinds:
            others = [*self._others(kind, claims[place], people)]
            self.stream.shuffle(others)
            for x, name, y in others:
                predicate = self.world.predicates[name]
                if predicate.between in (None, (of_kind.get(x), of_kind.get(y))):
                    word = predicate.word(question.genders.get(y))
                    query = x, y
                    verdict = self.world.solve(question.facts, question.genders, query, word)
                    if verdict.status is not Status.ENTAILED:
                        return (x, word, y), kind
        raise Infeasible("no step of a derivation could be made wrong; ask for another k")

    def _others(self, kind: str, claim: Fact, people: list[str]) -> Iterator[Fact]:
        """Yield claims by predicate that make a mistake of this kind about a claim."""
        x, word, y = claim
        right = self.world.meanings[word][0]
        inverse = self.world.inverse(right)
        if kind == _DIRECTION:
            if inverse != right:
                yield y, right, x
        elif kind == _PERSON:
            for other in people:
                if other not in (x, y):
                    yield from ((x, right, other), (other, right, y))
        else:
            names = self.conclusion_predicates if kind == _RULE else self.fact_predicates
            yield from ((x, name, y) for name in names if name not in (right, inverse))

    def _kinds_of_people(self, claims: Sequence[Fact]) -> dict[str, str]:
        """Return the kind of each thing in a world with kinds."""
        of_kind: dict[str, str] = {}
        for x, word, y in claims:
            between = self.world.predicates[self.world.meanings[word][0]].between
            of_kind.update(zip((x, y), between or (), strict=False))
        return of_kind

    def _choices(self, target: str, steps: int) -> list[str]:
        every = [*map(str, range(1, steps + 1)), NONE]
        if self.options.choices in ("none", "all"):
            return every if self.options.choices == "all" else []
        wrong = [choice for choice in every if choice != target]
        chosen = {target, *self.stream.sample(wrong, int(self.options.choices))}
        return [choice for choice in every if choice in chosen]


def labelled_steps(row: Example) -> LabelledSteps | None:
    """Return the question that a row derives the answer to, and the steps; None if it has none."""
    question, *steps = row.input.split("\nStep ")
    if row.metadata["task"] != "verify-steps":
        return None
    steps[-1] = steps[-1].removesuffix(f"\n{VERIFY}")
    labels = [str(number) != row.target for number in range(1, len(steps) + 1)]
    texts = [step.partition(": ")[2] for step in steps]
    return LabelledSteps(question.removesuffix(f" {INTRODUCTION}"), texts, labels)


def _derivation(proof: list[list[int]], facts: int, number: int) -> Iterator[int]:
    """Yield the numbers of the facts and conclusions that give one, each before its conclusion."""
    for premise in proof[number - facts] if number >= facts else ():
        yield from _derivation(proof, facts, premise)
    yield number

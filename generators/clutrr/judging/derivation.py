"""Checks of a derivation with a wrong step: each step is read from the text and judged."""

import re
from collections.abc import Iterator

from ....example import NONE
from ....kb.worlds.fact import Fact
from ....kb.worlds.verdict import Status
from ....scoring.steps import CAUSES
from ..asking.derivation import INTRODUCTION, VERIFY
from ..metadata import conclusions
from .case import StoryCase
from .text import check_cast, statements

_MISREAD, _RULE, _PERSON, _DIRECTION = CAUSES


def check_derivation(case: StoryCase) -> Iterator[str]:
    """Yield what is wrong with the derivation, its only wrong step and the target."""
    if not case.options.verifies:
        return
    head, *lines, last = case.example.input[case.metadata["starts"][-1] :].split("\n")
    steps = [*_proof_steps(case)]
    said = [re.fullmatch(rf"Step {n}: (So )?(.+)\.", line) for n, line in enumerate(lines, 1)]
    if len(said) != len(steps) or last != VERIFY:
        yield "there is not a line for each fact and conclusion of the proof, and a question"
        return
    yield from _check_head(case, head, {name for (x, _, y), _ in steps for name in (x, y)})
    wrong, kinds = [], []
    for number, (match, (due, premises)) in enumerate(zip(said, steps, strict=True), 1):
        claim = _read(case, match[2]) if match and bool(match[1]) == bool(premises) else None
        if claim is None:
            yield f"step {number} does not say who is what of whom, as a fact or a conclusion"
            continue
        if premises:
            verdict = case.world.judge(premises, case.genders, due[::2], due[1])
            if verdict.status is not Status.ENTAILED:
                yield f"step {number} should be {due}, which does not follow from two steps before"
        if case.judge(claim[::2], claim[1]).status is not Status.ENTAILED:
            wrong.append(str(number))
        if claim != due:
            kinds.append(_kind(case, due, claim, is_conclusion=bool(premises)))
    if wrong != ([] if case.target == NONE else [case.target]):
        yield f"wrong are the steps {wrong}, but the target is {case.target!r}"
    if kinds != [case.metadata["verdict"]] * len(wrong):
        yield f"the errors are {kinds}, but the verdict is {case.metadata['verdict']!r}"


def _proof_steps(case: StoryCase) -> Iterator[tuple[Fact, list[Fact]]]:
    """Yield each claim of the proof, and the two that it follows from; none for facts."""
    known = [*case.facts, *((x, word, y) for x, word, y in conclusions(case.metadata))]
    proof: list[list[int]] = case.metadata["proof"]
    left, yielded = [len(known) - 1], set[int]()
    while left:
        number = left[-1]
        premises = proof[number - len(case.facts)] if number >= len(case.facts) else []
        waiting = [premise for premise in premises if premise not in yielded]
        if waiting:
            left.append(waiting[0])
        else:
            yielded.add(left.pop())
            yield known[number], [known[premise] for premise in premises]


def _check_head(case: StoryCase, head: str, people: set[str]) -> Iterator[str]:
    """Yield what is wrong with the words before the steps."""
    x, y = case.query
    question = case.stories.question.format(x=x, y=y)
    cast = head.removeprefix(question).removesuffix(INTRODUCTION).strip()
    if head != " ".join(filter(None, [question, cast, INTRODUCTION])):
        yield "the derivation does not begin with its question"
    shown = people if case.options.gender == "text" else set()
    stated = {name: gender for name, gender in case.genders.items() if name in shown}
    yield from check_cast(cast, stated, case.options.language)


def _read(case: StoryCase, sentence: str) -> Fact | None:
    """Return the claim of a step; None if it makes none, or several are possible."""
    names = [name for name in case.neighbors if name in sentence]
    words = [word for word in case.world.meanings if word in sentence]
    claims = [(x, word, y) for x in names for y in names if x != y for word in words]
    found = [claim for claim in claims if sentence in statements(case, claim)]
    return found[0] if len(found) == 1 else None


def _kind(case: StoryCase, due: Fact, said: Fact, *, is_conclusion: bool) -> str:
    """Return the kind of error of a claim that stands in place of another."""
    (x, word, y), (a, other, b) = due, said
    right, claimed = case.world.meanings[word][0], case.world.meanings[other][0]
    if case.world.predicates[claimed].word(case.genders.get(b)) != other:
        return f"{other!r} is not the word for {b!r}"
    if (a, b) == (x, y) and claimed != right:
        return _RULE if is_conclusion else _MISREAD
    if claimed == right and (a, b) == (y, x):
        return _DIRECTION
    if claimed == right and {a, b} <= {*case.people} and (a == x or b == y):
        return _PERSON
    return f"{said} in place of {due}"

"""The answer key of derivations: a grammar of sentences that name the first wrong step."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from ....example import NONE, Example
from ....scoring.answers import OneOf, Score
from ....scoring.extraction import AnswerPassage, Unreadable, bare, plain
from ....tables import Patterns, expanded, load_tables

_FILE: Final = __package__, "step_number.yaml"
_MAX_TEXT: Final = 20_000


@cache
def _patterns() -> Patterns:
    return Patterns(*_FILE, "patterns")


@cache
def _signs() -> list[tuple[re.Pattern[str], str]]:
    tables = load_tables(*_FILE)
    return [(re.compile(expanded(sign, tables["parts"])), said) for sign, said in tables["signs"]]


@cache
def _numbers() -> dict[str, str]:
    parts = load_tables(*_FILE)["parts"]
    named = *enumerate(parts["CARDINAL"], 1), *enumerate(parts["ORDINAL"], 1)
    return {name: str(number) for number, name in named}


@dataclass(frozen=True)
class StepNumber(OneOf):
    """Key for the number of the first wrong step, or `none`; other sentences are unreadable."""

    def score(self, text: str) -> Score:
        """Extract the step from a text, in which signs may stand for words."""
        before, text = text[:-_MAX_TEXT], text[-_MAX_TEXT:]
        for pattern, instead in _signs():
            text = pattern.sub(instead, text)
        if not _is_asserted(plain(text)):
            return Score(0.0, None, "the sentence of the answer is not understood")
        return super().score(before + text)

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the only step called wrong; Unreadable if a sentence may say otherwise."""
        letters = {chr(65 + n): choice for n, choice in enumerate(self.choices) if self.letters}
        texts = [letters.get(each.text.strip("()").upper(), each.text) for each in passages]
        marked = passages[0].marked
        claims = [
            _claims(text) if marked or not _patterns().copy.match(text) else None for text in texts
        ]
        said = set[tuple[str, bool]]().union(*filter(None, claims))
        answers = {step for step, is_wrong in said if is_wrong}
        if len(answers) != 1 or (*answers, False) in said:
            raise Unreadable("several verdicts are given" if said else "no step is named")
        concludes = claims[-1] and _patterns().so.match(texts[-1])
        if not concludes and (None in claims or (answers == {NONE} and set() in claims)):
            raise Unreadable("a sentence is not understood")
        return answers.pop()


def step_key(row: Example) -> StepNumber:
    """Return the key of a row that shows a derivation."""
    choices = row.choices or [*map(str, range(1, 2 * row.metadata["k"])), NONE]
    return StepNumber(row.target, "verify-steps", tuple(choices), letters=bool(row.choices))


def _claims(text: str) -> set[tuple[str, bool]] | None:
    """Return the steps that a sentence calls wrong (True) or right; None if it may say more."""
    claims = set[tuple[str, bool]]()
    parts = _patterns().join.split(_patterns().lead.sub("", text).strip("()"))
    clauses = [_patterns().clause.fullmatch(part) for part in parts]
    for clause in filter(None, clauses):
        said = next(filter(None, clause.groups()), NONE).lower()
        steps = _patterns().numbers.findall(said) or [NONE]
        claims |= {(_numbers().get(step, step), not clause["good"]) for step in steps}
    others = [part for part, clause in zip(parts, clauses, strict=True) if clause is None]
    is_safe = (NONE, True) not in claims and all(map(_is_harmless, others))
    return claims if is_safe or not others else None


def _is_harmless(text: str) -> bool:
    """Return whether a reason, or a sentence that is not understood, leaves any answer as it is."""
    return len(text.split()) > 2 and not _patterns().unsafe.search(
        _patterns().harmless.sub(" ", text)
    )


def _is_asserted(text: str) -> bool:
    """Return whether the sentence around the last marked answer is understood, and stays."""
    *_, marker = (None, *_patterns().marker.finditer(text))
    if marker is None:
        return True
    before = re.split(r"[.!]\s|\n", text[: marker.start()])[-1]
    after, *more = re.split(r"[.!](?:\s|\Z)", text[marker.end() :].partition("\n")[0], maxsplit=1)
    said = "answer is 1" if marker["is"] else "answer ?" if marker["word"] else f"1{after}"
    is_safe = all(not each or (" not" not in each and _is_harmless(each)) for each in more)
    return is_safe and bool(_claims(bare(before + said)))

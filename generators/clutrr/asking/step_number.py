"""The answer key of derivations: which step an answer calls the first wrong one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from ....example import NONE, Example
from ....scoring.answers import OneOf, Score
from ....scoring.extraction import AnswerPassage, Unreadable

_NUMBERS: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_ORDINALS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
)
_words = partial(re.compile, flags=re.IGNORECASE)
_MIN_REASON: Final = 3
"""Words of a reason after a bare answer."""


_STEP = _words(
    rf"\bsteps? (?:number |no\. ?)?#?(?P<number>\d+(?!\.\d)|{'|'.join(_NUMBERS)})\b"
    rf"|\b(?:(?P<ordinal>{'|'.join(_ORDINALS)})|(?P<digits>\d+)(?:st|nd|rd|th)) step\b"
    r"(?! (?:that|which|to|where|not|in|with)\b)"
)
_SEVERAL = _words(r"\bsteps \S*\d")
_SIGNS: Final = (
    (re.compile(r"[\u2713\u2714\u2705]"), " is right "),
    (re.compile(r"[\u2717\u2718\u274c]"), " is wrong "),
    (re.compile(r'(?<=": )(\d+)(?=\s*[,}])'), r'"\1"'),
    (_words(r"(?<=step [1-9])(?: ?[:=-]+ ?| \()(?=(?:right|wrong|(?:in)?correct)\b)"), " is "),
)
"""Signs, numbers in JSON and lists of verdicts, and the same in words."""
_LEAD = _words(
    r"\A(?:(?:so|thus|hence|therefore|it|is|it's|must be|the|first|wrong|incorrect|number),? )*"
)
_NONE = _words(r"none(?: of (?:them|the steps|these|these steps))?|no step")
_REASON = _words(r"[:,;] | - | \(|,? (?=(?:because|since|as)\b)")
_OTHER = _words(r"\W*(?:no|wait|or|and|actually|\d+|steps?)\b")
"""Text after an answer that is another answer, not a reason for it."""
_CLAUSE = _words(
    r"[,;:] | - |\b(?:because|since|but|while|whereas|although|so)\b|\bfrom steps? \d.*"
)
_OPEN = _words(
    r"\?\s*\Z|\b(?:if|whether|unless|suppose|assuming|or|may|might|maybe|perhaps|could|would"
    r"|possibly|probably|seems?|looks?|appears?|thought|believed?|guess|according|wrong to"
    r"|incorrect to|mistake to|(?:says?|said|claim(?:s|ed)?|argues?)(?: that)?(?= (?:\w+ )?step))\b"
)
"""Signs of questions, hedges and the words of others."""
_WRONG = _words(
    r"\b(?:wrong|incorrect|false|invalid|untrue|mistaken|erroneous|flawed|unsupported|unjustified"
    r"|errors?|mistakes?|contradict(?:s|ed)|misreads|fails)\b"
)
_RIGHT = _words(
    r"\b(?:right|correct|true|valid|follows?|supported|justified|stated|entailed|holds?|sound|fine"
    r"|ok|okay)\b"
)
_NEGATOR = _words(
    r"\b(?:not|no|never|cannot|none|nothing|neither|nor|without|free|zero|hardly)\b|n't\b"
)
_NO_WRONG_STEP = _words(
    r"\bno (?:wrong|incorrect|false) steps?\b|\bno (?:errors?|mistakes?)\b"
    r"|\b(?:no steps?|none(?: of (?:them|the steps|these steps))?|nothing) (?:is|are) "
    r"(?:wrong|incorrect|false|invalid)\b"
)
_EVERY_STEP = _words(r"\b(?:all|every|each)(?: of)?(?: (?:the|these|them))?(?: steps?)? (?=\w)")
_EXCEPT = _words(
    rf"\b(?:except|but|other|until|before|after|up|most|save|{'|'.join(_ORDINALS)})\b|\d"
)


@dataclass(frozen=True)
class StepNumber(OneOf):
    """Key for the number of the first wrong step, or `none`.

    An answer is a number alone, maybe with a reason, or says of one step that it is wrong. A text
    that calls several steps wrong, or one both wrong and right, has no answer.
    """

    def score(self, text: str) -> Score:
        """Extract the step from a text, in which signs may stand for words."""
        for pattern, instead in _SIGNS:
            text = pattern.sub(instead, text)
        return super().score(text)

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the only step that is named; Unreadable if there is none."""
        texts = [passage.text for passage in passages]
        named = {bare for text in (texts[0], texts[-1]) if (bare := self._bare_answer(text))}
        said = [claim for text in texts for claim in _claims(text)]
        named |= {step for step, is_wrong in said if is_wrong} or _no_wrong_step(texts)
        if len(named) != 1:
            raise Unreadable("several steps are named" if named else "no step is named")
        (answer,) = named
        if (answer, False) in said:
            raise Unreadable("it calls the same step right and wrong")
        return answer

    def _bare_answer(self, text: str) -> str | None:
        """Return the answer if the text is nothing but an answer, maybe with a reason."""
        if (choice := self._letter(text)) is not None:
            return choice
        said, *reasons = _REASON.split(_LEAD.sub("", text, count=1), maxsplit=1)
        step = _STEP.fullmatch(said) or _STEP.fullmatch(f"step {said}")
        if not (step or _NONE.fullmatch(said)):
            return None
        for reason in reasons:
            if _OTHER.match(reason) or len(re.findall(r"\w+", reason)) < _MIN_REASON:
                raise Unreadable("it says more than one answer")
        return _number(step) if step else NONE

    def _ordinal(self, text: str) -> str | None:
        """Return None: `the second one` is a step, not a choice."""
        return None


def step_key(row: Example) -> StepNumber:
    """Return the key of a row that shows a derivation."""
    choices = row.choices or [*map(str, range(1, 2 * row.metadata["k"])), NONE]
    words = {word: word for word in ("wrong", *choices)}
    return StepNumber(row.target, "verify-steps", tuple(choices), words, bool(row.choices))


def _number(step: re.Match[str]) -> str:
    if step["ordinal"]:
        return str(_ORDINALS.index(step["ordinal"].lower()) + 1)
    said = (step["number"] or step["digits"]).lower()
    return str(_NUMBERS.index(said) + 1) if said in _NUMBERS else said.lstrip("0")


def _claims(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the steps that a sentence calls wrong (True) or right."""
    for clause in () if _OPEN.search(text) else _CLAUSE.split(text):
        steps = {_number(step) for step in _STEP.finditer(clause)}
        is_wrong, is_right = _WRONG.search(clause) is not None, _RIGHT.search(clause) is not None
        if len(steps) == 1 and is_wrong != is_right and not _SEVERAL.search(clause):
            yield steps.pop(), is_wrong != (_NEGATOR.search(clause) is not None)


def _no_wrong_step(texts: Sequence[str]) -> set[str]:
    """Return `none` if a text says that all steps are right, and denies nothing else."""
    whole = ". ".join(texts)
    rest = _NO_WRONG_STEP.sub("", whole)
    if _OPEN.search(whole) or any(sign.search(rest) for sign in (_NEGATOR, _WRONG, _EXCEPT)):
        return set()
    every = any(_EVERY_STEP.search(text) and _RIGHT.search(text) for text in texts)
    return {NONE} if every or rest != whole else set()

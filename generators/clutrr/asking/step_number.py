"""The answer key of derivations: a grammar of sentences that name the first wrong step."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from ....example import NONE, Example
from ....scoring.answers import OneOf, Score
from ....scoring.extraction import AnswerPassage, Unreadable, bare, plain

_MAX_TEXT: Final = 20_000
_words = partial(re.compile, flags=re.IGNORECASE)
_NAMES: Final = (
    "one first two second three third four fourth five fifth six sixth seven seventh eight eighth "
    "nine ninth ten tenth eleven eleventh twelve twelfth"
).split()
_NUMBER = rf"(?:[1-9]\d{{0,2}}|{'|'.join(_NAMES[::2])})"
_NTH = rf"(?:the )?(?:{'|'.join(_NAMES[1::2])}|[1-9]\d{{0,2}}(?:st|nd|rd|th))"
_STEP = rf"(?:{_NTH} step|(?:the )?step (?:number |#)?{_NUMBER})"
_STEPS = rf"(?:{_STEP}(?: and {_STEP})?|steps {_NUMBER}(?:(?:, | and |, and ){_NUMBER})*)"
_STORY = r"(?:the )?(?:story|text|facts)"
_BAD = r"(?:wrong|incorrect|false|invalid|untrue|unsupported|not (?:right|correct|true|valid))"
_GOOD = r"(?:right|correct|true|valid|sound|fine|ok|okay|supported|justified|entailed|stated)"
_FROM = rf"(?: (?:from|by|in) (?:{_STORY}|{_STEPS}))?"
_FAILS = (
    rf"(?:(?:does not (?:follow|hold)|is not (?:supported|stated)){_FROM}|contradicts {_STORY})"
)
_FIRST, _ERROR = r"(?:first|only|earliest)", r"(?:error|mistake|flaw)"
_FAILING = rf"{_FIRST} (?:(?:step|one) )?(?:that|which) (?:is {_BAD}|{_FAILS})"
_IS_BAD = (
    rf"(?:is(?: clearly)? (?:(?:the|an?) )?(?:{_FIRST} )?{_BAD}(?: step| one)?|{_FAILS}"
    rf"|is the (?:{_FAILING}|{_FIRST} {_ERROR})|(?:has|contains) (?:the|an) (?:{_FIRST} )?{_ERROR})"
)
_IS_GOOD = rf"(?:(?:is|are)(?: all| both)? {_GOOD}|(?:follows?|holds?){_FROM})"
_OF_THEM = r" of (?:the(?:se)? (?:\w+ )?steps|them)"
_NONE = (
    rf"(?:none|none{_OF_THEM}(?: (?:is|are) {_BAD})?|no steps?(?: (?:is|are) {_BAD})?"
    rf"|nothing is {_BAD}|(?:there (?:is|are) )?no (?:{_BAD} steps?|{_ERROR}s?)|(?:(?:all|each)"
    rf"{_OF_THEM}|(?:every|each) step|all (?:(?:the|these|{_NUMBER}) )*steps) {_IS_GOOD})"
)
_SO = (
    r"(?:(?:so|thus|hence|therefore|in conclusion|(?:final )?verdict|conclusion"
    r"|after checking (?:all|each|every|the) steps?)[,:]? )"
)
_LEAD = _words(rf"\A{_SO}*(?:(?:i (?:think|believe|find|conclude)(?: that)?|we (?:get|find)) )?")
_CLAUSE = _words(
    rf"{_SO}?(?:it is |it's )?(?:({_STEP}|(?:number )?{_NUMBER}|{_NTH})|{_NONE}|({_STEP}) {_IS_BAD}"
    rf"|(?P<good>(?:{_STEPS}|all other steps) {_IS_GOOD})|(?:(?:the|my) )?(?:(?:final |correct )?"
    rf"answer|(?:number of the )?(?:{_FIRST} )?{_BAD} step|{_FAILING})(?: number)? is:?(?: that)?"
    rf" ({_STEP}|(?:number )?{_NUMBER}|{_NTH}|none)(?: one)?"
    rf"|(?:there is an|the)(?: {_FIRST})? {_ERROR} (?:(?:is|occurs) )?(?:in|at) ({_STEP}))"
)
_JOIN = _words(
    r",? (?:but|so|while|because|since) |; (?:and )?|: | - | \(|, (?:and |so )?(?=(?:the|all|no"
    rf"|none|each|every|steps?) )| and (?={_STEP} is )"
)
_COPY = _words(rf"(?:{_STEP}|\d+)(?:: | - )")
_SIGNS: Final = (
    (re.compile(r"n['\u2019]t\b"), " not"),
    (_words(r"(?<=step|swer)(?: is)?:[* ]+(?=step|\d|[$*<\\])"), " is "),
    (re.compile(r"[ \t:]{0,3}[\u2713\u2714\u2705]"), " is right "),
    (re.compile(r"[ \t:]{0,3}[\u2717\u2718\u274c]"), " is wrong "),
    (re.compile(r"(?<!\w)[-\u2010-\u2015\u2212](?=\d|none)"), "minus "),
    (re.compile(r'(?<=":)\s*(\d+)(?=\s*[,}])'), r' "\1"'),
    (_words(r'(?<=\{)\s*"(?:(?:first_)?wrong_)?step"(?=\s*:\s*"[^"{}]*"\s*\})'), '"answer"'),
    (_words(r'\{\s*"(?!(?:final_)?answer")[^"{}]*"\s*:\s*"[^"{}]*"\s*\}'), "?"),
    (_words(rf"({_STEP})(?: ?[:=-]+ ?| \()({_BAD}|{_GOOD})\b\)?"), r"\1 is \2"),
)
"""Signs, numbers in JSON and lists of verdicts, and the same in words."""
_HARMLESS = _words(
    rf"\b(?:(?:{_STORY}|it|which|{_STEPS}) (?:only )?(?:says?|states?|does not say)|(?:it|which) "
    rf"{_FAILS}|i (?:have )?(?:checked|read)|(?:by|from) {_STEPS}|according to {_STORY})\b"
)
_UNSAFE = _words(
    rf"\A\W*(?:not|wait|and|actually|just)\b|[?\d\u2026]|\b(?:{_BAD}|{_GOOD}|{_ERROR}s?|{_NONE}|if"
    r"|whether|unless|suppos\w+|assum\w+|imagin\w+|pretend\w*|or|may|might|maybe|perhaps|could|would"
    r"|should|possibly|probably|seems?|looks?|appears?|guess|says?|said|states?|claim\w*|argue\w*|i"
    r"|thinks|thought|believe[sd]|according|doubt\w*|den(?:y|ies)|jok(?:e|ing)|kidding|lie[ds]?|no"
    r"|opposite|nobody|steps?|fails?|answers?|never|nothing|ignore|sorry|follows?|holds?|except|apart"
    r"|earlier|last|previous|next|later|before|after|an?other|others?|also|too|both|all|every|choice)\b"
)
"""Signs that a reason, or a sentence that is not understood, may change the answer."""
_MARKER = _words(
    r"\\boxed\s*\{(?:(?!\banswer)[^{}])*\}|<answer>(?:(?!\banswer)[^<>])*(?:</answer>|\Z)"
    r'|\{[^{}"]*"[^{}]*\}'
    r"|(?P<word>\banswers?\b)\W{0,4}(?:(?P<is>(?:is|must be)\b|:|=|->)|(?:are|w\w+|has)\b)"
)


@dataclass(frozen=True)
class StepNumber(OneOf):
    """Key for the number of the first wrong step, or `none`; other sentences are unreadable."""

    def score(self, text: str) -> Score:
        """Extract the step from a text, in which signs may stand for words."""
        before, text = text[:-_MAX_TEXT], text[-_MAX_TEXT:]
        for pattern, instead in _SIGNS:
            text = pattern.sub(instead, text)
        if not _is_asserted(plain(text)):
            return Score(0.0, None, "the sentence of the answer is not understood")
        return super().score(before + text)

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the only step called wrong; Unreadable if a sentence may say otherwise."""
        letters = {chr(65 + n): choice for n, choice in enumerate(self.choices) if self.letters}
        texts = [letters.get(each.text.strip("()").upper(), each.text) for each in passages]
        marked = passages[0].marked
        claims = [_claims(text) if marked or not _COPY.match(text) else None for text in texts]
        said = set[tuple[str, bool]]().union(*filter(None, claims))
        answers = {step for step, is_wrong in said if is_wrong}
        if len(answers) != 1 or (*answers, False) in said:
            raise Unreadable("several verdicts are given" if said else "no step is named")
        concludes = claims[-1] and re.match(_SO, texts[-1], re.IGNORECASE)
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
    parts = _JOIN.split(_LEAD.sub("", text).strip("()"))
    clauses = [_CLAUSE.fullmatch(part) for part in parts]
    for clause in filter(None, clauses):
        said = next(filter(None, clause.groups()), NONE).lower()
        steps = re.findall(rf"\d+|\b(?:{'|'.join(_NAMES)})\b", said)
        names = {name: str(number // 2 + 1) for number, name in enumerate(_NAMES)}
        claims |= {(names.get(step, step), not clause["good"]) for step in steps or [NONE]}
    others = [part for part, clause in zip(parts, clauses, strict=True) if clause is None]
    is_safe = (NONE, True) not in claims and all(map(_is_harmless, others))
    return claims if is_safe or not others else None


def _is_harmless(text: str) -> bool:
    """Return whether a reason, or a sentence that is not understood, leaves any answer as it is."""
    return len(text.split()) > 2 and not _UNSAFE.search(_HARMLESS.sub(" ", text))


def _is_asserted(text: str) -> bool:
    """Return whether the sentence around the last marked answer is understood, and stays."""
    *_, marker = (None, *_MARKER.finditer(text))
    if marker is None:
        return True
    before = re.split(r"[.!]\s|\n", text[: marker.start()])[-1]
    after, *more = re.split(r"[.!](?:\s|\Z)", text[marker.end() :].partition("\n")[0], maxsplit=1)
    said = "answer is 1" if marker["is"] else "answer ?" if marker["word"] else f"1{after}"
    is_safe = all(not each or (" not" not in each and _is_harmless(each)) for each in more)
    return is_safe and bool(_claims(bare(before + said)))

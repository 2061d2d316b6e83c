"""The judge of stories in which some people's gender is not stated.

No axiom refers to genders: people with unstated gender may be assumed to be male, and what is
entailed then is entailed for any gender. So the judge of kinship-extended is asked with male words,
and its answers are translated back.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..fact import Fact, check_input
from ..verdict import Status, Verdict
from .judge import WORDS
from .judge import judge as judge_stated

UNSTATED: Final = "unstated"

_GENDERED: Final = {
    neutral: (male, female)
    for neutral, male, female in (
        re.split("[=/]", words)
        for words in (
            "child=son/daughter parent=father/mother grandchild=grandson/granddaughter "
            "grandparent=grandfather/grandmother "
            "great-grandchild=great-grandson/great-granddaughter "
            "great-grandparent=great-grandfather/great-grandmother spouse=husband/wife "
            "ex-spouse=ex-husband/ex-wife sibling=brother/sister "
            "half-sibling=half-brother/half-sister stepchild=stepson/stepdaughter "
            "stepparent=stepfather/stepmother stepsibling=stepbrother/stepsister "
            "child-in-law=son-in-law/daughter-in-law parent-in-law=father-in-law/mother-in-law "
            "sibling-in-law=brother-in-law/sister-in-law nibling=nephew/niece pibling=uncle/aunt "
            "great-nibling=great-nephew/great-niece great-pibling=great-uncle/great-aunt "
            "godchild=godson/goddaughter godparent=godfather/godmother"
        ).split()
    )
}
"""Male and female words by gender-neutral word."""
_NEUTRAL: Final = {word: neutral for neutral, words in _GENDERED.items() for word in words}
"""Gender-neutral word by gendered word."""


def judge(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
) -> Verdict:
    """Return whether the facts entail that the query's second is so related to its first.

    Answers are words for the given gender. A gendered word is never entailed of a person whose
    gender is not stated; a neutral word is accepted for any gender.
    """
    facts = list(facts)
    check_input(facts, query, claimed, [*WORDS, *_GENDERED], ("kinship word", "people"))
    unstated = {name for name, gender in genders.items() if gender == UNSTATED}
    if any(y in unstated and word in _NEUTRAL for _, word, y in facts):
        return Verdict(Status.IMPOSSIBLE)
    stated = {name: "male" if name in unstated else its for name, its in genders.items()}
    # Words may imply the gender of people who have none given.
    implied = {y: "female" for _, word, y in facts if _is_female_word(word)}
    gender = implied | stated

    def word_for(word: str, person: str) -> str:
        both = _GENDERED.get(word)
        return both[gender.get(person) == "female"] if both else word

    y, neutral = query[1], query[1] in unstated
    claim = claimed if claimed is None or not neutral else _NEUTRAL.get(claimed, claimed)
    verdict = judge_stated(
        [(a, word_for(word, b), b) for a, word, b in facts],
        stated,
        query,
        None if claim is None else word_for(claim, y),
    )
    answers = verdict.answers
    if neutral:
        answers = frozenset(_NEUTRAL.get(word, word) for word in answers)
        if claimed in _NEUTRAL and verdict.status is Status.ENTAILED:
            return Verdict(Status.UNDETERMINED, answers)
    elif verdict.status is Status.ENTAILED and claimed is not None:
        answers = frozenset([claimed])
    return Verdict(verdict.status, answers)


def _is_female_word(word: str) -> bool:
    return word in _NEUTRAL and _GENDERED[_NEUTRAL[word]][1] == word

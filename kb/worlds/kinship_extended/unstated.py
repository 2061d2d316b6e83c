"""The judge of stories in which some people's gender is not stated.

No axiom speaks of genders: whoever has none stated may be taken for a man, and what is certain
then is certain, whatever the gender. So the judge of kinship-extended is asked with words for men,
and these are put back.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import Status, Verdict
from .judge import WORDS
from .judge import judge as judge_stated

UNSTATED: Final = "unstated"

# For each word that tells no gender those for a man and for a woman.
_STATED: Final = {
    "child": ("son", "daughter"),
    "parent": ("father", "mother"),
    "grandchild": ("grandson", "granddaughter"),
    "grandparent": ("grandfather", "grandmother"),
    "great-grandchild": ("great-grandson", "great-granddaughter"),
    "great-grandparent": ("great-grandfather", "great-grandmother"),
    "spouse": ("husband", "wife"),
    "ex-spouse": ("ex-husband", "ex-wife"),
    "sibling": ("brother", "sister"),
    "half-sibling": ("half-brother", "half-sister"),
    "stepchild": ("stepson", "stepdaughter"),
    "stepparent": ("stepfather", "stepmother"),
    "stepsibling": ("stepbrother", "stepsister"),
    "child-in-law": ("son-in-law", "daughter-in-law"),
    "parent-in-law": ("father-in-law", "mother-in-law"),
    "sibling-in-law": ("brother-in-law", "sister-in-law"),
    "nibling": ("nephew", "niece"),
    "pibling": ("uncle", "aunt"),
    "great-nibling": ("great-nephew", "great-niece"),
    "great-pibling": ("great-uncle", "great-aunt"),
    "godchild": ("godson", "goddaughter"),
    "godparent": ("godfather", "godmother"),
}
_BARE: Final = {word: bare for bare, words in _STATED.items() for word in words}
"""By a word that tells a gender the one that tells none."""


def judge(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None = None,
) -> Verdict:
    """Say whether the facts entail that the query's second is so related to its first.

    The answers are in the words for the gender that is given. A word for either gender is never
    certain of somebody whose gender is not stated, and a word for none is as good as any.
    """
    told = list(facts)
    for _, word, _ in [*told, *([("", claimed, "")] if claimed is not None else [])]:
        if word not in _STATED and word not in WORDS:
            raise InvalidOption(
                f"no kinship word {word!r}; the words are {', '.join([*WORDS, *_STATED])}"
            )
    hidden = {name for name, gender in genders.items() if gender == UNSTATED}
    if any(y in hidden and word in _BARE for _, word, y in told):
        return Verdict(Status.IMPOSSIBLE)
    stated = {name: "male" if name in hidden else its for name, its in genders.items()}
    # Of one of whom nothing is given, a word may say the gender.
    said = {y: "female" for _, word, y in told if _is_for_women(word)}
    gender = said | stated

    def word_for(word: str, person: str) -> str:
        both = _STATED.get(word)
        return both[gender.get(person) == "female"] if both else word

    y, bare = query[1], query[1] in hidden
    asked = (
        None if claimed is None else word_for(_BARE.get(claimed, claimed) if bare else claimed, y)
    )
    verdict = judge_stated([(a, word_for(w, b), b) for a, w, b in told], stated, query, asked)
    answers = verdict.answers
    if bare:
        answers = frozenset(_BARE.get(word, word) for word in answers)
        if claimed in _BARE and verdict.status is Status.ENTAILED:
            return Verdict(Status.UNDETERMINED, answers)
    elif verdict.status is Status.ENTAILED and claimed is not None:
        answers = frozenset([claimed])
    return Verdict(verdict.status, answers)


def _is_for_women(word: str) -> bool:
    return word in _BARE and _STATED[_BARE[word]][1] == word

"""Number: whether an argument is one or many, and relations that agree with it."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from ...kb.lexicon.english import third_person
from ...kb.lexicon.wordnet.location import default_folder
from ...kb.lexicon.wordnet.morphology import Morphology, lemmatise, morphology
from .number_words import ADVERBS, MANY, MODALS, ONE, PEOPLES, PREPOSITIONS

_ONE_OF_THEM = frozenset("a an one each every this that another".split())
_SOME_OF_THEM = frozenset("these those two three four many several few both".split())
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}
_PLURAL = {one: many for many, one in _SINGULAR.items()}
_OF_THE_PAST_TOO = frozenset(
    "beat bore burst cast cost cut fell hit hurt lay let put quit read rent saw set shed shut "
    "split spread wound".split()
)
"""Bases that are also the past of some verb: after many, they are taken for the present."""


def is_many(triple: Sequence[str], place: int) -> bool:
    """Whether the argument in that place is many: as the verb after it says, if it does."""
    if place == 0:
        verb = _words(triple[1])[1]
        if verb in _SINGULAR or _is_base(verb):
            return True
        if verb in _PLURAL or _base_of_third_person(verb):
            return False
    return is_plural(triple[place])


@lru_cache(1 << 16)
def is_plural(argument: str) -> bool:
    """Whether a verb after this argument stands in the plural."""
    listed = argument.split()
    first, head = listed[0].lower(), _head(listed)
    small = head.lower()
    if first in _ONE_OF_THEM or len(head) < 3 or argument.lower() in ONE or small in ONE:
        return False
    if "and" in listed[1:-1] or first in _SOME_OF_THEM or small in MANY:
        return True
    if head[0].isupper():
        return _is_people_or_range(head, first == "the")
    return _is_plural_noun(small)


def _head(listed: Sequence[str]) -> str:
    """The last word before a preposition: `members` of `the members of parliament`."""
    for before, word in pairwise(listed):
        if word in PREPOSITIONS:
            return before
    return listed[-1]


def _is_people_or_range(head: str, with_the: bool) -> bool:
    """Names are of one thing, but for the Romans, the Alps and Muslims."""
    if with_the:
        return head.endswith(PEOPLES) or (head.endswith("s") and not head.endswith(("us", "is")))
    bases = _nouns().base_forms(head, "n")
    return head.endswith("s") and bool(bases) and head.lower() not in bases


def _is_plural_noun(form: str) -> bool:
    irregular = _nouns().exceptions["n"].get(form)
    if irregular is not None:
        return form not in irregular
    bases = _nouns().base_forms(form, "n")
    if form.endswith(("ss", "us", "is")):
        return form not in bases and bool(bases)
    if form.endswith("men"):
        return True
    return form.endswith("s") and (not bases or any(len(base) < len(form) for base in bases))


def _nouns() -> Morphology:
    return morphology(default_folder())


@lru_cache(1 << 16)
def singular(relation: str, neuter: bool = True) -> str:
    """A relation as it stands after one: `eats` for `eat`, `its` for `their` unless of a person."""
    changed = _with_verb(relation, _one)
    return _replaced(changed, {"their": "its", "themselves": "itself"}) if neuter else changed


@lru_cache(1 << 16)
def plural(relation: str) -> str:
    """A relation as it stands after many: `eat` for `eats`, `their` for `its`."""
    return _replaced(_with_verb(relation, _many), {"its": "their", "itself": "themselves"})


def _with_verb(relation: str, form: Callable[[str], str]) -> str:
    before, verb, after = _words(relation)
    return " ".join([*before, form(verb), *after])


def _words(relation: str) -> tuple[list[str], str, list[str]]:
    """What stands before the verb, the verb, and what stands after it."""
    listed = relation.split()
    place = next((n for n, word in enumerate(listed) if word not in ADVERBS), 0)
    return listed[:place], listed[place], listed[place + 1 :]


def _replaced(relation: str, words: Mapping[str, str]) -> str:
    return " ".join(words.get(word, word) for word in relation.split())


def _one(verb: str) -> str:
    base = _is_base(verb) or verb in _OF_THE_PAST_TOO
    return _SINGULAR.get(verb) or (third_person(verb) if base else verb)


def _many(verb: str) -> str:
    return _PLURAL.get(verb) or _base_of_third_person(verb) or verb


def _is_base(verb: str) -> bool:
    """Whether the verb is in the present, after many; `put` may be in the past."""
    if verb in MODALS or verb in _PLURAL or verb in _OF_THE_PAST_TOO:
        return False
    bases = morphology(default_folder()).base_forms(verb, "v")
    return bases[:1] == [verb]


def _base_of_third_person(verb: str) -> str:
    base = lemmatise(verb, "v")
    return base if base != verb and third_person(base) == verb else ""

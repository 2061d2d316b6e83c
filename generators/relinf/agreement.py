"""Grammatical number of arguments, and agreement of relations with it."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from ...kb.lexicon.english import third_person
from ...kb.lexicon.wordnet.location import default_folder
from ...kb.lexicon.wordnet.morphology import Morphology, lemmatise, morphology
from .number_words import word_list

_SINGULAR_DETERMINERS = frozenset("a an one each every this that another".split())
_PLURAL_DETERMINERS = frozenset("these those two three four many several few both".split())
_SINGULAR_VERBS = {"are": "is", "were": "was", "have": "has", "do": "does"}
_PLURAL_VERBS = {one: many for many, one in _SINGULAR_VERBS.items()}
_AMBIGUOUS_TENSE = frozenset(
    "beat bore burst cast cost cut fell hit hurt lay let put quit read rent saw set shed shut "
    "split spread wound".split()
)
"""Base forms that are also past forms; taken for present after plurals."""


def is_plural_argument(triple: Sequence[str], place: int) -> bool:
    """Return whether an argument is plural: by the verb that agrees with it, else by its noun."""
    if place == 0:
        verb = _split_at_verb(triple[1])[1]
        if verb in _SINGULAR_VERBS or _is_base(verb):
            return True
        if verb in _PLURAL_VERBS or _base_of_third_person(verb):
            return False
    return is_plural_phrase(triple[place])


@lru_cache(1 << 16)
def is_plural_phrase(argument: str) -> bool:
    """Return whether a noun phrase takes a plural verb."""
    listed = argument.split()
    first, head = listed[0].lower(), _head(listed)
    lower = head.lower()
    if first in _SINGULAR_DETERMINERS or len(head) < 3:
        return False
    if not word_list("singular_nouns").isdisjoint((argument.lower(), lower)):
        return False
    if "and" in listed[1:-1] or first in _PLURAL_DETERMINERS or lower in word_list("plural_nouns"):
        return True
    if head[0].isupper():
        return _is_plural_name(head, first == "the")
    return _is_plural_noun(lower)


def _head(listed: Sequence[str]) -> str:
    """Return the head noun: `members` of `the members of parliament`."""
    for before, word in pairwise(listed):
        if word in word_list("prepositions"):
            return before
    return listed[-1]


def _is_plural_name(head: str, with_the: bool) -> bool:
    """Return whether a name is plural, like the Romans, the Alps and Muslims."""
    if with_the:
        return head.endswith(tuple(word_list("people_suffixes"))) or (
            head.endswith("s") and not head.endswith(("us", "is"))
        )
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
    """Return a relation with a singular subject: `eats` for `eat`, `its` for `their` if neuter."""
    changed = _with_verb(relation, _singular_verb)
    return _replace_words(changed, {"their": "its", "themselves": "itself"}) if neuter else changed


@lru_cache(1 << 16)
def plural(relation: str) -> str:
    """Return a relation with a plural subject: `eat` for `eats`, `their` for `its`."""
    return _replace_words(
        _with_verb(relation, _plural_verb), {"its": "their", "itself": "themselves"}
    )


def _with_verb(relation: str, form: Callable[[str], str]) -> str:
    before, verb, after = _split_at_verb(relation)
    return " ".join([*before, form(verb), *after])


def _split_at_verb(relation: str) -> tuple[list[str], str, list[str]]:
    """Return the words before the verb, the verb, and the words after it."""
    listed = relation.split()
    place = next((n for n, word in enumerate(listed) if word not in word_list("adverbs")), 0)
    return listed[:place], listed[place], listed[place + 1 :]


def _replace_words(relation: str, words: Mapping[str, str]) -> str:
    return " ".join(words.get(word, word) for word in relation.split())


def _singular_verb(verb: str) -> str:
    base = _is_base(verb) or verb in _AMBIGUOUS_TENSE
    return _SINGULAR_VERBS.get(verb) or (third_person(verb) if base else verb)


def _plural_verb(verb: str) -> str:
    return _PLURAL_VERBS.get(verb) or _base_of_third_person(verb) or verb


def _is_base(verb: str) -> bool:
    """Return whether a verb is surely plural present; `put` may be past."""
    if verb in word_list("modals") or verb in _PLURAL_VERBS or verb in _AMBIGUOUS_TENSE:
        return False
    bases = morphology(default_folder()).base_forms(verb, "v")
    return bases[:1] == [verb]


def _base_of_third_person(verb: str) -> str:
    base = lemmatise(verb, "v")
    return base if base != verb and third_person(base) == verb else ""

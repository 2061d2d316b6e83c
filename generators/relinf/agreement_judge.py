"""Grammatical number for the judge, independent of `agreement`, with NLTK's reader of WordNet."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ...kb.lexicon.wordnet import nltk_reader
from .number_words import word_list

_IRREGULAR = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
_POSSESSIVES = (("its", "their"), ("itself", "themselves"))
_AMBIGUOUS = re.compile(
    "beat|bore|burst|cast|cost|cut|fell|hit|hurt|lay|let|put|quit|read|rent|saw|set|shed|shut|"
    "split|spread|wound"
)


def takes_plural(triple: Sequence[str], place: int) -> bool:
    """Return whether an argument is plural: by the verb that agrees with it, else by its noun."""
    if place == 0:
        verb = _verb_of(triple[1])
        if any(verb == many for _, many in _IRREGULAR):
            return True
        if any(verb == one for one, _ in _IRREGULAR) or _base_of_singular(verb) is not None:
            return False
        if _is_base(verb):
            return True
    return _is_plural_phrase(triple[place])


def inflected(relation: str, many: bool, neuter: bool = True) -> str:
    """Return the relation with a plural or a singular subject."""
    words = relation.split()
    place = words.index(_verb_of(relation))
    verb = words[place]
    for one, more in _IRREGULAR:
        if verb == (one if many else more):
            words[place] = more if many else one
            break
    else:
        if many:
            words[place] = _base_of_singular(verb) or verb
        elif _is_base(verb) or _AMBIGUOUS.fullmatch(verb):
            words[place] = _with_s(verb)
    if many or neuter:
        changes = dict(_POSSESSIVES) if many else {m: o for o, m in _POSSESSIVES}
        words = [changes.get(word, word) for word in words]
    return " ".join(words)


def _verb_of(relation: str) -> str:
    words = [word for word in relation.split() if word not in word_list("adverbs")]
    return words[0] if words else relation.split(maxsplit=1)[0]


def _with_s(verb: str) -> str:
    if re.search("[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search("(s|x|z|ch|sh|o)$", verb) else "s")


@lru_cache(1 << 14)
def _base_of_singular(verb: str) -> str | None:
    """Return the base form of a third-person singular; None if the verb is not one."""
    base = _base(verb)
    return base if base != verb and _with_s(base) == verb else None


@lru_cache(1 << 14)
def _is_base(verb: str) -> bool:
    known = verb in nltk_reader()._lemma_pos_offset_map and bool(nltk_reader()._morphy(verb, "v"))
    plain = verb not in word_list("modals") and not _AMBIGUOUS.fullmatch(verb)
    return known and plain and _base(verb) == verb and verb not in ("is", "was", "has", "does")


def _base(verb: str) -> str:
    reader = nltk_reader()
    for base in reader._exception_map["v"].get(verb, ()):
        if reader.morphy(base, "v", check_exceptions=False) == base:
            return str(base)
    return str(reader.morphy(verb, "v") or verb)


@lru_cache(1 << 14)
def _is_plural_phrase(argument: str) -> bool:
    words = argument.split()
    end = next(
        (n for n in range(1, len(words)) if words[n] in word_list("prepositions")), len(words)
    )
    head, first = words[end - 1], words[0].lower()
    small = head.lower()
    single = re.fullmatch("a|an|one|each|every|this|that|another", first)
    if single or len(head) < 3 or {argument.lower(), small} & word_list("singular_nouns"):
        return False
    several = re.fullmatch("these|those|two|three|four|many|several|few|both", first)
    if several or "and" in words[1:-1] or small in word_list("plural_nouns"):
        return True
    if head[0].isupper() and first == "the":
        return head.endswith(tuple(word_list("people_suffixes"))) or bool(
            re.search("(?<![ui])s$", head)
        )
    if head[0].isupper():
        singulars = nltk_reader()._morphy(small, "n")
        return bool(singulars) and small.endswith("s") and small not in singulars
    return _plural_noun(small)


def _plural_noun(word: str) -> bool:
    reader = nltk_reader()
    irregular = reader._exception_map["n"].get(word)
    if irregular is not None:
        return word not in irregular
    bases = reader._morphy(word, "n")
    if re.search("(ss|us|is)$", word):
        return bool(bases) and word not in bases
    shorter = not bases or min(map(len, bases)) < len(word)
    return word.endswith("men") or (word.endswith("s") and shorter)

"""Retrieval of candidate answers to a question, by the criteria of section 3.1 of the paper.

Levy and Dagan, Annotating Relation Inference in Context via Question Answering, ACL 2016.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, get_args

from ...kb.lexicon.wordnet.morphology import lemmatise
from ...kb.lexicon.wordnet.taxonomy import Taxonomy, Term, Wsd
from ...kb.triples import Triple, TripleStore, argument_key, stop_words
from .agreement import is_plural_argument, singular
from .label import Label
from .question import Question

Filter = Literal[
    "pronoun", "symbol", "verbless", "dangling", "repeated", "long", "head", "generic", "analytic"
]
FILTERS: tuple[Filter, ...] = get_args(Filter)

_ARTICLES = frozenset(["a", "an", "the"])
_DANGLING = _ARTICLES | set("and or but my your his her its our their this that these".split())
_PREPOSITIONS = frozenset(
    "of in on at by for with from to into about against between among through during before "
    "after above below over under within along across near without like".split()
)
_MAX_WORDS = 8
_SYMBOL = re.compile(r"[^\w\s'\u2019.,&/()-]|_")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Candidate:
    """A triple that may answer a question, with the sense of its answer that is of the type."""

    question: Question
    triple: Triple
    answer_at: int
    term: str
    sense: int
    type_sense: int

    @property
    def answer(self) -> str:
        """The argument that answers the question."""
        return argument_at(self.triple, self.answer_at)


_key = lru_cache(1 << 16)(argument_key)


def argument_at(triple: Triple, place: int) -> str:
    """Return the argument at place 0 or 2."""
    return triple.arg1 if place == 0 else triple.arg2


@lru_cache(1 << 16)
def relation_key(relation: str) -> tuple[str, ...]:
    """Return the words of a relation without articles and inflections."""
    words = relation.lower().split()
    return tuple(lemmatise(word, "v") for word in words if word not in _ARTICLES)


def expected_label(candidate: Candidate, nonsense: Collection[Triple]) -> Label | Literal[""]:
    """Return the label that the question's lists predict; empty without a list."""
    question, triple = candidate.question, candidate.triple
    if question.answered_by is None:
        return ""
    if triple in nonsense:
        return "nonsense"
    return "yes" if _is_among(question.answered_by, triple, candidate.answer_at) else "no"


def relation_keys(triple: Triple) -> frozenset[tuple[str, ...]]:
    """Return the keys of a triple's relation and of its singular; `loggers fell` is present."""
    return _relation_keys(triple.relation, is_plural_argument(triple[:3], 0))


@lru_cache(1 << 16)
def _relation_keys(relation: str, is_plural: bool) -> frozenset[tuple[str, ...]]:
    one = singular(relation) if is_plural else relation
    return frozenset([relation_key(relation), relation_key(one)])


def _is_among(listed: tuple[str, ...], triple: Triple, place: int) -> bool:
    """Return whether a question's list has a triple's relation, with the answer at that place."""
    return not _keys(listed, place == 2).isdisjoint(relation_keys(triple))


@lru_cache(1 << 11)
def _keys(listed: tuple[str, ...], second: bool) -> frozenset[tuple[str, ...]]:
    return frozenset(
        relation_key(relation.removeprefix("~"))
        for relation in listed
        if relation.startswith("~") == second
    )


def retrieve(
    question: Question,
    store: TripleStore,
    taxonomy: Taxonomy,
    *,
    wsd: Wsd = "usual",
    filters: Collection[Filter] = FILTERS,
    cap: int | None = None,
) -> Iterator[Candidate]:
    """Yield the candidates of a question in the order of the store, each once."""
    type_sense = taxonomy.kind(question.noun or question.type, question.sense)
    left_out = [taxonomy.mask(taxonomy.kind(*noun)) for noun in question.excluded_types]
    asked = relation_key(question.relation)
    tests = [_FILTER_TESTS[name] for name in FILTERS if name in filters]
    for triple, place in _with_argument(question, store, cap):
        answer = argument_at(triple, place)
        term = taxonomy.term(answer)
        if term is None:
            continue
        sense = taxonomy.choose(term, type_sense, wsd, " ".join(triple[:3]).split())
        if sense is None or asked in relation_keys(triple):
            continue
        if any(mask[sense] for mask in left_out) or _is_among(question.unsure, triple, place):
            continue
        if not any(test(question, triple, answer, term) for test in tests):
            yield Candidate(question, triple, place, term.text, sense, type_sense)


def _with_argument(
    question: Question, store: TripleStore, cap: int | None
) -> Iterator[tuple[Triple, int]]:
    """Yield triples with the question's argument, and the place of the other argument."""
    wanted = _key(question.argument)
    for triple in store.about(question.argument, cap):
        if _key(triple.arg1) != wanted:
            yield triple, 0
        elif _key(triple.arg2) != wanted:
            yield triple, 2


@lru_cache(1 << 14)
def _is_verb(word: str) -> bool:
    from ...kb.lexicon.wordnet.location import default_folder
    from ...kb.lexicon.wordnet.morphology import morphology

    return word in _MODALS or bool(morphology(default_folder()).base_forms(word, "v"))


FilterTest = Callable[[Question, Triple, str, Term], bool]
"""Arguments are the question, a triple, its answer and the answer's term in WordNet."""

_FILTER_TESTS: dict[Filter, FilterTest] = {
    "pronoun": lambda question, triple, answer, term: stop_words().issuperset(
        answer.lower().split()
    ),
    "symbol": lambda question, triple, answer, term: any(
        _SYMBOL.search(part) or not _LETTER.search(part) for part in triple[:3]
    ),
    "verbless": lambda question, triple, answer, term: (
        not any(map(_is_verb, triple.relation.lower().split()))
    ),
    "dangling": lambda question, triple, answer, term: (
        triple.relation.lower().split()[-1] in _DANGLING
    ),
    "repeated": lambda question, triple, answer, term: any(
        first == second for first, second in pairwise(" ".join(triple[:3]).lower().split())
    ),
    "long": lambda question, triple, answer, term: any(
        len(part.split()) > _MAX_WORDS for part in triple[:3]
    ),
    "head": lambda question, triple, answer, term: (
        not _PREPOSITIONS.isdisjoint(answer.lower().split()[: -len(term.text.split())])
    ),
    "generic": lambda question, triple, answer, term: _key(answer) == _key(question.type),
    "analytic": lambda question, triple, answer, term: any(
        stem in answer.lower() for stem in _stems(question)
    ),
}


def _stems(question: Question) -> list[str]:
    """Return the beginnings of the question's words, by which `shipbuilders` build ships."""
    words = f"{question.relation} {question.argument}".split()
    return [word[:4] for word in words if len(word) >= 4 and word.islower()]


_MODALS = frozenset("will would shall should may might can could must ought".split())

"""Candidate answers to a question: criteria of section 3.1, and where each candidate comes from.

Levy and Dagan, Annotating Relation Inference in Context via Question Answering, ACL 2016.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, pairwise
from typing import Literal, get_args

from ...kb.lexicon.wordnet.morphology import lemmatise
from ...kb.lexicon.wordnet.taxonomy import Taxonomy, Term, Wsd
from ...kb.triples import STOP_WORDS, Triple, TripleStore, argument_key
from .agreement import is_many, singular
from .label import Label
from .question import Question

Filter = Literal["pronoun", "symbol", "verbless", "dangling", "repeated", "long", "head", "generic"]
FILTERS: tuple[Filter, ...] = get_args(Filter)

_ARTICLES = frozenset(["a", "an", "the"])
_DANGLING = _ARTICLES | set("and or but my your his her its our their this that these".split())
_PREPOSITIONS = frozenset(
    "of in on at by for with from to into about against between among through during before "
    "after above below over under within along across near without like".split()
)
_MOST_WORDS = 8
_SYMBOL = re.compile(r"[^\w\s'\u2019.,&/()-]|_")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Candidate:
    """A triple that may answer a question, with the sense by which its answer is of the type."""

    question: Question
    triple: Triple
    answer_at: int
    term: str
    sense: int
    kind: int

    @property
    def answer(self) -> str:
        """The argument that answers."""
        return argument_at(self.triple, self.answer_at)


_key = lru_cache(1 << 16)(argument_key)


def argument_at(triple: Triple, place: int) -> str:
    """The argument in place 0 or 2."""
    return triple.arg1 if place == 0 else triple.arg2


@lru_cache(1 << 16)
def relation_key(relation: str) -> tuple[str, ...]:
    """A relation without articles and inflections."""
    words = relation.lower().split()
    return tuple(lemmatise(word, "v") for word in words if word not in _ARTICLES)


def expected(candidate: Candidate, nonsense: Collection[Triple]) -> Label | Literal[""]:
    """The label that the question's list of relations gives a candidate; none without a list."""
    question, triple = candidate.question, candidate.triple
    if question.answered_by is None:
        return ""
    if triple in nonsense:
        return "nonsense"
    return "yes" if _is_among(question.answered_by, triple, candidate.answer_at) else "no"


def relation_keys(triple: Triple) -> frozenset[tuple[str, ...]]:
    """A triple's relation as it stands, and as of one thing: `fell` is no past if `loggers` do."""
    return _relation_keys(triple.relation, is_many(triple[:3], 0))


@lru_cache(1 << 16)
def _relation_keys(relation: str, of_many: bool) -> frozenset[tuple[str, ...]]:
    one = singular(relation) if of_many else relation
    return frozenset([relation_key(relation), relation_key(one)])


def _is_among(listed: tuple[str, ...], triple: Triple, place: int) -> bool:
    """Whether a question's list has a triple's relation, with the answer in that place."""
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
    """All candidates of a question, in the order of the store, each once."""
    kind = taxonomy.kind(question.noun or question.type, question.sense)
    left_out = [taxonomy.mask(taxonomy.kind(*noun)) for noun in question.without]
    asked = relation_key(question.relation)
    unfit = [_UNFIT[name] for name in FILTERS if name in filters]
    matches = list(_with_argument(question, store, cap))
    terms = taxonomy.terms(argument_at(*match) for match in matches)
    for triple, place in compress(matches, taxonomy.below(terms, kind).tolist()):
        term = taxonomy.term(argument_at(triple, place))
        assert term
        sense = taxonomy.choose(term, kind, wsd, " ".join(triple[:3]).split())
        if sense is None or asked in relation_keys(triple):
            continue
        if any(mask[sense] for mask in left_out) or _is_among(question.unsure, triple, place):
            continue
        if not any(test(question, triple, place, term) for test in unfit):
            yield Candidate(question, triple, place, term.text, sense, kind)


def _with_argument(
    question: Question, store: TripleStore, cap: int | None
) -> Iterator[tuple[Triple, int]]:
    """Triples with the question's argument, and the place of the other one."""
    wanted = _key(question.argument)
    for triple in store.about(question.argument, cap):
        if _key(triple.arg1) != wanted:
            yield triple, 0
        elif _key(triple.arg2) != wanted:
            yield triple, 2


Test = Callable[[Question, Triple, int, Term], bool]


def _pronoun(question: Question, triple: Triple, place: int, term: Term) -> bool:
    return STOP_WORDS.issuperset(argument_at(triple, place).lower().split())


def _symbol(question: Question, triple: Triple, place: int, term: Term) -> bool:
    return any(_SYMBOL.search(part) or not _LETTER.search(part) for part in triple[:3])


def _verbless(question: Question, triple: Triple, place: int, term: Term) -> bool:
    return not any(_is_verb(word) for word in triple.relation.lower().split())


@lru_cache(1 << 14)
def _is_verb(word: str) -> bool:
    from ...kb.lexicon.wordnet.location import default_folder
    from ...kb.lexicon.wordnet.morphology import morphology

    return word in _MODALS or bool(morphology(default_folder()).base_forms(word, "v"))


_MODALS = frozenset("will would shall should may might can could must ought".split())


def _dangling(question: Question, triple: Triple, place: int, term: Term) -> bool:
    return triple.relation.lower().split()[-1] in _DANGLING


def _repeated(question: Question, triple: Triple, place: int, term: Term) -> bool:
    words = " ".join(triple[:3]).lower().split()
    return any(first == second for first, second in pairwise(words))


def _long(question: Question, triple: Triple, place: int, term: Term) -> bool:
    return any(len(part.split()) > _MOST_WORDS for part in triple[:3])


def _head(question: Question, triple: Triple, place: int, term: Term) -> bool:
    words = argument_at(triple, place).lower().split()
    before = words[: len(words) - len(term.text.split())]
    return not _PREPOSITIONS.isdisjoint(before)


def _generic(question: Question, triple: Triple, place: int, term: Term) -> bool:
    return _key(argument_at(triple, place)) == _key(question.type)


_UNFIT: dict[Filter, Test] = {
    "pronoun": _pronoun,
    "symbol": _symbol,
    "verbless": _verbless,
    "dangling": _dangling,
    "repeated": _repeated,
    "long": _long,
    "head": _head,
    "generic": _generic,
}

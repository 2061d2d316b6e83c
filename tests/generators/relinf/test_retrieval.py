"""Candidates have the question's argument, an answer of its type and another relation."""

from pathlib import Path

import pytest

from relsmith.generators.relinf.question import Question
from relsmith.generators.relinf.retrieval import FILTERS, relation_key, retrieve
from relsmith.kb.lexicon.wordnet.taxonomy import Wsd, taxonomy
from relsmith.kb.triples import Triple, TripleStore, argument_key

TRIPLES = [
    Triple("aspirin", "eliminates", "headaches"),
    Triple("The headache", "was relieved by", "some ibuprofen", 7),
    Triple("aspirin", "treated", "headaches"),
    Triple("the aspirin", "treat", "a headache"),
    Triple("dogs", "get", "headaches"),
    Triple("stress", "causes", "headaches"),
    Triple("aspirin", "eliminates", "toothaches"),
    Triple("headache", "is like", "headaches"),
    Triple("it", "cures", "headaches"),
    Triple("the drug", "cures", "headaches"),
    Triple("the effect of aspirin", "helps", "headaches"),
    Triple("aspirin", "the", "headaches"),
    Triple("aspirin", "removes the", "headaches"),
    Triple("aspirin", "with", "headaches"),
    Triple("aspirin", "is is for", "headaches"),
    Triple("aspirin*", "is for", "headaches"),
    Triple("100", "is for", "headaches"),
    Triple("one two three four five six seven eight aspirin", "is for", "headaches"),
    Triple("headache aspirin", "helps against", "headaches"),
]


class Store:
    """Triples in a list."""

    def about(self, argument: str, cap: int | None = None) -> list[Triple]:
        key = argument_key(argument)
        return [t for t in TRIPLES if key in (argument_key(t.arg1), argument_key(t.arg2))][:cap]


def found(question: Question, **options: object) -> list[tuple[str, str]]:
    store: TripleStore = Store()  # type: ignore[assignment]
    made = retrieve(question, store, taxonomy(), **options)  # type: ignore[arg-type]
    return [(one.answer, one.triple.relation) for one in made]


TREATS = Question(1, "drug", "treats", "headaches")


def test_the_criteria() -> None:
    assert found(TREATS) == [("aspirin", "eliminates"), ("some ibuprofen", "was relieved by")]


@pytest.mark.parametrize(
    ("name", "let_in"),
    [
        ("generic", ("the drug", "cures")),
        ("analytic", ("headache aspirin", "helps against")),
        ("head", ("the effect of aspirin", "helps")),
        ("dangling", ("aspirin", "removes the")),
        ("verbless", ("aspirin", "with")),
        ("repeated", ("aspirin", "is is for")),
        ("long", ("one two three four five six seven eight aspirin", "is for")),
    ],
)
def test_every_filter_removes_something(name: str, let_in: tuple[str, str]) -> None:
    others = [one for one in FILTERS if one != name]
    assert let_in in found(TREATS, filters=others)
    assert let_in not in found(TREATS)


def test_symbols_and_pronouns_are_kept_out() -> None:
    measure = Question(1, "integer", "treats", "headaches")
    assert ("100", "is for") in found(measure, filters=(), wsd="any")
    assert ("100", "is for") not in found(measure, filters=("symbol",), wsd="any")
    cognition = Question(1, "engineering", "treats", "headaches", 2)
    assert ("it", "cures") in found(cognition, filters=(), wsd="any")
    assert ("it", "cures") not in found(cognition, filters=("pronoun",), wsd="any")


def test_the_cap_is_kept() -> None:
    assert found(TREATS, cap=1) == [("aspirin", "eliminates")]


@pytest.mark.parametrize("wsd", ["lesk", "first", "any"])
def test_senses(wsd: Wsd) -> None:
    assert ("dogs", "get") in found(Question(1, "animal", "has", "headaches"), wsd=wsd)


def test_relations_without_articles_and_inflections() -> None:
    assert relation_key("is the cause of") == ("be", "cause", "of")
    assert relation_key("was treated with") == relation_key("is treated with")
    assert relation_key("founded") != relation_key("found")


def test_left_out_candidates() -> None:
    assert found(Question(1, "substance", "treats", "headaches"))
    assert (
        found(Question(1, "substance", "treats", "headaches", excluded_types=(("drug", 1),))) == []
    )


def test_provenance() -> None:
    store: TripleStore = Store()  # type: ignore[assignment]
    one = list(retrieve(TREATS, store, taxonomy()))[1]
    assert (one.triple.count, one.answer_at, one.term) == (7, 2, "ibuprofen")
    assert taxonomy().name(one.sense) == "ibuprofen.n.01"
    assert taxonomy().name(one.type_sense) == "drug.n.01"


def test_nothing_is_read_from_a_store_before_it_is_needed(tmp_path: Path) -> None:
    from relsmith.generators.relinf import Relinf

    Relinf(triples=str(tmp_path / "absent"), questions="absent")

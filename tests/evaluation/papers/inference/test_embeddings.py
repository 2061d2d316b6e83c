"""Vectors of words and relations."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.inference.relation_embeddings import (
    RelationEmbeddings,
    SkipGramTraining,
    contexts,
    train,
)
from relsmith.evaluation.papers.inference.task import Assertion, InferencePair
from relsmith.evaluation.papers.inference.word_embeddings import WordEmbeddings, cosine
from relsmith.evaluation.papers.inference.words import analyse
from relsmith.kb.triples import open_store
from relsmith.kb.triples.triple import Triple


def pair(premise: str, hypothesis: str, *, crossed: bool = False) -> InferencePair:
    second = ("y1", hypothesis, "x1") if crossed else ("x1", hypothesis, "y1")
    return InferencePair(Assertion("x1", premise, "y1"), Assertion(*second), True)


def test_the_mean_of_words_is_compared(tmp_path: Path, job: RunContext) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("4 2\nEats 1 0\nwith 0 1\ndevour 1 0\nhate -1 0\nbe nonsense here\n")
    model = WordEmbeddings(vectors=path, threshold=0.6)
    pairs = [
        pair("eats", "devours"),
        pair("eats", "devours with"),
        pair("eats", "hated"),
        pair("eats", "unknown"),
    ]
    found = model.scores(pairs, job)
    assert found == [1.0, pytest.approx(0.5**0.5), 0.0, None]
    after = WordEmbeddings(vectors=path, lemma=True).scores(pairs, job)
    assert after == [1.0, pytest.approx(0.5**0.5), 0.0, None]
    same = WordEmbeddings(vectors=path, lemma=True).scores([pair("ate", "eats")], job)
    assert same == [2.0]
    assert model.label == "word-embeddings vectors"
    assert model.decision_threshold == 0.6


VECTOR = st.lists(st.floats(-10, 10), min_size=3, max_size=3).map(np.array)


@given(VECTOR, VECTOR)
def test_cosines(one: np.ndarray, other: np.ndarray) -> None:
    found = cosine(one, other)
    assert found == cosine(other, one)
    assert found is None or 0 <= found <= 1
    if np.linalg.norm(one) > 1e-3:
        assert cosine(one, 2 * one) == 1
        assert cosine(one, -one) == 0
    assert cosine(one, None) is None


def test_contexts_of_relations() -> None:
    triples = [
        Triple("cats", "eat", "mice", 2),
        Triple("mice", "were eaten by", "the cat", 1),
        Triple("x", "is in", "y", 5),
        Triple("dogs", "bite", "men", 1),
    ]
    eat, bite = analyse("eats").form, analyse("bites").form
    found = contexts(triples)
    assert found[(eat, False), (0, "cat")] == found[(eat, True), (1, "cat")] == 3
    assert found[(eat, False), (1, "mouse")] == found[(eat, True), (0, "mouse")] == 3
    assert {side for (side, _), _ in found} == {eat, bite}
    assert {side for (side, _), _ in contexts(triples, minimum=2)} == {eat}


def test_items_in_the_same_contexts_have_similar_vectors() -> None:
    counts = {
        (thing, context): 20
        for things, seen in (("ab", "uvw"), ("cd", "xyz"))
        for thing in things
        for context in seen
    }
    vectors = train(counts, SkipGramTraining(size=8, epochs=60, batch=32))

    def near(one: str, other: str) -> float:
        return float(torch.cosine_similarity(vectors[one], vectors[other], dim=0))

    assert min(near("a", "b"), near("c", "d")) > 0.9
    assert max(near(one, other) for one in "ab" for other in "cd") < 0.5
    first, again = (train(counts, SkipGramTraining(size=8, epochs=4, batch=32)) for _ in range(2))
    assert torch.equal(first.vectors, again.vectors)
    other = train(counts, SkipGramTraining(size=8, epochs=4, batch=32, seed=1))
    assert not torch.equal(first.vectors, other.vectors)


@pytest.mark.slow
def test_relations_of_our_own_facts() -> None:
    job = RunContext()
    model = RelationEmbeddings(epochs=1, size=16)
    pairs = [
        pair("treats", "cures"),
        pair("was treated by", "treats", crossed=True),
        pair("treats", "treats", crossed=True),
        pair("treats", "disenfranchises"),
    ]
    near, same, turned, unknown = model.scores(pairs, job)
    assert near is not None and 0 <= near < 1
    assert same == 1
    assert turned is not None and turned < 1
    assert unknown is None
    assert model.label == "relation-embeddings facts"
    assert model.digests()["triples"] == open_store().digest
    assert len(job.prepared) == 1
    RelationEmbeddings(epochs=1, size=16, lemma=True).scores(pairs, job)
    assert len(job.prepared) == 1, "vectors are trained once"


@pytest.mark.slow
def test_another_seed_has_other_vectors() -> None:
    model, pairs = RelationEmbeddings(epochs=1, size=16), [pair("treats", "cures")]
    first, again, other = (model.scores(pairs, RunContext(seed)) for seed in (0, 0, 1))
    assert model.random
    assert first == again != other


def test_every_triple_is_read_once() -> None:
    store = open_store()
    found = list(store.triples())
    assert len(found) == len(set(found)) == store.size
    about = found[17]
    assert about in list(store.about(about.arg1))

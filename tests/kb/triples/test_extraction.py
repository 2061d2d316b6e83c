"""Extraction rules recover the exact content of simple sentences of every shape."""

from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from relsmith.kb.triples.extraction import Token, extract
from relsmith.kb.triples.text import PIPELINE, _tokens, load_pipeline
from relsmith.testing.profile import scaled

DATA = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text())
SENTENCES, FRAGMENTS = DATA["sentences"], DATA["fragments"]


def triples_of(sentence: str) -> list[str]:
    document = load_pipeline(PIPELINE)(sentence)
    return [" | ".join(said) for part in document.sents for said in extract(_tokens(part))]


def test_the_tree_shapes_are_many() -> None:
    assert len([shape for shape in SENTENCES.values() if len(shape) > 1]) >= 40


@pytest.mark.parametrize("shape", SENTENCES)
def test_extracted_triples_of_sentences(shape: str) -> None:
    sentence, *wanted = SENTENCES[shape]
    assert triples_of(sentence) == wanted


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_extracted_triples_of_fragments(fragment: str) -> None:
    parts = (word.rsplit("/", 3) for word in fragment.split())
    tokens = [Token(word, tag, label, int(head) - 1) for word, tag, label, head in parts]
    assert [" | ".join(said) for said in extract(tokens)] == [
        said for said in [FRAGMENTS[fragment]] if said
    ]


LABELS = (
    "nsubj nsubjpass dobj prep pobj agent attr acomp xcomp ccomp conj cc aux auxpass neg prt "
    "det amod compound poss case relcl acl appos advmod mark pcomp expl cop punct ROOT "
    "csubj oprd dative"
).split()
TAGS = "NN NNS NNP VB VBD VBN VBG VBZ IN TO DT JJ RB PRP WDT CD EX CC".split()
WORDS = "it no of by 's n't - which if dogs x".split()


@st.composite
def trees(draw: st.DrawFn) -> list[Token]:
    """Return any tree, its tokens in any order."""
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(size)))
    tokens: dict[int, Token] = {}
    for rank, at in enumerate(order):
        head = order[draw(st.integers(0, rank - 1))] if rank else -1
        word, tag, label = (draw(st.sampled_from(of)) for of in (WORDS, TAGS, LABELS))
        tokens[at] = Token(word, tag, label, head)
    return [tokens[at] for at in range(size)]


@settings(max_examples=scaled(300))
@example(
    [Token("is", "VBZ", "ROOT", -1), Token("-", "NN", "punct", 0), Token("x", "NN", "appos", 1)]
)
@given(trees())
def test_extraction_terminates_on_any_tree(tokens: list[Token]) -> None:
    for said in extract(tokens):
        assert all(part == " ".join(part.split()) for part in said)
        assert all(said)

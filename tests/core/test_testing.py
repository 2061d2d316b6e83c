import re
import string

import broken_generators as broken
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_generator import Tiny

from relsmith import Example
from relsmith.testing import (
    check_generator,
    check_golden,
    check_independence,
    check_judge,
    corruptions,
    golden_digest,
)
from relsmith_comparatives import Comparatives


def test_a_sound_generator_passes():
    golden = golden_digest(Comparatives(extra=1))
    check_generator(Comparatives, options={"extra": 1}, golden=golden)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (broken.Remembering, "row 1 of train depends on rows before it"),
        (broken.HashOrdered, "3 shards by 3 worker(s) give other bytes"),
        (broken.Unseeded, "depends on rows before it"),
        (broken.Unjudging, "the judge overlooks a corruption of tiny-v1-s0-train-0"),
        (broken.Splitless, "have the same input: a row in two splits"),
        (broken.Wrong, "the judge rejects what the generator made: train-00000-of-00001.jsonl:1"),
    ],
)
def test_a_broken_generator_fails_with_the_reason(cls, words):
    with pytest.raises(AssertionError, match=re.escape(words)):
        check_generator(cls, golden=golden_digest(cls()))


def test_ignored_seeds_and_splits_are_noticed():
    with pytest.raises(AssertionError, match="seeds 42 and 43 share 400 of 400 inputs of train"):
        check_independence(broken.Seedless())
    with pytest.raises(AssertionError, match="seed 42: 400 inputs are in both splits"):
        check_independence(broken.Splitless())
    check_independence(Tiny())


def test_a_judge_that_overlooks_the_target_is_noticed():
    with pytest.raises(AssertionError, match=r"train-0 \(the target is unknown\)"):
        check_judge(broken.Targetless())
    check_judge(Tiny())


SET_ORDER = """
from broken_generators import HashOrdered
from relsmith.testing import check_generator, golden_digest
try:
    check_generator(HashOrdered, golden=golden_digest(HashOrdered()))
except AssertionError as error:
    print(error)
"""


def test_set_order_is_noticed_though_the_hash_seed_is_set(python):
    done = python(SET_ORDER, PYTHONHASHSEED="0")
    assert done.returncode == 0, done.stderr
    assert "does a draw depend on set order" in done.stdout


def test_a_moved_byte_is_noticed_and_the_digest_given():
    digest = golden_digest(Tiny())
    with pytest.raises(AssertionError, match=f"version 1 have the digest {digest}, but 'old'"):
        check_golden(Tiny(), "old")


def test_golden_digest_is_pinned():
    assert golden_digest(Tiny()) == GOLDEN_TINY


def test_a_class_that_cannot_be_registered_is_refused():
    class Undocumented(Tiny):
        pass

    with pytest.raises(ValueError, match="no docstring"):
        check_generator(Undocumented, golden="")


GOLDEN_TINY = "ae0642e08c67cf32575cfd3b0d7d93f854273c4e2b3b3c1e9b075f5d3992ce1c"

WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=3)
SENTENCES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**50), 2**50) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, max_examples=60)
@given(
    st.builds(
        Example,
        WORDS,
        SENTENCES,
        st.lists(WORDS, unique=True, max_size=3),
        WORDS,
        st.dictionaries(WORDS, VALUES, max_size=3),
    )
)
def test_every_corruption_changes_the_row(example):
    for what, corrupt in corruptions(example):
        assert corrupt != example, what


@pytest.mark.parametrize("text", ["word", "the the end"])
def test_corruptions_of_short_and_stuttering_inputs(text):
    example = Example("r", text, [], "a", {})
    assert all(corrupt != example for _, corrupt in corruptions(example))


def test_corruptions_leave_the_row_itself_alone():
    example = next(Comparatives().examples(1))
    again = next(Comparatives().examples(1))
    assert len(list(corruptions(example))) > 20
    assert example == again


def test_corruptions_reach_every_metadata_value_but_the_unjudged():
    example = Example("r", "Q one?", [], "a", {"x": [1, {"y": "z"}], "note": "n"})
    spoilt = dict(corruptions(example, unjudged=["note"]))
    assert {what for what in spoilt if what.startswith("metadata")} == {
        "metadata.x missing",
        "metadata.x[0] missing",
        "metadata.x[0] plus one",
        "metadata.x[1] missing",
        "metadata.x[1].y missing",
        "metadata.x[1].y with an x",
    }
    assert spoilt["metadata.x[1].y with an x"].metadata == {"x": [1, {"y": "zx"}], "note": "n"}

import json
import re
import string
from datetime import date
from typing import Any, Literal

import broken_generators as broken
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict
from tiny_generator import Tiny

from relsmith import Example, Generator, write
from relsmith.capabilities import Drawings
from relsmith.dataset.columns import NotTabular, arrow_schema, column_types
from relsmith.testing.conformance import (
    check_generator,
    check_golden,
    check_independence,
    check_judge,
    check_tables,
    check_view,
    corruptions,
    golden_digest,
)
from relsmith.testing.profile import scaled
from relsmith.view import Blank, FactSpan, Step, View
from relsmith_comparatives import Comparatives


def test_a_sound_generator_passes():
    golden = golden_digest(Comparatives(extra=1))
    check_generator(Comparatives, options={"extra": 1}, golden=golden)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (broken.Remembering, "row 1 of train depends on earlier rows"),
        (broken.HashOrdered, "worker(s) give other bytes"),
        (broken.Unseeded, "depends on earlier rows"),
        (broken.Unjudging, "the judge misses a corruption of tiny-v1-s0-train-0"),
        (broken.Splitless, "have the same input: a row in two splits"),
        (broken.Wrong, "the judge rejects a row of the generator: train-00000-of-00001.jsonl:1"),
    ],
)
def test_a_broken_generator_fails_with_the_reason(cls, words):
    with pytest.raises(AssertionError, match=re.escape(words)):
        check_generator(cls, golden=golden_digest(cls()))


def test_ignored_seeds_and_splits_are_noticed():
    with pytest.raises(AssertionError, match=r"seeds 42 and 43 share (\d+) of \1 inputs of train"):
        check_independence(broken.Seedless())
    with pytest.raises(AssertionError, match=r"seed 42: \d+ inputs are in both splits"):
        check_independence(broken.Splitless())
    check_independence(Tiny())


def test_a_judge_that_overlooks_the_target_is_noticed():
    with pytest.raises(AssertionError, match=r"train-0 \(the target is unknown\)"):
        check_judge(broken.Targetless())
    check_judge(Tiny())


def test_a_judge_that_fails_is_noticed() -> None:
    class Failing(Tiny):
        def problems(self, example):
            return super().problems(example) and [str(1 // 0)]

    with pytest.raises(AssertionError, match=r"the judge fails on a corruption of .*ZeroDivision"):
        check_judge(Failing())


def written(tmp_path, generator):
    write(generator, tmp_path / "plain", {"train": 30})
    return tmp_path / "plain"


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (
            broken.Keyed,
            r"do not fit a table: metadata.by_name is a mapping .* list of \[key, value\]",
        ),
        (broken.Mixed, r"do not fit a table: metadata.again\[\] may be integer or string"),
        (broken.Whole, r"metadata.share is 1, but is read as 1.0; in every row"),
        (broken.Dated, r"read as datetime.*; table readers take texts such as 2024-05-01"),
        (broken.Sometimes, r"metadata.note is missing, but is read as None; in every row"),
    ],
)
def test_rows_that_make_no_table_are_named(cls, words, tmp_path):
    plain = written(tmp_path, cls())
    with pytest.raises(AssertionError, match=words):
        check_tables(cls(), plain)


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (View(fact_spans=[FactSpan(5, 3, [])]), "which are not ordered parts of its text"),
        (
            View(fact_spans=[FactSpan(0, 3, []), FactSpan(2, 5, [])]),
            "not ordered parts of its text",
        ),
        (View(blanks=[Blank(0, 10**6, "x")]), "which are not ordered parts of its text"),
        (View(fact_texts=["A"], fact_spans=[FactSpan(0, 3, [1])]), "has no fact 1"),
        (View(fact_texts=["A", "B"], steps=[Step([0, 2], "xry", "so")]), "uses a later fact"),
    ],
)
def test_a_view_that_does_not_fit_its_row_is_noticed(view, words, tmp_path):
    class Marked(Tiny, Drawings):
        @classmethod
        def view(cls, example):
            return view

    write(Tiny(), tmp_path / "data", {"train": 3})
    with pytest.raises(AssertionError, match=words):
        check_view(Marked(), tmp_path / "data")


def test_every_reader_gets_the_rows_back(tmp_path, monkeypatch):
    check_tables(Tiny(), written(tmp_path, Tiny()))
    monkeypatch.setattr(
        "relsmith.testing.readers.find_spec", lambda name: None if name == "polars" else 1
    )
    with pytest.warns(UserWarning, match="not checked, .*: whether polars, polars from Parquet"):
        check_tables(Tiny(), tmp_path / "plain")


def test_a_reader_that_loses_something_is_noticed(tmp_path, monkeypatch):
    """Drop new keys, as polars did with keys that the first rows lack."""

    def lossy(lines, kind):
        rows = [json.loads(line) for line in lines.read_text().splitlines()]
        rows[7]["metadata"]["a"] = None
        return rows

    monkeypatch.setattr("relsmith.testing.readers._READERS", (("a lossy reader", (), lossy),))
    with pytest.raises(AssertionError, match="a lossy reader changes tiny-v1-s0-train-7"):
        check_tables(Tiny(), written(tmp_path, Tiny()))


class Deep(BaseModel):
    inner: "list[Deep]"


class Anything(BaseModel):
    what: Any


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Born(BaseModel):
    day: date


class Plain(BaseModel):
    words: tuple[str, str]
    maybe: list[float] | None
    one_of: Literal["a", "b"]
    flag: bool


def made_of(model) -> type[Generator]:
    return type("Odd", (Tiny,), {"__module__": __name__, "Metadata": model})


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Deep, "is recursive"),
        (Anything, "may be anything"),
        (Open, "metadata is a mapping"),
        (Born, "metadata.day is a date or time, which JSON writes as text"),
    ],
)
def test_types_without_a_column(model, words):
    with pytest.raises(NotTabular, match=words):
        column_types(made_of(model))


def test_types_with_a_column():
    kind = made_of(Plain)
    assert column_types(kind)["metadata"] == {
        "words": ["string"],
        "maybe": ["number"],
        "one_of": "string",
        "flag": "boolean",
    }
    assert str(arrow_schema(kind).field("metadata").type) == (
        "struct<words: list<item: string>, maybe: list<item: double>, one_of: string, flag: bool>"
    )


SET_ORDER = """
from broken_generators import HashOrdered
from relsmith.testing import check_generator, golden_digest
try:
    check_generator(HashOrdered, golden=golden_digest(HashOrdered()))
except AssertionError as error:
    print(error)
"""


@pytest.mark.slow
def test_set_order_is_noticed_despite_a_fixed_hash_seed(python):
    done = python(SET_ORDER, PYTHONHASHSEED="0")
    assert done.returncode == 0, done.stderr
    assert "does a draw depend on set order" in done.stdout


def test_a_changed_byte_is_noticed_and_the_digest_printed():
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


@settings(max_examples=scaled(60))
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


def test_corruptions_do_not_change_the_original_row():
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

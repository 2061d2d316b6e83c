"""The audit of the published files: counts that were found once must stay."""

from pathlib import Path

import pytest

from relsmith.generators.clutrr.audit import audit, rule_deriver
from relsmith.generators.clutrr.official import read
from relsmith.kb.verdict import Status

FILES = Path(__file__).parents[3].parent / "shared" / "data" / "clutrr"
ORIGINAL = [FILES / f"1.{k}_test.csv" for k in range(2, 11)]
HUGGING_FACE = FILES / "hf" / "rob_train_sup_23_test_all_23.test.csv"

needs_files = pytest.mark.skipif(not FILES.exists(), reason="official CLUTRR files not here")


def counts(tally):
    return [tally.verdicts[status] for status in Status]


@needs_files
def test_original_files():
    tallies = [tally for path in ORIGINAL for tally in audit(path)]
    assert {tally.k: counts(tally) for tally in tallies} == {
        2: [38, 0, 0, 0],
        3: [30, 45, 30, 0],
        4: [137, 44, 9, 0],
        5: [114, 55, 5, 0],
        6: [54, 49, 3, 1],
        7: [71, 64, 4, 5],
        8: [56, 86, 5, 3],
        9: [29, 81, 4, 5],
        10: [28, 81, 8, 2],
    }
    assert sum(tally.rows for tally in tallies) == 1146
    assert sum(tally.verdicts[Status.ENTAILED] for tally in tallies) == 557


@needs_files
def test_hugging_face_file():
    tallies = audit(HUGGING_FACE)
    assert sum(tally.rows for tally in tallies) == 447
    assert [sum(column) for column in zip(*map(counts, tallies), strict=True)] == [
        97,
        178,
        172,
        0,
    ]


@needs_files
def test_counts_what_rules_derive():
    rows = list(read(ORIGINAL[0]))
    targets = {(row.facts, row.query): row.target for row in rows}

    def derives(facts, query):
        return {targets[facts, query]} if query[0] < "M" else set()

    (tally,) = audit(ORIGINAL[0], derives)
    assert tally.derived == sum(row.query[0] < "M" for row in rows) != 0
    assert audit(ORIGINAL[0])[0].derived is None


@needs_files
def test_the_thesis_rules_derive_every_official_answer():
    thesis = rule_deriver("thesis")
    for path in [*ORIGINAL, HUGGING_FACE]:
        assert all(tally.derived == tally.rows for tally in audit(path, thesis))


def test_a_deriver_answers_only_for_the_ends_of_one_chain():
    derives = rule_deriver("sound")
    chain = [("Ann", "son", "Bob"), ("Bob", "sister", "Cleo")]
    assert derives(chain, ("Ann", "Cleo")) == {"daughter"}
    assert derives(chain, ("Cleo", "Ann")) == set()
    assert derives([chain[1], chain[0]], ("Ann", "Cleo")) == set()

"""Numbers of true pairs among the paper's negatives, by bench/relations/audit.py."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.relations import Relation, load

SCRIPT = Path(__file__).parents[3] / "bench" / "relations" / "audit.py"
_spec = importlib.util.spec_from_file_location("relations_audit", SCRIPT)
assert _spec and _spec.loader
_module = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = _module  # dataclasses look it up
_spec.loader.exec_module(_module)
audit = _module.audit


def test_it_prints_a_line_for_each_relation(tmp_path: Path) -> None:
    (tmp_path / "r.tsv").write_text("a\tx\nb\tx\nc\ty\n")
    run = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "r.tsv"], capture_output=True, text=True, check=True
    )
    head, line, mean = run.stdout.splitlines()
    assert head.split("\t")[:2] == ["relation", "random-head"]
    assert line.split("\t")[:2] == ["r", "33.3 %"]
    assert mean.split("\t")[:2] == ["mean", "33.3 %"]


# Counted by a separate program: all ordered pairs of tuples, every listed answer a tuple.
RATES = {
    "E02": (7.15, 3.37, 0.0),
    "E04": (11.09, 5.11, 0.0),
    "E07": (3.93, 4.43, 0.0),
    "L01": (54.92, 54.66, 0.0),
    "L10": (2.43, 4.75, 100.0),
}


def test_the_audit_of_the_paper_over_bats(bats: Path) -> None:
    found = {one.name[:3]: audit(one) for one in load(bats)}
    for name, rates in RATES.items():
        shares = [100 * found[name].share(s) for s in ("random-head", "random-tail", "reverse")]
        assert shares == pytest.approx(rates, abs=0.01), name
    wanted = {"L01": 55, "E07": 3.9, "E02": 7.2}
    for name, rate in wanted.items():
        assert 100 * found[name].share("random-head") == pytest.approx(rate, abs=0.5)


PAIRS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz")), min_size=2)


@given(PAIRS, st.booleans())
def test_the_audit_counts_what_a_loop_counts(listed, symmetric) -> None:
    relation = Relation("r", "inflectional", tuple(listed), symmetric=symmetric)
    true = set(listed) | ({(b, a) for a, b in listed} if symmetric else set())
    rates = audit(relation)
    head_candidates = [
        (other, tail) for head, tail in listed for other, _ in listed if other != head
    ]
    tail_candidates = [
        (head, other) for head, tail in listed for _, other in listed if other != tail
    ]
    for strategy, candidates in (
        ("random-head", head_candidates),
        ("random-tail", tail_candidates),
        ("reverse", [(tail, head) for head, tail in listed]),
    ):
        assert rates.candidates[strategy] == len(candidates)
        assert rates.true[strategy] == sum(pair in true for pair in candidates)

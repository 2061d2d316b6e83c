"""Hold-outs have the right size, do not occur in training, and are checked by `gen verify`."""

import hashlib
import json
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pairs import in_turn
from stories import clutrr

from relsmith import Dataset, verify, write
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.output.presets import PRESETS
from relsmith.generators.clutrr.planning.feasibility import clause_occurs
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.world import find_world
from relsmith.splits import parse_splits
from relsmith.testing.profile import scaled, thinned

BOTH = ("train", "test")


def rows(generator: Clutrr, split: str, count: int = 400, seed: int = 0) -> list:
    return list(generator.examples(count, split=split, splits=BOTH, seed=seed))


def used(generator: Clutrr, kind: str, split: str, count: int = 400) -> set[str]:
    return {
        one for row in rows(generator, split, count) for one in generator.used_values(row)[kind]
    }


@pytest.mark.parametrize(
    ("world", "kind"),
    in_turn(["kinship", "ordering", "spatial", "time", "work"], ["templates", "names"]),
)
def test_a_share_is_held_out_and_splits_have_nothing_in_common(world: str, kind: str) -> None:
    generator = clutrr("noise=all k=2..4", world=world, hold_out=kind)
    held = set(generator.held_out_values(0)[kind])
    every = (
        {f.id for f in generator.bank().frames if not f.part}
        if kind == "templates"
        else {*sum(generator.pool(), ())}
    )
    share = {"templates": 0.2, "names": 0.3}[kind]
    assert held < every
    assert len(held) / len(every) == pytest.approx(share, abs=0.02)
    count = scaled(400, least=100)
    train, test = (used(generator, kind, split, count) for split in BOTH)
    assert len(train) > 40
    assert len(test) > 15
    assert not train & held
    assert test <= held


def test_every_gender_has_a_share_of_its_names_held_out() -> None:
    generator = clutrr("hold_out=names")
    held = set(generator.held_out_values(0)["names"])
    kinds = [names for names in generator.pool() if names]
    assert len(kinds) == 2
    for names in kinds:
        assert len(held & set(names)) / len(names) == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("options", "lengths"),
    [
        ({"k": "2..4"}, (3, 4)),
        ({"k": "2..10", "train_k": "2,3"}, (3,)),
        ({"k": "2,3", "world": "spatial"}, (3,)),
        pytest.param({"k": "2..4", "world": "spatial"}, (3, 4), marks=pytest.mark.slow),
        pytest.param({"k": "2,3", "world": "time"}, (3,), marks=pytest.mark.slow),
        ({"k": "3", "rules": "thesis"}, (3,)),
    ],
)
def test_a_tenth_of_the_clauses_of_every_answer_is_held_out(options, lengths) -> None:
    generator = Clutrr.configure({**options, "hold_out": "clauses"})
    held = {tuple(clause.split(" . ")) for clause in generator.held_out_values(0)["clauses"]}
    assert {len(clause) for clause in held} == set(lengths), "never of two facts"
    rules = RuleIndex.from_world(find_world(generator.world), generator.rules)
    there: dict[tuple[int, str], set] = defaultdict(set)
    names = list(rules.predicates)
    chains = [(name,) for name in names]
    for length in range(2, max(lengths) + 1):
        chains = [(*chain, name) for chain in chains for name in names]
        for chain in chains if length in lengths else ():
            for answer in rules.derive(chain):
                if clause_occurs(generator, answer, chain):
                    there[length, answer].add(chain)
    for (length, answer), clauses in there.items():
        out, wanted = clauses & held, max(1, round(len(clauses) / 10)) if len(clauses) > 1 else 0
        # With unsound rules a clause may have two answers, and be held out for the other one.
        certain = [clause for clause in out if len(rules.derive(clause)) == 1]
        assert len(certain) <= wanted <= len(out), (length, answer)


@pytest.mark.parametrize("task", ["reasoning", "memory"])
def test_tests_of_a_training_length_have_held_out_clauses_only(task: str) -> None:
    generator = clutrr("train_k=2,3 k=2..5 hold_out=clauses", task=task)
    held = set(generator.held_out_values(0)["clauses"])
    count, ks = 4 * scaled(100, least=30), {}
    for split in BOTH:
        some = rows(generator, split, count)
        for row in some:
            known = row.metadata
            is_held = " . ".join(known["clause"]) in held
            assert is_held == (split == "test" and known["k"] == 3)
        ks[split] = Counter(row.metadata["k"] for row in some)
    assert ks["test"] == dict.fromkeys((2, 3, 4, 5), count // 4)
    assert set(ks["train"]) == {2, 3}


def test_clauses_by_the_rules_of_the_thesis_are_held_out_only_where_they_hold() -> None:
    """Check families of at most two children, where few clauses are possible."""
    generator = clutrr("rules=thesis hold_out=clauses k=3 children=2 marriage=0.5")
    assert len(rows(generator, "test", 100)) == 100


def test_another_seed_holds_out_others() -> None:
    generator = clutrr("hold_out=templates,clauses,names k=2..3")
    one, other = generator.held_out_values(0), generator.held_out_values(1)
    assert set(one) == set(other) == {"templates", "clauses", "names"}
    assert all(one[kind] != other[kind] for kind in one)
    assert one == generator.held_out_values(0)


OURS = {"siblings", "questions", "long"}


@pytest.mark.parametrize("name", sorted(PRESETS.keys() - OURS))
def test_presets_have_the_sizes_of_the_thesis(name: str) -> None:
    preset = PRESETS[name]
    generator = Clutrr.configure(preset.options)
    splits = parse_splits(preset.split)
    for split, count in splits.items():
        cycle = generator.lengths(split).cycle
        ks = Counter(cycle[n % len(cycle)] for n in range(count))
        assert set(ks.values()) == {5000 if split == "train" else 100}
    test = rows(generator, "test", scaled(splits["test"], least=36))
    ks = Counter(row.metadata["k"] for row in test)
    assert set(ks.values()) == {len(test) // len(ks)}
    assert ks.keys() == (set(range(2, 11)) if name.startswith("gen") else {2, 3})
    assert {kind for row in test for kind in row.metadata["noise"]} == (
        {name.removeprefix("robust-")} - {"clean"} if name.startswith("robust") else set()
    )


@pytest.mark.parametrize("name", thinned(sorted(PRESETS), least=4))
def test_presets_pass_verify(name: str, tmp_path: Path) -> None:
    generator = Clutrr.configure(PRESETS[name].options)
    size, few = generator.group_size, 1 if name != "long" else 10
    most = {"train": scaled(300, least=60), "test": scaled(90, least=20)}
    counts = {split: max(rows // few // size, 1) * size for split, rows in most.items()}
    write(generator, tmp_path / "data", counts)
    assert list(verify(tmp_path / "data")) == []
    listed = Dataset(tmp_path / "data").manifest.withheld
    assert ({"templates", "clauses"} <= set(listed)) == (name not in OURS)
    assert ("k" in listed) == name.startswith("gen")


@pytest.mark.slow
@settings(max_examples=scaled(6))
@given(
    st.sets(st.sampled_from(["templates", "clauses", "names"]), min_size=1),
    st.sampled_from(["relation", "yes-no", "open"]),
    st.sampled_from(["reasoning", "memory", "mixed"]),
    st.sampled_from(["kinship", "ordering", "spatial", "work"]),
    st.sampled_from([None, "2,3"]),
)
@example({"clauses"}, "open", "reasoning", "kinship", None)
@example({"clauses", "names"}, "yes-no", "mixed", "spatial", "2,3")
def test_whatever_is_held_out_verify_has_no_findings(
    tmp_path_factory, what, answer, task, world, train_k
):
    asked = {"unknown_share": 0.2} if answer == "open" else {"answer": answer, "task": task}
    held = {"hold_out": ",".join(sorted(what)), "world": world, "k": "2..4", "train_k": train_k}
    folder = tmp_path_factory.mktemp("held") / "data"
    write(Clutrr.configure(held | asked), folder, {"train": 60, "valid": 30, "test": 30})
    assert list(verify(folder)) == []


@pytest.mark.parametrize(
    "options",
    [
        {"hold_out": "clauses", "unknown_share": 0.2},
        {"hold_out": "names,templates", "answer": "yes-no", "task": "mixed", "world": "ordering"},
        {"hold_out": "clauses,names", "task": "mixed", "world": "work", "train_k": "2,3"},
    ],
)
def test_verify_has_no_findings_for_short_stories(options, tmp_path: Path) -> None:
    generator = Clutrr.configure({"k": "2,3"} | options)
    write(generator, tmp_path / "data", {"train": 30, "valid": 15, "test": 15})
    assert list(verify(tmp_path / "data")) == []


def smuggle(folder: Path, change) -> list[str]:
    """Add a row of the test split to train with another id, and update the manifest."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (file,) = [file for file in manifest["files"] if file["split"] == "train"]
    lines = (folder / file["name"]).read_bytes().splitlines()
    change(lines, manifest)
    data = b"".join(line + b"\n" for line in lines)
    (folder / file["name"]).write_bytes(data)
    file.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    written = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    (folder / "manifest.json").write_bytes(written)
    return list(verify(folder))


OPTIONS = {
    "templates": {"hold_out": "templates", "k": "3"},
    "clauses": {"hold_out": "clauses", "k": "3"},
    "names": {"hold_out": "names", "k": "3"},
    "k": {"train_k": "3", "k": "3,5"},
}


@pytest.mark.parametrize(
    ("world", "kind"), in_turn(["kinship", "ordering", "spatial", "work"], sorted(OPTIONS))
)
def test_held_out_rows_in_training_are_found(kind: str, world: str, tmp_path: Path) -> None:
    generator = Clutrr.configure({**OPTIONS[kind], "world": world})
    write(generator, tmp_path / "data", {"train": 30, "test": 30})
    held = set(generator.held_out_values(0)[kind])
    # The row is valid by itself; its seed is different, so no other split contains it.
    stranger = next(
        row
        for split in BOTH
        for row in generator.examples(400, split=split, splits=BOTH, seed=7)
        if set(generator.used_values(row)[kind]) & held
    )

    def change(lines, manifest) -> None:
        stranger.id = json.loads(lines[20])["id"]
        lines[20] = orjson.dumps(stranger)

    found = smuggle(tmp_path / "data", change)
    assert any(line.startswith(f"train has {kind} that are held out: ") for line in found), found
    assert all("\n" not in line for line in found)


@pytest.mark.parametrize("kind", sorted(OPTIONS))
def test_a_manifest_without_its_hold_outs_is_found(kind: str, tmp_path: Path) -> None:
    write(Clutrr.configure(OPTIONS[kind]), tmp_path / "data", {"train": 20, "test": 20})

    def change(lines, manifest) -> None:
        manifest["withheld"][kind] = manifest["withheld"][kind][1:]

    assert smuggle(tmp_path / "data", change) == [
        "manifest.json: withheld is not what the generator holds out"
    ]


def test_impossible_clauses_do_not_occur() -> None:
    found = partial(clause_occurs, clutrr("k=3"))
    assert found("grand", ("child", "child", "sibling"))
    assert not found("SO", ("SO", "SO", "SO"))

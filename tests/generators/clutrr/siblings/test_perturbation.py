"""Siblings: groups of rows that differ in exactly one way, and their judge."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stories import clutrr

from relsmith import Dataset, verify, write
from relsmith.dataset.plan import plan_splits
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.siblings.perturbation import PERTURBATIONS, SiblingBuilder
from relsmith.testing import check_generator
from relsmith.testing.profile import scaled
from relsmith.validation import findings, group_findings

EVERY = ",".join(PERTURBATIONS)
ALL = clutrr("k=2..4 noise=supporting", siblings=EVERY)
ROWS = list(ALL.examples(10 * 7))
GROUPS = [ROWS[n : n + 7] for n in range(0, len(ROWS), 7)]


def wrong(generator: Clutrr, groups: int, **where) -> list[str]:
    """Return the findings of the judge about this many groups and each of their rows."""
    size, found = generator.group_size, []
    rows = list(generator.examples(groups * size, **where))
    for start in range(0, len(rows), size):
        group = rows[start : start + size]
        found += [finding for row in group for finding in findings(generator, row)]
        found += group_findings(generator, group)
    return found


@st.composite
def admissible(draw) -> dict[str, object]:
    world = draw(st.sampled_from(["kinship", "ordering", "spatial", "time", "work"]))
    style = draw(st.sampled_from(["text", "plain", "facts"]))
    possible = set(PERTURBATIONS)
    if world != "kinship":
        possible -= {"gender"}
    if style == "facts":
        possible -= {"words"}
    changes = draw(st.lists(st.sampled_from(sorted(possible)), min_size=1, unique=True))
    noise = draw(st.sampled_from(["supporting", "irrelevant", "disconnected", "all"]))
    if "noise" not in changes:
        noise = draw(st.sampled_from(["none", noise]))
    options = {
        "world": world,
        "style": style,
        "siblings": ",".join(changes),
        "noise": noise,
        "k": draw(st.sampled_from(["2", "2..4", "3..6"])),
        "side_facts": draw(st.sampled_from([0, 1, 3])),
        "direction": draw(st.sampled_from(["random", "forward"])),
        "conventions": draw(st.sampled_from(["none", "brief", "full"])),
        "choices": draw(st.sampled_from(["none", "all"])),
    }
    if "inverse" in changes:
        options["direction"] = "random"
    if world == "kinship":
        options["gender"] = draw(st.sampled_from(["text", "given"]))
        options["anonymize"] = draw(st.booleans())
    return options


@settings(max_examples=scaled(25, least=10), suppress_health_check=list(HealthCheck))
@given(admissible(), st.integers(0, 5))
def test_siblings_differ_only_in_their_perturbation(options, seed) -> None:
    assert wrong(Clutrr.configure(options), 6, seed=seed, splits=("train", "test")) == []


def test_effect_of_each_perturbation() -> None:
    for first, words, names, order, noise, inverse, gender in GROUPS:
        assert [row.target for row in (words, names, order, noise)] == [first.target] * 4
        assert sorted(re.findall(r"[A-Z]\w+", order.input)) == sorted(
            re.findall(r"[A-Z]\w+", first.input)
        )
        assert len(noise.input) > len(first.input)
        assert inverse.metadata["query"] == first.metadata["query"][::-1]
        assert inverse.input.startswith(first.input.rpartition("How is")[0])
        people = {name for name, _ in first.metadata["genders"]}
        for other in (names, gender):
            assert not people & {name for name, _ in other.metadata["genders"]}
        assert gender.target != first.target
        assert words.metadata["facts"] == first.metadata["facts"]


def test_gender_siblings_keep_most_templates() -> None:
    """Check that templates change only if they are for one gender."""
    pairs = [
        (one, other)
        for group in GROUPS
        for one, other in zip(
            group[0].metadata["templates"], group[6].metadata["templates"], strict=False
        )
    ]
    assert sum(one == other for one, other in pairs) >= 0.8 * len(pairs)


def first_copied(row, first) -> dict[str, object]:
    labels = {name: row.metadata[name] for name in ("group", "perturbation")}
    return {"input": first.input, "target": first.target, "metadata": first.metadata | labels}


def with_metadata(row, **fields) -> dict[str, object]:
    return {"metadata": row.metadata | fields}


@pytest.mark.parametrize("change", PERTURBATIONS)
@pytest.mark.parametrize(
    "wrong",
    [
        first_copied,
        lambda row, _: {"target": "aunt" if row.target != "aunt" else "uncle"},
        lambda row, _: with_metadata(row, facts=row.metadata["facts"][1:]),
        lambda row, _: with_metadata(row, query=[row.metadata["query"][0] + "x", "y"]),
    ],
)
def test_the_group_check_finds_other_differences(change, wrong) -> None:
    group, place = [*GROUPS[0]], 1 + PERTURBATIONS.index(change)
    group[place] = replace(group[place], **wrong(group[place], group[0]))
    assert group_findings(ALL, group), change


@pytest.mark.parametrize("change", PERTURBATIONS)
def test_a_sibling_of_another_story_is_found(change) -> None:
    place = 1 + PERTURBATIONS.index(change)
    group = [*GROUPS[0]]
    group[place] = replace(
        GROUPS[1][place], metadata=GROUPS[1][place].metadata | {"group": group[0].id}
    )
    assert group_findings(ALL, group)


def test_a_group_with_other_perturbations_is_found() -> None:
    first, words, names, *rest = GROUPS[0]
    assert group_findings(ALL, [first, names, words, *rest])
    assert findings(ALL, replace(words, metadata=words.metadata | {"perturbation": "names"}))
    assert findings(ALL, replace(words, metadata=words.metadata | {"group": words.id}))


@pytest.fixture
def careless(monkeypatch):
    """A builder of siblings that also changes the order."""

    def spoil(change: str) -> None:
        made = getattr(SiblingBuilder, f"_other_{change}")
        monkeypatch.setattr(
            SiblingBuilder,
            f"_other_{change}",
            lambda self, *given: self._other_order(made(self, *given)),
        )

    return spoil


@pytest.mark.parametrize("change", ["names", "words"])
def test_a_builder_that_changes_more_is_found(change, careless) -> None:
    careless(change)
    generator = clutrr("k=3", siblings=change)
    assert any(finding.startswith(f"{change}, ") for finding in wrong(generator, 4))


def test_groups_continue_across_blocks_but_not_files(tmp_path: Path) -> None:
    generator = clutrr("k=2 style=plain siblings=names,order")
    rows = list(generator.examples(300))
    assert [row.metadata["group"] for row in rows] == [rows[n - n % 3].id for n in range(len(rows))]
    assert list(generator.examples(258, start=256)) == rows[256:258]
    assert group_findings(generator, rows[255:258]) == []
    write(generator, tmp_path / "some", {"train": 60, "test": 9}, shards=4)
    for file in Dataset(tmp_path / "some").manifest.files:
        assert file.rows % 3 == 0
    assert list(verify(tmp_path / "some")) == []
    with pytest.raises(InvalidOption, match=r"in groups of 3 .*; ask for 99 or 102"):
        write(generator, tmp_path / "cut", {"train": 100})
    with pytest.raises(InvalidOption, match=r"--rows: .* ask for 99 or 102"):
        plan_splits(generator, None, 100, 0)
    assert plan_splits(generator, "train=0.8,test=0.2", None, 0) == {"train": 798, "test": 201}


def test_gen_verify_compares_the_rows_of_every_group(tmp_path: Path, careless) -> None:
    """Check long files too, which are verified in parts that do not split groups."""
    careless("names")
    generator = clutrr("k=2 style=plain siblings=names,order")
    rows = scaled(2400, least=300)
    write(generator, tmp_path / "bad", {"train": rows}, shards=1)
    found = [finding for finding in verify(tmp_path / "bad") if ": names, clutrr" in finding]
    assert len({finding.split(": ")[1] for finding in found}) == rows // 3


@pytest.mark.slow
def test_conformance() -> None:
    check_generator(Clutrr, options={"k": "2,3", "siblings": "words,gender,inverse"})


def test_too_few_names_are_refused(tmp_path: Path) -> None:
    names = [
        f"{kind.capitalize()}{letter}, {kind}"
        for kind in ("female", "male")
        for letter in "abcdefghijkl"
    ]
    (tmp_path / "names.txt").write_text("\n".join(names))
    with pytest.raises(InvalidOption, match="names of a kind are needed so that siblings"):
        clutrr("siblings=names k=4 side_facts=3", names=str(tmp_path / "names.txt"))


def answered(path: Path, rows, answer) -> None:
    lines = [json.dumps({"id": row.id, "answer": answer(row)}) for row in rows]
    path.write_text("\n".join(lines))


@pytest.mark.slow
def test_consistency_of_answers(gen, tmp_path: Path) -> None:
    options = ["--k", "2", "--siblings", "words,inverse,gender", "--split", "test=80"]
    assert gen("clutrr", *options, "--out", "data").returncode == 0
    rows = list(Dataset(tmp_path / "data").rows("test"))
    mum = {"mother": "Mum.", "grandmother": "grandma"}
    answered(tmp_path / "knows.jsonl", rows, lambda row: mum.get(row.target, row.target))
    answered(tmp_path / "always.jsonl", rows, lambda row: "aunt")
    even = {row.id for n, row in enumerate(rows) if n // 4 % 2}
    answered(
        tmp_path / "by-heart.jsonl",
        rows,
        lambda row: (
            "no idea" if row.metadata["perturbation"] == "words" and row.id in even else row.target
        ),
    )
    logs = [f"{name}.jsonl" for name in ("knows", "always", "by-heart")]
    run = gen("report", "model", *logs, "--data", "data", "--out", "page.html", "--json")
    assert run.returncode == 0, run.stderr
    found = {each["model"]: each["consistency"] for each in json.loads(run.stdout)["models"]}
    changes = {name: each["changes"] for name, each in found.items()}
    assert changes["knows"].keys() == {"gender", "inverse", "words"}
    assert all(change["both"]["mean"] == 1 for change in changes["knows"].values())
    assert all(change["alike"]["mean"] == 1 for change in changes["knows"].values())
    assert changes["always"]["words"]["alike"]["mean"] == 1
    assert changes["always"]["gender"]["alike"]["mean"] == 0
    by_heart = changes["by-heart"]
    assert by_heart["inverse"]["both"]["mean"] == 1 and by_heart["words"]["both"]["mean"] == 0.5
    assert found["by-heart"]["whole"] == by_heart["words"]["both"]
    assert 0.1 < by_heart["words"]["both"]["low"] < 0.5 < by_heart["words"]["both"]["high"] < 0.9

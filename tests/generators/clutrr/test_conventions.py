"""Conventions and lists of answers before a story, and aliases of answers."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pairs import in_turn
from stories import clutrr

from relsmith import Dataset
from relsmith.errors import InvalidWorld
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.world import find_world, load_world
from relsmith.testing.profile import scaled
from relsmith.validation import findings

ASKED: list[dict[str, object]] = [
    {},
    {"answer": "yes-no"},
    {"unknown_share": 0.3},
    {"answer": "yes-no", "unknown_share": 0.3},
]


@pytest.mark.parametrize(
    ("world", "how"),
    in_turn(
        ["kinship", "ordering", "space", "spatial", "time", "work"],
        [(wanted, asked) for asked in ASKED for wanted in ("brief", "full")],
    ),
)
def test_conventions_precede_the_same_story(world: str, how) -> None:
    wanted, asked = how
    options = {"world": world, "k": "2..3", **asked}
    generator = Clutrr.configure(options | {"conventions": wanted})
    said = find_world(world).conventions
    assert said
    rows = scaled(20, least=5)
    without = Clutrr.configure(options | {"conventions": "none"})
    for row, bare in zip(generator.examples(rows), without.examples(rows), strict=True):
        assert findings(generator, row) == []
        preface = row.input.removesuffix(bare.input)
        assert preface.startswith(said.brief)
        assert (said.full in preface) == (wanted == "full")
        listed = preface.partition("The answer is one of these: ")[2].strip().rstrip(".")
        assert (row.target in listed.split(", ")) == (wanted == "full")
        shift = len(preface)
        assert row.metadata["starts"] == [start + shift for start in bare.metadata["starts"]]


def test_a_wrong_preface_is_found() -> None:
    generator, without = clutrr("conventions=full"), clutrr("conventions=none")
    for row in generator.examples(3):
        for old, new in (("both parents", "some parents"), ("aunt, ", ""), ("blood", "marriage")):
            assert findings(generator, replace(row, input=row.input.replace(old, new, 1)))
        assert findings(without, row)
        assert findings(Clutrr(), row)
    assert findings(Clutrr(), next(without.examples(1)))


def test_aliases_are_words_for_answers() -> None:
    kinship = find_world("kinship")
    assert {"mom", "mum", "grandma", "gran"} <= set(kinship.aliases)
    for world in (kinship, *map(find_world, ("ordering", "space", "spatial", "time", "work"))):
        assert set(world.aliases.values()) <= set(world.meanings)
        assert not set(world.aliases) & set(world.meanings)


@pytest.mark.parametrize(
    ("aliases", "words"),
    [
        ("{cousin: [coz]}", "'cousin' is no word of this world"),
        ("{mother: [aunt]}", "'aunt' is a word of this world, or another's alias"),
        ("{mother: [ma], father: [ma]}", "'ma' is a word of this world, or another's alias"),
    ],
)
def test_aliases_that_mislead_are_refused(root: Path, tmp_path: Path, aliases, words) -> None:
    text = (root / "kb" / "worlds" / "kinship" / "kinship.yaml").read_text()
    start, end = text.index("aliases:"), text.index("conventions:")
    (tmp_path / "odd.yaml").write_text(f"{text[:start]}aliases: {aliases}\n{text[end:]}")
    with pytest.raises(InvalidWorld, match=words):
        load_world(tmp_path / "odd.yaml")


def test_gen_score_takes_aliases_for_answers(gen, tmp_path: Path) -> None:
    assert gen("clutrr", "--k", "2", "--split", "test=60", "--out", "data").returncode == 0
    rows = list(Dataset(tmp_path / "data").rows("test"))
    other = {word: alias for alias, word in find_world("kinship").aliases.items()}
    lines = [
        json.dumps({"id": row.id, "answer": other.get(row.target, row.target).upper()})
        for row in rows
    ]
    assert sum(row.target in other for row in rows) > 20
    (tmp_path / "words.jsonl").write_text("\n".join(lines))
    told = json.loads(gen("score", "words.jsonl", "data", "--json").stdout)
    assert told["rows"]["right"] == 60
    (tmp_path / "more.jsonl").write_text(
        "\n".join(json.dumps({"id": row.id, "answer": f"step{row.target}"}) for row in rows)
    )
    told = json.loads(gen("score", "more.jsonl", "data", "--json").stdout)
    assert told["rows"]["right"] == 0

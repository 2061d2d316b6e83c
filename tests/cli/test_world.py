"""`gen world`."""

import json
from pathlib import Path

import pytest

from relsmith.registry import WORLDS
from relsmith.templates.bank import find_bank
from relsmith.testing.profile import thinned

LANE = """\
format: 1
name: lane
summary: Things in a row.
semantics: spatial
default: plain
predicates:
  left: {inverse: right, words: to the left of}
  right: {inverse: left, words: to the right of}
rulesets:
  plain:
    summary: Transitive.
    rules:
      - {head: left, body: [left, left], source: us}
      - {head: right, body: [right, right], source: us}
"""


def test_check_finds_the_two_false_rules_of_the_thesis(gen) -> None:
    run = gen("world", "check", "kinship", "--rules", "thesis")
    assert run.returncode == 1
    assert run.stdout.count("unsound: ") == 2
    assert "child . inv-un -> sibling: here sibling-in-law holds from X to Y" in run.stdout
    assert "child . inv-grand -> inv-child: here inv-in-law holds from X to Y" in run.stdout
    assert "Z (female) is a child of P1 and X" in run.stdout
    assert run.stderr == "gen: kinship: 2 finding(s) show false rules; fix them\n"


def test_check_passes_sound_rules(gen) -> None:
    worlds = "kinship ordering space spatial time time-dates time-points work"
    for world in thinned(worlds.split(), least=4):
        run = gen("world", "check", world, "--rules", "sound")
        assert run.returncode == 0, run.stdout
        assert "0 finding(s)" in run.stdout
    found = json.loads(gen("world", "check", "kinship", "--json").stdout)
    assert [len(findings) for findings in found.values()] == [0, 6]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS.entries)
def test_check_covers_every_world(gen, name: str) -> None:
    found = json.loads(gen("world", "check", name, "--json").stdout)
    wrong = {rules for rules, each in found.items() if any(one["wrong"] for one in each)}
    assert wrong <= {"thesis"}


def test_check_reads_a_file_and_names_its_mistakes_line_by_line(gen, tmp_path: Path) -> None:
    (tmp_path / "lane.yaml").write_text(LANE)
    assert gen("world", "check", "lane.yaml").returncode == 0
    (tmp_path / "bad.yaml").write_text(LANE.replace("[left, left]", "[lft, left]") + "more: 1\n")
    run = gen("world", "check", "bad.yaml")
    assert run.returncode == 2
    first, second = run.stderr.splitlines()
    assert first.startswith("gen: bad.yaml:13: rulesets.plain.rules.0.body.0: 'lft' is not")
    assert second.startswith("gen: bad.yaml:15: more: ")


@pytest.fixture
def lane(tmp_path: Path):
    """Return an environment in which another distribution has a world named lane."""

    def install(code: str) -> dict[str, str]:
        info = tmp_path / "plugins" / "lane_world-1.0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lane-world\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[relsmith.worlds]\nlane = lane_world:world\n")
        (tmp_path / "plugins" / "lane_world.py").write_text(f"TEXT = {LANE!r}\n{code}")
        return {"PYTHONPATH": str(tmp_path / "plugins")}

    return install


MUTE = """
from relsmith.kb.worlds.world import parse_world
def world():
    return parse_world(TEXT, "lane.yaml")
"""
SIGNS = """
from dataclasses import replace
from pathlib import Path
from relsmith.kb.worlds.world import find_world, load_world
def world():
    file = Path(__file__).with_name("lane.yaml")
    file.write_text(TEXT)
    return load_world(file, stories=replace(find_world("spatial").story_spec, scene=scene))
def scene(stream, size, predicates):
    from relsmith.kb.worlds.scene import Scene
    return Scene.from_relation(lambda x, y: "left" if y < x else "right", size, predicates)
"""


def test_a_plugin_adds_a_world_by_entry_point(in_a_row, lane, tmp_path: Path) -> None:
    calls = [["list", "--json"], ["world", "check", "lane"], ["show", "clutrr", "--world", "lane"]]
    listing, checked, shown = in_a_row(tmp_path, calls, **lane(MUTE))
    listed = json.loads(listing.stdout)["worlds"]
    assert [world["name"] for world in listed] == [
        "kinship",
        "kinship-extended",
        "lane",
        "ordering",
        "space",
        "spatial",
        "time",
        "time-dates",
        "time-points",
        "work",
    ]
    assert listed[2]["summary"] == "Things in a row."
    assert "lane, rule set plain: 2 rules, 0 finding(s)" in checked.stdout
    assert shown.returncode == 2
    assert (
        "the world 'lane' has no stories; choose from "
        "kinship, kinship-extended, ordering, space, "
        "spatial, time, time-dates, time-points, work" in shown.stderr
    )
    assert shown.stderr.count("\n") == 1


def test_a_world_without_sentences_is_reported(in_a_row, lane, tmp_path: Path) -> None:
    show = ["show", "clutrr", "--world", "lane", "-n1", "--json"]
    told, *rows, linted = in_a_row(
        tmp_path,
        [
            show,
            *([*show, "--style", style] for style in ("plain", "facts")),
            ["templates", "lint", "--world", "lane"],
        ],
        **lane(SIGNS),
    )
    assert told.returncode == 2
    assert "style: lane has no sentences for 'text'; use plain or facts" in told.stderr
    for row in rows:
        assert json.loads(row.stdout)["target"] in ("to the left of", "to the right of")
    assert "the world 'lane' has no sentences" in linted.stderr


BROKEN = [
    "raise RuntimeError('no')",
    "def world():\n    return 'no world'",
    "from relsmith.kb.worlds.kinship import world",
]


@pytest.mark.parametrize("code", thinned(BROKEN))
def test_a_broken_world_affects_only_itself(in_a_row, lane, tmp_path: Path, code: str) -> None:
    listing, broken, shown, described = in_a_row(
        tmp_path,
        [
            ["list", "--json"],
            ["show", "clutrr", "--world", "lane"],
            ["show", "clutrr", "-n", "1"],
            ["describe", "clutrr"],
        ],
        **lane(code),
    )
    listed = json.loads(listing.stdout)["worlds"]
    assert [world["name"] for world in listed if world["broken"]] == ["lane"]
    assert (broken.returncode, broken.stderr.count("\n")) == (2, 1), broken.stderr
    assert "lane" in broken.stderr
    assert shown.returncode == 0, shown.stderr
    assert described.returncode == 0, described.stderr
    assert "--world" in described.stdout


def test_check_lists_what_exists(gen) -> None:
    said = gen("world", "check", "kinship", "--rules", "nosuch").stderr
    assert "no rule set 'nosuch'; there are: sound, thesis" in said
    said = gen("world", "check", "nosuch").stderr
    assert "no world is called 'nosuch'; there are: kinship" in said


def test_worlds_are_listed(gen) -> None:
    listed = json.loads(gen("list", "--json").stdout)["worlds"]
    assert [world["name"] for world in listed] == [
        "kinship",
        "kinship-extended",
        "ordering",
        "space",
        "spatial",
        "time",
        "time-dates",
        "time-points",
        "work",
    ]
    assert all(world["summary"] and not world["broken"] for world in listed)


def test_a_world_is_described_with_an_example(gen) -> None:
    run = gen("describe", "kinship")
    assert run.returncode == 0, run.stderr
    for said in (
        "Families of full siblings",
        "grandmother, grandfather",
        "sound (default)   30",
        "child . sibling -> child",
        f"{len(find_bank('kinship').frames)} frames",
        "answer: ",
    ):
        assert said in run.stdout, said
    listed = gen("list").stdout
    assert "world (--world of clutrr)" in listed
    assert "Families of full siblings" in listed


def test_a_world_file_is_described(gen, tmp_path: Path) -> None:
    (tmp_path / "lane.yaml").write_text(LANE)
    about = json.loads(gen("describe", "lane.yaml", "--json").stdout)
    assert about["relations"]["left"] == {"words": ["to the left of"], "inverse": "right"}
    assert "example" not in about
    assert "left . left -> left" in gen("describe", "lane.yaml").stdout


@pytest.mark.slow
def test_every_world_is_described(gen) -> None:
    for name in WORLDS.entries:
        about = json.loads(gen("describe", name, "--json").stdout)
        assert about["example"]["target"], name
        assert about["frames"] > 20, name

"""`gen world` and `gen clutrr-audit`."""

import json
from pathlib import Path

LANE = """\
format: 1
name: lane
summary: Things in a row.
semantics: grid
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
    assert run.stderr == "gen: kinship: 2 finding(s) show that it says what is false; mend that\n"


def test_check_passes_sound_rules(gen) -> None:
    for world in ("kinship", "spatial"):
        run = gen("world", "check", world, "--rules", "sound")
        assert run.returncode == 0, run.stdout
        assert "0 finding(s)" in run.stdout
    found = json.loads(gen("world", "check", "kinship", "--json").stdout)
    assert [len(findings) for findings in found.values()] == [0, 6]


def test_check_reads_a_file_and_names_its_mistakes_line_by_line(gen, tmp_path: Path) -> None:
    (tmp_path / "lane.yaml").write_text(LANE)
    assert gen("world", "check", "lane.yaml").returncode == 0
    (tmp_path / "bad.yaml").write_text(LANE.replace("[left, left]", "[lft, left]") + "more: 1\n")
    run = gen("world", "check", "bad.yaml")
    assert run.returncode == 2
    first, second = run.stderr.splitlines()
    assert first.startswith("gen: bad.yaml:13: rulesets.plain.rules.0.body.0: 'lft' is not")
    assert second.startswith("gen: bad.yaml:15: more: ")


def test_a_plugin_adds_a_world_by_entry_point(gen, tmp_path: Path) -> None:
    info = tmp_path / "plugins" / "lane_world-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lane-world\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[relsmith.worlds]\nlane = lane_world:world\n")
    (tmp_path / "plugins" / "lane_world.py").write_text(
        f"from relsmith.kb.world import parse_world\nTEXT = {LANE!r}\n"
        "def world():\n    return parse_world(TEXT, 'lane.yaml')\n"
    )
    path = {"PYTHONPATH": str(tmp_path / "plugins")}
    listed = json.loads(gen("list", "--json", **path).stdout)["worlds"]
    assert [world["name"] for world in listed] == ["kinship", "lane", "spatial"]
    assert listed[1]["summary"] == "Things in a row."
    assert (
        "lane, rule set plain: 2 rules, 0 finding(s)"
        in gen("world", "check", "lane", **path).stdout
    )


def test_check_says_what_there_is(gen) -> None:
    said = gen("world", "check", "kinship", "--rules", "nosuch").stderr
    assert "no rule set 'nosuch'; there are: sound, thesis" in said
    assert "cannot read the world file 'nosuch'" in gen("world", "check", "nosuch").stderr


def test_worlds_are_listed(gen) -> None:
    listed = json.loads(gen("list", "--json").stdout)["worlds"]
    assert [world["name"] for world in listed] == ["kinship", "spatial"]
    assert all(world["summary"] and not world["broken"] for world in listed)


OFFICIAL = """\
,id,story,query,text_query,target,text_target,clean_story,proof_state,f_comb,task_name,\
story_edges,edge_types,query_edge,genders,syn_story,node_mapping,task_split
0,a,,"('Ann', 'Cleo')",,daughter,,,,,task_1.2,"[(0, 1), (1, 2)]","['son', 'sister']","(0, 2)",\
"Ann:female,Bob:male,Cleo:female",,,test
1,b,,"('Ann', 'Cleo')",,sister,,,,,task_1.2,"[(0, 1), (1, 2)]","['son', 'aunt']","(0, 2)",\
"Ann:female,Bob:male,Cleo:female",,,test
"""


def test_the_audit_tells_entailed_from_merely_possible(gen, tmp_path: Path) -> None:
    (tmp_path / "1.2_test.csv").write_text(OFFICIAL)
    found = json.loads(gen("clutrr-audit", "1.2_test.csv", "--json").stdout)
    assert found == [
        {
            "file": "1.2_test.csv",
            "k": 2,
            "rows": 2,
            "derived": 2,
            "entailed": 1,
            "undetermined": 1,
            "contradicted": 0,
            "impossible": 0,
        }
    ]
    assert "1 (50 %)" in gen("clutrr-audit", "1.2_test.csv", COLUMNS="130").stdout
    run = gen("clutrr-audit", "nosuch.csv")
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1

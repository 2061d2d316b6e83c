import pytest

from relsmith.kb.worlds.kinship import world as kinship
from relsmith.kb.worlds.kinship.family import RELATIONS
from relsmith.kb.worlds.kinship.semantics import FamilySemantics
from relsmith.kb.worlds.lint import lint
from relsmith.kb.worlds.world import find_world, parse_world
from relsmith.registry import WORLDS
from relsmith.testing.profile import profile

UNCLES_BY_MARRIAGE = FamilySemantics(
    {
        **RELATIONS,
        "un": (("side", "down"), ("wed", "side", "down")),
        "inv-un": (("up", "side"), ("up", "side", "wed")),
    }
)
"""The spouse of an uncle or aunt by blood is an aunt or uncle too."""

GRID = """\
format: 1
name: lane
summary: Things in a row.
semantics: spatial
default: plain
predicates:
  left: {inverse: right, words: left of}
  right: {inverse: left, words: right of}
rulesets:
  plain:
    summary: Two rules.
    rules:
      - {head: left, body: [left, left], source: made up}
      - {head: right, body: [right, right], source: made up}
"""


def findings(old="", new="", text=GRID):
    assert old in text
    return lint(parse_world(text.replace(old, new, 1), "lane.yaml"))


def kinds(found):
    return {(finding.kind, finding.subject) for finding in found}


def test_exactly_two_thesis_rules_are_unsound_with_smallest_counterexamples():
    found = [finding for finding in lint(kinship(), "thesis") if finding.is_error]
    assert [str(finding) for finding in found] == [
        "unsound: child . inv-grand -> inv-child: "
        "here inv-in-law holds from X to Y, and inv-child does not\n"
        "    X (female) is married to P1 (male)\n"
        "    P2 (male) is married to Y (female)\n"
        "    P1 (male) is a child of P2 and Y\n"
        "    Z (female) is a child of P1 and X",
        "unsound: child . inv-un -> sibling: "
        "here sibling-in-law holds from X to Y, and sibling does not\n"
        "    X (female) is married to P1 (male)\n"
        "    P2 (male) is married to P3 (female)\n"
        "    P1 (male) is a child of P2 and P3\n"
        "    Z (female) is a child of P1 and X\n"
        "    Y (female) is a child of P2 and P3",
    ]


def test_other_findings_on_thesis():
    found = [finding for finding in lint(kinship(), "thesis") if not finding.is_error]
    assert kinds(found) == {
        ("unreachable", "SO"),
        ("unreachable", "sibling-in-law"),
        ("missing inverse", "SO . grand -> grand"),
        ("missing inverse", "SO . child -> child"),
    }


@pytest.mark.parametrize("name", WORLDS.entries)
def test_default_rules_have_no_findings(name):
    world = find_world(name)
    if len(world.predicates) > 100 and profile() == "quick":
        pytest.skip("takes long")
    found = {finding.kind for finding in lint(world)}
    # Nothing entails godparents and former spouses, and godparents may also be relatives.
    assert found <= ({"unreachable", "ambiguous"} if name.startswith("kinship-") else set())


def test_another_semantics_judges_otherwise():
    found = lint(kinship(), "sound", UNCLES_BY_MARRIAGE)
    assert {f.subject for f in found if f.kind == "unsound"} == {
        "child . un -> grand",
        "inv-un . inv-child -> inv-grand",
    }


def test_unknown_predicates_stop_the_lint():
    found = findings("  right:", "  up: {symmetric: true, words: up}\n  right:")
    assert kinds(found) == {("unknown predicate", "up")}


def test_impossible_bodies():
    text = (
        GRID.replace("spatial", "kinship")
        .replace("left: {inverse: right,", "SO: {symmetric: true,")
        .replace("right: {inverse: left,", "sibling: {symmetric: true,")
        .replace("head: left, body: [left, left]", "head: SO, body: [SO, SO]")
        .replace("head: right, body: [right, right]", "head: sibling, body: [sibling, sibling]")
    )
    assert kinds(findings(text=text)) == {("impossible", "SO . SO -> SO")}


def test_false_inverses_and_functions():
    assert ("false inverse", "left") in kinds(findings("inverse: right", "symmetric: true", LAX))
    found = findings("words: left of", "functional: true, words: left of")
    assert kinds(found) == {("not functional", "left")}
    assert found[0].example == ("X is at (0, 0)", "Z is at (1, 0)", "Y is at (-1, 0)")


LAX = GRID.replace("right: {inverse: left,", "right: {")


def test_missing_inverses_of_predicates():
    found = findings("inverse: right, ", "", LAX)
    assert kinds(found) == {("missing inverse", "left"), ("missing inverse", "right")}


def test_missing_inverses_of_rules():
    found = findings("      - {head: right, body: [right, right], source: made up}\n", "")
    assert kinds(found) == {("missing inverse", "left . left -> left")}


def test_unreachable_predicates():
    found = findings(GRID[GRID.index("\n      - {head: left") :], " []\n")
    assert kinds(found) == {("unreachable", "left"), ("unreachable", "right")}


def test_ambiguous_compositions():
    found = findings(
        "      - {head: right",
        "      - {head: right, body: [left, left], source: x}\n      - {head: right",
    )
    assert ("ambiguous", "left . left") in kinds(found)


def test_overlapping_predicates():
    wide = lint(kinship(), "sound", UNCLES_BY_MARRIAGE)
    overlap = {finding.subject for finding in wide if finding.kind == "ambiguous"}
    assert overlap == {"un, inv-un", "sibling-in-law, un", "sibling-in-law, inv-un"}

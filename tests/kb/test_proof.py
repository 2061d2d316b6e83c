import json

import pytest

from relsmith.kb.engine import Engine
from relsmith.kb.kinship import world
from relsmith.kb.proof import replay, tree
from relsmith.kb.rules import RuleTable

RULES = RuleTable.of(world())
FACTS = [("Ann", "SO", "Bob"), ("Bob", "sibling", "Cid"), ("Dot", "child", "Cid")]
GOAL = ("Ann", "inv-in-law", "Dot")


def proof():
    found = Engine(RULES).prove(FACTS, GOAL)
    assert found
    return found


def test_a_proof_is_printed_as_a_tree():
    assert tree(proof(), GOAL) == (
        "(Ann, inv-in-law, Dot) by SO . inv-child -> inv-in-law\n"
        "  (Ann, SO, Bob) given\n"
        "  (Bob, inv-child, Dot) by sibling . inv-child -> inv-child\n"
        "    (Bob, sibling, Cid) given\n"
        "    (Cid, inv-child, Dot) by inverse\n"
        "      (Dot, child, Cid) given"
    )


def test_a_proof_replays_also_after_json():
    assert not replay(proof(), FACTS, RULES, GOAL)
    steps, facts = json.loads(json.dumps([proof(), FACTS]))
    assert not replay(steps, facts, RULES, GOAL)


def test_a_given_goal_needs_no_steps():
    assert not replay([], FACTS, RULES, FACTS[0])
    assert replay([], FACTS, RULES, GOAL) == [f"the proof ends in None, not in {GOAL}"]


def test_every_change_to_a_proof_is_noticed():
    changes = 0
    for number, step in enumerate(proof()):
        for kind in ("conclusion", "premise", "rule", "missing fact"):
            facts, steps = list(FACTS), proof()
            conclusion = step["conclusion"]
            if kind == "conclusion":
                others = [name for name in RULES.predicates if name != conclusion[1]]
                variants = [(conclusion[0], name, conclusion[2]) for name in others]
                variants += [conclusion[::-1], ("Eve", *conclusion[1:]), conclusion[:2]]
                changed = [{**step, "conclusion": variant} for variant in variants]
            elif kind == "premise":
                changed = [
                    {**step, "premises": premises}
                    for premises in ([], step["premises"][:-1], step["premises"] * 2)
                ]
                changed.append({**step, "premises": [("Eve", *p[1:]) for p in step["premises"]]})
            elif kind == "rule":
                changed = [{**step, "rule": "SO . SO -> SO"}]
            else:
                facts = facts[1:]
                changed = [step]
            for variant in changed:
                steps[number] = variant
                changes += 1
                assert replay(steps, facts, RULES, GOAL), (kind, variant)
    assert changes > 40


def test_a_circular_proof_is_refused():
    step = {
        "conclusion": ("Ann", "SO", "Eve"),
        "premises": [("Eve", "SO", "Ann")],
        "rule": "inverse",
    }
    back = {
        "conclusion": ("Eve", "SO", "Ann"),
        "premises": [("Ann", "SO", "Eve")],
        "rule": "inverse",
    }
    assert replay([step, back], FACTS, RULES) == [
        "step 1: premise ('Eve', 'SO', 'Ann') is neither given nor concluded before"
    ]


def test_names_must_be_distinct():
    rules = RuleTable(("sibling",), {("sibling", "sibling"): ("sibling",)}, {}, {})
    facts = [("Ann", "sibling", "Bob"), ("Bob", "sibling", "Ann")]
    step = {
        "conclusion": ("Ann", "sibling", "Ann"),
        "premises": facts,
        "rule": "sibling . sibling -> sibling",
    }
    assert replay([step], facts, rules) == [
        "step 1: 'Ann', 'Bob' and 'Ann' are not three distinct names"
    ]


@pytest.mark.parametrize("ruleset", ["thesis", "sound"])
def test_a_rule_of_another_set_does_not_count(ruleset):
    rules = RuleTable.of(world(), ruleset)
    facts = [("Ann", "child", "Bob"), ("Bob", "inv-grand", "Cid")]
    step = {
        "conclusion": ("Ann", "inv-child", "Cid"),
        "premises": facts,
        "rule": "child . inv-grand -> inv-child",
    }
    assert bool(replay([step], facts, rules)) == (ruleset == "sound")

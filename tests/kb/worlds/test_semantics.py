"""The frozen `sound` rule sets against the semantics from which they were derived."""

from itertools import product

import pytest

from relsmith.kb.worlds.kinship import world as kinship
from relsmith.kb.worlds.lint import unsound_rules
from relsmith.kb.worlds.semantics import counterexample, entailed
from relsmith.kb.worlds.space import directions as spatial
from relsmith.kb.worlds.time import world as time
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.work import world as work
from relsmith.kb.worlds.world import CompositionRule, find_world
from relsmith.registry import WORLDS as REGISTERED

WORLDS = pytest.mark.parametrize(
    "world", [kinship(), spatial(), time(), work()], ids=lambda world: world.name
)


def assert_sound(rules, semantics) -> None:
    wrong = [f for f in unsound_rules(rules, semantics) if f.kind == "unsound"]
    if wrong:
        raise AssertionError("\n".join(map(str, wrong)))  # not rewritten by pytest


@WORLDS
def test_any_unsound_rule_added_fails_the_test_above_with_its_counterexample(world):
    semantics = world.semantics
    sound = world.ruleset("sound").rules
    mutants = 0
    for head in world.predicates:
        for first in world.predicates:
            for second in world.predicates:
                body = (first, second)
                if head in entailed(semantics, body) or not semantics.situations(body):
                    continue
                mutants += 1
                mutant = CompositionRule.model_construct(head=head, body=body, source="mutant")
                with pytest.raises(AssertionError) as caught:
                    assert_sound((*sound, mutant), semantics)
                message = str(caught.value)
                assert message.startswith(f"unsound: {mutant}: here ")
                scene = counterexample(semantics, body, head)
                assert scene is not None
                assert message.endswith("\n    ".join(["", *scene.facts]))
    impossible = {"kinship": 11, "spatial": 0, "time": 0, "work": 67 * 13}[world.name]
    assert mutants == len(world.predicates) ** 3 - len(sound) - impossible


@WORLDS
def test_the_ruleset_sound_is_complete(world):
    frozen = {(rule.head, rule.body) for rule in world.ruleset("sound").rules}
    derived = {
        (head, body)
        for body in product(world.predicates, repeat=2)
        for head in entailed(world.semantics, body)
    }
    assert frozen == derived, f"missing {derived - frozen}, too many {frozen - derived}"


@pytest.mark.parametrize(
    "name", [name for name in REGISTERED.entries if not find_world(name).genders]
)
def test_the_judge_entails_what_the_semantics_entails_of_two_facts(name):
    """Compare judge and semantics, which share no code."""
    world = find_world(name)
    bodies = list(product(world.predicates, repeat=2))
    for body in bodies[:: 1 + len(bodies) // 400]:
        first, second = (world.predicates[predicate].word() for predicate in body)
        verdict = world.judge([("x", first, "z"), ("z", second, "y")], {}, ("x", "y"))
        found = verdict.answers if verdict.status is Status.ENTAILED else frozenset()
        words = {world.predicates[head].word() for head in entailed(world.semantics, body)}
        assert found == words or (world.overlapping and found <= words), body
        assert (verdict.status is Status.IMPOSSIBLE) == (not world.semantics.situations(body))

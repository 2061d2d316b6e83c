"""Bridges: facts that judges leave out, since they have no consequences within two families."""

import pytest

from relsmith.kb.worlds.fact import Role, query_component
from relsmith.kb.worlds.world import find_world

NOTHING = Role(frozenset(), frozenset())
ANYTHING = Role(frozenset("abw"), frozenset("abw"))


def component(text: str, query: str, role: Role = ANYTHING) -> str:
    """Return the facts that matter to a query, where w is the word of bridges."""
    facts = [(fact[0], fact[1], fact[2]) for fact in text.split()]
    found = query_component(facts, (query[0], query[1]), lambda *_: True, {"w": (role, role)})
    return " ".join("".join(fact) for fact in found or ())


@pytest.mark.parametrize(
    ("facts", "query", "role", "expected"),
    [
        ("1a2 2a3 3w4 4a5", "12", ANYTHING, "1a2 2a3"),
        ("1a2 2a3 3w4 4a5", "15", ANYTHING, "1a2 2a3 3w4 4a5"),  # it separates the query
        ("1a2 2a3 3w4 4a5", "13", ANYTHING, "1a2 2a3 3w4 4a5"),  # it is about the query
        ("1a2 2a3 3w4 4a5 5b2", "12", ANYTHING, "1a2 2a3 3w4 4a5 5b2"),  # it is on a cycle
        ("1a2 2a3 3w4 4w3", "12", ANYTHING, "1a2 2a3 3w4 4w3"),
        ("1a2 2a3 3w4 4a5", "12", NOTHING, "1a2 2a3 3w4 4a5"),  # another role
        ("1a2 2a3 3w4 4a5 5w6 6a7", "12", ANYTHING, "1a2 2a3"),
    ],
)
def test_only_bridges_are_left_out(facts: str, query: str, role: Role, expected: str) -> None:
    assert component(facts, query, role) == expected


CASES = {
    "kinship": (
        "Al brother Bo, Bo uncle Cy, Cy nephew Dan, Dan wife Eve, Eve mother Fay, Fay brother Gus",
        "Eve husband Dan",
    ),
    "kinship-extended": ("Al father Bo, Bo first cousin Cy, Cy wife Eve, Eve half-brother Gus", ""),
    "work": (
        "Al direct manager Bo, Bo teammate Cy, Cy direct report Dan, Dan skip-level report Eve",
        "Dan direct manager Cy",
    ),
}


def facts_of(text: str) -> list[tuple[str, str, str]]:
    words = [fact.split() for fact in text.split(", ") if fact]
    return [(x, " ".join(word), y) for x, *word, y in words]


@pytest.mark.parametrize("name", CASES)
def test_verdicts_are_those_on_all_facts(name: str) -> None:
    """Stated in both directions, a bridge is on a cycle, and the judge does not leave it out."""
    world, (text, again) = find_world(name), CASES[name]
    facts = facts_of(text)
    everything = facts + facts_of(again or "Eve husband Cy")
    people = sorted({person for x, _, y in facts for person in (x, y)})
    women = {"Eve", "Fay"}
    genders = {person: "female" if person in women else "male" for person in people}
    for x in people:
        for y in people:
            if x != y:
                expected = world.judge(everything, genders, (x, y), None)
                assert world.judge(facts, genders, (x, y), None) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kinship", "Al brother Bo, Bo wife Eve, Eve mother Fay, Fay son Bo"),
        ("kinship", "Al brother Bo, Bo wife Eve, Bo mother-in-law Fay, Eve mother Liv"),
        ("work", "Al teammate Bo, Bo direct report Cy, Cy direct manager Dan"),
        ("work", "Al mentor Bo, Bo direct report Cy, Cy direct report Dan"),
    ],
)
def test_contradictions_across_a_bridge_are_found(name: str, text: str) -> None:
    word = "teammate" if name == "work" else "brother"
    facts = [("Al", word, "Zed"), *facts_of(text)]
    names = {person for x, _, y in facts for person in (x, y)}
    genders = {who: "female" if who in ("Eve", "Fay", "Liv") else "male" for who in names}
    for query in (("Al", "Bo"), ("Al", "Zed")):
        assert find_world(name).judge(facts, genders, query, None).status == "impossible"

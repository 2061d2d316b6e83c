"""Bridges: facts that alone connect two families are judged once with each of them."""

import importlib
from collections import Counter

import pytest

from relsmith import Stream
from relsmith.kb.worlds.fact import BridgeEnd, query_component
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled

NOTHING = BridgeEnd(frozenset(), frozenset())
ANYTHING = BridgeEnd(frozenset("abw"), frozenset("abw"))
JUDGES = ("kinship", "kinship_extended", "work")


def component(text: str, query: str, end: BridgeEnd) -> str:
    """Return the facts relevant to a query, where w is the word of bridges, and + a new name."""
    facts = [(fact[0], fact[1], fact[2]) for fact in text.split()]
    found = query_component(facts, (query[0], query[1]), lambda *_: True, {"w": (end, end)})
    return " ".join("".join(fact) for fact in found or ()).replace("\n2y", "+")


@pytest.mark.parametrize(
    ("facts", "query", "end", "expected"),
    [
        ("1a2 2a3 3w4 4a5", "12", ANYTHING, "1a2 2a3 3w+"),
        ("1a2 2a3 3w4 4a5", "15", ANYTHING, "1a2 2a3 3w4 4a5"),  # it separates the query
        ("1a2 2a3 3w4 4a5", "13", ANYTHING, "1a2 2a3 3w4 4a5"),  # it is about the query
        ("1a2 2a3 3w4 4a5 5b2", "12", ANYTHING, "1a2 2a3 3w4 4a5 5b2"),  # it is on a cycle
        ("1a2 2a3 3w4 4w3", "12", ANYTHING, "1a2 2a3 3w4 4w3"),
        ("1a2 2a3 3w4 4a5", "12", NOTHING, "1a2 2a3 3w4 4a5"),  # other facts of its ends
        ("1a2 2a3 3w4 4a5 5w6 6a7", "12", ANYTHING, "1a2 2a3 3w+"),
        ("1a2 2a3 3w4 3w4 4a5", "12", ANYTHING, "1a2 2a3 3w+"),
    ],
)
def test_stories_are_split_at_bridges(
    facts: str, query: str, end: BridgeEnd, expected: str
) -> None:
    assert component(facts, query, end) == expected


@pytest.mark.parametrize("module", JUDGES)
def test_split_stories_have_the_same_verdicts(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check random stories, most of them trees, where many facts can be bridges."""
    judge = importlib.import_module(f"relsmith.kb.worlds.{module}.judge")
    bridges, world = judge._BRIDGES, find_world(module.replace("_", "-"))
    words, seen = sorted(world.meanings), Counter()
    stream = Stream("bridges", module)
    for _ in range(scaled(3000, least=200)):
        people = "ABCDEF"[: 3 + stream.below(4)]
        genders = {name: stream.choice(["male", "female"]) for name in people if world.genders}
        facts = []
        for number in range(1, len(people)):
            pair = [people[number], people[stream.below(number)]]
            stream.shuffle(pair)
            word = stream.choice(sorted(bridges) if stream.random() < 0.4 else words)
            facts.append((pair[0], word, pair[1]))
            if world.genders and stream.random() < 0.8:
                genders[pair[1]] = world.meanings[word][1] or genders[pair[1]]
        query = tuple(stream.sample(people, 2))
        split = world.judge(facts, genders, query, None)
        monkeypatch.setattr(judge, "_BRIDGES", {})
        whole = world.judge(facts, genders, query, None)
        monkeypatch.undo()
        assert split == whole, (facts, genders, query)
        seen[whole.status] += 1
    assert min(seen[status] for status in ("entailed", "undetermined", "impossible")) > 5, seen


@pytest.mark.parametrize(
    ("name", "text", "query", "status"),
    [
        (  # somebody on the other side of the bridge is y's manager, so W is not
            "work",
            "C direct manager Y, Y skip-level report Z, Z distant manager W, Y direct manager X",
            ("C", "W"),
            "entailed",
        ),
        (
            "work",
            "Y direct report Z, Z skip-level manager W, X direct report Y, "
            "X teammate P, P teammate Q",
            ("P", "Q"),
            "impossible",
        ),
        (
            "kinship",
            "P brother Q, Q brother R, R sister A, A husband B, B father S",
            ("P", "Q"),
            "impossible",
        ),
    ],
)
def test_the_other_side_of_a_bridge_matters(
    name: str, text: str, query: tuple[str, str], status: str
) -> None:
    facts = facts_of(text)
    genders = {person: "female" if person in "AB" else "male" for person in "PQRABS"}
    assert find_world(name).judge(facts, genders, query, None).status == status


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
    """Check a bridge stated in both directions: on a cycle, the judge does not split it."""
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

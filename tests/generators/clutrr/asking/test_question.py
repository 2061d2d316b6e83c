"""Questions of each type, and undetermined ones."""

import copy
from collections import Counter, defaultdict
from math import sqrt

import pytest
from pairs import in_turn
from stories import clutrr

from relsmith.example import members_of, set_target
from relsmith.generators.clutrr.asking.question import contradiction_shares
from relsmith.generators.clutrr.metadata import stated_facts
from relsmith.generators.clutrr.output.graph import forward_chain
from relsmith.generators.clutrr.planning.feasibility import rules_of
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled, thinned
from relsmith.validation import findings

WORLDS = ("kinship", "ordering", "spatial", "time", "work")


def facts_of(row) -> list[tuple[str, ...]]:
    return [tuple(fact) for fact in stated_facts(row.metadata)]


def verdict(world: str, row, claimed):
    return find_world(world).judge(
        facts_of(row),
        dict(row.metadata["genders"]),
        tuple(row.metadata["query"]),
        claimed,
    )


@pytest.mark.parametrize(
    ("world", "asked"),
    in_turn(WORLDS, [("reasoning", 0), ("memory", 0), ("mixed", 0), ("reasoning", 0.4)]),
)
def test_yes_no_and_unknown_agree_with_the_verdict(world: str, asked: tuple[str, float]) -> None:
    options = {"task": asked[0], "unknown_share": asked[1], "answer": "yes-no", "k": "2..5"}
    answers = Counter()
    rows = scaled(300, least=90)
    for row in clutrr("noise=supporting", world=world, **options).examples(rows):
        word, holds = row.metadata["asked"], row.metadata["relation"]
        expected = {"yes": "entailed", "no": "contradicted", "unknown": "undetermined"}
        assert str(verdict(world, row, word).status) == expected[row.target]
        assert (word == holds) == (row.target == "yes")
        x, y = row.metadata["query"]
        question = find_world(world).story_spec.yes_no.format(x=x, y=y, word=word)
        assert question in row.input
        answers[row.target] += 1
    assert min(answers.values()) > rows / 6
    assert len(answers) == 2 + bool(asked[1])


# Three of five comparisons rule out only two words: test_ordering.py has more.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "task"),
    in_turn([world for world in WORLDS if world != "ordering"], ["reasoning", "memory"]),
)
def test_yes_no_questions_do_not_reveal_the_answer(world: str, task: str) -> None:
    """Check that every relation is right as often as wrong in yes-no questions."""
    generator = clutrr("answer=yes-no k=2..6", world=world, task=task)
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for row in generator.examples(scaled(3000)):
        asked[row.metadata["asked"]][row.target] += 1
    for word, answers in asked.items():
        # Four standard deviations of as many tosses of a coin.
        assert abs(2 * answers["yes"] - answers.total()) < 4 * sqrt(answers.total()), (
            word,
            answers,
        )


@pytest.mark.parametrize("world", WORLDS)
def test_contradicted_relations_cannot_hold(world: str) -> None:
    judge, words = find_world(world).judge, find_world(world).words
    genders = find_world(world).genders or ("",)
    for among in (
        rules_of(world, "sound").head_predicates,
        rules_of(world, "sound").body_predicates,
    ):
        for at, shares in enumerate(contradiction_shares(find_world(world), among)):
            assert sum(shares) == pytest.approx(float(at in among), abs=1e-6)
            for other, share in enumerate(shares):
                if share:
                    assert other in among
                    word, claimed = words[at][-1], words[other][-1]
                    for gender in genders:
                        known = {"x": gender, "y": "male"} if gender else {}
                        found = judge([("x", word, "y")], known, ("x", "y"), claimed)
                        assert found.status in (Status.CONTRADICTED, Status.IMPOSSIBLE)


@pytest.mark.parametrize(
    "options",
    thinned(
        [
            {},
            {"noise": "all"},
            {"world": "spatial"},
            {"world": "spatial", "noise": "all", "k": "2..4"},
            {"world": "time"},
            {"world": "time", "noise": "all", "k": "2..4"},
        ],
        least=2,
    ),
)
def test_unknown_rows_are_open_and_list_exactly_what_is_possible(options) -> None:
    generator = clutrr("k=2..6 unknown_share=0.2", **options)
    world = generator.world
    unknown, rows = 0, scaled(150, least=60)
    for row in generator.examples(rows):
        found = verdict(world, row, None)
        if row.target != "unknown":
            assert found.answers == {row.target}
            continue
        unknown += 1
        assert found.status is Status.UNDETERMINED
        assert row.metadata["verdict"] == "undetermined"
        assert row.metadata["possible"] == sorted(found.answers)
        assert len(found.answers) > 1
        words = find_world(world).meanings
        for word in words:
            possible = verdict(world, row, word).status
            assert possible == (
                Status.UNDETERMINED if word in found.answers else Status.CONTRADICTED
            )
    assert unknown == pytest.approx(0.2 * rows, abs=max(0.067 * rows, 5))


def test_rows_of_the_thesis_rules_have_the_verdict_of_the_judge() -> None:
    generator = clutrr("rules=thesis k=2..6 noise=supporting")
    said = Counter()
    rows = scaled(300)
    for row in generator.examples(rows):
        assert findings(generator, row) == []
        found = verdict("kinship", row, row.target)
        assert row.metadata["verdict"] == str(found.status)
        assert row.metadata["possible"] == sorted(found.answers)
        said[row.metadata["verdict"]] += 1
        other = "entailed" if found.status != Status.ENTAILED else "undetermined"
        spoilt = copy.deepcopy(row)
        spoilt.metadata["verdict"] = other
        assert findings(generator, spoilt)
    assert said["entailed"] > rows / 3
    assert said["undetermined"] > rows / 15


@pytest.mark.parametrize("world", WORLDS)
def test_memory_asks_for_a_stated_fact_of_the_chain(world: str) -> None:
    places = Counter()
    for row in clutrr("task=memory k=2..5 noise=all", world=world).examples(scaled(200, least=80)):
        x, y = row.metadata["query"]
        facts = forward_chain(row.metadata, find_world(world))
        assert row.metadata["proof"] == []
        places[facts.index([x, row.target, y])] += 1
    assert set(places) == {0, 1, 2, 3, 4}


def test_mixed_alternates_between_both() -> None:
    tasks = Counter(row.metadata["task"] for row in clutrr("task=mixed").examples(256))
    assert abs(tasks["memory"] - tasks["reasoning"]) < 30


@pytest.mark.parametrize("unknown", [0, 0.2])
@pytest.mark.parametrize("choices", ["none", "all", "1", "3", "10"])
def test_choices_are_those_asked_for(unknown: float, choices: str) -> None:
    generator = clutrr(unknown_share=unknown, choices=choices)
    places = Counter()
    rows = scaled(300, least=40)
    for row in generator.examples(rows):
        expected = {"none": 0, "all": 22 + bool(unknown)}.get(choices)
        assert len(row.choices) == (int(choices) + 1 if expected is None else expected)
        assert not row.choices or row.target in row.choices
        assert findings(generator, row) == []
        if choices == "3" and not unknown:
            places[row.choices.index(row.target)] += 1
            genders = {find_world("kinship").meanings[word][1] for word in row.choices}
            assert len(genders) == 1, "the gender must not rule a choice out"
    assert not places or min(places.values()) > rows / 8


WHO = [
    {"gender": "given"},
    {"gender": "names", "noise": "all", "people": 70, "style": "plain"},
    {"world": "spatial"},
    {"world": "time"},
]
ROWS = scaled(90, least=60)


@pytest.mark.parametrize("options", thinned(WHO, least=2))
def test_who_targets_are_all_entailed_people(options) -> None:
    generator = clutrr("answer=who k=2..4 unknown_share=0.3", **options)
    told_of = find_world(generator.world)
    sizes = Counter()
    for row in generator.examples(ROWS):
        assert findings(generator, row) == []
        x, y = row.metadata["query"]
        members = members_of(row.target)
        sizes[min(len(members), 2)] += 1
        people = {name for a, _, b in stated_facts(row.metadata) for name in (a, b)} - {x}
        for person in people:
            found = told_of.judge(
                facts_of(row),
                dict(row.metadata["genders"]),
                (x, person),
                row.metadata["asked"],
            )
            assert (found.status is Status.ENTAILED) == (person in members)
        assert (y in members) == bool(row.metadata["proof"])
        assert row.input.endswith(told_of.story_spec.who.format(x=x, word=row.metadata["asked"]))
    assert sizes[0] == pytest.approx(0.29 * ROWS, abs=6)
    assert min(sizes[1], sizes[2]) > 3


def test_the_order_of_a_set_target_is_fixed() -> None:
    assert set_target(["Bob", "Al"]) == "Al; Bob"
    assert set_target([]) == "none"
    assert members_of("Al; Bob") == {"Al", "Bob"}
    assert members_of("none") == frozenset()
    assert members_of("aunt") == {"aunt"}


UP = {
    **dict.fromkeys(("inv-child", "inv-un", "inv-in-law"), 1),
    **dict.fromkeys(("child", "un", "in-law"), -1),
    **{"grand": -2, "inv-grand": 2, "SO": 0, "sibling": 0, "sibling-in-law": 0},
}


def test_open_questions_are_not_about_the_wrong_generation() -> None:
    """Check that no open question asks about another generation, which readers would deny."""
    world = find_world("kinship")
    asked = 0
    for row in clutrr("answer=yes-no unknown_share=0.7 style=facts k=2..4").examples(60):
        if row.target == "unknown":
            predicate = world.meanings[row.metadata["asked"]][0]
            assert UP[predicate] == sum(UP[step] for step in row.metadata["clause"]), row.input
            asked += 1
    assert asked > 20

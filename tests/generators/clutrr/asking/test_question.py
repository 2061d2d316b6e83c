"""Questions: which relation, whether one, what was told, and what nobody can know."""

import copy
from collections import Counter, defaultdict
from itertools import chain

import pytest
from pairs import in_turn

from relsmith.errors import InvalidOption
from relsmith.example import members_of, set_target
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.asking.question import contradiction_shares
from relsmith.generators.clutrr.output.graph import forward_chain
from relsmith.generators.clutrr.planning.feasibility import rules_of
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled, thinned
from relsmith.validation import findings

WORLDS = ("kinship", "ordering", "spatial", "time", "work")


def told(row) -> list[tuple[str, ...]]:
    noise = [fact for path in chain(*row.metadata["noise_facts"]) for fact in path]
    core = row.metadata["facts"] + row.metadata["beside_facts"]
    return [tuple(fact) for fact in core + noise]


def verdict(world: str, row, claimed):
    return find_world(world).judge(
        told(row), dict(row.metadata["genders"]), tuple(row.metadata["query"]), claimed
    )


@pytest.mark.parametrize(("world", "task"), in_turn(WORLDS, ["reasoning", "memory", "mixed"]))
def test_yes_is_entailed_and_no_is_contradicted(world: str, task: str) -> None:
    generator = Clutrr.configure(
        {"world": world, "task": task, "answer": "yes-no", "k": "2..5", "noise": "supporting"}
    )
    answers = Counter()
    for row in generator.examples(120):
        asked, holds = row.metadata["asked"], row.metadata["relation"]
        status = verdict(world, row, asked).status
        assert status == (Status.ENTAILED if row.target == "yes" else Status.CONTRADICTED)
        assert (asked == holds) == (row.target == "yes")
        x, y = row.metadata["query"]
        assert row.input.endswith(find_world(world).story_spec.yes_no.format(x=x, y=y, word=asked))
        answers[row.target] += 1
    assert min(answers["yes"], answers["no"]) > 40


# Of what is compared, three of five relations rule out nothing but two: test_ordering.py has more.
@pytest.mark.parametrize(
    ("world", "task"),
    thinned(in_turn([world for world in WORLDS if world != "ordering"], ["reasoning", "memory"])),
)
def test_yes_no_questions_do_not_reveal_the_answer(world: str, task: str) -> None:
    """Every relation that is asked for is as often there as not."""
    generator = Clutrr.configure({"world": world, "task": task, "answer": "yes-no", "k": "2..6"})
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for row in generator.examples(scaled(3000, least=3000)):
        asked[row.metadata["asked"]][row.target] += 1
    for word, answers in asked.items():
        assert 0.38 < answers["yes"] / answers.total() < 0.62, (word, answers)


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
    generator = Clutrr.configure({"k": "2..6", "unknown_share": 0.2, **options})
    world = generator.world
    unknown = 0
    for row in generator.examples(150):
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
    assert 20 <= unknown <= 40


def test_rows_by_the_rules_of_the_thesis_have_the_judges_verdict() -> None:
    generator = Clutrr.configure({"rules": "thesis", "k": "2..6", "noise": "supporting"})
    said = Counter()
    rows = scaled(300, least=100)
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
    generator = Clutrr.configure({"world": world, "task": "memory", "k": "2..5", "noise": "all"})
    places = Counter()
    for row in generator.examples(200):
        x, y = row.metadata["query"]
        facts = forward_chain(row.metadata, find_world(world))
        assert row.metadata["proof"] == []
        places[facts.index([x, row.target, y])] += 1
    assert set(places) == {0, 1, 2, 3, 4}


def test_mixed_asks_for_both_in_turn() -> None:
    tasks = Counter(
        row.metadata["task"] for row in Clutrr.configure({"task": "mixed"}).examples(256)
    )
    assert abs(tasks["memory"] - tasks["reasoning"]) < 30


@pytest.mark.parametrize("unknown", [0, 0.2])
@pytest.mark.parametrize("choices", ["none", "all", "1", "3", "10"])
def test_choices_are_those_asked_for(unknown: float, choices: str) -> None:
    generator = Clutrr.configure({"unknown_share": unknown, "choices": choices})
    places = Counter()
    for row in generator.examples(100):
        expected = {"none": 0, "all": 22 + bool(unknown)}.get(choices)
        assert len(row.choices) == (int(choices) + 1 if expected is None else expected)
        assert not row.choices or row.target in row.choices
        assert findings(generator, row) == []
        if choices == "3" and not unknown:
            places[row.choices.index(row.target)] += 1
            genders = {find_world("kinship").meanings[word][1] for word in row.choices}
            assert len(genders) == 1, "the gender must not rule a choice out"
    assert not places or min(places.values()) > 12


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"choices": "11"}, "choices: there are 10 wrong answers, but got 11"),
        ({"choices": "8", "world": "spatial"}, "choices: there are 7 wrong answers, but got 8"),
        ({"choices": "0"}, "but got '0'"),
        ({"unknown_share": 0.2, "task": "memory"}, "stated facts are never unknown"),
        ({"answer": "who"}, "needs everyone's gender: pass --gender given"),
        ({"answer": "who", "gender": "given", "task": "memory"}, "'who' is for reasoning"),
        ({"answer": "who", "gender": "given", "choices": "all"}, "has no effect on who questions"),
        ({"unknown_share": 0.2, "rules": "thesis"}, "needs rules that always hold: --rules sound"),
        ({"answer": "yes-no", "rules": "thesis"}, "needs rules that always hold: --rules sound"),
    ],
)
def test_impossible_questions_are_refused(options, words) -> None:
    with pytest.raises(InvalidOption) as caught:
        Clutrr.configure(options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


WHO = [
    {"gender": "given"},
    {"gender": "names", "noise": "all", "people": 70, "style": "plain"},
    {"world": "spatial"},
    {"world": "time"},
]


@pytest.mark.parametrize("options", thinned(WHO, least=2))
def test_who_asks_for_everyone_of_whom_it_is_entailed(options) -> None:
    generator = Clutrr.configure({"answer": "who", "k": "2..4", "unknown_share": 0.3, **options})
    told_of = find_world(generator.world)
    sizes = Counter()
    for row in generator.examples(90):
        assert findings(generator, row) == []
        x, y = row.metadata["query"]
        members = members_of(row.target)
        sizes[min(len(members), 2)] += 1
        people = {name for a, _, b in told(row) for name in (a, b)} - {x}
        for person in people:
            found = told_of.judge(
                told(row), dict(row.metadata["genders"]), (x, person), row.metadata["asked"]
            )
            assert (found.status is Status.ENTAILED) == (person in members)
        assert (y in members) == bool(row.metadata["proof"])
        assert row.input.endswith(
            told_of.questions["who"].text.format(x=x, word=row.metadata["asked"])
        )
    assert sizes[0] in range(20, 32)
    assert min(sizes[1], sizes[2]) > 3


def _one_less(row) -> None:
    row.target = set_target(list(members_of(row.target))[1:])


def _one_more(row) -> None:
    people = [name for x, _, y in told(row) for name in (x, y)]
    row.target = set_target({*members_of(row.target), *people} - {row.metadata["query"][0]})


def _out_of_order(row) -> None:
    row.target = "; ".join(sorted(members_of(row.target), reverse=True))


@pytest.mark.parametrize("fault", [_one_less, _one_more, _out_of_order])
def test_the_judge_counts_who_is_named(fault) -> None:
    generator = Clutrr.configure({"answer": "who", "gender": "given", "k": "2", "style": "facts"})
    for row in generator.examples(60):
        if len(members_of(row.target)) > 1:
            fault(row)
            assert any("is entailed of" in finding for finding in findings(generator, row))


@pytest.mark.parametrize("world", WORLDS)
def test_yes_no_and_unknown_agree_with_the_verdict(world: str) -> None:
    options = {"answer": "yes-no", "unknown_share": 0.4, "world": world, "k": "2..4"}
    answers = Counter()
    for row in Clutrr.configure(options).examples(100):
        answers[row.target] += 1
        status = verdict(world, row, row.metadata["asked"]).status
        expected = {"yes": "entailed", "no": "contradicted", "unknown": "undetermined"}
        assert str(status) == expected[row.target]
    assert min(answers.values()) > 20


def test_the_order_of_a_set_target_is_fixed() -> None:
    assert set_target(["Bob", "Al"]) == "Al; Bob"
    assert set_target([]) == "none"
    assert members_of("Al; Bob") == {"Al", "Bob"}
    assert members_of("none") == frozenset()
    assert members_of("aunt") == {"aunt"}

"""Side facts, and several queries per story: a guesser that does not see the query fails."""

from collections import Counter
from dataclasses import replace
from itertools import groupby

import networkx
import pytest
from stories import clutrr

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.realizing.realizer import partition_into_paths
from relsmith.kb.worlds.world import find_world
from relsmith.seed import Stream
from relsmith.testing.profile import scaled, thinned
from relsmith.validation import findings, group_findings

STYLES = ("text", "plain", "facts")


ROWS = scaled(3000, least=1200)
"""Fewer rows are too few to train a guesser."""


ENDS = "end-facts baseline"


def shares(
    options: dict[str, object], rows: int, guesser: str = "without the question"
) -> dict[int, float]:
    """Return the accuracy of guessers by k; the end-facts guesser learns from another seed."""
    generator = Clutrr.configure(options)
    train = generator.examples(rows, seed=1) if guesser == ENDS else ()
    found = Clutrr.measures(generator.examples(rows), train)
    by_k = {
        int(name.split(" = ")[1].split()[0]): share / 100
        for name, share in found.items()
        if guesser in name
    }
    assert by_k, (guesser, found)
    return by_k


def test_siblings_do_not_leak_questions_to_the_guesser() -> None:
    rows = list(Clutrr(k="2,3", style="facts").examples(scaled(1200, least=600)))
    twice = [replace(row, metadata=row.metadata | {"group": row.id}) for row in rows for _ in "ab"]
    alone, together = Clutrr.measures(rows), Clutrr.measures(twice)
    assert all(abs(alone[name] - together[name]) < 4 for name in alone), (alone, together)


@pytest.mark.parametrize(
    "options",
    [
        {},
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in (
                {"world": "spatial"},
                {"world": "time"},
                {"noise": "supporting"},
                {"noise": "all"},
                {"style": "text", "order": "shuffled"},
                {"world": "spatial", "noise": "supporting"},
                {"world": "ordering", "k": "4"},
            )
        ),
    ],
)
def test_the_ceiling_without_the_question_is_low(options) -> None:
    for k, share in shares({"k": "2,3,6,10", "style": "facts", **options}, ROWS).items():
        # Chains whose end facts reveal little of the answer often leave no room for others.
        most = 0.55 if options.get("world") in ("ordering", "spatial", "time") else 0.45
        assert share <= most, k


@pytest.mark.slow
@pytest.mark.parametrize(
    ("most", "options"),
    [
        (0.45, {}),
        (0.45, {"noise": "all"}),
        # Chains often begin and end with symmetric facts, which reveal nothing.
        (0.4, {"world": "time", "k": "4,8"}),
        (0.5, {"world": "ordering", "k": "4"}),
    ],
)
def test_end_facts_reveal_little_of_the_answer(most, options) -> None:
    for k, share in shares({"k": "3,6,10", "style": "facts", **options}, ROWS, ENDS).items():
        assert share <= most, k


def test_the_guesser_needs_training_rows() -> None:
    rows = list(Clutrr(k="2,3", style="facts").examples(200))
    assert not [name for name in Clutrr.measures(rows) if ENDS in name]
    # It learns from those alone, so it solves none with other answers.
    other = [replace(row, target="spouse's dog") for row in rows]
    assert not [name for name in Clutrr.measures(rows, other) if ENDS in name]
    wrong = [replace(row, target="wife") for row in rows]
    right = sum(row.target == "wife" for row in rows if row.metadata["k"] == 2)
    share = Clutrr.measures(rows, wrong)[f"{ENDS}, k = 2 (%)"]
    assert share == pytest.approx(100 * right / 100, abs=0.1)


def test_the_guesser_by_end_facts_solves_two_fact_chains() -> None:
    """Check k = 2, where the end facts are the whole chain."""
    (share,) = shares(
        {"k": 2, "side_facts": 0, "style": "facts"}, scaled(2000, least=2000), ENDS
    ).values()
    assert share > 0.9


def test_without_side_facts_the_guesser_finds_the_answer() -> None:
    """Check that the guesser itself solves nearly all chains of the thesis."""
    for share in shares({"k": "2,3", "side_facts": 0, "direction": "forward"}, 600).values():
        assert share > 0.9
    for share in shares({"k": "2,3", "side_facts": 0}, 600).values():
        assert 0.45 < share < 0.65


@pytest.mark.parametrize(
    "options", [{}, {"world": "spatial"}, {"world": "time"}, {"noise": "all", "people": 70}]
)
@pytest.mark.parametrize("questions", [2, 3])
def test_the_questions_of_a_story_share_all_but_the_question(options, questions: int) -> None:
    generator = clutrr("k=2..4", questions=questions, **options)
    count = scaled(200, least=40)
    rows = list(generator.examples(count))
    sizes = Counter()
    for first, group in groupby(rows, lambda row: row.metadata["story"]):
        story = list(group)
        assert story[0].id == first
        sizes[len(story)] += 1
        texts = {row.input[: row.metadata["starts"][-1]] for row in story}
        assert len(texts) == 1
        assert len({frozenset(row.metadata["query"]) for row in story}) == len(story)
        assert len({row.target for row in story}) == len(story)
        for row in story:
            assert findings(generator, row) == []
    assert sizes[questions] >= count // questions - 1


@pytest.mark.parametrize(
    "options",
    [
        {"side_facts": 5, "noise": "all", "noise_paths": 2, "noise_length": "3", "people": 70}
        | {"children": 2, "marriage": 0.46},
        {"side_facts": 9, "people": 20, "k": "2..4", "children": 2, "marriage": 0.21},
    ],
)
def test_noise_takes_precedence_over_side_facts(options) -> None:
    rows = list(clutrr("style=facts", **options).examples(scaled(256, least=100)))
    assert any(len(row.metadata["side_facts"]) < options["side_facts"] for row in rows)
    generator = clutrr("style=facts", **options)
    for row in rows[:40]:
        assert findings(generator, row) == []


def test_few_names_mean_fewer_side_facts(tmp_path) -> None:
    names = [
        f"{stem}{end}, {kind}"
        for kind, end in (("female", "a"), ("male", "o"))
        for stem in ("Bir", "Cel", "Dor", "Fel")
    ]
    (tmp_path / "names").write_text("\n".join(names))
    generator = clutrr("k=2 style=facts", names=str(tmp_path / "names"))
    for row in generator.examples(scaled(300)):
        assert len(row.metadata["side_facts"]) == 1
        assert findings(generator, row) == []


@pytest.mark.parametrize("world", thinned(["kinship", "ordering", "spatial", "time", "work"]))
def test_facts_have_random_directions_and_queries_random_ends(world: str) -> None:
    ways, ends = Counter(), Counter()
    for row in clutrr("k=2..6 style=facts", world=world).examples(scaled(500, least=400)):
        person = row.metadata["query"][0]
        # Facts about the last person are added so that some word reveals the gender.
        for x, _, y in row.metadata["facts"][:-1]:
            ways[person == x] += 1
            person = y if person == x else x
        told = row.metadata["facts"] + row.metadata["side_facts"]
        graph = networkx.Graph((x, y) for x, _, y in told)
        assert networkx.is_tree(graph)
        ends[sum(graph.degree[name] == 1 for name in row.metadata["query"])] += 1
    assert 0.45 < ways[True] / ways.total() < 0.55
    assert min(ends[0], ends[1], ends[2]) > 10


def test_forward_keeps_the_chains_of_the_thesis() -> None:
    for row in clutrr("k=2..6 side_facts=0 direction=forward").examples(scaled(300)):
        facts = row.metadata["facts"]
        people = [row.metadata["query"][0], *(y for _, _, y in facts)]
        assert [x for x, _, _ in facts] == people[:-1]
        assert people[-1] == row.metadata["query"][1]


def test_paths_partition_the_facts() -> None:
    facts = [(0, 0, 1), (1, 0, 2), (3, 0, 1), (2, 0, 4), (4, 0, 5)]
    shapes = Counter()
    for seed in range(scaled(200, least=60)):
        paths = partition_into_paths(facts, Stream("strands", seed))
        assert sorted(n for _, numbers in paths for n in numbers) == list(range(len(facts)))
        for people, numbers in paths:
            assert len(people) == len(numbers) + 1 == len(set(people))
            for n, number in enumerate(numbers):
                assert {people[n], people[n + 1]} == {facts[number][0], facts[number][2]}
        shapes[tuple(sorted(len(numbers) for _, numbers in paths))] += 1
    assert set(shapes) == {(1, 4), (2, 3)}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda row, beside: {
                "noise": ["irrelevant"],
                "noise_facts": [[beside]],
                "side_facts": [],
            },
            "noise should be of the kinds",
        ),
        (
            lambda row, beside: {
                "side_facts": [[row.metadata["query"][0], "aunt", row.metadata["query"][1]]] * 3
            },
            "the two are 1 facts apart, not 3",
        ),
        (
            lambda row, beside: {
                "side_facts": [*beside[:-1], ["Nobody", "aunt", "Anyone"]],
                "genders": [*row.metadata["genders"], ["Nobody", "male"], ["Anyone", "female"]],
            },
            "a side fact does not introduce exactly one person",
        ),
        (
            lambda row, beside: {"side_facts": beside + beside},
            "there are 6 side facts, but at most 3 are allowed",
        ),
        (
            lambda row, beside: {"story": "clutrr-v4-s0-train-999"},
            "story should be the id of the story's first row",
        ),
    ],
)
def test_the_judge_finds_wrong_side_facts(wrong, message: str) -> None:
    generator = clutrr("k=3 style=facts")
    named = 0
    for row in generator.examples(30):
        changed = row.metadata | wrong(row, row.metadata["side_facts"])
        found = findings(generator, replace(row, metadata=changed))
        named += any(message in finding for finding in found)
    assert named >= 25


def test_the_judge_finds_facts_that_do_not_run_forward() -> None:
    generator = clutrr("k=3 style=facts direction=forward side_facts=0")
    found = [
        findings(generator, row) for row in clutrr("k=3 style=facts side_facts=0").examples(30)
    ]
    against = "a fact of the chain does not run forward"
    assert sum(against in each for each in found) > 10


def test_the_judge_finds_a_story_with_a_single_answer() -> None:
    """Plant two brothers and an unrelated side fact, with a single query."""
    generator = clutrr("k=2 style=facts")
    (row,) = generator.examples(1)
    facts = [["Al", "brother", "Bob"], ["Bob", "brother", "Cid"]]
    row.metadata |= {
        "facts": facts,
        "side_facts": [["Cid", "brother", "Don"]],
        "clause": ["sibling", "sibling"],
        "query": ["Al", "Cid"],
        "genders": [[name, "male"] for name in ("Al", "Bob", "Cid", "Don")],
        "proof": [[0, 1]],
        "concluded": ["brother"],
        "proof_depth": 1,
        "starts": [27, 46, 65, 84],
        "states": [[0], [1], [2]],
        "templates": ["fact"] * 3,
    }
    row.target = "brother"
    legend = find_world("kinship").story_spec.legend
    row.input = (
        f"{legend} (Al, brother, Bob) (Bob, brother, Cid) (Cid, brother, Don) "
        f"How is Cid related to Al?"
    )
    found = findings(generator, row)
    assert "all queries about 2 facts have the same answer" in found
    row.metadata["side_facts"] = [["Cid", "father", "Don"]]
    assert not any("have the same answer" in finding for finding in findings(generator, row))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda row, first: {"story": row.id}, "not all of the story"),
        (lambda row, first: {"starts": [start + 1 for start in row.metadata["starts"]]}, "texts"),
        (lambda row, first: {"facts": [["a", "aunt", "b"]] * row.metadata["k"]}, "different facts"),
        (lambda row, first: {"genders": row.metadata["genders"][1:]}, "different genders"),
        (lambda row, first: {"k": row.metadata["k"] + 1}, "different k"),
        (lambda row, first: {"query": first.metadata["query"][::-1]}, "query occurs twice"),
        (lambda row, first: {}, "same answer"),
    ],
)
def test_the_judge_compares_the_questions_of_a_story(wrong, message: str) -> None:
    generator = clutrr("questions=3 k=2..4")
    rows = list(generator.examples(3))
    assert group_findings(generator, rows) == []
    changed = wrong(rows[2], rows[0])
    rows[2] = replace(
        rows[2],
        target=rows[2].target if changed else rows[0].target,
        metadata=rows[2].metadata | changed,
    )
    assert message in " ".join(group_findings(generator, rows))


@pytest.mark.parametrize("options", ["style=facts", "style=facts questions=3 side_facts=6"])
def test_a_block_does_not_depend_on_the_blocks_before(options: str) -> None:
    generator = clutrr(options)
    rows = list(generator.examples(270))
    for start in (254, 256):  # with three questions, in the middle of a story
        assert rows[start:] == list(generator.examples(270, start=start))
    if generator.questions > 1:
        stories = [row.metadata["story"] for row in rows[252:258]]
        assert stories == [rows[252].id] * 3 + [rows[255].id] * 3

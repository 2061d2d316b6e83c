"""A reader of only the first and the last fact of a chain learns little."""

from collections import Counter, defaultdict
from functools import cache
from itertools import product
from statistics import mean

import pytest
from stories import clutrr

from relsmith.block import Block
from relsmith.end_facts import Features, end_fact_features, predict_from_end_facts
from relsmith.generators.clutrr.metadata import stated_facts
from relsmith.generators.clutrr.planning import end_balance
from relsmith.generators.clutrr.planning.block_plan import BlockPlan
from relsmith.generators.clutrr.planning.end_balance import (
    ANY,
    MAX_BALANCED_K,
    balanced_shares,
    best_accuracy,
    distances,
    end_answers,
    shipped_balance,
    shipped_shares,
)
from relsmith.generators.clutrr.planning.feasibility import (
    possible_ends,
    rules_of,
    search_chainers,
)
from relsmith.generators.clutrr.planning.holdout import HoldOut
from relsmith.kb.worlds.scene import members
from relsmith.splits import TRAIN
from relsmith.testing.profile import scaled

WORLDS = sorted(file.stem for file in end_balance._FOLDER.glob("*.json"))


def accuracy(world: str, k: int, stories: int) -> float:
    """Return the accuracy of a reader of both end facts, trained on as many other stories."""
    options, seen, right, total = clutrr(f"k={k}", world=world), defaultdict(Counter), 0, 0
    size = options.rows_per_block
    for index in range(-(-2 * stories // size)):
        block = Block("clutrr", 4, 0, (TRAIN,), TRAIN, index, world, size)
        plan = BlockPlan(options, block, HoldOut(), block.stream("question"))
        for story in map(plan.story_plan, range(size)):
            query = story.queries[0]
            ends = query.clause[0], query.clause[-1]
            if total < stories:
                seen[ends][query.predicate] += 1
            else:
                right += max(seen[ends], key=seen[ends].get, default=-1) == query.predicate
            total += 1
    return right / (total - stories)


@pytest.mark.parametrize(
    ("world", "k"),
    [
        ("kinship", 3),
        ("kinship", 5),
        *(
            pytest.param(world, k, marks=pytest.mark.slow)
            for world, k in [*product(WORLDS, (3, 4, 6, 8)), ("kinship", 10)]
        ),
    ],
)
def test_end_facts_are_close_to_their_minimum(world: str, k: int) -> None:
    ours = shipped_shares(world)["sound"][str(min(k, MAX_BALANCED_K))]["ours"]
    assert accuracy(world, k, scaled(8000, least=1000)) <= ours + 0.035


@pytest.mark.parametrize("world", WORLDS)
def test_shipped_shares_are_near_the_minimum(world: str) -> None:
    rules = rules_of(world, "sound")
    for k, table in shipped_shares(world)["sound"].items():
        shares = {(first, last, answer): share for first, last, answer, share in table["shares"]}
        assert best_accuracy(shares) == pytest.approx(table["ours"], abs=0.005)
        totals: Counter[int] = Counter()
        for (first, last, answer), share in shares.items():
            assert end_answers(rules, int(k))[first, last] >> answer & 1
            totals[answer] += share
        assert totals.keys() == rules.head_predicates
        assert all(abs(total - 1) < 0.01 for total in totals.values())
        # Equalities at both ends would reveal less, and nothing else: they are limited.
        if not any(end_balance._is_equality(rules, p) for p in rules.head_predicates):
            assert table["least"] - 0.001 <= table["ours"] <= table["least"] + 0.05


@pytest.mark.parametrize("k", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_the_minimum_accuracy_equals_linear_programming(k: int) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rules = rules_of("kinship", "sound")
    answers = possible_ends(search_chainers(clutrr(f"k={k}")), k)
    pairs, asked = list(answers), sorted(rules.head_predicates)
    # The dual of the cover: weights of answers, at most 1 in all for each pair.
    limits = [[pair_answers >> answer & 1 for answer in asked] for pair_answers in answers.values()]
    found = optimize.linprog([-1] * len(asked), A_ub=limits, b_ub=[1] * len(pairs))
    least = -found.fun / len(asked)
    table = shipped_shares("kinship")["sound"][str(k)]
    assert table["least"] == pytest.approx(least, abs=1e-3)
    assert best_accuracy(balanced_shares(rules, answers)) == pytest.approx(table["ours"], abs=1e-3)


def test_answers_of_end_facts_are_those_of_all_clauses() -> None:
    rules = rules_of("kinship", "sound")
    for k in (2, 3, 4):
        expected: Counter[tuple[int, int]] = Counter()
        for clause in product(range(len(rules.predicates)), repeat=k):
            for head in rules.count_proofs(clause):
                expected[clause[0], clause[-1]] |= 1 << head
        assert end_answers(rules, k) == expected


@pytest.mark.parametrize("place", [0, 1])
def test_distances_are_numbers_of_rules(place: int) -> None:
    rules = rules_of("kinship", "sound")

    @cache
    def ends(predicate: int, steps: int) -> frozenset[int]:
        if not steps:
            return frozenset([predicate])
        return frozenset().union(
            *[ends(body[place], steps - 1) for body in rules.bodies[predicate]]
        )

    for end in range(len(rules.predicates)):
        for predicate, found in enumerate(distances(rules, place, end)):
            within = [steps for steps in range(8) if end in ends(predicate, steps)]
            assert found == min(within) if within else found > 1000
    assert set(distances(rules, place, ANY)) == {0}


def test_worlds_without_a_file_are_searched() -> None:
    """Check worlds of plugins, without a file; both ways give the same shares."""
    options, rules = clutrr("k=3"), rules_of("kinship", "sound")
    shipped = shipped_balance("kinship", "sound", len(rules.predicates), 3)
    searched = balanced_shares(rules, possible_ends(search_chainers(options), 3))
    for (first, last, answer), share in searched.items():
        assert shipped.shares[first][last][answer] == pytest.approx(share, abs=0.001)
    for answer, pairs in enumerate(shipped.pairs):
        for first, last in pairs:
            assert answer in members(end_answers(rules, 3)[first, last])


def undetermined_accuracy(world: str, k: int, rows: int) -> float:
    """Return how often end facts tell undetermined rows from others, if trained on as many."""
    generator = clutrr(f"k={k}", world=world, unknown_share=0.5)
    known: list[tuple[Features, str]] = []
    for row in generator.examples(2 * rows):
        facts = [(x, word, y) for x, word, y in stated_facts(row.metadata)]
        genders = dict(row.metadata["genders"])
        features = end_fact_features(facts, row.metadata["query"], genders)
        known.append((features, "unknown" if row.target == "unknown" else "known"))
    guesses = predict_from_end_facts(known[:rows], [features for features, _ in known[rows:]])
    return mean(guess == kind for guess, (_, kind) in zip(guesses, known[rows:], strict=True))


@pytest.mark.parametrize(
    ("world", "k", "rows", "most"),
    [
        ("kinship", 4, 200, 0.64),
        pytest.param("kinship", 3, 1500, 0.57, marks=pytest.mark.slow),
        pytest.param("kinship", 6, 1500, 0.57, marks=pytest.mark.slow),
        pytest.param("time", 5, 1000, 0.64, marks=pytest.mark.slow),
    ],
)
def test_end_facts_do_not_reveal_undetermined_rows(
    world: str, k: int, rows: int, most: float
) -> None:
    assert undetermined_accuracy(world, k, rows) <= most

"""Long stories: right length, right answers, needed facts at the right depth."""

import re
from collections import Counter
from itertools import chain

import pytest
from stories import clutrr

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.judging.case import people_along
from relsmith.generators.clutrr.metadata import stated_facts, story_segments
from relsmith.kb.worlds.world import find_world
from relsmith.validation import findings


def telling(**options) -> Clutrr:
    return clutrr("k=2..5 noise=all words=500", **options)


def story(row) -> str:
    """Return the content of the sentences of a row."""
    return " ".join(story_segments(row))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"words": 2000, "questions": 2},
        {"style": "plain", "order": "shuffled"},
        {"style": "facts", "answer": "yes-no"},
        {"unknown_share": 0.5, "noise": "irrelevant"},
        {"words": 3000, "task": "mixed", "explain": True},
    ],
)
def test_stories_are_right_and_have_the_given_length(options) -> None:
    generator = telling(**options)
    for row in generator.examples(8):
        assert not findings(generator, row)
        assert generator.words - 100 < len(story(row).split()) <= generator.words


def test_the_clean_story_stays_as_it_was() -> None:
    long, short = telling(), clutrr("k=2..5")
    for row, other in zip(long.examples(20), short.examples(20), strict=True):
        assert row.target == other.target
        assert row.metadata["facts"] == other.metadata["facts"]
        facts = stated_facts(row.metadata)
        assert all(fact in facts for fact in other.metadata["side_facts"])


@pytest.mark.parametrize(
    ("noise", "shares"),
    [
        ("all", {"supporting": 0.25, "irrelevant": 0.5, "disconnected": 0}),
        ("irrelevant", {"irrelevant": 1}),
    ],
)
def test_filler_has_all_attached_kinds_of_noise(noise: str, shares: dict[str, float]) -> None:
    generator = telling(noise=noise, words=2000)
    told: Counter[str] = Counter()
    for row in generator.examples(4):
        for kind, paths in zip(row.metadata["noise"], row.metadata["noise_facts"], strict=True):
            told[kind] += len(paths)
    assert set(told) == set(shares)
    assert all(told[kind] >= share * told.total() for kind, share in shares.items())


def stripped(row) -> tuple[float, bool]:
    """Remove all segments that no shared name connects with the people of the query.

    Return the share of words that is left, and whether a needed segment was removed.
    """
    names = {name for fact in stated_facts(row.metadata) for name in fact[::2]}
    any_name = re.compile("|".join(re.escape(name) for name in sorted(names, key=len)[::-1]))
    lines = [(text, set(any_name.findall(text))) for text in story_segments(row)]
    connected, before = set(row.metadata["query"]), 0
    while len(connected) > before:
        before = len(connected)
        for _, people in lines:
            if people & connected:
                connected |= people
    kept = [text for text, people in lines if people & connected]
    lost = False
    for (_, people), facts in zip(lines, row.metadata["states"], strict=True):
        lost = lost or (min(facts, default=99) < row.metadata["k"] and not people & connected)
    return len(" ".join(kept).split()) / len(story(row).split()), lost


@pytest.mark.parametrize("world", ["kinship", "kinship-extended", "ordering", "work"])
def test_filler_cannot_be_stripped(world: str) -> None:
    """Check that keeping only connected people keeps most of the story."""
    generator = telling(k="2..4", words=1000, world=world)
    rows = list(generator.examples(6))
    assert not any(findings(generator, row) for row in rows)
    results = [stripped(row) for row in rows]
    assert sum(share for share, _ in results) >= 0.6 * len(rows) or (
        sum(lost for _, lost in results) >= len(rows) / 2
    )


def findings_if_renamed(kinds: set[str], which: slice, name_of) -> str:
    """Return the findings about a long story after renaming the people of some filler."""
    generator = telling(words=1500)
    (row,) = generator.examples(1)
    genders = row.metadata["genders"]
    for kind, paths in zip(row.metadata["noise"], row.metadata["noise_facts"], strict=True):
        for fact in chain(*(paths[which] if kind in kinds else ())):
            fact[0], fact[2] = name_of(fact[0]), name_of(fact[2])
    known = {name for name, _ in genders}
    genders += [[name_of(name), its] for name, its in genders if name_of(name) not in known]
    return "; ".join(findings(generator, row))


@pytest.mark.parametrize("kind", ["supporting", "irrelevant"])
def test_unconnected_filler_is_found(kind: str) -> None:
    found = findings_if_renamed({kind}, slice(2, 3), lambda name: f"{name}x")
    assert "filler is not connected with the noise" in found


def test_filler_about_the_people_of_the_question_is_found() -> None:
    (row,) = telling(words=1500).examples(1)
    last = people_along([tuple(fact) for fact in row.metadata["noise_facts"][1][2]])[-1]
    new_name = {last: row.metadata["query"][0]}
    found = findings_if_renamed({"irrelevant"}, slice(2, 3), lambda name: new_name.get(name, name))
    assert "filler touches the chain" in found


def test_a_story_of_which_little_is_connected_is_found() -> None:
    kinds = {"supporting", "irrelevant"}
    found = findings_if_renamed(kinds, slice(1, None), lambda name: f"{name}x")
    assert "are about people connected with the question" in found


@pytest.mark.parametrize("depth", [0, 0.25, 1])
def test_needed_facts_are_at_the_given_depth(depth: float) -> None:
    generator = telling(words=1500, depth=depth)
    for row in generator.examples(6):
        assert not findings(generator, row)
        core = row.metadata["k"] + len(row.metadata["side_facts"])
        lines = row.metadata["states"]
        places = [n for n, numbers in enumerate(lines) if any(f < core for f in numbers)]
        share = places[0] / (len(lines) - (places[-1] + 1 - places[0]))
        assert abs(share - depth) < 0.05


def test_needed_facts_are_anywhere_without_a_depth() -> None:
    places: Counter[int] = Counter()
    for row in telling(words=1500, k="2").examples(60):
        for n, numbers in enumerate(row.metadata["states"]):
            if any(fact < 2 for fact in numbers):
                places[4 * n // len(row.metadata["states"])] += 1
    assert min(places[quarter] for quarter in range(4)) > sum(places.values()) / 8


def test_family_names_are_uninformative_and_full_names_unique() -> None:
    (row,) = telling(words=8000).examples(1)
    names = [name for name, _ in row.metadata["genders"]]
    assert len(set(names)) == len(names) > 300
    families = set(find_world("kinship").story_spec.family_names)
    assert {name.split()[1] for name in names} <= families
    facts = [f for path in chain(*row.metadata["noise_facts"]) for f in path]
    alike = [x.split()[1] == y.split()[1] for x, _, y in facts]
    assert sum(alike) < 0.02 * len(alike)


def test_sentences_do_not_repeat_noticeably() -> None:
    (row,) = telling(words=8000).examples(1)
    told = Counter(row.metadata["templates"])
    assert max(told.values()) <= 5
    names = "|".join(re.escape(name) for name, _ in row.metadata["genders"])
    shapes = Counter(re.sub(names, "X", text) for text in story_segments(row))
    assert sum(count - 1 for count in shapes.values()) < 0.15 * shapes.total()


def test_a_wrong_length_or_depth_is_found() -> None:
    generator = telling(words=1500, depth=0.5)
    (row,) = generator.examples(1)
    for other, words in (({"words": 2500}, "has 1"), ({"depth": 0.1}, "the facts needed come")):
        judge = telling(**{"words": 1500, "depth": 0.5, **other})
        assert any(words in finding for finding in findings(judge, row))
    scattered = telling(words=1500)
    (row,) = scattered.examples(1)
    assert any("noise is among the facts" in finding for finding in findings(generator, row))


def test_a_shortcut_through_filler_is_found() -> None:
    """Check noise that names both people of the query, which would be a shortcut."""
    generator = telling()
    (row,) = generator.examples(1)
    (x, y), path = row.metadata["query"], row.metadata["noise_facts"][-1][-1]
    path[0] = [x, row.target, y]
    assert any("facts apart" in finding for finding in findings(generator, row))

"""Long stories: as long as asked for, right, with what is needed where it should be."""

import re
from collections import Counter
from itertools import chain

import pytest
from stories import clutrr

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import story_segments
from relsmith.kb.worlds.world import find_world
from relsmith.validation import findings


def telling(**options) -> Clutrr:
    return clutrr("k=2..5 noise=all words=500", **options)


def story(row) -> str:
    """What the sentences of a row have."""
    return " ".join(story_segments(row))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"words": 2000, "questions": 2},
        {"style": "plain", "order": "narrative"},
        {"style": "facts", "answer": "yes-no"},
        {"unknown_share": 0.5, "noise": "disconnected"},
        {"words": 3000, "task": "mixed", "explain": True},
    ],
)
def test_stories_are_right_and_as_long_as_asked_for(options) -> None:
    generator = telling(**options)
    for row in generator.examples(8):
        assert not findings(generator, row)
        assert generator.words - 100 < len(story(row).split()) <= generator.words


def test_the_clean_story_stays_as_it_was() -> None:
    long, short = telling(), clutrr("k=2..5")
    for row, other in zip(long.examples(20), short.examples(20), strict=True):
        assert row.target == other.target
        assert row.metadata["facts"] == other.metadata["facts"]
        needed = set(story_segments(row))
        assert set(story_segments(other)) <= needed


@pytest.mark.parametrize(
    ("noise", "kinds"),
    [
        ("all", {"supporting", "irrelevant", "disconnected"}),
        ("supporting,disconnected", {"supporting", "disconnected"}),
        ("disconnected", {"disconnected"}),
    ],
)
def test_filler_has_all_kinds_of_noise(noise: str, kinds: set[str]) -> None:
    generator = telling(noise=noise, words=2000)
    told: Counter[str] = Counter()
    for row in generator.examples(4):
        assert not findings(generator, row)
        for kind, paths in zip(row.metadata["noise"], row.metadata["noise_facts"], strict=True):
            told[kind] += len(paths)
    assert set(told) == kinds
    assert min(told.values()) > 0.7 / len(kinds) * told.total()


@pytest.mark.parametrize("kind", ["supporting", "irrelevant"])
def test_filler_attached_to_no_family_is_found(kind: str) -> None:
    generator = telling(words=1500, noise="all")
    (row,) = generator.examples(1)
    paths = row.metadata["noise_facts"][row.metadata["noise"].index(kind)]
    paths[2] = [[f"{x}x", word, f"{y}x"] for x, word, y in paths[2]]
    assert f"{kind} noise touches the path" in "; ".join(findings(generator, row))


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
    assert len(set(names)) == len(names) > 400
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
    """Noise that names the two people asked about would be a shortcut."""
    generator = telling()
    (row,) = generator.examples(1)
    (x, y), path = row.metadata["query"], row.metadata["noise_facts"][-1][-1]
    path[0] = [x, row.target, y]
    assert any("facts apart" in finding for finding in findings(generator, row))

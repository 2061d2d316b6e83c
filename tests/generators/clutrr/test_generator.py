"""Kinship stories: right, of true length, balanced, and answered by nothing but reasoning."""

import copy
import re
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.judge import findings
from relsmith.kb.kinship import world
from relsmith.testing import check_generator

GOLDEN = "8626efad0d555fdcba3d604d3a24faee670312330cf2c5b9383d4a467c57d778"
GOLDEN_NOISY = "6b71d2e6cc83450d59de980a37e07b4b2dc68ac45a1c5b143b5f643a5afae927"
NOISY = {"k": "2..6", "noise": "all", "choices": "all", "people": "60", "style": "plain"}


def test_keeps_the_promises() -> None:
    check_generator(Clutrr, golden=GOLDEN)


def test_keeps_them_with_all_noise() -> None:
    check_generator(Clutrr, golden=GOLDEN_NOISY, options=NOISY)


@settings(deadline=None, max_examples=40)
@given(
    low=st.integers(2, 10),
    more=st.integers(0, 8),
    noise=st.sampled_from(
        ["none", "supporting", "irrelevant", "disconnected", "all", "supporting,disconnected"]
    ),
    style=st.sampled_from(["text", "plain"]),
    order=st.sampled_from(["shuffled", "narrative"]),
    choices=st.sampled_from(["none", "all"]),
    children=st.integers(3, 5),
    marriage=st.floats(0.6, 1),
    seed=st.integers(-(2**63), 2**63 - 1),
)
def test_every_row_is_entailed_whatever_the_options(
    low, more, noise, style, order, choices, children, marriage, seed
) -> None:
    generator = Clutrr.configure(
        {
            "k": f"{low}..{min(low + more, 10)}",
            "noise": noise,
            "style": style,
            "order": order,
            "choices": choices,
            "people": 60,
            "children": children,
            "marriage": marriage,
        }
    )
    for example in generator.examples(25, seed=seed):
        assert findings(generator, example) == []


@pytest.mark.parametrize("style", ["text", "plain"])
def test_a_story_that_tells_another_relation_is_noticed(style: str) -> None:
    """Changed in the sentence and in the input alike, as a faulty frame would have it."""
    generator = Clutrr.configure({"k": "2..6", "style": style})
    meanings, inverse = world().meanings, world().inverse
    changed = 0
    for row in generator.examples(300):
        for at, line in enumerate(row.metadata["sentences"]):
            told = {meanings[word][0] for _, word, _ in line["facts"]}
            told |= {inverse(predicate) for predicate in told}
            other = next(word for word, (predicate, _) in meanings.items() if predicate not in told)
            for word in {word for _, word, _ in line["facts"]}:
                text = re.sub(rf"\b{word}\b", other, line["text"])
                if text != line["text"]:
                    spoilt = copy.deepcopy(row)
                    spoilt.metadata["sentences"][at]["text"] = text
                    spoilt.input = spoilt.input.replace(line["text"], text)
                    assert findings(generator, spoilt), text
                    changed += 1
    assert changed > 300


@pytest.mark.parametrize("noise", ["supporting", "irrelevant", "disconnected", "all"])
def test_noise_leaves_the_clean_story_as_it_was(noise: str) -> None:
    clean = Clutrr.configure({"k": "2..8", "people": 60}).examples(600)
    noisy = Clutrr.configure({"k": "2..8", "people": 60, "noise": noise}).examples(600)
    for one, other in zip(clean, noisy, strict=True):
        assert (one.id, one.target) == (other.id, other.target)
        for part in ("k", "clause", "facts", "query", "proof"):
            assert one.metadata[part] == other.metadata[part]
        rest = iter(other.metadata["sentences"])
        assert all(sentence in rest for sentence in one.metadata["sentences"])


def test_relations_are_balanced_for_every_k() -> None:
    generator = Clutrr.configure({"k": "2..10", "noise": "supporting"})
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row in generator.examples(10_000):
        counts[row.metadata["k"]][row.target] += 1
    for k, targets in counts.items():
        mean = targets.total() / 22
        assert len(targets) == 22, f"k = {k}"
        assert mean / 2 <= min(targets.values()), f"k = {k}"
        assert max(targets.values()) <= 2 * mean, f"k = {k}"


def test_rows_of_a_split_differ_and_splits_share_none() -> None:
    generator = Clutrr()
    inputs = [
        row.input
        for split in ("train", "test")
        for row in generator.examples(5000, split=split, splits=("train", "test"))
    ]
    assert len(set(inputs)) == len(inputs)


def test_no_two_splits_share_the_names_of_a_chain() -> None:
    """Not by luck: with a pool of three names a gender, chance would see to it that they do."""
    chains = {}
    for split in ("train", "test"):
        with pytest.MonkeyPatch.context() as patch:
            few = (("Abe", "Ben", "Cal"), ("Dot", "Eve", "Fay"))
            patch.setattr("relsmith.generators.clutrr.generator.pool", lambda few=few: few)
            chains[split] = {
                tuple(name for fact in row.metadata["facts"] for name in (fact[0], fact[2]))
                for row in Clutrr.configure({"k": "2"}).examples(
                    400, split=split, splits=("train", "test")
                )
            }
    assert len(chains["train"]) > 20
    assert not chains["train"] & chains["test"]


def _accuracy(rows, feature) -> float:
    """How often a look-up table, fitted on one half of the rows, is right on the other."""
    half = len(rows) // 2
    table: dict[object, Counter[str]] = defaultdict(Counter)
    for row in rows[:half]:
        table[feature(row)][row.target] += 1
    overall = Counter(row.target for row in rows[:half]).most_common(1)[0][0]
    best = {seen: targets.most_common(1)[0][0] for seen, targets in table.items()}
    return sum(best.get(feature(row), overall) == row.target for row in rows[half:]) / half


def _gender(row) -> str:
    return row.metadata["genders"][row.metadata["query"][1]]


def _places(row) -> tuple[object, ...]:
    """Where the two names first stand, and how often, by sentence."""
    lines = [re.findall(r"\w+", line["text"]) for line in row.metadata["sentences"]]
    places = []
    for name in row.metadata["query"]:
        at = [number for number, words in enumerate(lines) if name in words]
        places += [at[0], at[-1], len(at)]
    return (_gender(row), len(lines), *places)


def _words_before(row) -> tuple[object, ...]:
    words = re.findall(r"\w+", row.input)
    return (_gender(row), *(words.index(name) for name in row.metadata["query"]))


@pytest.mark.parametrize("noise", ["none", "supporting"])
def test_nothing_but_reasoning_gives_the_answer(noise: str) -> None:
    rows = list(Clutrr.configure({"k": "2..10", "noise": noise}).examples(10_000, seed=3))
    by_gender = _accuracy(rows, _gender)
    features = {
        "places by sentence": _places,
        "places by word": _words_before,
        "second name": lambda row: row.metadata["query"][1],
        "first name": lambda row: (_gender(row), row.metadata["query"][0]),
        "question": lambda row: row.input[row.input.rindex("How is") :],
    }
    for what, feature in features.items():
        assert _accuracy(rows, feature) <= by_gender + 0.03, what


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": "1..3"}, "k: expected 2 or more, but got '1..3'"),
        ({"k": "10..2"}, "did you mean '2..10'?"),
        ({"k": "99"}, "k: expected 15 at most, but got '99'"),
        ({"noise": "none,all"}, "'none' cannot stand beside other kinds"),
        ({"k": "12", "people": "20"}, "needs a family of 26, but got 20"),
        ({"noise_length": "1"}, "noise_length: expected 2 to 6, but got '1'"),
    ],
)
def test_impossible_options_are_refused_at_once(options, words) -> None:
    with pytest.raises(InvalidOption) as caught:
        Clutrr.configure(options)
    assert words in str(caught.value)

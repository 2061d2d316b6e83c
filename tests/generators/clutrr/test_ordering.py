"""Stories and questions of the world of ordering."""

from collections import Counter

import pytest
from stories import clutrr

from relsmith.kb.worlds.ordering.judge import WORDS
from relsmith.testing.profile import scaled, thinned

ALIKE = {"as tall as", "as old as", "as fast as", "as strong as"}
DIMENSIONS = [WORDS[start : start + 5] for start in range(0, 20, 5)]
DIMENSION = {word: number for number, words in enumerate(DIMENSIONS) for word in words}


OPEN = {"unknown_share": 0.9, "k": "2..4"}


def test_stories_state_facts_of_other_dimensions() -> None:
    """Check for facts of other dimensions, which a solver must ignore."""
    several, rows = 0, scaled(300, least=100)
    for row in clutrr("world=ordering k=2..6 style=facts").examples(rows):
        asked = DIMENSION[row.target]
        assert {DIMENSION[word] for _, word, _ in row.metadata["facts"]} == {asked}
        several += any(DIMENSION[word] != asked for _, word, _ in row.metadata["side_facts"])
    assert several > rows / 2


def test_open_stories_are_mostly_in_one_dimension() -> None:
    """Check that undetermined stories are not revealed by facts of other dimensions only."""
    generator = clutrr("world=ordering style=facts", **OPEN)
    rows = [row for row in generator.examples(200) if row.target == "unknown"]
    one = [len({DIMENSION[word] for _, word, _ in row.metadata["facts"]}) == 1 for row in rows]
    assert sum(one) > len(one) / 3


def test_open_questions_use_a_dimension_of_the_chain() -> None:
    for answer, most in (("yes-no", 0.0), ("who", 0.03)):
        others, rows = 0, scaled(300)  # somebody may have it in all dimensions of the chain
        for row in clutrr("world=ordering", answer=answer, **OPEN).examples(rows):
            if row.target in ("unknown", "none"):
                chain = {DIMENSION[word] for _, word, _ in row.metadata["facts"]}
                others += DIMENSION[row.metadata["asked"]] not in chain
        assert others <= most * rows


def test_chains_do_not_consist_of_people_who_are_alike() -> None:
    """Check facts between equals, which would otherwise be the most frequent end facts."""
    generator = clutrr("world=ordering k=4 style=facts")
    rows = [row for row in generator.examples(400) if row.target not in ALIKE]
    said = Counter(word in ALIKE for row in rows for _, word, _ in row.metadata["facts"])
    assert said[True] < 0.65 * said.total()
    assert sum(row.metadata["facts"][0][1] in ALIKE for row in rows) > len(rows) / 2


@pytest.mark.parametrize("task", thinned(["reasoning", "memory"]))
def test_yes_no_questions_reveal_little(task: str) -> None:
    """Check that questions for weak words and equality are denied less often.

    With equal shares, three fifths of the denials would ask for two of the five words.
    """
    asked: dict[str, Counter[str]] = {}
    generator = clutrr("world=ordering answer=yes-no style=facts", task=task)
    for row in generator.examples(scaled(2000, least=1000)):
        kind = row.metadata["asked"].split()[0].replace("not", "weak")
        kind = kind if kind in ("as", "weak") else "strict"
        asked.setdefault(kind, Counter())[row.target] += 1
    for kind, answers in asked.items():
        assert 0.33 < answers["yes"] / answers.total() < 0.67, (kind, answers)

"""Stories from a file of sentences in the original's format."""

import json

import pytest
from stories import clutrr

from relsmith import verify, write
from relsmith.errors import RelsmithError
from relsmith.kb.worlds.kinship import world
from relsmith.testing.profile import scaled
from relsmith.validation import findings

GENDERS = ("male", "female")


def sentences(shape: str, times: int = 1) -> dict[str, dict[str, list[str]]]:
    """Return sentences of that format for every relation and pair of genders."""
    found: dict[str, dict[str, list[str]]] = {}
    for word, (predicate, gender) in world().meanings.items():
        for first in GENDERS:
            if predicate != "SO" or first != gender:
                texts = [
                    shape.format(x=f"ENT_0_{first}", y=f"ENT_1_{gender}", word=word, n="very " * n)
                    for n in range(times)
                ]
                found.setdefault(word, {})[f"{first}-{gender}"] = texts
    return found


@pytest.fixture
def mine(tmp_path):
    def write(data) -> str:
        path = tmp_path / "mine.json"
        path.write_text(json.dumps(data))
        return str(path)

    return write


@pytest.mark.parametrize("noise", ["none", "all"])
def test_stories_use_the_sentences_of_the_file(mine, noise: str) -> None:
    data = sentences("{y} is a {n}dear {word} of {x}.", 3)
    data["father-mother"] = {
        "male-male-female": [
            "ENT_2_female, mother of ENT_1_male, who is the father of ENT_0_male, slept."
        ]
    }
    generator = clutrr("k=2..5", paraphrases=mine(data), noise=noise)
    templates = set()
    for row in generator.examples(scaled(400, least=300)):
        assert findings(generator, row) == []
        assert " dear " in row.input
        templates |= set(row.metadata["templates"])
    assert any(template.startswith("father-mother-") for template in templates)
    (source,) = generator.sources()
    assert (source.name, source.version) == ("mine.json", "paraphrases")


def test_a_file_with_gaps_is_refused_and_the_first_gap_named(mine) -> None:
    data = sentences("{y} is a dear {word} of {x}.")
    del data["niece"], data["uncle"]
    with pytest.raises(RelsmithError) as caught:
        clutrr(paraphrases=mine(data))
    assert "has no sentence for the niece of a male person (2 single facts in all)" in str(
        caught.value
    )
    for options in ({"world": "spatial"}, {"style": "plain"}):
        with pytest.raises(RelsmithError, match="for the world kinship and the style text"):
            clutrr(paraphrases=mine(sentences("{y}, {word} of {x}.")), **options)


def test_held_out_sentences_of_a_file_are_proven(mine, tmp_path) -> None:
    data = sentences("{y} is a {n}dear {word} of {x}.", 12)
    generator = clutrr("hold_out=templates k=2,3", paraphrases=mine(data))
    write(generator, tmp_path / "data", {"train": 100, "test": 50})
    assert list(verify(tmp_path / "data", trust=True)) == []


def test_too_few_sentences_to_hold_some_out_are_refused_at_once(mine) -> None:
    """Check one sentence per fact: holding out a fifth leaves gaps on both sides."""
    data = sentences("{y} is a dear {word} of {x}.")
    with pytest.raises(RelsmithError) as caught:
        generator = clutrr("hold_out=templates", paraphrases=mine(data))
        for split in ("train", "test"):
            list(generator.examples(50, split=split, splits=("train", "test")))
    assert "\n" not in str(caught.value)

"""Files in the template format of the original CLUTRR, valid and invalid."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from renderings import measure

from relsmith import Stream
from relsmith.errors import InvalidBank, InvalidInput, NotFound
from relsmith.kb.worlds.kinship import world
from relsmith.templates.lint import lint
from relsmith.templates.paraphrases import load_paraphrases, unstated_facts
from relsmith.templates.stitcher import Stitcher, StoryWords, held_out

GOOD = {
    "father-mother": {
        "male-male-female": [
            "ENT_1_male drove his son ENT_0_male to the lake. His mother ENT_2_female rowed.",
            "ENT_2_female is the mother of ENT_1_male, and he is ENT_0_male's father",
        ],
        "female-male-female": [],
    },
    "neice": {"male-female": ["ENT_0_male lent a tent to ENT_1_female, his niece. (100% new!)"]},
    "son-in-law-wife": {
        "female-male-female": ["ENT_0_female's son-in-law ENT_1_male met his wife ENT_2_female."]
    },
    "brother": {"male-male": ["ENT_0_male and ENT_1_male share a brother or two."]},
    "sister": {"male-female": ["ENT_0_male whistled, so ENT_1_female sang."]},
}
GENDERS = ("male", "female")


@pytest.fixture
def load(tmp_path):
    def load(data):
        path = tmp_path / "mine.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return load_paraphrases(path)

    return load


def everything() -> dict[str, dict[str, list[str]]]:
    """Return a sentence for every relation between any two genders."""
    found: dict[str, dict[str, list[str]]] = {}
    for word, (predicate, gender) in world().meanings.items():
        for first in GENDERS:
            if predicate != "SO" or first != gender:
                text = f"ENT_0_{first} sent a {word} called ENT_1_{gender} a parcel."
                found.setdefault(word, {})[f"{first}-{gender}"] = [text]
    return found


def test_sentences_become_frames(load):
    bank = load(GOOD)
    assert len(bank.frames) == 6
    assert bank.world.name == "kinship"
    first = bank.frames[0]
    assert first.id.startswith("father-mother-mmf-")
    assert first.text == "{b} drove his son {a} to the lake. His mother {c} rowed."
    assert first.predicates == (frozenset({"inv-child"}), frozenset({"inv-child"}))
    assert first.required_genders == ("male", "male", "female")
    assert bank.frames[1].text.endswith("father.")
    assert bank.frames[3].predicates == (frozenset({"in-law"}), frozenset({"SO"}))


def test_ids_depend_on_the_sentence_alone(load):
    ids = {frame.text: frame.id for frame in load(GOOD).frames}
    turned = {
        key: {genders: texts[::-1] * 2 for genders, texts in value.items()}
        for key, value in reversed(GOOD.items())
    }
    again = load(turned).frames
    assert {frame.text: frame.id for frame in again} == ids
    assert len(again) == len(ids)
    assert len(held_out(load(GOOD), 1)) == 6


def test_stories_are_realized(load):
    stitcher = Stitcher(load(GOOD))
    people = ["Di", "Al", "Bo", "Cy"]
    path = ("female", "inv-un", "male", "inv-child", "male", "inv-child", "female")
    told = set()
    for n in range(20):
        first, second = stitcher.realize_path(people, path, Stream("test", n))
        assert first.text == "Al lent a tent to Di, his niece. (100% new!)"
        told.add(second.text)
    assert told == {
        "Bo drove his son Al to the lake. His mother Cy rowed.",
        "Cy is the mother of Bo, and he is Al's father.",
    }
    with pytest.raises(NotFound, match="no frames for male inv-un male"):
        stitcher.realize_path(["Al", "Bo"], ("male", "inv-un", "male"), Stream("test", 1))


def shown(frame, *genders):
    return frame.realizations(genders)[0].revealed[0]


def test_only_words_reveal_genders(load):
    by_key = {frame.id.rsplit("-", 2)[0]: frame for frame in load(GOOD).frames}
    assert shown(by_key["niece"], "male", "female") == {0, 1}
    assert shown(by_key["sister"], "male", "female") == set()
    assert shown(by_key["brother"], "male", "male") == set()
    assert shown(by_key["son-in-law-wife"], "female", "male", "female") == {1, 2}
    (pal,) = load({"brother": {"male-male": ["ENT_0_male sat with ENT_1_male, his pal."]}}).frames
    assert shown(pal, "male", "male") == set()  # the possessor is ambiguous
    hidden = {"Eve"}
    stitcher = Stitcher(load({"sister": GOOD["sister"]}))
    words, path = StoryWords(hidden, set()), ("male", "sibling", "female")
    stitcher.realize_path(["Al", "Eve"], path, Stream("test", 1), words)
    assert hidden == {"Eve"}


def test_unstated_facts_are_those_without_a_frame(load):
    full = everything()
    assert unstated_facts(load(full)) == []
    # An uncle's nephew is stated by the nephew's uncle, so both must go.
    for key in ("uncle", "nephew"):
        full[key] = {"female-male": full[key]["female-male"]}
    assert unstated_facts(load(full)) == ["nephew of a male person", "uncle of a male person"]


def test_single_facts_cover_every_chain(load):
    stitcher = Stitcher(load(everything()))
    names = tuple(world().predicates)
    for first, second in product(names, repeat=2):
        path = ("male", first, "female", second, "male")
        assert len(stitcher.realize_path(["Al", "Bo", "Cy"], path, Stream("t", 1))) == 2


def test_lint_and_statistics_work_on_them(load):
    found = {(one.kind, one.frame.rsplit("-", 2)[0]) for one in lint(load(GOOD))}
    assert ("unstated fact", "sister") in found
    assert not {kind for kind, _ in found} & {"fixed pronoun", "unknown word"}
    assert ("undeclared relation", "brother") not in found
    wrong = {"niece": {"male-female": ["ENT_0_male met his aunt ENT_1_female."]}}
    assert {one.kind for one in lint(load(wrong))} == {"undeclared relation", "unstated fact"}
    assert measure(load(everything()), 500).least_per_group == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "expected relations at the top level"),
        ("{}", "holds no sentences"),
        ('{"son": {}, "son": {}}', "'son' occurs twice"),
        ({"sun": {}}, "'sun': expected one to 3 of son, daughter"),
        ({"": {}}, "'': expected one to 3"),
        ({"sonson": {}}, "'sonson': expected"),
        ({"son-": {}}, "'son-': expected"),
        ({"son-son-son-son": {}}, "expected one to 3"),
        ({"son": []}, "'son': expected genders below it"),
        ({"son": {"male": []}}, "'son', 'male': expected 2 genders"),
        ({"son": {"male-man": []}}, "'son', 'male-man': expected 2 genders"),
        ({"son": {"male-female": []}}, "a son is not female"),
        ({"son-wife": {"male-male-male": []}}, "a wife is not male"),
        ({"son": {"male-male": "ENT_0_male"}}, "expected a list of sentences"),
        ({"son": {"male-male": [5]}}, "sentence 1: expected a sentence, but got 5"),
        ({"son": {"male-male": [" "]}}, "sentence 1: expected a sentence"),
        (
            {"son": {"male-male": ["ENT_0_male met his son."]}},
            "'son', 'male-male', sentence 1: ENT_1_male is not in",
        ),
        ({"son": {"male-male": ["ENT_0_male ENT_1_female."]}}, "ENT_1_female is male here"),
        (
            {"son": {"male-male": ["ENT_0_male ENT_1_male.", "ENT_0_male ENT_1_male ENT_2_male."]}},
            "sentence 2: ENT_2_male is one too many; there are 2 people",
        ),
    ],
)
def test_mistakes_name_file_and_key(load, data, said):
    with pytest.raises(InvalidBank) as caught:
        load(data)
    assert said in str(caught.value)
    assert "mine.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_many_mistakes_are_cut_short(load):
    texts = [f"No {n} names anybody." for n in range(50)]
    with pytest.raises(InvalidBank) as caught:
        load({"son": {"male-male": texts}})
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1].endswith("... and 30 more")


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(NotFound, match=r"cannot read .*none\.json': No such file"):
        load_paraphrases(tmp_path / "none.json")
    (tmp_path / "bad.json").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match=r"bad\.json:1: is not UTF-8"):
        load_paraphrases(tmp_path / "bad.json")


WORDS = st.sampled_from(sorted(world().meanings))


@given(words=st.lists(WORDS, min_size=1, max_size=3), first=st.sampled_from(GENDERS))
def test_keys_are_parsed(tmp_path_factory, words, first):
    kinds = [first, *(world().meanings[word][1] for word in words)]
    text = " and ".join(f"ENT_{n}_{kind}" for n, kind in enumerate(kinds)) + " met."
    path = tmp_path_factory.mktemp("keys") / "one.json"
    path.write_text(json.dumps({"-".join(words): {"-".join(kinds): [text]}}))
    (frame,) = load_paraphrases(path).frames
    assert frame.predicates == tuple(frozenset({world().meanings[word][0]}) for word in words)
    assert list(frame.required_genders) == kinds

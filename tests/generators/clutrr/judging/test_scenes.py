"""Scenes and mentions across sentences: rows keep to them, and what does not is found."""

from types import SimpleNamespace

import pytest
from stories import clutrr

from relsmith.generators.clutrr.judging.scenes import named_readings
from relsmith.generators.clutrr.metadata import stated_facts, story_segments
from relsmith.kb.worlds.world import find_world
from relsmith.templates.bank import find_bank
from relsmith.testing.profile import scaled
from relsmith.validation import findings

GENDERS = {"Ann": "female", "Eve": "female", "Ben": "male", "Tom": "male", "Kim": "unstated"}
SON = ("Ann met her son Ben.", [("Ann", "son", "Ben")])


@pytest.mark.parametrize(
    ("before", "text", "fact", "others", "readings"),
    [
        (SON, "She rang her aunt Eve.", ("Ann", "aunt", "Eve"), [], ["Ann rang her aunt Eve."]),
        (SON, "He rang his aunt Eve.", ("Ben", "aunt", "Eve"), [], ["Ben rang his aunt Eve."]),
        (
            SON,
            "Her son rang his aunt Eve.",
            ("Ben", "aunt", "Eve"),
            [],
            ["Ben rang his aunt Eve."],
        ),
        # Another son; another woman; a bystander; an unstated gender; another ambiguous pronoun
        (SON, "Her son rang Eve.", ("Ben", "aunt", "Eve"), [("Ann", "son", "Tom")], []),
        (
            ("Ann met her sister Eve.", [("Ann", "sister", "Eve")]),
            "She rang her brother Tom.",
            ("Ann", "brother", "Tom"),
            [],
            [],
        ),
        (
            ("Ann told the porter about her son Ben.", SON[1]),
            "He rang his aunt Eve.",
            ("Ben", "aunt", "Eve"),
            [],
            [],
        ),
        (
            ("Ann met Kim, her spouse.", [("Ann", "spouse", "Kim")]),
            "She rang her aunt Eve.",
            ("Ann", "aunt", "Eve"),
            [],
            [],
        ),
        (SON, "She gave his coat to her aunt Eve.", ("Ann", "aunt", "Eve"), [], []),
        # Within a sentence only if nobody else there is meant
        (
            SON,
            "Who rang? Tom, her brother.",
            ("Ann", "brother", "Tom"),
            [],
            ["Who rang? Tom, Ann's brother.", "Who rang? Tom, Ann brother."],
        ),
        (SON, "Who rang? Eve, her aunt.", ("Ann", "aunt", "Eve"), [], []),
    ],
)
def test_a_mention_has_a_reading_only_if_it_is_unique(before, text, fact, others, readings) -> None:
    case = SimpleNamespace(
        genders=GENDERS, facts=[*before[1], fact, *others], world=find_world("kinship")
    )
    found = named_readings(case, find_bank("kinship"), text, before, [fact])
    assert {one for one in found if not one.startswith(("Ann's son", "Ann son"))} == set(readings)


def test_mentions_without_a_name_are_read_and_wrong_ones_found() -> None:
    generator, wrong = clutrr("k=2..6"), {"She": "He", "He": "She", "Her": "His", "His": "Her"}
    changed = 0
    for row in generator.examples(scaled(400, least=120)):
        facts, texts = stated_facts(row.metadata), story_segments(row)
        for place, numbers in enumerate(row.metadata["states"]):
            people = {name for number in numbers for name in facts[number][::2]}
            first, _, rest = texts[place].partition(" ")
            if first in wrong and not all(name in texts[place] for name in people):
                assert not findings(generator, row)
                told, starts = row.input, row.metadata["starts"]
                row.input = told.replace(texts[place], f"{wrong[first]} {rest}")
                change = len(row.input) - len(told)
                row.metadata["starts"] = [s + change * (n > place) for n, s in enumerate(starts)]
                (finding,) = findings(generator, row)
                assert "is not what its template says" in finding
                row.input, row.metadata["starts"] = told, starts
                changed += 1
    assert changed >= 5


def test_most_facts_are_told_in_the_scene_which_the_metadata_names() -> None:
    bank, inside, count = find_bank("kinship"), 0, 0
    for row in clutrr("k=2..4").examples(scaled(300, least=60)):
        frames = [bank.by_id[template] for template in row.metadata["templates"]]
        (scene,) = row.metadata["scenes"]
        assert frames[0].part == "opening"
        assert {frame.scene for frame in frames} <= {"", scene}
        assert all(frame.scene == scene for frame in frames if not frame.predicates)
        count += sum(bool(frame.predicates) for frame in frames)
        inside += sum(bool(frame.predicates) and frame.scene == scene for frame in frames)
    assert inside > 0.7 * count


def test_long_stories_have_several_scenes() -> None:
    (row,) = clutrr("k=10 noise=all").examples(1)
    assert len(set(row.metadata["scenes"])) > 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["scenes"].append("wedding"), "the scenes are"),
        (
            lambda data: [data[name].pop(0) for name in ("templates", "states", "starts")],
            "does not begin with the opening",
        ),
        (
            lambda data: data["templates"].__setitem__(0, "wedding-opening-1"),
            "and not of 'wedding'",
        ),
        (
            lambda data: data["templates"].__setitem__(1, f"{data['scenes'][0]}-closing-1"),
            "is after the closing of its scene",
        ),
    ],
)
def test_a_sentence_of_another_scene_is_found(change, said: str) -> None:
    generator = clutrr("k=3")
    row = next(row for row in generator.examples(20) if row.metadata["scenes"] != ["wedding"])
    change(row.metadata)
    assert any(said in finding for finding in findings(generator, row)), findings(generator, row)

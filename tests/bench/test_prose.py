"""Prose statistics counted by hand, and those of the built-in bank."""

import pytest
from forms import Form
from prose import ProseSegment, Skew, _gendered_path, evenness, measure_prose

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import story_segments
from relsmith.kb.worlds.kinship import world
from relsmith.templates.bank import find_bank, parse_bank
from relsmith.templates.stitcher import Stitcher
from relsmith.testing.profile import scaled

from .test_forms import HEAD

THEME = """\
format: 1
theme: one
groups:
  - states: [a sibling b]
    frames:
      one-1: "{a} met {a.their} {a>b} {b}. It rained."
      one-2: "{a} met {b}, {a}'s {a>b}, and {a.they} sang."
      one-3: {text: "{a} likes {a.their} sister {b}.", genders: {b: female}}
"""
BANK = parse_bank(
    {
        "bank.yaml": HEAD.replace("siblings:", "sister: sibling female, siblings:").replace(
            "  their:", "  them: {words: {male: him, female: her}}\n  their:"
        ),
        "lists.yaml": "format: 1\nlists: {}",
        "one.yaml": THEME,
    },
    world(),
)
GENDERS = {"Ann": "female", "Bob": "male"}
FACT = ("Ann", "brother", "Bob")


def test_figures_by_hand():
    prose = measure_prose(
        BANK,
        [
            ProseSegment("one-1", "Ann met her brother Bob. It rained.", [FACT], GENDERS),
            ProseSegment("one-2", "Ann met Bob, Ann's brother, and she sang.", [FACT], GENDERS),
        ],
    )
    assert (prose.stretches, prose.sentences, prose.facts, prose.unused) == (2, 3, 2, 1)
    assert {form: share for form, share in prose.forms.items() if share} == {
        "possessive": 0.5,
        "apposition": 0.5,
    }
    assert prose.echo == 1 / 2
    assert round(prose.pronouns, 3) == round(100 / 3, 3)
    assert round(prose.fact_free, 3) == round(1 / 3, 3)


def test_pronouns_make_the_form_across():
    theme = THEME.replace(
        "{a} met {a.their} {a>b} {b}. It rained.", "{a} met {b}. {b.they} is {a.their} {a>b}."
    )
    files = {"bank.yaml": HEAD, "lists.yaml": "format: 1\nlists: {}"}
    bank = parse_bank(files | {"one.yaml": theme.replace("sister {b}", "{a>b} {b}")}, world())
    for text, form in (
        ("Ann met Bob. He is her brother.", "across"),
        ("Ann met Eve. Eve is Ann's sister.", "predicate"),
    ):
        assert measure_prose(bank, [ProseSegment("one-1", text, [FACT], GENDERS)]).forms[form] == 1


@pytest.mark.parametrize("place", ["Ann-on-Sea", "Annecy", "Joann", "Mc-Ann"])
def test_a_name_within_another_word_is_not_an_echo(place):
    text = f"Ann met her brother Bob in {place}."
    assert measure_prose(BANK, [ProseSegment("one-1", text, [FACT], GENDERS)]).echo == 0


def test_skew_is_that_of_expected_frequencies():
    drawn = Stitcher(BANK).frame_choices(("female", "sibling", "male"))
    most, least = max(drawn, key=drawn.count), min(drawn, key=drawn.count)
    skew = measure_prose(BANK, [ProseSegment("one-1", "", [FACT], GENDERS)] * 3).skew
    assert skew == Skew(pytest.approx(drawn.count(most) / drawn.count(least)), most, least)


def test_facts_in_either_direction_make_a_path():
    genders = {"Igor": "male", "Ben": "male", "Dana": "female"}
    path = ("male", "inv-child", "male", "child", "female")
    for facts in (
        [("Igor", "father", "Ben"), ("Dana", "father", "Ben")],
        [("Ben", "son", "Igor"), ("Ben", "daughter", "Dana")],
    ):
        assert _gendered_path(BANK, ProseSegment("one-1", "", facts, genders)) == path
    alone = ProseSegment("one-1", "", [("Dana", "father", "Ben")], genders)
    assert _gendered_path(BANK, alone) == ("female", "inv-child", "male")


def test_our_stories_meet_the_prose_limits():
    bank = find_bank("kinship")
    segments = [
        ProseSegment(
            template,
            text,
            [(row.metadata["facts"] + row.metadata["side_facts"])[n] for n in numbers],
            dict(row.metadata["genders"]),
        )
        for row in Clutrr.configure({"k": "2..10"}).examples(scaled(1000, least=400))
        for template, text, numbers in zip(
            row.metadata["templates"], story_segments(row), row.metadata["states"], strict=True
        )
    ]
    prose = measure_prose(bank, segments)
    assert prose.echo <= 0.03
    assert prose.fact_free >= 0.12
    own: tuple[Form, ...] = (
        *("later", "across", "distant", "speech"),
        *("question", "shared", "list", "word", "event"),
    )
    assert sum(prose.forms[form] for form in own) >= 0.2
    assert max(prose.forms[form] for form in own) <= 0.2
    assert prose.skew is not None and prose.skew.ratio <= 4.5
    # Uncles and grandparents are less than 5 % of all facts in chains.
    rare = sum(prose.told[name] for name in ("grand", "inv-grand", "un", "inv-un"))
    assert rare >= 0.11
    assert prose.evenness >= 0.87


def test_evenness_is_one_if_all_are_equal():
    assert evenness([0.25] * 4) == pytest.approx(1)
    assert evenness([1, 0, 0, 0]) == 0
    assert evenness([0.5, 0.5, 0, 0]) == pytest.approx(0.5)
    told = measure_prose(BANK, [ProseSegment("one-1", "", [FACT], GENDERS)] * 3).told
    assert told == dict.fromkeys(told, 0) | {"sibling": 1}

"""How stories read is counted by hand here, and our own bank keeps its promises."""

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.kinship import world
from relsmith.templates.bank import find_bank, parse_bank
from relsmith.templates.prose import Skew, Stretch, measure_prose
from relsmith.templates.stitcher import Stitcher

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
        "bank.yaml": HEAD.replace("siblings:", "sister: sibling female, siblings:"),
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
            Stretch("one-1", "Ann met her brother Bob. It rained.", [FACT], GENDERS),
            Stretch("one-2", "Ann met Bob, Ann's brother, and she sang.", [FACT], GENDERS),
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


def test_a_name_within_another_is_no_echo():
    text = "Ann met her brother Ann-Lee."
    prose = measure_prose(
        BANK,
        [
            Stretch(
                "one-1",
                text,
                [("Ann", "brother", "Ann-Lee")],
                {"Ann": "female", "Ann-Lee": "male"},
            )
        ],
    )
    assert prose.echo == 0


def test_skew_is_what_is_to_be_expected():
    chances = Stitcher(BANK).chances(("female", "sibling", "male"))
    most, least = max(chances, key=chances.get), min(chances, key=chances.get)
    skew = measure_prose(BANK, [Stretch("one-1", "", [FACT], GENDERS)] * 3).skew
    assert skew == Skew(chances[most] / chances[least], most, least)
    assert sum(chances.values()) == 1


def test_our_stories_read_as_promised():
    bank = find_bank("kinship")
    stretches = [
        Stretch(template, sentence["text"], sentence["facts"], row.metadata["genders"])
        for row in Clutrr.configure({"k": "2..10"}).examples(300)
        for template, sentence in zip(
            row.metadata["templates"], row.metadata["sentences"], strict=True
        )
    ]
    prose = measure_prose(bank, stretches)
    assert prose.echo <= 0.03
    assert prose.fact_free >= 0.12
    assert prose.skew is not None and prose.skew.ratio <= 4

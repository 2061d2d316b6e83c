"""Forms of facts, and sentences without facts, from the text of frames."""

import pytest
from forms import EXAMPLES, FORMS, forms, sentences_state_facts

from relsmith.kb.worlds.kinship import world
from relsmith.templates.bank import find_bank, parse_bank

HEAD = """\
format: 1
world: kinship
language: en
summary: Forms.
pronouns:
  they: {words: {male: he, female: she}, instead: "{}"}
  their: {words: {male: his, female: her}, instead: "{}'s"}
opposite: [SO]
nouns: {sisters: sibling female, siblings: sibling, parents: [inv-child, sibling], married: SO}
events: [married]
"""


def bank_of(text: str, states: str, more: str = ""):
    theme = (
        f"format: 1\ntheme: one\ngroups:\n  - states: [{states}]\n{more}    frames:\n"
        f"      one-1: {text!r}\n"
    )
    texts = {"bank.yaml": HEAD, "lists.yaml": "format: 1\nlists: {}", "one.yaml": theme}
    bank = parse_bank(texts, world())
    return bank, bank.frames[0]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("{a} met {a.their} {a>b} {b}.", "possessive"),
        ("{a} met {a.their} own {a>b}, {b}.", "possessive"),
        ("{a}'s {a>b} {b} sings.", "possessive"),
        ("Nobody likes {a}, whose {a>b} {b} sings.", "relative"),
        ("{b}, the {a>b} of {a}, sings.", "of"),
        ("The {a>b} of {a} is {b}.", "of"),
        ("{a} met {b}, {a.their} {a>b}.", "apposition"),
        ("{b} is {a}'s {a>b}.", "predicate"),
        ("{a} met {a.their} {a>b} at sea, none other than {b}.", "distant"),
        ("{a} met {a.their} {a>b} at sea. Who else but {b}?", "later"),
        ('"My {a>b} {b} sings," said {a}.', "speech"),
        ("Did {a} meet {a.their} {a>b} {b}?", "question"),
        ("The siblings {a} and {b} sing.", "list"),
        ("{a} and {b} sing, being siblings.", "predicate"),
        ("{a} met {a.their} sister {b}.", "possessive"),
        ("{a} is {b}'s sister.", "predicate"),
        ("The sister, {a}, met {b}.", "apposition"),
        ("{a} and {b} were born to the same parents.", "word"),
        ("{b}, who had sung all night, was glad to have {a} as {an b>a}.", "predicate"),
        ("{b} sang all night and well into the day, as {an a>b} of {a} does.", "of"),
        ("{b} sang for {a} all night, as a good {a>b} does.", "distant"),
        ("{a} has {an a>b} called {b}.", "predicate"),
        ("{a} waited for {b}. {b.they} is {a.their} {a>b}.", "across"),
        ("{b} was lost. {a} found {a.their} {a>b}.", "distant"),
        ("{a} and {b} grew up under one roof.", "event"),
    ],
)
def test_the_form_of_a_fact(text, form):
    bank, frame = bank_of(text, "a sibling b")
    assert forms(bank, frame) == (form,)


def test_two_facts_may_have_two_forms_or_share_one():
    bank, frame = bank_of(
        "{a}, whose {a>b} {b} is out, met {c}, {b.their} {b>c}.", "a child b, b SO c"
    )
    assert forms(bank, frame) == ("relative", "apposition")
    bank, frame = bank_of("{a} and {c} love their {a+c>b} {b}.", "a inv-child b, c inv-child b")
    assert forms(bank, frame) == ("shared", "shared")
    for text in ("{b} has sisters, {a} and {c}.", "{a} and {c} are sisters of {b}."):
        bank, frame = bank_of(text, "b sibling a, b sibling c")
        assert forms(bank, frame) == ("list", "list")
    bank, frame = bank_of("{a} married {b}. The parents of {c} are {b}.", "a SO b, b child c")
    assert forms(bank, frame) == ("word", "predicate")


def test_sentences_that_state_nothing():
    text = "It rained. {a} met {a.their} {a>b}. They sang. Nobody sings like {b}. Then {b} left."
    bank, frame = bank_of(text, "a sibling b")
    assert sentences_state_facts(bank, frame) == (False, True, False, True, False)
    bank, frame = bank_of("It rained. {a} and {b} grew up under one roof.", "a sibling b")
    assert sentences_state_facts(bank, frame) == (False, True)


def test_every_form_has_an_example_and_our_frames_have_forms():
    assert set(EXAMPLES) == set(FORMS)
    bank = find_bank("kinship")
    for frame in bank.frames:
        assert len(forms(bank, frame)) == len(frame.predicates)
        assert any(sentences_state_facts(bank, frame)) == bool(frame.predicates), frame.id

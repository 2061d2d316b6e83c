"""The format of banks, and the messages for mistakes."""

import pytest

from relsmith.errors import InvalidBank, NotFound
from relsmith.kb.worlds.kinship import world
from relsmith.templates.bank import Bank, find_bank, load_bank, parse_bank
from relsmith.templates.tokens import parse_tokens

HEAD = """\
format: 1
world: kinship
language: en
summary: A small one.
pronouns:
  they: {words: {male: he, female: she}, instead: "{}"}
  their: {words: {male: his, female: her}, instead: "{}'s"}
  themself: {words: {male: himself, female: herself}}
articles:
  - {before: "[aeiou]", word: an}
  - {before: "", word: a}
sets:
  young: [child, grand]
opposite: [SO]
"""
LISTS = """\
format: 1
lists:
  fruit: [apple, pear]
"""
THEME = """\
format: 1
theme: small
groups:
  - states: [a young b]
    frames:
      small-1: "{a} gave {a.their} {a>b} {b} {an fruit}[ {a.they} had found]. {b} ate it."
      small-2: {text: "{a}, {b}'s {b>a}, is {a:a king|a queen}.", genders: {b: male}}
"""


def small(head: str = HEAD, lists: str = LISTS, theme: str = THEME) -> Bank:
    return parse_bank({"bank.yaml": head, "lists.yaml": lists, "small.yaml": theme}, world())


def test_a_good_bank_loads():
    bank = small()
    one, two = bank.frames
    assert one.path == ("a", "b")
    assert one.predicates == (frozenset({"child", "grand"}),)
    assert two.genders == {"b": "male"}
    assert two.fits(("female", "male")) and not two.fits(("female", "female"))


def test_a_realization_lists_revealed_genders():
    one, two = small().frames
    assert one.realizations(("male", "female"))[0].revealed == [{0, 1}, {0, 1}]
    assert two.realizations(("female", "male"))[0].revealed == [{0, 1}, {0, 1}]
    (frame,) = small(theme=_with("{a} met {b}. Pride in {a.their} {a>b} followed.")).frames
    assert frame.realizations(("male", "female"))[0].revealed == [{0, 1}, {0, 1}]
    assert frame.realizations(("male", "male"))[0].revealed == [{1}, {0}]


def test_an_ambiguous_pronoun_is_replaced_by_a_name():
    text = "{a} met {a.their} {a>b} {b}. {a.their} dog barked."
    (frame,) = small(theme=_with(text)).frames
    clear = frame.realizations(("male", "female"))[0]
    unclear = frame.realizations(("male", "male"))[0]
    values = ["Al", "Bo", "child", "parent", "a child", "a parent"]
    assert clear.fill(values) == "Al met his child Bo. His dog barked."
    assert unclear.fill(values) == "Al met his child Bo. Al's dog barked."


def test_a_frame_is_unfit_if_the_replacing_name_is_in_the_sentence():
    text = "{a} met {a.their} {a>b} {b} and {a.their} dog."
    (frame,) = small(theme=_with(text)).frames
    assert frame.fits(("male", "female"))
    assert not frame.fits(("male", "male"))
    assert frame.realizations(("male", "male")) == []


def test_a_pronoun_before_its_name_cannot_be_replaced():
    (frame,) = small(theme=_with("{a} met {a.their} {a>b}. {b.their} name is {b}.")).frames
    values = ["Al", "Bea", "child", "parent", "a child", "a parent"]
    assert (
        frame.realizations(("male", "female"))[0].fill(values)
        == "Al met his child. Her name is Bea."
    )
    assert not frame.fits(("male", "male"))


def test_a_noun_of_two_holders_needs_the_same_fact_of_both():
    good = _with("{a} and {b} met their {a+b>c} {c}.", "a inv-child c, b inv-child c")
    (frame,) = small(theme=good).frames
    assert frame.predicates == (frozenset({"inv-child"}), frozenset({"child"}))
    bad = _with("{a} and {b} met their {a+b>c} {c}.", "a inv-child c, b inv-grand c")
    with pytest.raises(InvalidBank, match="'c' may have two relations here"):
        small(theme=bad)


def test_a_frame_may_state_nothing():
    (frame,) = small(theme=_with("{a} slept. {a.they} snored.", "")).frames
    assert (frame.path, frame.predicates) == (("a",), ())
    assert frame.realizations(("female",))[0].fill(["Bea"]) == "Bea slept. She snored."
    (frame,) = small(theme=_with("It rained.", "")).frames
    assert frame.realizations(())[0].fill([]) == "It rained."


def test_a_pronoun_without_replacement_makes_the_frame_unfit():
    text = "{a} met {a.their} {a>b} {b} and liked {a.themself}."
    (frame,) = small(theme=_with(text)).frames
    assert frame.fits(("male", "female"))
    assert not frame.fits(("male", "male"))


def _with(text: str, states: str = "a child b") -> str:
    return (
        f"format: 1\ntheme: small\ngroups:\n  - states: [{states}]\n    frames:\n"
        f"      small-1: {text!r}\n"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{a} met {c}.", "slot 'c' is in no fact of the group"),
        ("{a} met {a.their} dog.", "slot 'b' is never named"),
        ("{a.their} {a>b} {b} met {a}.", "{a.their} comes before {a}"),
        ("{a} met {a.there} {a>b} {b}.", "no pronoun 'there' in bank.yaml"),
        ("{a} gave {b} {frut}.", "no list 'frut'; did you mean 'fruit'?"),
        ("{a} gave {b} {fruit} for {fruit}.", "the list 'fruit' is used twice"),
        ("{a} met {b}[ and {a>b}].", "an optional part may not have names"),
        ("{a} met {b} [once.", "'[' is never closed"),
        ("{a} met {b} once].", "']' has no partner"),
        ("{a} met {b}{.", "'{' has no partner"),
        ("{a} met {b} {A b}.", "is not a slot"),
        ("{a} is {a:king} of {b}.", "needs one word for each gender"),
    ],
)
def test_a_bad_frame_is_named_with_file_and_line(text, complaint):
    with pytest.raises(InvalidBank) as caught:
        small(theme=_with(text))
    assert str(caught.value).startswith("small.yaml:6: groups.0.frames.small-1: ")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("states", "complaint"),
    [
        ("a chld b", "did you mean 'child'?"),
        ("a child", "expected a fact like"),
        ("a child b, a child c, a child d", "do not form one path"),
        ("a child b, c child d", "do not form one path"),
        ("a child b, b inv-child a", "have two facts"),
    ],
)
def test_bad_facts_are_named(states, complaint):
    with pytest.raises(InvalidBank, match=r"small\.yaml:4: groups\.0\.states") as caught:
        small(theme=_with("{a} {b}.", states))
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("world: kinship", "world: spatial", "bank.yaml:2: world: expected 'kinship'"),
        ("young: [child, grand]", "young: [chid]", "'chid' is not a predicate"),
        ("female: herself", "neuter: itself", "give one word for each of male, female"),
        ('instead: "{}\'s"', 'instead: "its"', "'instead' needs one {}"),
        ("language: en", "tongue: en", "tongue: no such field"),
        ("[aeiou]", "[aeiou", "is not a regular expression"),
        ("young:", "any:", "a set may not be named 'any'"),
    ],
)
def test_a_bad_header_is_reported(old, new, complaint):
    assert old in HEAD
    with pytest.raises(InvalidBank) as caught:
        small(head=HEAD.replace(old, new))
    assert complaint in str(caught.value)


def test_other_mistakes_are_named():
    with pytest.raises(InvalidBank, match=r"lists\.yaml:3: lists\.fruit\.1: 'apple' is listed"):
        small(lists=LISTS.replace("pear", "apple"))
    with pytest.raises(
        InvalidBank, match="expected an id that begins with the theme, as in small-1"
    ):
        small(theme=THEME.replace("small-1", "tiny-1"))
    with pytest.raises(InvalidBank, match=r"lacks lists\.yaml"):
        parse_bank({"bank.yaml": HEAD}, world())
    with pytest.raises(InvalidBank, match="the id is taken in small"):
        texts = {"bank.yaml": HEAD, "lists.yaml": LISTS, "a.yaml": THEME, "b.yaml": THEME}
        parse_bank(texts, world())


def test_banks_are_found_by_world():
    assert find_bank("kinship").world is world()
    with pytest.raises(NotFound, match="no world is called 'kinshp'; did you mean"):
        find_bank("kinshp")


def test_a_bank_loads_from_a_folder(tmp_path):
    (tmp_path / "bank.yaml").write_text(HEAD)
    (tmp_path / "lists.yaml").write_text(LISTS)
    (tmp_path / "small.yaml").write_text(THEME)
    assert len(load_bank(tmp_path, world()).frames) == 2


def test_text_is_tokenized_without_loss():
    tokens = parse_tokens("A {a} {an food} [{a.they}] {an a>b}.")
    assert [type(token).__name__ for token in tokens[1::2]] == (
        ["Name", "LexicalSlot", "OptionalPart", "Noun"]
    )
    assert {type(token).__name__ for token in tokens[::2]} == {"PlainText"}


@pytest.mark.parametrize(
    "words", ["an apple pie", "a pear", "an hour", "a ukulele", "a unicycle", "an uncle", "a yo-yo"]
)
def test_articles_are_right(words):
    assert find_bank("kinship").language.with_article(words.partition(" ")[2]) == words

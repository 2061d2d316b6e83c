"""The linter finds nothing in the built-in banks, and all planted mistakes."""

from importlib.resources import files

import pytest

from relsmith.kb.worlds.kinship import world
from relsmith.kb.worlds.world import find_world
from relsmith.templates.bank import find_bank, parse_bank
from relsmith.templates.lint import lint

HEAD = """\
format: 1
world: kinship
language: en
summary: A bad one.
pronouns:
  their: {words: {male: his, female: her}, instead: "{}'s"}
  themself: {words: {male: himself, female: herself}}
opposite: [SO]
articles: [{before: "", word: a}]
nouns: {sons: child male, married: SO, mum: inv-child female}
banned: [eldest]
banned_before: [late]
"""
LONG = " and on" * 45
GOOD = "{a} waved to {a.their} {a>b} {b}."


def linted(*frames: str, states: str = "a child b", more: str = "", **files: str):
    """Return the findings about a bank of these frames; `files` replace others of its files."""
    theme = f"format: 1\ntheme: bad\ngroups:\n  - states: [{states}]\n{more}    frames:\n"
    theme += "".join(f"      bad-{n}: {text!r}\n" for n, text in enumerate(frames))
    texts = {"bank.yaml": HEAD, "lists.yaml": "format: 1\nlists: {}", "bad.yaml": theme}
    texts |= {f"{name}.yaml": f"format: 1\n{text}" for name, text in files.items()}
    return lint(parse_bank(texts, world()))


def findings(text: str, states: str = "a child b", more: str = "", lists: str = "tree") -> set[str]:
    words = f"{GOOD} {text} {lists} eldest".lower()
    words = "".join(letter if letter.isalpha() else " " for letter in words).replace("blorp", "")
    files = {"lists": f"lists: {{thing: [{lists}]}}", "vocabulary": f"words: {words!r}"}
    kinds = {finding.kind for finding in linted(text, states=states, more=more, **files)}
    return kinds if "{thing}" in text else kinds - {"unused list"}


def test_no_frame_has_a_word_that_is_a_name() -> None:
    """Check that a thing of the story, such as a lamp, is no word of a frame."""
    folder = files("relsmith.templates") / "en" / "spatial"
    texts = {
        file.name: file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    }
    theme = texts["positions.yaml"]
    texts["positions.yaml"] = theme.replace(
        "Light from the window catches", "Light from the lamp catches"
    )
    bank = parse_bank(texts, find_world("spatial"))
    assert {str(found) for found in lint(bank) if found.kind == "name"} == {
        "positions-15: name: 'lamp' is also the name of a thing"
    }


def test_a_good_frame_is_clean():
    assert findings(GOOD) == set()


@pytest.mark.parametrize(
    ("text", "states", "kind"),
    [
        ("{a} waved to {a.their} {a>b} {b} and an uncle.", "a child b", "undeclared relation"),
        ("{a} waved to {a.their} {a>b} {b}, his sons.", "a child b", "undeclared relation"),
        ("{a} married {a.their} {a>b} {b}.", "a child b", "undeclared relation"),
        ("{a} waved to {a.their} {a>b} {b}, a mother.", "a any b", "undeclared relation"),
        ("{a} waved to {b}.", "a child b", "unstated fact"),
        ("{a} waved to {a.their} {a>b} {b}, then to {c}.", "a child b, b SO c", "unstated fact"),
        ("{a} waved to {a.their} eldest {a>b} {b}.", "a child b", "banned word"),
        ("{a} waved to {a.their} late {a>b} {b}.", "a child b", "banned word"),
        ("{a} waved to {a.their} {a>b} {b} and her dog.", "a child b", "fixed pronoun"),
        ("{a} gave {a.their} {a>b} {b} a {thing}.", "a child b", "fixed article"),
        ("{a} waved to {b}, {a}'s {a>b}.", "a child b", "echo"),
        ("{a} sat in the trees with {a.their} {a>b} {b} and {an thing}.", "a child b", "odd fill"),
        ("{a} blorp {a.their} {a>b} {b}.", "a child b", "unknown word"),
        ("{a} waved  to {a.their} {a>b} {b}.", "a child b", "punctuation"),
        ("{a} waved to {a.their} {a>b} {b} .", "a child b", "punctuation"),
        ("{a} waved to {a.their} {a>b} {b}", "a child b", "punctuation"),
        ("7 times {a} waved to {a.their} {a>b} {b}.", "a child b", "punctuation"),
        ("{a} waved to {a.their} {a>b},{b}.", "a child b", "punctuation"),
        ('{a} waved "to {a.their} {a>b} {b}.', "a child b", "punctuation"),
        (f"{{a}} waved to {{a.their}} {{a>b}} {{b}}{LONG}.", "a child b", "long sentence"),
    ],
)
def test_a_bad_frame_is_found(text, states, kind):
    assert kind in findings(text, states)


SCENE = "scene: {season: summer, openings: [It was hot.], closings: [It was late.]}"


@pytest.mark.parametrize(
    ("text", "states", "kind"),
    [
        ("{a} is waiting for {a.their} {a>b} {b}.", "a child b", "tense"),
        ("{a} waited in the snow for {a.their} {a>b} {b}.", "a child b", "season"),
        (
            "{a} put the chair beside the chair of {a.their} {a>b} {b}.",
            "a child b",
            "repeated noun",
        ),
        ("{a} met three people: the Pope and {a.their} {a>b} {b}.", "a child b", "count"),
        (
            "{a} asked the porter. {a.their} {a>b} {b} waited.",
            "a child b",
            "doubtful reference",
        ),
        (
            "{a} had {a.their} {a>b} {b} on one side. On the other was {a.their} {a>c} {c}.",
            "a child b, a child c",
            "same relation",
        ),
    ],
)
def test_a_frame_that_does_not_fit_its_scene_is_found(text, states, kind):
    genders = "    genders: {b: male, c: male}\n" if ", " in states else ""
    theme = f"format: 1\ntheme: bad\n{SCENE}\ngroups:\n  - states: [{states}]\n{genders}"
    head = HEAD.replace("banned: ", "bystanders: [porter]\nbanned: ")
    lists = "format: 1\nlists: {}"
    for written, expected in ((text, {kind}), (GOOD, set())):
        given = (
            theme if written == text else theme.replace(states, "a child b").replace(genders, "")
        )
        texts = {"bank.yaml": head, "lists.yaml": lists}
        texts["bad.yaml"] = f"{given}    frames:\n      bad-1: {written!r}\n"
        assert {found.kind for found in lint(parse_bank(texts, world()))} == expected


def test_the_present_tense_is_found_in_background_frames_of_a_bank_with_scenes():
    theme = (
        "format: 1\ntheme: {}\n{}\ngroups:\n  - states: [a child b]\n"
        "    frames:\n      {}-1: {!r}\n"
    )
    texts = {"bank.yaml": HEAD, "lists.yaml": "format: 1\nlists: {}"}
    texts["plain.yaml"] = theme.format("plain", "", "plain", "{b} is the {a>b} of {a}.")
    assert "tense" not in {found.kind for found in lint(parse_bank(texts, world()))}
    texts["camp.yaml"] = theme.format("camp", SCENE, "camp", GOOD)
    (found,) = [found for found in lint(parse_bank(texts, world())) if found.kind == "tense"]
    assert found.frame == "plain-1"


def test_a_noun_must_have_its_gender():
    text = "{a} took {a.their} sons {b} and {c} along."
    facts = "a child b, a child c"
    assert findings(text, facts) == {"undeclared relation", "unstated fact"}
    assert findings(text, facts, "    genders: {b: male, c: male}\n") == set()
    assert findings("{b} hugged {b.their} {a:father|mum} {a}.") == set()
    assert "undeclared relation" in findings("{b} hugged {b.their} {a:mum|father} {a}.")


def test_a_frame_that_never_fits_is_found():
    text = "{a} married {b}, and {a.their} {a>b} {b} laughed at {b.themself}."
    same = "    genders: {a: male, b: male}\n"
    assert "never fits" in findings(text, "a SO b", same)


def test_lists_are_linted():
    assert "undeclared relation" in findings(GOOD, lists="uncle")
    assert "banned word" in findings(GOOD, lists="eldest tree")


@pytest.mark.parametrize(
    ("text", "lists", "message"),
    [
        ("{a} gave {a.their} {a>b} {b} {an thing}.", "the moon", "two articles"),
        ("{a} gave {a.their} {a>b} {b} the {thing}.", "a moon", "two articles"),
        ("{a} gave {a.their} {a>b} {b} {an thing}.", "green trees", "an article before a plural"),
        (
            "{a} baked {an thing} for {a.their} {a>b} {b}.",
            "baking tray",
            "'baking' is in the frame",
        ),
    ],
)
def test_each_frame_is_checked_with_each_list_word(text, lists, message):
    assert findings(text, lists="tree") == set()
    assert findings(text, lists=lists) == {"odd fill"}
    (finding,) = linted(text, lists=f"lists: {{thing: [tree, {lists}]}}")
    assert message in str(finding) and repr(lists) in str(finding)


def test_a_list_that_no_frame_uses_is_found():
    assert [finding.kind for finding in linted(GOOD, lists="lists: {thing: [tree]}")] == (
        ["unused list"]
    )


def test_progress_is_reported():
    done: list[int] = []
    bank = find_bank("spatial")
    lint(bank, done.append)
    assert done == list(range(1, len(bank.frames) + 1))


def test_duplicates_are_found():
    found = linted(GOOD, GOOD, "{a} waved to {a.their} {a>b} {b} now.")
    kinds = [finding.kind for finding in found]
    assert kinds == ["duplicate", "near-duplicate", "near-duplicate"]

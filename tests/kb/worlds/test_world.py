import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidWorld, NotFound
from relsmith.kb.worlds.kinship import world as kinship
from relsmith.kb.worlds.lint import lint
from relsmith.kb.worlds.space import directions as spatial
from relsmith.kb.worlds.work import world as work
from relsmith.kb.worlds.world import find_world, load_world, parse_world
from relsmith.testing.profile import scaled

GOOD = """\
format: 1
name: feud
summary: Houses and their quarrels.
semantics: feud
default: plain
predicates:
  foe: {symmetric: true, words: foe}
  lord: {inverse: vassal, words: lord}
  vassal: {inverse: lord, words: vassal}
rulesets:
  plain:
    summary: One rule.
    rules:
      - {head: foe, body: [lord, foe], source: made up}
"""


def complaints(text: str) -> list[str]:
    with pytest.raises(InvalidWorld) as caught:
        parse_world(text, "feud.yaml")
    return str(caught.value).splitlines()


def test_kinds_come_from_the_file():
    kinds = GOOD.replace("default:", "kinds: [man, house]\ndefault:")
    typed = kinds.replace("symmetric: true", "symmetric: true, between: [house, horse]")
    assert complaints(typed) == [
        "feud.yaml:8: predicates.foe.between: 'horse' is no kind of this world; list it under "
        "'kinds'"
    ]
    right = typed.replace("horse", "house").replace(
        "lord, words", "lord, between: [man, house], words"
    )
    world = parse_world(right.replace("vassal, words", "vassal, between: [house, man], words"), "x")
    assert world.same_kind_words["lord"] == ["lord"]
    assert world.words[0] == ("foe", "foe")
    assert parse_world(GOOD, "x").same_kind_words["lord"] == ["foe", "lord", "vassal"]


def test_a_good_file_loads():
    world = parse_world(GOOD, "feud.yaml")
    assert str(world.ruleset().rules[0]) == "lord . foe -> foe"
    assert [world.inverse(name) for name in world.predicates] == ["foe", "vassal", "lord"]
    assert world.predicates["lord"].word() == "lord"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("format: 1", "format: 2", "feud.yaml:1: format: expected 1, but got 2"),
        ("name: feud\n", "", "feud.yaml:1: name: missing; add it"),
        ("name: feud", "name: 7", "feud.yaml:2: name: expected text, but got 7"),
        (
            "summary: H",
            "motto: x\nsummary: H",
            "feud.yaml:3: motto: no such field; there are: format, name, summary, semantics, "
            "genders, kinds, default, predicates, rulesets, aliases, others, conventions, "
            "overlapping",
        ),
        (
            "default: plain",
            "default: fancy",
            "feud.yaml:5: default: no rule set 'fancy'; known: plain",
        ),
        (
            "[lord, foe]",
            "[lrd, foe]",
            "feud.yaml:14: rulesets.plain.rules.0.body.0: "
            "'lrd' is not a predicate of this world; did you mean 'lord'?",
        ),
        (
            "[lord, foe]",
            "[lord, lord, foe]",
            "feud.yaml:14: rulesets.plain.rules.0.body: "
            "expected 2 at most, but got ['lord', 'lord', 'foe']",
        ),
        (
            ", source: made up",
            "",
            "feud.yaml:14: rulesets.plain.rules.0.source: missing; add it",
        ),
        (
            "inverse: lord,",
            "inverse: foe,",
            "feud.yaml:9: predicates.vassal.inverse: 'foe' has the inverse None; make it 'vassal'",
        ),
        (
            "symmetric: true",
            "symmetric: true, inverse: foe",
            "feud.yaml:7: predicates.foe: "
            "a symmetric predicate is its own inverse; leave out 'inverse'",
        ),
        (
            "symmetric: true",
            "symmetric: 1",
            "feud.yaml:7: predicates.foe.symmetric: expected true or false, but got 1",
        ),
        (
            "words: foe",
            "words: {male: foe}",
            "feud.yaml:7: predicates.foe.words: this world lists no genders; write one plain word",
        ),
        (
            "  lord: {inverse",
            "  foe: {inverse",
            "feud.yaml:8: predicates.foe: already given in line 7; keep one",
        ),
        (
            "  foe: {sym",
            "  on: {sym",
            "feud.yaml:7: predicates.on: the key must be text; put it in quotes",
        ),
        (
            "name: feud",
            "name: 2020-99-99",
            "feud.yaml:2: name: '2020-99-99' is no tag:yaml.org,2002:timestamp; put it in quotes",
        ),
        ("  foe: {sym", "  foe: &f {sym", None),
        ("words: vassal", "words: *f", "feud.yaml:9: *f: write out the alias"),
        (
            "source: made up}",
            "source: made up}\n      - {head: foe, body: [lord, foe], source: again}",
            "feud.yaml:15: rulesets.plain.rules.1: the same rule as number 0; delete one",
        ),
        ("name: feud", "name: [", "feud.yaml:4: YAML: did not find expected ',' or ']'"),
        (GOOD, "", "feud.yaml:1: world: expected 'field: value' lines at the top level"),
        (GOOD, "- 1", "feud.yaml:1: world: expected 'field: value' lines at the top level"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_field(old, new, complaint):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    if complaint is None:
        parse_world(text, "feud.yaml")
    else:
        assert complaint in complaints(text)


def test_all_mistakes_are_reported_at_once_in_the_order_of_lines():
    text = (
        GOOD.replace("format: 1", "format: one")
        .replace("words: foe", "word: foe")
        .replace("inverse: lord", "inverse: foe")
        .replace("head: foe", "head: fo")
    )
    found = [line.split(":")[1] for line in complaints(text)]
    assert found == ["1", "7", "7", "8", "9", "14"]


SCRAPS = ["", *"[ ] { } : # 7 ~ on 2020-99-99 *a lord ' |".split(), "- ", "!!int ", "!!bool "]
SCRAPS += ["!!timestamp ", "!x ", "&a ", "<<: ", "? ", "\n", "\t", "\0", "genders: [1, [a]]\n"]


@settings(max_examples=scaled(400))
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 9), st.sampled_from(SCRAPS))))
def test_a_corrupted_file_is_a_world_or_a_list_of_findings(changes):
    text = GOOD
    for place, gone, scrap in changes:
        text = text[:place] + scrap + text[place + gone :]
    try:
        parse_world(text, "feud.yaml")
    except InvalidWorld as error:
        for line in str(error).splitlines():
            assert re.match(r"feud\.yaml:\d+: .+: .+", line)


def test_gendered_worlds_need_a_word_for_each_gender():
    text = GOOD.replace("default:", "genders: [male, female]\ndefault:")
    text = text.replace("words: foe", "words: {male: foe, femal: foe}")
    assert complaints(text) == [
        "feud.yaml:8: predicates.foe.words: give one word for each of male, female",
        "feud.yaml:9: predicates.lord.words: give one word for each of male, female",
        "feud.yaml:10: predicates.vassal.words: give one word for each of male, female",
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(NotFound, match=r"none\.yaml"):
        load_world(tmp_path / "none.yaml")
    (tmp_path / "feud.yaml").write_text(GOOD, encoding="utf-8")
    assert load_world(tmp_path / "feud.yaml").name == "feud"


def test_unknown_names_list_what_exists():
    with pytest.raises(NotFound, match="there are: sound, thesis"):
        kinship().ruleset("sond")
    with pytest.raises(NotFound, match="did you mean 'child'"):
        kinship().inverse("chlid")
    with pytest.raises(NotFound, match="choose from male, female"):
        kinship().predicates["child"].word()


def test_kinship_has_the_22_words_of_the_thesis_spatial_eight_and_work_thirteen():
    words = [word for entry in kinship().predicates.values() for word in entry.words.values()]
    male = "son father husband brother grandson grandfather uncle nephew".split()
    female = "daughter mother wife sister granddaughter grandmother aunt niece".split()
    in_law = [f"{word}-in-law" for word in ("son father brother daughter mother sister".split())]
    assert sorted(words) == sorted(male + female + in_law)
    assert len({entry.word() for entry in spatial().predicates.values()}) == 8
    assert len({entry.word() for entry in work().predicates.values()}) == 13


def test_thesis_has_its_16_rules_two_symmetric_and_four_inverse_pairs():
    world = kinship()
    rules = world.ruleset("thesis").rules
    used = {name for rule in rules for name in (rule.head, *rule.body)}
    assert len(rules) == 16
    assert {name for name in used if world.inverse(name) == name} == {"SO", "sibling"}
    assert len({frozenset((name, world.inverse(name))) for name in used}) == 2 + 4


def test_the_example_in_the_docs_is_a_clean_world():
    docs = Path(__file__).parents[3] / "docs" / "worlds.md"
    example = docs.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    assert not lint(parse_world(example, "lane.yaml"))
    wrong = example.replace("body: [left,", "body: [lft,")
    with pytest.raises(InvalidWorld) as caught:
        parse_world(wrong, "lane.yaml")
    assert f"\n{caught.value}\n" in docs.read_text(encoding="utf-8")


def test_the_python_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    docs = (Path(__file__).parents[3] / "docs" / "worlds.md").read_text(encoding="utf-8")
    example = docs.split("```yaml\n")[1].split("```")[0]
    (tmp_path / "lane.yaml").write_text(example, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(docs.split("```python\n")[1].split("```")[0], {})


def test_a_world_shares_the_meaning_of_the_one_it_names():
    named = GOOD.replace("semantics: feud", "semantics: spatial")
    assert parse_world(named, "feud.yaml").semantics is find_world("spatial").semantics
    own = load_world(files("relsmith.kb.worlds.kinship") / "kinship.yaml", semantics="mine")
    assert own.semantics == "mine", "its own comes before what the file names"
    with pytest.raises(NotFound, match="no world is called 'feud'; there are: "):
        _ = parse_world(GOOD, "feud.yaml").semantics
    with pytest.raises(InvalidWorld, match="'feud' has no semantics; name a world whose meaning"):
        _ = parse_world(GOOD.replace("semantics: feud\n", ""), "feud.yaml").semantics


@pytest.mark.parametrize(
    ("kinds", "between", "said"),
    [
        ("[man]", "[man, man]", "two or three distinct kinds"),
        ("[man, man]", "[man, man]", "two or three distinct kinds"),
        ("[man, house, dog, cat]", "[man, man]", "two or three distinct kinds"),
        ("[man, house]", "", "'foe' must say between which kinds"),
        ("[man, house]", "[man, house]", "'foe' and its inverse 'foe' must be between the same"),
    ],
)
def test_stories_need_two_or_three_kinds(kinds, between, said, tmp_path: Path):
    stories, file = find_world("spatial").story_spec, tmp_path / "feud.yaml"
    typed = GOOD.replace("default:", f"kinds: {kinds}\ndefault:")
    if between:
        typed = typed.replace("words:", f"between: {between}, words:")
    file.write_text(typed)
    with pytest.raises(InvalidWorld, match=said):
        load_world(file, stories=stories)


def test_stories_need_inverses_and_two_genders_or_none(tmp_path: Path):
    stories = find_world("spatial").story_spec
    (tmp_path / "feud.yaml").write_text(GOOD)
    assert load_world(tmp_path / "feud.yaml", stories=stories).story_spec is stories
    lone = GOOD.replace("predicates:\n", "predicates:\n  peer: {words: peer}\n")
    (tmp_path / "feud.yaml").write_text(lone)
    with pytest.raises(InvalidWorld, match="feud: 'peer' has no inverse; stories need one"):
        load_world(tmp_path / "feud.yaml", stories=stories)
    by_gender = re.sub(r"words: (\w+)", r"words: {he: \1, she: \1}", GOOD)
    (tmp_path / "feud.yaml").write_text(
        by_gender.replace("default:", "genders: [he, she]\ndefault:")
    )
    with pytest.raises(InvalidWorld, match="but they are he, she; write"):
        load_world(tmp_path / "feud.yaml", stories=stories)


def test_a_world_without_stories_says_so():
    with pytest.raises(NotFound, match="the world 'feud' has no stories"):
        parse_world(GOOD, "feud.yaml").scene(Stream("scene"), 10)


def test_rules_may_be_passed_in(tmp_path: Path):
    file = tmp_path / "feud.yaml"
    file.write_text(GOOD)
    world = load_world(file, rules={"plain": [("lord", "lord", "lord")]})
    assert [str(rule) for rule in world.ruleset().rules] == [
        "lord . foe -> foe",
        "lord . lord -> lord",
    ]
    with pytest.raises(InvalidWorld, match="feud: no rule set 'plane' to add rules to"):
        load_world(file, rules={"plane": []})
    with pytest.raises(InvalidWorld, match="feud: 'lrd' is not a predicate of this world; did you"):
        load_world(file, rules={"plain": [("lord", "lrd", "lord")]}).ruleset("plain")

"""Options that exclude each other, are out of range or have no effect are refused in one line."""

import re

import pytest
from stories import clutrr

from relsmith.errors import InvalidOption, RelsmithError
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.world import find_world

REFUSED = [
    ("k=1..3", "k: expected 2 or more, but got '1..3'"),
    ("k=10..2", "did you mean '2..10'?"),
    ("k=99", "k: expected 40 at most, but got '99'"),
    ("train_k=1", "train_k: expected 2 or more, but got '1'"),
    ("noise=none,all", "noise: 'none' cannot be combined with other kinds"),
    ("hold_out=none,names", "hold_out: 'none' cannot be combined with other kinds"),
    ("noise_length=1", "noise_length: expected 2 to 6, but got '1'"),
    ("side_facts=10", "expected 9 or less, but got '10'"),
    ("people=9", "but got '9'"),
    ("marriage=0.1", "but got '0.1'"),
    ("choices=0", "but got '0'"),
    ("names=shiped", "names: cannot read 'shiped'"),
    ("world=kinshp", "did you mean 'kinship'?"),
    ("rules=thesi", "rules: kinship has sound, thesis, but got 'thesi'; did you mean 'thesis'?"),
    ("world=spatial rules=thesis", "rules: spatial has sound, but got 'thesis'"),
    # People and names
    ("k=30", "people: stories of up to 30 facts need at least 62, but got 60; ask for more people"),
    ("k=12 people=20", "of up to 12 facts need at least 26, but got 20"),
    ("k=9 people=20 world=spatial", "need at least 31, but got 20"),
    ("k=30 world=space", "need at least 90"),
    ("k=16 world=ordering", "need at least 64"),
    ("people=30 world=kinship-extended", "up to 4 facts need at least 40, but got 30"),
    ("k=8 noise=all world=kinship-extended", "17 facts need at least 66, but got 60; ask for more"),
    ("anonymize=1 gender=names", "placeholders do not show the gender"),
    ("anonymize=1 world=time-points", "do not distinguish events and instants"),
    # Form and answers
    ("style=facts world=time-dates", "bare facts have no dates for time-dates"),
    ("choices=11", "choices: there are 10 wrong answers, but got 11"),
    ("choices=8 world=spatial", "choices: there are 7 wrong answers, but got 8"),
    ("answer=rank", "answer: expected 'relation', 'yes-no' or 'who', but got 'rank'"),
    ("answer=who", "'who' needs everyone's gender: pass --gender given"),
    ("answer=who gender=given task=memory", "'who' is for reasoning"),
    ("answer=yes-no rules=thesis", "needs rules that always hold: --rules sound"),
    ("unknown_share=0.2 rules=thesis", "needs rules that always hold: --rules sound"),
    ("explain=1 rules=thesis", "explain: needs rules that always hold: --rules sound"),
    ("unknown_share=0.2 task=memory", "unknown_share: is for reasoning; leave --task out"),
    # Several questions
    ("questions=9", "expected 8 or less, but got '9'"),
    ("questions=5 people=20 k=8 side_facts=1", "; ask for 2, a larger --side-facts"),
    ("questions=2 side_facts=0", "questions: --questions above 1 needs --side-facts 1 or more"),
    ("questions=2 answer=yes-no", "questions: more than one needs --answer relation"),
    ("questions=2 task=memory", "questions: more than one needs --task reasoning"),
    ("questions=2 hold_out=clauses", "cannot be combined with held-out clauses"),
    # Siblings
    ("siblings=noise", "'noise': choose a kind with --noise"),
    ("siblings=words style=facts", "'words': bare facts have no other words"),
    ("siblings=gender world=spatial", "'gender': in the world spatial nobody"),
    ("siblings=inverse rules=thesis", "'inverse': the rules 'thesis' do not all"),
    ("siblings=inverse direction=forward", "'inverse': --direction forward"),
    ("siblings=words answer=yes-no", "they need --answer relation"),
    ("siblings=words task=memory", "they need --task reasoning"),
    ("siblings=words questions=2", "they need --questions 1"),
    ("siblings=words unknown_share=0.2", "they need --unknown-share 0"),
    ("siblings=order words=500 noise=all", "they need --words 0"),
    ("siblings=words choices=3", "they need --choices none or all"),
    ("siblings=words,words", "siblings: each kind may be listed once"),
    ("noise=supporting,supporting", "noise: each kind may be listed once"),
    ("hold_out=names,names", "hold_out: each kind may be listed once"),
    # Hold-outs
    ("hold_out=clauses k=2", "clauses of two facts are never held out"),
    ("hold_out=clauses k=2..7", "longer than 6 there are too many to list"),
    ("hold_out=clauses k=5 world=time", "longer than 4 there are too many"),
    ("hold_out=clauses world=space", "longer than 2 there are too many"),
    ("hold_out=names anonymize=1", "has no names to hold out"),
    ("hold_out=templates style=facts", "only the style text has templates"),
    # Long stories
    ("words=500 noise=supporting", "words: irrelevant noise fills long stories"),
    ("words=200 noise=all", "words: expected 500 or more"),
    ("words=500 noise=all k=30 people=120", "or more for stories of up to 30 facts"),
    ("words=500 noise=all world=spatial", "words: the world spatial has too few names"),
    ("words=500 noise=all anonymize=1", "anonymize: stories with --words have too many"),
    ("words=500 noise=all gender=given", "gender: stories with --words have too many"),
    ("words=9000 noise=all hold_out=names", "hold_out: stories this long use full names"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_impossible_options_are_refused(given: str, message: str) -> None:
    with pytest.raises(RelsmithError) as caught:
        clutrr(given)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_world_without_conventions_says_so(monkeypatch) -> None:
    monkeypatch.setattr(find_world("spatial"), "conventions", None)
    with pytest.raises(InvalidOption, match="conventions: the world spatial has none"):
        clutrr("world=spatial conventions=full")


@pytest.mark.parametrize(
    ("option", "idle", "useful"),
    [
        ("gender=given", "world=spatial", ""),
        ("gender=names", "world=ordering", ""),
        ("children=3", "world=spatial", ""),
        ("marriage=0.5", "world=space", ""),
        ("same_gender=0.5", "", "world=kinship-extended"),
        ("noise_paths=2", "", "noise=disconnected"),
        ("noise_length=2", "", "noise=supporting"),
        ("depth=0.5", "noise=all", "noise=all words=500"),
        ("explain=True", "task=memory", "task=mixed"),
        ("choices=all", "answer=yes-no", "unknown_share=0.2"),
        ("choices=all", "answer=who gender=given", ""),
    ],
)
def test_options_without_effect_are_refused(option: str, idle: str, useful: str) -> None:
    name, value = option.split("=")
    with pytest.raises(InvalidOption) as caught:
        clutrr(f"{idle} {option}")
    said = rf"clutrr: {name}: '{value}' has no effect .*; [^;]*leave it out"
    assert re.fullmatch(said, str(caught.value))
    default = Clutrr.model_fields[name].default
    clutrr(idle, **{name: default})
    with_it = clutrr(f"{useful} {option}")
    without = clutrr(useful, **{name: default})
    assert list(with_it.examples(9)) != list(without.examples(9)), "here it has an effect"


def test_the_default_rules_are_named() -> None:
    assert Clutrr().rules == clutrr("world=spatial").rules == "sound"
    assert Clutrr.configure(Clutrr().options()) == Clutrr()

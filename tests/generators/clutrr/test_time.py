"""Rows of the world of time: what the ends of a chain give away, and questions for sets."""

import json
import re
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from relsmith.errors import InvalidOption
from relsmith.example import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import story_segments
from relsmith.generators.clutrr.planning.chain import PredicateCounts
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.time import world
from relsmith.kb.worlds.time.judge import WORDS
from relsmith.kb.worlds.world import find_world

ROWS = 26


def test_an_instant_by_the_name_of_an_event_is_found() -> None:
    """The names alone tell which is which: all else of the row fits."""
    generator = Clutrr.configure({"world": "time-points", "style": "plain", "k": "3"})
    pool, planted = find_world("time-points").story_spec.names, 0
    for row in generator.examples(ROWS):
        told = {name for x, _, y in _told(row) for name in (x, y)}
        for name in sorted(told & set(pool.male))[:1]:
            # As long as the other, so that every sentence starts where it did.
            event = next(e for e in pool.female if len(e) == len(name) and e not in told)
            word = re.compile(rf"\b{name}\b")
            faulty = replace(
                row,
                input=word.sub(event, row.input),
                metadata=json.loads(word.sub(event, json.dumps(row.metadata))),
            )
            problems = generator.problems(faulty)
            assert set(problems) == {f"{event!r} is no name for this kind: instant"}
            planted += 1
    assert planted > ROWS // 3


def _told(row: Example) -> list[list[str]]:
    return [*row.metadata["facts"], *row.metadata["beside_facts"]]


def test_wrong_choices_are_preferably_for_the_same_kinds() -> None:
    generator = Clutrr.configure({"world": "time-points", "k": "2..3", "choices": "4"})
    rivals = find_world("time-points").same_kind_words
    for row in generator.examples(150):
        alike = [word for word in row.choices if word in rivals[row.target]]
        assert len(alike) == min(5, len(rivals[row.target])), row.choices


def test_contradicted_relations_are_for_the_same_kinds() -> None:
    generator = Clutrr.configure({"world": "time-points", "k": "2..3", "answer": "yes-no"})
    rivals = find_world("time-points").same_kind_words
    for row in generator.examples(150):
        assert row.metadata["asked"] in rivals[row.metadata["relation"]]


def test_all_possible_relations_of_two_kinds_are_asked_for() -> None:
    rivals = find_world("time-points").same_kind_words
    generator = Clutrr.configure(POSSIBLE | {"world": "time-points"})
    for row in generator.examples(60):
        assert not generator.problems(row), row.input
        every = rivals[row.metadata["possible"][0]]
        assert f"going by what is told: {'; '.join(every)}? Name all" in row.input
        assert set(row.target.split("; ")) <= set(every)
        changed = deepcopy(row)
        _one_more_of(every, changed)
        assert generator.problems(changed), changed


def _one_more_of(every: list[str], row: Example) -> None:
    members = row.target.split("; ")
    more = [word for word in every if word not in members]
    row.target = "; ".join(sorted([*members, more[0]])) if more else "none"


def test_names_of_both_kinds_may_be_given(tmp_path) -> None:
    names = tmp_path / "names"
    events, instants = [f"fair{c}" for c in "abcdefghijklm"], [f"bang{c}" for c in "abcdefghijklm"]
    lines = [f"{name},event" for name in events] + [f"{name}\tinstant" for name in instants]
    names.write_text("\n".join(lines))
    generator = Clutrr.configure({"world": "time-points", "k": "2..3", "names": str(names)})
    for row in generator.examples(30):
        assert not generator.problems(row)
        assert {name for x, _, y in _told(row) for name in (x, y)} <= {*events, *instants}
    names.write_text("fair")
    with pytest.raises(
        InvalidOption, match="expected a name of letters and event or instant after"
    ):
        Clutrr.configure({"world": "time-points", "names": str(names)})


def test_placeholders_do_not_distinguish_kinds() -> None:
    with pytest.raises(InvalidOption, match="do not distinguish events and instants"):
        Clutrr.configure({"world": "time-points", "anonymize": True})


def dated_line(row: Example) -> tuple[int, str]:
    """Which stretch tells times, and what it says."""
    (place,) = [n for n, name in enumerate(row.metadata["templates"]) if name.startswith("by:")]
    return place, story_segments(row)[place]


def other_time(row: Example) -> None:
    """The event that is told first is moved into another year, or far into the night."""
    _, text = dated_line(row)
    lasts = re.search(r"lasted from (\S+|noon on \d+ \w+) to", text)
    moved = re.sub(r"(\d+:\d\d|noon on \d+ [A-Z][a-z]+)", _moved, text, count=1 + bool(lasts))
    row.input = row.input.replace(text, moved)


def _moved(match: re.Match[str]) -> str:
    return f"1{match[0]}" if ":" in match[0] else "noon on 31 February"


def times_exchanged(row: Example) -> None:
    """Each of the two has the other's times; where that makes no difference, one has none."""
    _, text = dated_line(row)
    (number,) = row.metadata["states"][dated_line(row)[0]]
    x, word, y = _told(row)[number]
    changed = re.sub(rf"\b({x}|{y})\b", lambda match: y if match[1] == x else x, text)
    if word == "began and ended at the same time as":
        changed = text.replace(f"he {x} ", f"he {y} ")
    row.input = row.input.replace(text, changed)


def other_day(row: Example) -> None:
    _, text = dated_line(row)
    row.input = row.input.replace(text, re.sub(r"\b(day|year)\b", r"\1s", text))


def another_template(row: Example) -> None:
    place, _ = dated_line(row)
    row.metadata["templates"][place] = "by:day-99"


def told_by_a_frame(row: Example) -> None:
    place, _ = dated_line(row)
    row.metadata["templates"][place] = "records-1"


def fact_by_word_only(row: Example) -> None:
    """No line tells times; the sentence is right for its frame."""
    place, text = dated_line(row)
    x, word, y = _told(row)[row.metadata["states"][place][0]]
    said = f"The {y} {word} the {x}."
    row.input = row.input.replace(text, said)
    row.metadata["templates"][place] = "records-1"
    starts = row.metadata["starts"]
    starts[place + 1 :] = [start + len(said) - len(text) for start in starts[place + 1 :]]


@pytest.mark.parametrize(
    "plant",
    [
        *(other_time, times_exchanged, other_day),
        *(another_template, told_by_a_frame, fact_by_word_only),
    ],
    ids=lambda plant: plant.__name__,
)
def test_a_fault_planted_among_times_is_found(plant: Callable[[Example], None]) -> None:
    generator = Clutrr.configure({"world": "time-dates", "k": "2..4"})
    for row in generator.examples(ROWS):
        assert generator.problems(row) == []
        faulty = deepcopy(row)
        plant(faulty)
        assert faulty != row
        assert generator.problems(faulty), (plant, faulty.input, faulty.target)
        if plant is fact_by_word_only:
            assert generator.problems(faulty) == [
                "not exactly one fact of the chain is stated by times"
            ]


@pytest.mark.parametrize(
    "options",
    [
        {"noise": "all", "answer": "who"},
        {"style": "plain", "unknown_share": 0.5, "answer": "possible"},
        {"siblings": "words,names,order,inverse"},
        {"questions": "2"},
        {"anonymize": True, "explain": True},
    ],
    ids=str,
)
def test_one_fact_of_the_chain_is_stated_by_times(options) -> None:
    generator = Clutrr.configure({"world": "time-dates", "k": "2..4", **options})
    scales = Counter()
    rows = list(generator.examples(60))
    for row in rows:
        assert generator.problems(row) == []
        scales[row.metadata["templates"][dated_line(row)[0]].rsplit("-", 1)[0]] += 1
    for start in range(0, 60 - generator.group_size, generator.group_size):
        assert not generator.check_group(rows[start : start + generator.group_size])
    assert set(scales) == {"by:day", "by:year"}


def test_word_siblings_state_other_times() -> None:
    rows = list(Clutrr.configure({"world": "time-dates", "siblings": "words"}).examples(40))
    for first, other in zip(rows[::2], rows[1::2], strict=True):
        assert dated_line(first)[1] != dated_line(other)[1]


def test_bare_facts_have_no_dates() -> None:
    with pytest.raises(InvalidOption, match="bare facts have no dates for time-dates"):
        Clutrr.configure({"world": "time-dates", "style": "facts"})


@pytest.mark.slow
def test_end_facts_reveal_little() -> None:
    """Chains begin and end with equals, which leaves all open, where they can."""
    for k, most in (("4", 65), ("8", 65)):
        generator = Clutrr.configure({"world": "time", "k": k, "style": "facts"})
        figures = Clutrr.measures(list(generator.examples(800)))
        assert figures[f"guess from the end facts, k = {k} (%)"] < most


def test_equals_is_resolved_only_where_nothing_else_can_be() -> None:
    """It follows from itself alone: resolved because it is frequent, it becomes more so."""
    rules = RuleIndex.from_world(world())
    assert [rules.predicates[unit] for unit in rules.identities] == ["equals"]
    assert not RuleIndex.from_world(find_world("kinship")).identities
    counts, (equals,) = PredicateCounts(rules), rules.identities
    counts.add([equals] * 50 + [rules.number["before"]])
    assert counts.frequency[equals] == min(counts.frequency) < 0.01


POSSIBLE = {"world": "time", "k": "2..4", "answer": "possible", "unknown_share": 0.7}


@pytest.mark.parametrize(
    "options",
    [{}, {"style": "plain", "noise": "all"}, {"style": "facts"}, {"conventions": "full"}],
    ids=str,
)
def test_all_possible_relations_are_asked_for(options) -> None:
    generator = Clutrr.configure(POSSIBLE | options)
    sizes: Counter[int] = Counter()
    for row in generator.examples(60):
        assert not generator.problems(row), row.input
        members = row.target.split("; ")
        assert set(members) <= set(WORDS)
        assert row.metadata["relation"] == (row.target if len(members) == 1 else "")
        assert bool(row.metadata["proof"]) == (len(members) == 1)
        sizes[len(members)] += 1
    assert 14 <= sizes[1] <= 22, "three in ten are certain"
    assert len(sizes) > 3


@pytest.mark.slow
def test_all_relations_are_rarely_possible() -> None:
    """Of stories of six facts that leave something open, three in four leave everything so."""
    generator = Clutrr.configure(POSSIBLE | {"k": "6", "style": "facts"})
    rows = [row.target.count("; ") + 1 for row in generator.examples(200)]
    assert rows.count(len(WORDS)) < 0.5 * sum(size > 1 for size in rows)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"unknown_share": 0}, "'possible' needs --unknown-share"),
        ({"world": "kinship"}, "the world kinship has no question for 'possible'"),
        ({"choices": "3"}, "has no effect on possible questions"),
        ({"questions": "2"}, "more than one needs --answer relation"),
        ({"siblings": "names"}, "they need --answer relation"),
    ],
    ids=str,
)
def test_impossible_options_of_possible_are_refused(options, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        Clutrr.configure(POSSIBLE | options)


def test_a_set_is_read_in_any_order_and_as_a_whole() -> None:
    rows = Clutrr.configure(POSSIBLE).examples(40)
    row = next(row for row in rows if row.target.count("; ") == 2)
    one, two, three = row.target.split("; ")
    key = Clutrr.answer_key(row)
    for text in (
        f"{three}; {one}; {two}",
        f"Answer: {two}, {one}, and {three}.",
        f"1. {one}\n2. {two}\n3. {three}",
    ):
        assert key.score(text).value == 1, text
    more = next(word for word in WORDS if word not in row.target)
    for text in (
        *(f"{one}; {two}", f"{one}; {two}; {three}; {more}", f"not {one}; {two}; {three}"),
        *(f"{one} or {two} or {three}", "none", "unknown", "", f"{one}; {two}; {three}?"),
    ):
        assert key.score(text).value == 0, text


@pytest.mark.parametrize("style", ["text", "plain"])
def test_names_that_are_words_of_times_are_refused(style: str, tmp_path: Path) -> None:
    """With other names, "after 2 weeks" would become "after 2 parades"."""
    names = [*find_world("time-dates").story_spec.names.female[:80], "weeks"]
    (tmp_path / "names").write_text("\n".join(names))
    options = {"world": "time-dates", "names": str(tmp_path / "names"), "style": style}
    with pytest.raises(InvalidOption, match="names: 'weeks' is a word of the sentences too"):
        Clutrr.configure(options)

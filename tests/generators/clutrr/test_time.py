"""Rows of the time worlds: instants, dates and consistent events."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from stories import clutrr

from relsmith.errors import InvalidOption
from relsmith.example import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import stated_facts, story_segments
from relsmith.generators.clutrr.planning.chain import PredicateCounts
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.time import world
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled

ROWS = 26


def test_an_instant_by_the_name_of_an_event_is_found() -> None:
    """Exchange the name of an instant with that of an event; everything else fits."""
    generator = clutrr("world=time-points style=plain k=3")
    pool, planted = find_world("time-points").story_spec.names, 0
    for row in generator.examples(ROWS):
        told = {name for x, _, y in stated_facts(row.metadata) for name in (x, y)}
        for name in sorted(told & set(pool.male))[:1]:
            # Of the same length, so that all sentences keep their offsets.
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


@pytest.mark.parametrize("options", [{"choices": "4"}, {"answer": "yes-no"}])
def test_wrong_answers_are_preferably_for_the_same_kinds(options) -> None:
    for row in clutrr("world=time-points k=2..3", **options).examples(scaled(600)):
        rivals = find_world("time-points").same_kind_words[row.metadata["relation"] or row.target]
        alike = [word for word in row.choices if word in rivals]
        assert not row.choices or len(alike) == min(5, len(rivals)), row.choices
        assert row.metadata["asked"] in ("", *rivals)


def test_names_of_both_kinds_may_be_given(tmp_path) -> None:
    names = tmp_path / "names"
    events, instants = [f"fair{c}" for c in "abcdefghijklm"], [f"bang{c}" for c in "abcdefghijklm"]
    lines = [f"{name},event" for name in events] + [f"{name}\tinstant" for name in instants]
    names.write_text("\n".join(lines))
    generator = clutrr("world=time-points k=2..3", names=str(names))
    for row in generator.examples(30):
        assert not generator.problems(row)
        assert {name for x, _, y in stated_facts(row.metadata) for name in (x, y)} <= {
            *events,
            *instants,
        }
    names.write_text("fair")
    with pytest.raises(
        InvalidOption, match="expected a name of letters and event or instant after"
    ):
        clutrr("world=time-points", names=str(names))


def dated_line(row: Example) -> tuple[int, str]:
    """Return the segment that states times, and its sentence."""
    (place,) = [n for n, name in enumerate(row.metadata["templates"]) if name.startswith("by:")]
    return place, story_segments(row)[place]


def other_time(row: Example) -> None:
    """Move the first event to another year, or far into the night."""
    _, text = dated_line(row)
    lasts = re.search(r"lasted from (\S+|noon on \d+ \w+) to", text)
    moved = re.sub(
        r"(\d+:\d\d|noon on \d+ [A-Z][a-z]+)",
        lambda time: f"1{time[0]}" if ":" in time[0] else "noon on 31 February",
        text,
        count=1 + bool(lasts),
    )
    row.input = row.input.replace(text, moved)


def other_day(row: Example) -> None:
    _, text = dated_line(row)
    row.input = row.input.replace(text, re.sub(r"\b(day|year)\b", r"\1s", text))


def another_template(row: Example) -> None:
    row.metadata["templates"][dated_line(row)[0]] = "by:day-99"


def stated_by_a_frame(row: Example) -> None:
    """Remove the times; the sentence still fits its frame."""
    place, text = dated_line(row)
    x, word, y = stated_facts(row.metadata)[row.metadata["states"][place][0]]
    said = f"The {y} {word} the {x}."
    row.input = row.input.replace(text, said)
    row.metadata["templates"][place] = "records-1"
    starts = row.metadata["starts"]
    starts[place + 1 :] = [start + len(said) - len(text) for start in starts[place + 1 :]]


@pytest.mark.parametrize(
    ("plant", "finding"),
    [
        (other_time, "has no times of|says by"),
        (other_day, "has no times of|says by"),
        (another_template, "says by"),
        (stated_by_a_frame, "^not exactly one fact of the chain is stated by times$"),
    ],
)
def test_a_planted_fault_in_times_is_found(plant, finding: str) -> None:
    generator = clutrr("world=time-dates k=2..4")
    for row in generator.examples(ROWS):
        plant(row)
        assert any(re.search(finding, found) for found in generator.problems(row)), row.input


@pytest.mark.parametrize(
    "options",
    [
        {"noise": "all", "answer": "who"},
        {"style": "plain", "unknown_share": 0.5, "answer": "yes-no"},
        {"siblings": "words,names,order,inverse"},
        {"questions": "2"},
        {"anonymize": True, "explain": True},
    ],
    ids=str,
)
def test_one_fact_of_the_chain_is_stated_by_times(options) -> None:
    generator = clutrr("world=time-dates k=2..4", **options)
    scales = Counter()
    rows = list(generator.examples(60))
    for row in rows:
        assert generator.problems(row) == []
        scales[row.metadata["templates"][dated_line(row)[0]].rsplit("-", 1)[0]] += 1
    for start in range(0, 60 - generator.group_size, generator.group_size):
        assert not generator.check_group(rows[start : start + generator.group_size])
    assert set(scales) == {"by:day", "by:year"}


def test_word_siblings_state_other_times() -> None:
    rows = list(clutrr("world=time-dates siblings=words").examples(40))
    for first, other in zip(rows[::2], rows[1::2], strict=True):
        assert dated_line(first)[1] != dated_line(other)[1]


def test_equals_is_resolved_only_as_a_last_resort() -> None:
    """Check that `equals` is resolved rarely, as each resolution makes it more frequent."""
    rules = RuleIndex.from_world(world())
    assert [rules.predicates[unit] for unit in rules.identities] == ["equals"]
    assert not RuleIndex.from_world(find_world("kinship")).identities
    counts, (equals,) = PredicateCounts(rules), rules.identities
    counts.add([equals] * 50 + [rules.number["before"]])
    assert counts.frequency[equals] == min(counts.frequency) < 0.01


@pytest.mark.parametrize("style", ["text", "plain"])
def test_names_that_are_words_of_times_are_refused(style: str, tmp_path: Path) -> None:
    """Check names such as "week": "after 2 weeks" would become "after 2 parades"."""
    names = [*find_world("time-dates").story_spec.names.female[:80], "weeks"]
    (tmp_path / "names").write_text("\n".join(names))
    options = {"world": "time-dates", "names": str(tmp_path / "names"), "style": style}
    with pytest.raises(InvalidOption, match="names: 'weeks' is a word of the sentences too"):
        Clutrr.configure(options)


@pytest.mark.parametrize("options", ["noise=all", "siblings=names", "k=2"])
def test_events_of_a_story_are_consistent_with_valid_durations(options: str) -> None:
    hours, days = find_world("time-dates").story_spec.name_groups
    seen = set()
    for row in clutrr(options, world="time-dates").examples(scaled(300, least=60)):
        events = {name for x, _, y in stated_facts(row.metadata) for name in (x, y)}
        assert events <= hours or events <= days, row.input
        seen.add(events <= days)
        for count, unit in re.findall(r"(\d+) (hour|day|week)", row.input):
            assert (unit == "hour") == (events <= hours)
            assert int(count) <= {"hour": 5, "day": 36, "week": 5}[unit]
    assert seen == {True, False}

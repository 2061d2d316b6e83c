"""Derivations with a planted error: certified by the judge, balanced, scored, exported."""

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import verify_steps
from hypothesis import given, settings
from hypothesis import strategies as st
from scorer_probes import correct_answers, non_answers, wrong_answers

from relsmith import Example, export, make, score, steps, write
from relsmith.errors import InvalidInput, InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.options import story_worlds
from relsmith.generators.clutrr.reasoning.judging import StoryJudge
from relsmith.generators.clutrr.reasoning.reader import StepReader
from relsmith.kb.worlds.verdict import Status
from relsmith.scoring.scorer import answer_key
from relsmith.scoring.steps import CAUSES
from relsmith.testing.profile import scaled, thinned
from relsmith.validation import findings, group_findings

WORLDS = [world.name for world in story_worlds() if world.name != "lexicon"]


def derivations(**options) -> Clutrr:
    return make("clutrr", task="verify-steps", **options)


def lines(row: Example) -> list[str]:
    return re.findall(r"^Step \d+: (.+)$", row.input, re.MULTILINE)


def holds(row: Example, step: str) -> bool:
    """Return whether a step follows, by the reader of chains of thought and the world's judge."""
    judge = StoryJudge(row)
    (claim,) = StepReader(judge.world, judge.names, judge.genders).claims(step)
    status, _ = judge.verdict((claim.x, claim.relation, claim.y))
    return status is Status.ENTAILED


@pytest.mark.parametrize("world", thinned(WORLDS, 3))
def test_only_the_target_does_not_follow(world: str) -> None:
    generator = derivations(world=world, k="2..4")
    for row in generator[: scaled(40, least=12)]:
        assert findings(generator, row) == []
        wrong = [str(n) for n, step in enumerate(lines(row), 1) if not holds(row, step)]
        assert wrong == ([] if row.target == "none" else [row.target])
        assert bool(wrong) == (row.metadata["verdict"] in CAUSES)
        assert len(lines(row)) == 2 * row.metadata["k"] - 1


@cache
def known(world: str) -> tuple[Clutrr, list[Example]]:
    generator = derivations(k="2..3", world=world, style="plain")
    return generator, generator[:12]


@settings(max_examples=scaled(200, least=20))
@given(
    st.sampled_from(["kinship", "work", "ordering"]),
    st.integers(0, 11),
    st.integers(0, 2),
    st.none() | st.integers(0, 20),
)
def test_the_judge_follows_every_change_of_a_step(world, number, place, word) -> None:
    """Exchange the people of one step, or its relation: the judge says what is wrong now."""
    generator, rows = known(world)
    row = rows[number]
    step, judge = lines(row)[place], StoryJudge(row)
    (claim,) = StepReader(judge.world, judge.names, judge.genders).claims(step)
    if word is None:
        changed = step.replace(claim.x, "\0").replace(claim.y, claim.x).replace("\0", claim.y)
    else:
        words = sorted(judge.world.same_kind_words[claim.relation])
        changed = step.replace(claim.relation, words[word % len(words)])
    if changed == step:
        return
    other = replace(row, input=row.input.replace(f"{place + 1}: {step}", f"{place + 1}: {changed}"))
    found = findings(generator, other)
    wrong = [str(n) for n, each in enumerate(lines(other), 1) if not holds(other, each)]
    due = [] if row.target == "none" else [row.target]
    assert [line for line in found if line.startswith("wrong are")] == (
        [] if wrong == due else [f"wrong are the steps {wrong}, but the target is {row.target!r}"]
    )
    # One wrong claim in place of another may be as good a row.
    assert found or str(place + 1) == row.target


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: {"target": "none"}, "wrong are the steps"),
        (lambda row: {"metadata": row.metadata | {"verdict": "wrong luck"}}, "the errors are"),
        (
            lambda row: {"input": row.input.replace("Step 2: ", "Step 2: So ")},
            "step 2 does not say",
        ),
        (lambda row: {"input": row.input.replace("Step 1: ", "Step 7: ")}, "step 1 does not say"),
        (lambda row: {"input": row.input.replace(" male.", " female.")}, "list everyone's gender"),
        (lambda row: {"input": row.input.replace("Somebody", "Nobody")}, "begin with its question"),
        (lambda row: {"input": re.sub(r"\nStep 2.*", "", row.input)}, "not a line for each fact"),
        (lambda row: {"metadata": row.metadata | {"task": "reasoning"}}, "task should be"),
    ],
)
def test_the_judge_finds_other_faults(change, said: str) -> None:
    generator = derivations(k="3")
    for row in [row for row in generator[:8] if row.target != "none"]:
        wrong = replace(row, **change(row))
        if wrong != row:
            assert any(said in finding for finding in findings(generator, wrong)), wrong


def test_nothing_but_the_story_tells_the_wrong_step() -> None:
    """Targets are balanced for each number of steps; word counts are near chance."""
    rows = derivations(k="2..4", style="plain")[: scaled(3000, least=600)]
    half = len(rows) // 2
    by_k = Counter(row.metadata["k"] for row in rows)
    for (k, _), count in Counter((row.metadata["k"], row.target) for row in rows).items():
        assert count == pytest.approx(by_k[k] / (2 * k), rel=0.3, abs=6)
    guess, test = verify_steps.bayes(rows[:half], verify_steps.words), rows[half:]
    chance = sum(1 / (2 * row.metadata["k"]) for row in test) / len(test)
    right = sum(guess(row) == row.target for row in test) / len(test)
    assert right < chance + 0.06
    kinds = Counter(row.metadata["verdict"] for row in rows if row.metadata["verdict"])
    assert set(kinds) == set(CAUSES)
    assert min(kinds.values()) > 0.1 * kinds.total()


def test_siblings_differ_in_the_wrong_step() -> None:
    generator = derivations(siblings="error", k="2..4")
    rows = generator[: scaled(60, least=20)]
    for first, other in zip(rows[::2], rows[1::2], strict=True):
        assert (first.target, first.metadata["perturbation"]) == ("none", "")
        assert other.metadata["perturbation"] == "error"
        changed = [
            n
            for n, two in enumerate(zip(lines(first), lines(other), strict=True), 1)
            if two[0] != two[1]
        ]
        assert changed == [int(other.target)]
        assert group_findings(generator, [first, other]) == []
        place = 1 + int(other.target) % 3
        broken = replace(other, input=other.input.replace(f"Step {place}: ", "Step: "))
        assert group_findings(generator, [first, broken])
        assert generator.equivalent_answer({}, first, other, "none") == other.target


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        *[(text, "3") for text in ("3", "step 3", "Step 3.", "the third step", "\\boxed{3}", "#3")],
        *[(f'{{"{key}": {said}}}', "3") for key in ("answer", "step") for said in (3, '"3"')],
        ("<think>Step 1 is wrong.</think>\n3", "3"),
        ("The first wrong step is step 3.", "3"),
        ("The first step that does not follow from the story is step 3.", "3"),
        ("Step 1 holds. Step 2 holds. Step 3 is wrong because step 2 says brother.", "3"),
        ("Step 3 does not follow from steps 1 and 2.", "3"),
        ("Steps 1 and 2 are right, step 3 is wrong.", "3"),
        ("Step 1: right. Step 2: right. Step 3: wrong.", "3"),
        ("Step 1 \u2713\nStep 2 \u2717", "2"),
        ("Step 1 is wrong. Step 2 is right.", "1"),
        ("The story says that Ann is an aunt, so step 3 is wrong.", "3"),
        ("Answer: 3 (Ann is not the niece of Bob)", "3"),
        ("Answer: Step 3: So Ann is Bob's niece.", "3"),
        *[(text, "none") for text in ("none", "none of them", "No step is wrong.", "No errors.")],
        ("Every step follows from the story.", "none"),
        ("All three steps follow, so there is no error.", "none"),
        *[("Step " + "9" * 5000 + " is wrong", None)],
        *[
            (text, None)
            for text in (
                *("It could be step 3.", "Step 3 is not wrong.", "Step 2 or step 3 is wrong."),
                *("Step 2 and step 3 are wrong.", "Steps 2 and 3 are wrong.", "not 3", "3 or 4"),
                *("Step 3 is wrong. Step 4 is wrong.", "None of the steps follows.", "3 is wrong"),
                *("Not all steps follow.", "All steps but one are right.", "Is step 3 wrong?"),
                *(
                    "none. Step 2 is wrong.",
                    "Answer: 2, no it is 3",
                    "Answer: 2, 3 and 4 are wrong",
                ),
                *(
                    "Is step 3 wrong? It is not wrong.",
                    "All steps up to step 3 follow.",
                    "step 3.5",
                ),
                *("Nothing is wrong with step 3.", "Step 3 is free of errors."),
                *("Ann says that step 3 is wrong.", "It is wrong to doubt step 3."),
                *("Each of the first two steps follows. The third does not.",),
                *("Each of these two steps follows; the next one does not.",),
                *("Step 3 is wrong. Step 3 is right.", "The answer: none; step 3 is wrong"),
            )
        ],
    ],
)
def test_which_step_an_answer_names(text: str, answer: str | None) -> None:
    assert answer_key(derivations(k="3")[0]).score(text).answer == answer


@pytest.mark.parametrize("choices", ["none", "all", "2"])
def test_answers_are_scored(choices: str) -> None:
    for row in derivations(choices=choices)[: scaled(30, least=6)]:
        assert not row.choices or row.target in row.choices
        assert all(score(row, text).value == 1 for text in correct_answers(row))
        wrong = wrong_answers(row) + non_answers(row)
        assert [text for text in wrong if score(row, text).value] == []


def test_labels_of_steps_are_exported(tmp_path: Path) -> None:
    write(derivations(), tmp_path / "data", {"train": 8})
    files = export(tmp_path / "data", "trl-steps", tmp_path / "out")
    assert [file.name for file in files] == ["train.jsonl", "README.md"]
    records = [json.loads(line) for line in files[0].read_text().splitlines()]
    for record, row in zip(records, derivations().split()[:8], strict=True):
        assert record["completions"] == lines(row)
        wrong = [str(n) for n, right in enumerate(record["labels"], 1) if not right]
        assert wrong == ([] if row.target == "none" else [row.target])
        assert row.input.startswith(record["prompt"] + " Somebody answers in steps:")
        assert row.metadata["query"][1] in record["prompt"]
    write(make("clutrr"), tmp_path / "other", {"train": 2})
    with pytest.raises(InvalidOption, match="no labelled steps; make rows with"):
        export(tmp_path / "other", "trl-steps", tmp_path / "none")


def test_steps_about_a_derivation_are_not_judged() -> None:
    with pytest.raises(InvalidInput, match="cannot be judged"):
        steps(derivations()[0], "Answer: 1")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"answer": "yes-no"}, "answer: 'yes-no' is not for derivations"),
        ({"explain": True}, "explain: 'True' has no effect where the question has the proof"),
        ({"rules": "thesis"}, "task: needs rules that always hold"),
        ({"siblings": "words"}, "siblings: those of derivations are 'error'"),
        ({"siblings": "error", "choices": "2"}, "siblings: they need --choices none or all"),
        ({"choices": "4"}, "choices: there are 3 wrong answers"),
        ({"questions": 2}, "questions: more than one needs --task reasoning"),
        ({"unknown_share": 0.5}, "unknown_share: is for reasoning"),
        ({"task": "reasoning", "siblings": "error"}, "siblings: 'error': is for derivations"),
    ],
)
def test_options_that_exclude_each_other(options, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        make("clutrr", **{"task": "verify-steps"} | options)

"""Logs of several programs give the same answers; bad logs give one-line errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from relsmith import export, write
from relsmith.clusters import clusters
from relsmith.errors import RelsmithError
from relsmith.evaluation.picture.figures import figures
from relsmith.evaluation.picture.logs import read
from relsmith.evaluation.report import by, compared
from relsmith.evaluation.result import encoded
from relsmith.evaluation.score import score as score_file
from relsmith.example import Example
from relsmith.generators.clutrr import Clutrr

from .conftest import Speaker, lm_eval_line, run_beside, run_inspect, written_log


def values(path: str | Path, data: Path) -> dict[str, float]:
    (answers,) = read([str(path)], data)
    return {answer.id: answer.value for answer in answers.answers}


@pytest.fixture
def expected(rows: list[Example], speaker: Speaker) -> dict[str, float]:
    """1 if the reply ends with the target."""
    return {row.id: float(speaker(row).endswith(f" {row.target}.")) for row in rows}


def test_a_log_of_inspect(
    inspect_log: Path, stories: Path, expected: dict[str, float], rows: list[Example]
) -> None:
    is_as_expected(inspect_log, stories, expected, rows)


@pytest.mark.slow
def test_a_log_that_inspect_itself_wrote(
    tmp_path: Path,
    stories: Path,
    expected: dict[str, float],
    rows: list[Example],
    speaker: Speaker,
) -> None:
    path = run_inspect(tmp_path, stories, rows, speaker)
    is_as_expected(path, stories, expected, rows)


def is_as_expected(
    inspect_log: Path, stories: Path, expected: dict[str, float], rows: list[Example]
) -> None:
    assert 0.2 < sum(expected.values()) / len(expected) < 0.8
    assert values(inspect_log, stories) == expected
    (answers,) = read([str(inspect_log)], stories)
    assert (answers.model, answers.generator) == ("mockllm/speaker", "clutrr")
    assert answers.scorer == "relsmith.score"
    by_id = {row.id: row for row in rows}
    for answer in answers.answers:
        row = by_id[answer.id]
        assert answer.target == row.target
        assert answer.label("k") == row.metadata["k"]
        assert answer.label("noise") == ("supporting" if row.metadata["noise"] else "clean")
        assert answer.reply and answer.reply.endswith(f"{answer.extracted}.")
    drawn = clusters((answer.id, by_id[answer.id].metadata) for answer in answers.answers)
    assert [answer.cluster for answer in answers.answers] == drawn.keys
    assert answers.unit == drawn.unit == "clauses"


def test_a_log_of_inspect_as_json(
    inspect_log: Path, stories: Path, tmp_path: Path, expected: dict[str, float]
) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    path = tmp_path / "log.json"
    write_eval_log(read_eval_log(inspect_log), path)
    assert values(path, stories) == expected


@pytest.mark.parametrize(
    "by_inspect", [False, pytest.param(True, marks=pytest.mark.slow, id="by Inspect")]
)
def test_several_attempts_count_as_their_mean(
    tmp_path: Path, rows: list[Example], stories: Path, by_inspect: bool
) -> None:
    path = (run_inspect if by_inspect else written_log)(
        tmp_path if by_inspect else tmp_path / "log.eval",
        stories,
        rows[:3],
        lambda row: "Nobody can say.",
        lambda row: f"The answer is {row.target}.",
    )
    (answers,) = read([str(path)], stories)
    assert [answer.value for answer in answers.answers] == [0.5] * 3
    assert answers.notes == ["up to 2 attempts per row count as their mean; the first is shown"]


def test_samples_of_lm_eval(
    tmp_path: Path, rows: list[Example], speaker: Speaker, stories: Path, expected: dict[str, float]
) -> None:
    folder = tmp_path / "results" / "some__model"
    folder.mkdir(parents=True)
    for k in (2, 3, 4):
        lines = [
            json.dumps(lm_eval_line(number, row, speaker(row), expected[row.id]))
            for number, row in enumerate(row for row in rows if row.metadata["k"] == k)
        ]
        name = f"samples_relsmith_clutrr_k{k}_2026-01-02T03-04-05.123456.jsonl"
        (folder / name).write_text("\n".join(lines))
    (folder / "results_2026-01-02T03-04-05.123456.json").write_text("{}")
    for place in (folder, tmp_path / "results"):
        assert values(place, stories) == expected
    (answers,) = read([str(folder)], stories)
    assert (answers.model, answers.generator) == ("some__model", "clutrr")
    assert answers.scorer == "relsmith.score"
    assert [answer.extracted for answer in answers.answers] == [
        speaker(next(row for row in rows if row.id == answer.id)).split(" is ")[1].rstrip(".")
        for answer in answers.answers
    ]


@pytest.mark.slow
def test_samples_that_lm_eval_itself_wrote(
    tmp_path: Path, rows: list[Example], speaker: Speaker, stories: Path, expected: dict[str, float]
) -> None:
    export(stories, "lm-eval", tmp_path / "tasks")
    given = {
        "tasks": str(tmp_path / "tasks"),
        "names": ["relsmith_stories", "relsmith_stories_choices"],
        "folder": str(tmp_path),
        "said": {row.id: speaker(row) for row in rows},
    }
    run_beside("run_lm_eval.py", given)
    logs = sorted((tmp_path / "made-up__speaker").rglob("samples_*.jsonl"))
    chosen = [f"chosen={path}" for path in logs if "_choices" in path.name]
    written = [str(path) for path in logs if "_choices" not in path.name]
    first, second = read([*written, *chosen], stories)
    assert (first.model, second.model) == ("made-up__speaker", "chosen")
    for answers in (first, second):
        assert {answer.id: answer.value for answer in answers.answers} == expected
        assert all(speaker(row).endswith(f" {answers.by_id[row.id].extracted}.") for row in rows)
        assert {answer.label("k") for answer in answers.answers} == {2, 3, 4}


def test_batches_are_scored_as_by_gen_score(
    tmp_path: Path, rows: list[Example], speaker: Speaker, stories: Path, expected: dict[str, float]
) -> None:
    def batch(row: Example, message: dict[str, str]) -> dict[str, Any]:
        return {"custom_id": row.id, "response": {"body": {"choices": [{"message": message}]}}}

    path = tmp_path / "batch.jsonl"
    said = [batch(row, {"content": speaker(row)}) for row in rows[1:]]
    path.write_text("\n".join(map(json.dumps, [batch(rows[0], {}), *said])))
    (answers,) = read([str(path)], stories)
    values = {answer.id: answer.value for answer in answers.answers}
    assert values == {name: value for name, value in expected.items() if name != rows[0].id}
    assert f"1 of {len(rows)} lines have no reply and do not count" in answers.notes
    path.write_text(json.dumps(batch(rows[0], {})))
    with pytest.raises(RelsmithError, match=r"batch\.jsonl holds no answers"):
        read([str(path)], stories)


def test_choices_of_lm_eval(tmp_path: Path, rows: list[Example], stories: Path) -> None:
    path = tmp_path / "samples_mc.jsonl"
    lines = []
    for number, row in enumerate(rows[:6]):
        line = lm_eval_line(number, row, "", float(number % 2))
        line["doc"] = {**row.record(), "choices": ["nobody", row.target]}
        # Numbers are written as words there.
        weights = (["-3.5", "False"], ["-11.25", "False"])
        line["resps"] = [[pair] for pair in (weights[::-1] if number % 2 else weights)]
        line |= {"metrics": ["acc"], "acc": float(number % 2)}
        lines.append(json.dumps(line))
    path.write_text("\n".join(lines))
    (answers,) = read([str(path)], stories)
    assert [answer.value for answer in answers.answers] == [0, 1] * 3
    chosen = [row.target if number % 2 else "nobody" for number, row in enumerate(rows[:6])]
    assert [answer.extracted for answer in answers.answers] == chosen


def test_the_first_filter_of_lm_eval_counts(
    tmp_path: Path, rows: list[Example], stories: Path
) -> None:
    path = tmp_path / "samples_clutrr.jsonl"
    lines = [
        lm_eval_line(0, rows[0], rows[0].target, value) | {"filter": name}
        for name, value in (("strict", 0.0), ("loose", 1.0))
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    (answers,) = read([str(path)], stories)
    assert answers.model == tmp_path.name
    assert [answer.value for answer in answers.answers] == [1]
    assert answers.notes == ["1 of 1 scores differ from those of the log"]


def test_figures_of_plain_answers_are_those_of_the_reports_on_results(
    plain_log: Path, stories: Path, tmp_path: Path, expected: dict[str, float], rows: list[Example]
) -> None:
    assert values(plain_log, stories) == expected
    halves = [{"id": row.id, "answer": row.target if n % 2 else "?"} for n, row in enumerate(rows)]
    (tmp_path / "half.jsonl").write_text("\n".join(map(json.dumps, halves)))
    paths = [plain_log, tmp_path / "half.jsonl"]
    results = [score_file(path, stories, "test")[0] for path in paths]
    found = figures(read([str(path) for path in paths], stories))
    (overall,), (by_k,) = by(results, []), by(results, ["k"])
    for model in found.models:
        one, several = (
            next(line.cells for line in table.lines if line.model == model.name)
            for table in (overall, by_k)
        )
        assert model.overall.share == pytest.approx(one[0])
        assert [cell.share for cell in model.by["k"].values()] == list(map(pytest.approx, several))
    (told,) = compared(results[:1], results[1:], [], None)
    (comparison,) = found.comparisons
    assert comparison.difference[:7] == pytest.approx(told.difference[:7])
    (tmp_path / "mine.json").write_bytes(encoded(results[:1]))
    with pytest.raises(RelsmithError, match="is a result without replies; give the file of ans"):
        read([str(tmp_path / "mine.json")], stories)


def test_wrong_scores_of_a_log_are_corrected(
    tmp_path: Path, rows: list[Example], stories: Path
) -> None:
    path = tmp_path / "samples_clutrr.jsonl"
    # The answer is a longer word, and the log's metric looked for any occurrence.
    lines = [lm_eval_line(n, row, f"great-{row.target}", 1.0) for n, row in enumerate(rows[:5])]
    path.write_text("\n".join(map(json.dumps, lines)))
    (answers,) = read([str(path)], stories)
    assert {answer.value for answer in answers.answers} == {0}
    assert answers.notes == ["5 of 5 scores differ from those of the log"]


def test_names_are_given_and_logs_joined(plain_log: Path, stories: Path, tmp_path: Path) -> None:
    lines = plain_log.read_text().splitlines()
    (tmp_path / "a.jsonl").write_text("\n".join(lines[:20]))
    (tmp_path / "b.jsonl").write_text("\n".join(lines[20:]))
    places = [f"mine={tmp_path / name}" for name in ("a.jsonl", "b.jsonl")]
    (answers,) = read(places, stories)
    assert (answers.model, len(answers.answers)) == ("mine", len(lines))
    one, two = read([str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")], stories)
    assert (one.model, two.model) == ("a", "b")
    with pytest.raises(RelsmithError, match=r"both answer clutrr-\S+ as mine; give them names"):
        read([places[0], f"mine={plain_log}"], stories)


def foreign(tmp_path: Path) -> Path:
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        write_eval_log,
    )

    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="other",
        dataset=EvalDataset(),
        model="m",
        config=EvalConfig(),
    )
    sample = EvalSample(id=1, epoch=1, input="?", target="!")
    path = tmp_path / "foreign.eval"
    write_eval_log(EvalLog(status="success", eval=spec, samples=[sample]), path)
    write_eval_log(EvalLog(status="success", eval=spec, samples=[]), tmp_path / "empty.eval")
    return path


def test_bad_logs_are_one_line(
    tmp_path: Path, rows: list[Example], stories: Path, inspect_log: Path, plain_log: Path
) -> None:
    foreign(tmp_path)
    (tmp_path / "broken.eval").write_bytes(inspect_log.read_bytes()[:500])
    (tmp_path / "nothing.eval").write_bytes(b"")
    (tmp_path / "text.eval").write_text("hello")
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "log.json").write_text('{"version": 2, "eval": {}}')
    (tmp_path / "summary.json").write_text('{"results": {}, "configs": {}}')
    (tmp_path / "cut.jsonl").write_text('{"id": ')
    (tmp_path / "list.jsonl").write_text("[]")
    (tmp_path / "bare.jsonl").write_text('{"id": "clutrr-v4-s0-test-0"}')
    (tmp_path / "empty.jsonl").write_text("\n\n")
    (tmp_path / "who.jsonl").write_text('{"id": "nobody", "answer": "aunt"}')
    (tmp_path / "samples_a.jsonl").write_text('{"doc": {}, "resps": []}')
    line: dict[str, Any] = lm_eval_line(7, rows[0], "aunt", 1.0) | {"doc": {"question": "?"}}
    (tmp_path / "samples_b.jsonl").write_text(json.dumps(line))
    (tmp_path / "notes.txt").write_text("hello")
    twice = json.dumps({"id": rows[0].id, "answer": "aunt"})
    (tmp_path / "twice.jsonl").write_text(f"{twice}\n{twice}")
    (tmp_path / "hollow").mkdir()
    for name, data, said in [
        ("foreign.eval", stories, "has no row '1'; give the dataset of the log"),
        ("empty.eval", stories, "empty.eval holds no samples"),
        ("broken.eval", stories, "broken.eval is not a log of Inspect, or damaged"),
        ("nothing.eval", stories, "nothing.eval is not a log of Inspect, or damaged"),
        ("text.eval", stories, "text.eval is not a log of Inspect, or damaged"),
        ("none.eval", stories, "cannot read"),
        ("other.json", stories, "other.json is not a known type of log"),
        ("log.json", stories, "log.json is not a log of Inspect, or damaged"),
        ("summary.json", stories, "is lm-eval's summary; run it with --log_samples"),
        ("cut.jsonl", stories, "cut.jsonl:1 is not JSON"),
        ("list.jsonl", stories, "list.jsonl:1: not a sample"),
        ("bare.jsonl", stories, "bare.jsonl:1: there is no id and answer in it"),
        ("empty.jsonl", stories, "empty.jsonl holds no answers"),
        ("who.jsonl", stories, "has no row 'nobody'"),
        ("samples_a.jsonl", stories, "samples_a.jsonl:1: not a sample of lm-eval"),
        ("samples_b.jsonl", stories, "has no row '7'"),
        ("twice.jsonl", stories, "is answered twice"),
        ("notes.txt", stories, "notes.txt is not a known type of log"),
        ("hollow", stories, "hollow holds no logs"),
    ]:
        with pytest.raises(RelsmithError) as caught:
            read([str(tmp_path / name)], data)
        assert said in str(caught.value), name
        assert "\n" not in str(caught.value)


def test_other_rows_of_the_same_ids_are_refused(inspect_log: Path, tmp_path: Path) -> None:
    """An id contains generator, seed and split, but not the options of a dataset."""
    write(Clutrr.configure({"k": "5"}), tmp_path / "others", {"test": 48})
    with pytest.raises(RelsmithError, match=r"its row clutrr-\S+-0 differs from that of --data"):
        read([str(inspect_log)], tmp_path / "others")

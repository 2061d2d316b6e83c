"""Exports in the original's formats are accepted by readers of official files."""

import csv
import json
import re
from ast import literal_eval
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from stories import clutrr

from relsmith import Dataset, Example, export, write
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.audit.report import Audit, audit
from relsmith.generators.clutrr.audit.settings import Settings
from relsmith.generators.clutrr.metadata import stated_facts
from relsmith.generators.clutrr.output.export import (
    COLUMNS,
    HUGGING_FACE_COLUMNS,
    LABELS,
    cells,
    task,
)
from relsmith.generators.clutrr.output.graph import forward_chain
from relsmith.kb.worlds.kinship import world
from relsmith.kb.worlds.kinship.judge import WORDS
from relsmith.kb.worlds.kinship.official import read
from relsmith.kb.worlds.verdict import Status

FILES = Path(__file__).parents[4].parent / "shared" / "data" / "clutrr"
ORIGINAL = FILES / "1.5_test.csv"
HUGGING_FACE = FILES / "hf" / "rob_train_sup_23_test_all_23.test.csv"

needs_files = pytest.mark.skipif(not FILES.exists(), reason="official CLUTRR files not here")

OPTIONS = [
    {"k": "2..3"},
    {"k": "2..4", "noise": "supporting"},
    {"k": "3", "noise": "irrelevant", "noise_paths": 2},
    {"k": "6", "noise": "disconnected"},
    {"k": "2..5", "noise": "all", "order": "shuffled", "people": 60},
    {"k": "2..4", "style": "plain", "choices": "all"},
]


@pytest.fixture(
    scope="module", params=OPTIONS, ids=lambda options: "-".join(map(str, options.values()))
)
def data(request, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "data"
    write(Clutrr.configure(request.param), folder, {"train": 18, "test": 12}, seed=3)
    return folder


@pytest.fixture(scope="module")
def original(data: Path) -> list[Path]:
    return export(data, "clutrr-csv", data.with_name("original"))


def table(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_readers_of_the_original_read_ours(data: Path, original: list[Path]) -> None:
    by_id = {row.id: row for row in Dataset(data).rows()}
    for path in original:
        header, *rows = table(path)
        assert tuple(header) == COLUMNS
        for number, (row_cells, official) in enumerate(zip(rows, read(path), strict=True)):
            found = dict(zip(COLUMNS, row_cells, strict=True))
            row = by_id.pop(found["id"])
            known, forward = row.metadata, forward_chain(row.metadata, world())
            assert (found[""], found["target"]) == (str(number), row.target)
            assert (found["text_query"], found["syn_story"]) == ("", "")
            split, name = found["task_split"], found["task_name"].removeprefix("task_")
            assert split == row.id.split("-")[-2]
            assert name in path.name.split("_")[0].split(",")

            genders = dict(one.split(":") for one in found["genders"].split(","))
            people, story = list(genders), found["story"]
            assert genders == dict(known["genders"])
            assert set(re.findall(r"\[(.*?)\]", story)) == set(people)
            assert f" {story.translate({91: '', 93: ''})} How is " in row.input
            assert not re.search(rf"(?<!\[)\b(?:{'|'.join(people)})\b(?!\])", story)

            edges, types = literal_eval(found["story_edges"]), literal_eval(found["edge_types"])
            stated = [[people[x], r, people[y]] for (x, y), r in zip(edges, types, strict=True)]
            assert stated == forward + stated_facts(known)[known["k"] :]
            assert found["f_comb"] == "-".join(types[: known["k"]])
            x, y = literal_eval(found["query_edge"])
            assert [people[x], people[y]] == list(literal_eval(found["query"])) == known["query"]
            assert [*literal_eval(found["node_mapping"]).values()] == [*range(len(people))]

            (said,) = literal_eval(found["text_target"])
            assert re.findall(r"\[(.*?)\]", said) == known["query"][::-1]
            assert row.target in said
            assert set(re.findall(r"\[(.*?)\]", found["clean_story"])) >= set(
                people[: known["k"] + 1]
            )
            assert len(found["clean_story"]) <= len(story)
            _proves(literal_eval(found["proof_state"]), row)
            assert (official.id, official.k) == (row.id, known["k"])
            assert list(map(list, official.facts[: official.k])) == forward
    assert not by_id


def _proves(proof: list[dict], row: Example) -> None:
    """Check that each step from the answer down expands one relation not stated in the story."""
    x, y = row.metadata["query"]
    open_goals = [(x, row.target, y)]
    for step in proof:
        ((conclusion, premises),) = step.items()
        at = open_goals.index(conclusion)
        open_goals[at : at + 1] = premises
    assert open_goals == [tuple(fact) for fact in forward_chain(row.metadata, world())]


def entailed(files: list[Path]) -> int:
    """Return the number of rows, after checking that all answers are entailed."""
    found = Audit("", "clutrr")
    for path in files:
        assert all(row for _, row in audit(found, path, Settings()))
    assert [*found.verdicts] == [Status.ENTAILED]
    return found.verdicts.total()


def test_the_audit_finds_every_answer_entailed(original: list[Path]) -> None:
    assert entailed(original) == 30


def test_the_hugging_face_form(data: Path, tmp_path: Path) -> None:
    files = export(data, "clutrr-hf", tmp_path / "out")
    assert entailed(files) == 30
    assert [path.name for path in files] == ["test.csv", "train.csv"]
    for path in files:
        header, *rows = table(path)
        assert tuple(header) == HUGGING_FACE_COLUMNS
        for row, found in zip(Dataset(data).rows(path.stem), rows, strict=True):
            assert (found[1], found[5], found[14]) == (row.id, row.target, path.stem)
            assert LABELS[int(found[4])] == row.target


def test_files_are_called_as_the_original_calls_them(tmp_path: Path) -> None:
    write(
        clutrr("k=9..10 people=60"),
        tmp_path / "data",
        {"train": 20, "valid": 20},
    )
    files = export(tmp_path / "data", "clutrr-csv", tmp_path / "out")
    assert {path.name for path in files} == {
        "1.9,1.10_train.csv",
        "1.9_valid.csv",
        "1.10_valid.csv",
    }
    assert {path.name for path in (tmp_path / "out").iterdir()} == {path.name for path in files}


@pytest.mark.parametrize(
    ("options", "noise", "name"),
    [
        ({}, [], "1.3"),
        ({}, ["supporting"], "2.3"),
        ({}, ["irrelevant"], "3.3"),
        ({}, ["disconnected"], "4.3"),
        ({}, ["supporting", "irrelevant", "disconnected"], "5.3"),
        ({}, ["supporting", "irrelevant"], "5.3"),
        ({"task": "reasoning"}, ["irrelevant"], "3.3"),
        ({"task": "memory"}, [], "6.3"),
        ({"task": "mixed"}, ["supporting"], "7.3"),
    ],
)
def test_tasks_are_numbered_as_in_the_original(options, noise, name) -> None:
    assert task(options, {"noise": noise, "k": 3}) == name


@pytest.mark.parametrize(
    "names", [["Ann", "Ann-Marie", "@entity-1"], ["Ann", "Ann Lee", "@entity-1"]]
)
def test_names_are_bracketed_whole(names) -> None:
    row = next(Clutrr(k="2..2", style="plain", side_facts=0).examples(1))
    text, story = json.dumps(row.metadata), row.input[: row.metadata["starts"][-1] - 1]
    for (old, _), new in zip(row.metadata["genders"], names, strict=True):
        text, story = text.replace(old, new), story.replace(old, new)
    story += " Ann-like Annas, Ann's @entity-10."
    metadata = json.loads(text) | {"starts": [0, len(story) + 1], "states": [[0, 1]]}
    found = cells(replace(row, input=story, metadata=metadata), "train", "1.2")
    assert set(re.findall(r"\[(.*?)\]", found["story"])) == set(names)
    assert " [Ann]-like Annas, [Ann]'s @entity-10." in found["story"]
    assert "[[" not in found["story"]


def test_rows_that_the_original_could_not_hold_are_refused() -> None:
    row = next(Clutrr().examples(1))
    with pytest.raises(InvalidOption, match=r"train-0 has the answer 'unknown'"):
        cells(replace(row, target="unknown"), "train", "1.2")
    for other in ("ordering", "spatial", "time", "work"):
        with pytest.raises(InvalidOption, match="kinship words only"):
            cells(next(clutrr(world=other).examples(1)), "train", "1.2")
    x = row.metadata["query"][0]
    metadata = json.loads(json.dumps(row.metadata).replace(x, "Ann, Queen"))
    with pytest.raises(InvalidOption, match="'Ann, Queen', but in official"):
        cells(replace(row, metadata=metadata), "train", "1.2")


def test_every_word_has_its_published_number() -> None:
    published = {"aunt": 0, "grandfather": 2, "father": 5, "uncle": 8, "grandson": 10}
    published |= {"father-in-law": 12, "nephew": 14, "son": 15, "niece": 17, "sister-in-law": 20}
    assert {word: LABELS.index(word) for word in published} == published
    assert sorted(LABELS) == sorted(WORDS)


def test_the_clean_story_goes_along_the_chain() -> None:
    for row in clutrr("k=4 noise=all style=plain").examples(20):
        clean = cells(row, "train", "5.4")["clean_story"]
        lines = [set(re.findall(r"\[(.*?)\]", line)) for line in clean.split(". ")]
        assert lines == [{x, y} for x, _, y in row.metadata["facts"]]


@needs_files
def test_headers_and_numbers_are_the_official_ones() -> None:
    assert tuple(table(ORIGINAL)[0]) == COLUMNS
    assert tuple(table(HUGGING_FACE)[0]) == HUGGING_FACE_COLUMNS
    for row in table(HUGGING_FACE)[1:]:
        assert LABELS[int(row[4])] == row[5]


@needs_files
def test_every_column_is_of_the_official_kind(original: list[Path]) -> None:
    """Compare the shapes of cells: Python literals, or patterns of text."""
    for path in original:
        for row in table(path)[1:]:
            for column, known in official_shapes().items():
                assert shape(row[column]) in known, (COLUMNS[column], row[column])


@cache
def official_shapes() -> dict[int, set[object]]:
    official = list(zip(*table(ORIGINAL)[1:], strict=True))
    return {
        column: {shape(cell) for cell in official[column]}
        for column, name in enumerate(COLUMNS)
        if name not in ("id", "story", "clean_story")
    }


def shape(cell: str) -> object:
    """Return the nested types of a literal, lists cut to one item; else the punctuation."""
    try:
        return _kind(literal_eval(cell))
    except (ValueError, SyntaxError):
        marks = re.sub(r"[\w-]+", "w", cell)
        return re.sub(r"(w[:,]?)(?:\1|w[:,]?)*", "w", marks)


def _kind(value: object) -> object:
    if isinstance(value, dict):
        return ("dict", *{(_kind(key), _kind(one)) for key, one in value.items()})
    if isinstance(value, list):
        return ("list", *{_kind(one) for one in value})
    if isinstance(value, tuple):
        return ("tuple", *map(_kind, value))
    return type(value).__name__


def test_pandas_reads_them_as_the_published_baselines_do(original: list[Path]) -> None:
    import pandas

    rows = 0
    for path in original:
        found = pandas.read_csv(path, comment="#")
        assert found.columns[0] == "Unnamed: 0"
        assert list(found["Unnamed: 0"]) == list(range(len(found)))
        assert found["text_query"].isna().all()
        rows += len(found)
    assert rows == 30

"""Random access, filters and counts agree with reading the files sequentially."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Dataset, make, score, write
from relsmith.errors import NotADataset
from relsmith.testing.profile import scaled
from relsmith.web.view.rows import DatasetRows
from relsmith.web.view.search import DatasetView, Filter, SearchResult, word


@pytest.fixture(scope="module", params=["jsonl", "jsonl.gz", "jsonl.zst", "parquet"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("rows") / "data"
    sizes = {"train": 300, "test": 71}
    write(make("comparatives"), out, sizes, shards=3, encoding=request.param)
    return out


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("found") / "stories"
    write(make("clutrr", k="2..4", noise="all"), out, {"train": 90, "test": 30})
    return out


def test_every_row_is_found_by_number(folder: Path) -> None:
    every = list(Dataset(folder))
    numbers = [370, 0, 1, 31, 32, 33, 299, 300, 301, 64, 99, 100, 5, 5]
    assert DatasetRows(folder).rows(numbers) == [every[number] for number in numbers]
    rows = DatasetRows(folder)
    assert rows.rows(range(371)) == every
    assert [json.loads(line)["id"] for _, line in rows.lines(range(90, 320))] == [
        row.id for row in every[90:320]
    ]


@settings(max_examples=scaled(25))
@given(st.data())
def test_rows_are_read_in_any_order(folder: Path, data: st.DataObject) -> None:
    every, rows = list(Dataset(folder)), DatasetRows(folder)
    numbers = data.draw(st.lists(st.integers(0, 370), min_size=1, max_size=12))
    assert rows.rows(numbers) == [every[number] for number in numbers]


def test_numbers_and_ids_agree(folder: Path) -> None:
    rows = DatasetRows(folder)
    for number, row in enumerate(Dataset(folder)):
        assert rows.find(row.id) == number
        split, n = rows.place(number)
        assert row.id.endswith(f"-{split}-{n}")
        assert rows.number(split, n) == number
    for name in ("", "x", "comparatives-v1-s0-test-71", "comparatives-v1-s0-test--1",
                 "comparatives-v1-s0-test-01", "comparatives-v1-s1-test-1", "-", "test-1",
                 "comparatives-v1-s0-test-²", f"comparatives-v1-s0-test-{10**30}"):  # fmt: skip
        assert rows.find(name) is None, name
    assert rows.number("test", 71) is None
    assert rows.number("no such split", 0) is None
    with pytest.raises(IndexError):
        rows.place(371)


@pytest.mark.parametrize("most", [1, 40, 371, 1000])
def test_a_sample_is_of_real_rows(folder: Path, most: int) -> None:
    every = [row.id for row in Dataset(folder)]
    sample = [row.id for row in DatasetRows(folder).sample(most)]
    assert sorted(set(sample), key=every.index) == sample
    assert len(sample) == min(most, 371)
    if most == 40:
        assert {name.split("-")[3] for name in sample} == {"train", "test"}


def test_a_truncated_file_is_an_error(tmp_path: Path) -> None:
    write(make("comparatives"), tmp_path / "data", {"train": 100})
    (file,) = (tmp_path / "data").glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:50], b"{]\n", *lines[51:]]))
    rows = DatasetRows(tmp_path / "data")
    assert rows.rows([49])
    with pytest.raises(NotADataset, match="after line 50"):
        rows.rows([50])
    file.write_bytes(b"".join(lines[:50]))
    with pytest.raises(NotADataset, match=r"there are 50 rows.*gen verify"):
        DatasetRows(tmp_path / "data").rows([3])
    file.unlink()
    with pytest.raises(NotADataset, match="No such file"):
        DatasetRows(tmp_path / "data").rows([1])


@pytest.mark.parametrize(
    ("label", "shown"),
    [(True, "true"), (False, "false"), (3, "3"), ("", "(none)"), (None, "(none)")],
)
def test_a_label_is_shown_as_json_writes_it(label: object, shown: str) -> None:
    assert word(label) == shown


def fit(folder: Path, test: Callable[..., bool]) -> list[int]:
    return [number for number, row in enumerate(Dataset(folder)) if test(row)]


def found(dataset: DatasetView, wanted: Filter) -> list[int]:
    return list(dataset.find(wanted).numbers)


def test_filters_agree_with_a_full_scan(stories: Path) -> None:
    dataset = DatasetView(DatasetRows(stories))
    cases: list[tuple[Filter, Callable[..., bool]]] = [
        (Filter(), lambda row: True),
        (Filter("test"), lambda row: "-test-" in row.id),
        (Filter(labels=(("k", "3"),)), lambda row: row.metadata["k"] == 3),
        (Filter("train", (("k", "2"),)), lambda r: r.metadata["k"] == 2 and "-train-" in r.id),
        (Filter(labels=(("target", "aunt"),)), lambda row: row.target == "aunt"),
        (
            Filter(labels=(("noise", "supporting+irrelevant+disconnected"),)),
            lambda row: len(row.metadata["noise"]) == 3,
        ),
        (Filter(labels=(("verdict", "(none)"),)), lambda row: row.metadata["verdict"] == ""),
        (Filter(labels=(("no such", "x"),)), lambda row: False),
        (Filter(text="SISTER"), lambda r: "sister" in " ".join((r.input, r.target)).lower()),
        (Filter(text='"'), lambda row: '"' in row.input),
        (Filter(text="metadata"), lambda row: "metadata" in row.input.lower()),
        (Filter(text="train-7"), lambda row: "train-7" in row.id),
        (Filter(text="\n"), lambda row: "\n" in row.input),
    ]
    for wanted, test in cases:
        assert found(dataset, wanted) == fit(stories, test), wanted
    assert fit(stories, cases[8][1]), "a case that finds nothing shows nothing"
    assert fit(stories, cases[9][1])


def test_text_that_is_not_ascii_is_found(tmp_path: Path) -> None:
    write(make("comparatives"), tmp_path / "data", {"train": 3})
    (file,) = (tmp_path / "data").glob("*.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[1]["input"] = 'Zoë said: "Ünder \\ the bridge"\n'
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    dataset = DatasetView(DatasetRows(tmp_path / "data"))
    for text in ("zoë", "ZOË", "ünder \\", 'said: "Ü', "bridge"):
        assert found(dataset, Filter(text=text)) == [1], text


def test_answers_are_scored_as_by_gen_score(stories: Path) -> None:
    every = list(Dataset(stories))
    answers = {row.id: row.target if n % 3 else "nobody" for n, row in enumerate(every[:100])}
    dataset = DatasetView(DatasetRows(stories), answers)
    verdicts = {row.id: score(row, answers[row.id]).value for row in every[:100]}
    wrong = [number for number, row in enumerate(every) if verdicts.get(row.id) == 0]
    assert wrong
    assert found(dataset, Filter(verdict="wrong")) == wrong
    right = [number for number, row in enumerate(every) if verdicts.get(row.id) == 1]
    assert found(dataset, Filter(verdict="right")) == right
    assert found(dataset, Filter(verdict="not answered")) == list(range(100, 120))
    both = Filter(verdict="wrong", labels=(("k", "2"),))
    assert found(dataset, both) == [n for n in wrong if every[n].metadata["k"] == 2]


def test_a_damaged_row_ends_a_search_with_an_error(tmp_path: Path) -> None:
    write(make("comparatives"), tmp_path / "data", {"train": 40})
    (file,) = (tmp_path / "data").glob("*.jsonl")
    lines = file.read_text().splitlines()
    for damage in (
        '{"id": 5}',
        "[]",
        "nonsense",
        json.dumps({**json.loads(lines[3]), "metadata": 4}),
    ):
        file.write_text("\n".join([*lines[:20], damage, *lines[21:]]) + "\n")
        dataset = DatasetView(DatasetRows(tmp_path / "data"))
        with pytest.raises(NotADataset, match="gen verify"):
            dataset.find(Filter(labels=(("dimension", "speed"),)))


@given(st.sets(st.integers(0, 50)), st.integers(0, 50))
def test_neighbours_are_the_nearest(numbers: set[int], number: int) -> None:
    listed = sorted(numbers)
    place, before, after = SearchResult(listed).neighbours(number)
    assert before == max((n for n in listed if n < number), default=None)
    assert after == min((n for n in listed if n > number), default=None)
    assert place == (listed.index(number) if number in numbers else None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"split": "test"', '"split": "train"'),
        ('"split": "test"', '"split": "other"'),
        ('"train": 60', '"train": 61'),
        ('"test": 5', '"tests": 5'),
    ],
)
def test_a_manifest_that_does_not_match_is_an_error(
    tmp_path: Path, before: str, after: str
) -> None:
    write(make("comparatives"), tmp_path / "data", {"train": 60, "test": 5})
    manifest = tmp_path / "data" / "manifest.json"
    assert before in manifest.read_text()
    manifest.write_text(manifest.read_text().replace(before, after, 1))
    with pytest.raises(NotADataset, match="splits of its manifest do not match"):
        DatasetRows(tmp_path / "data")

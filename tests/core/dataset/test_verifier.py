import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import orjson
import pytest
from broken_generators import Exiting, Uncertified, Wrong
from pydantic import Field, model_validator
from tiny_generator import Stopping, Tiny

from relsmith import Dataset, Example, External, Local, Manifest, Source, verify, write
from relsmith.capabilities import Documentation, Groups
from relsmith.dataset import file_check
from relsmith.dataset.card import card
from relsmith.errors import AlreadyExists, NotADataset, Unchecked
from relsmith_comparatives import Comparatives

SPLITS = {"train": 40, "test": 20}
SHARD = "train-00001-of-00002.jsonl"


@pytest.fixture
def folder(tmp_path):
    write(Tiny(), tmp_path / "data", SPLITS, shards=2)
    return tmp_path / "data"


def found(folder) -> list[str]:
    lines = list(verify(folder, judge=Tiny))
    assert not any("\n" in line for line in lines)
    return lines


def read_rows(path) -> list[Example]:
    return [Example.parse(line) for line in path.read_bytes().splitlines()]


def rewrite(folder, change, name=SHARD) -> None:
    """Change a shard's rows and the manifest to match."""
    rows = read_rows(folder / name)
    rows = change(rows) or rows
    data = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    (folder / name).write_bytes(data)
    edit_file(folder, name, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def edit(folder, change) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    change(manifest)
    written = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    (folder / "manifest.json").write_bytes(written)
    (folder / "README.md").write_text(card(Manifest.load(folder)))


def edit_file(folder, name, **changes) -> None:
    def change(manifest):
        next(file for file in manifest["files"] if file["name"] == name).update(changes)

    edit(folder, change)


@pytest.mark.parametrize("encoding", ["jsonl", "jsonl.gz"])
@pytest.mark.parametrize("shards", [1, 7])
def test_an_untouched_dataset_has_no_findings(tmp_path, encoding, shards):
    write(Tiny(), tmp_path / "data", SPLITS, shards=shards, encoding=encoding)
    assert found(tmp_path / "data") == []


def test_the_installed_generator_judges(tmp_path):
    write(Comparatives(), tmp_path / "data", SPLITS, shards=2)
    assert list(verify(tmp_path / "data", engine=Local(2))) == []


def test_every_row_is_ticked(folder):
    seen = []
    list(verify(folder, judge=Tiny, engine=Local(1, seen.append)))
    assert seen[-1] == 60


def test_an_edited_byte(folder):
    data = (folder / SHARD).read_bytes()
    (folder / SHARD).write_bytes(data.replace(b"plus", b"plvs", 1))
    digest, row = found(folder)
    assert digest == f"{SHARD}: sha256 differs from the manifest; the file was changed or cut short"
    assert row == (
        f"{SHARD}:1: tiny-v1-s0-train-20: these options and this seed give another row "
        f"(input differs); the text cannot be read"
    )


def test_an_edited_space_between_json_tokens(folder):
    data = (folder / SHARD).read_bytes()
    (folder / SHARD).write_bytes(data.replace(b'"target":', b'"target": ', 1))
    digest, row = found(folder)
    assert "sha256 differs" in digest
    assert row.endswith("give another row (the same values in different bytes); correct in itself")


def test_a_truncated_file(folder):
    data = (folder / SHARD).read_bytes()
    (folder / SHARD).write_bytes(data[:-10])
    digest, row = found(folder)
    assert "sha256 differs" in digest
    assert row.startswith(f"{SHARD}:20: ")


def test_a_file_cut_after_a_row(folder):
    lines = (folder / SHARD).read_bytes().splitlines(keepends=True)
    (folder / SHARD).write_bytes(b"".join(lines[:-1]))
    assert found(folder) == [f"{SHARD}: has 19 rows, but the manifest has 20"]


def test_a_truncated_gzip_file(tmp_path):
    folder = tmp_path / "data"
    write(Tiny(), folder, SPLITS, encoding="jsonl.gz")
    path = folder / "train-00000-of-00001.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-30])
    lines = found(folder)
    assert "sha256 differs" in lines[0]
    assert any("cannot be read beyond line" in line for line in lines)


def test_a_missing_file(folder):
    (folder / SHARD).unlink()
    assert found(folder) == [f"{SHARD}: missing"]


def test_an_extra_shard(folder):
    (folder / "train-00002-of-00003.jsonl").touch()
    (folder / "notes.txt").touch()
    assert found(folder) == [
        "notes.txt: not in the manifest",
        "train-00002-of-00003.jsonl: not in the manifest",
    ]


def test_swapped_ids(folder):
    def swap(rows):
        rows[3].id, rows[4].id = rows[4].id, rows[3].id

    rewrite(folder, swap)
    assert found(folder) == [
        f"{SHARD}:4: id is 'tiny-v1-s0-train-24', but should be 'tiny-v1-s0-train-23'",
        f"{SHARD}:5: id is 'tiny-v1-s0-train-23', but should be 'tiny-v1-s0-train-24'",
    ]


def test_a_wrong_target_that_only_the_judge_can_see(folder):
    def spoil(rows):
        rows[7].target = "1"

    rewrite(folder, spoil)
    assert found(folder) == [
        f"{SHARD}:8: tiny-v1-s0-train-27: these options and this seed give another row "
        f"(target differs); target '1' is not the sum"
    ]


def test_rows_with_the_same_fault_are_one_finding(folder):
    def spoil(rows):
        for row in rows[4:9]:
            row.target = "1"

    rewrite(folder, spoil)
    (line,) = found(folder)
    assert line.startswith(f"{SHARD}:5: tiny-v1-s0-train-24: ")
    assert line.endswith("; the same for 4 more lines")


def test_workers_share_a_file_with_intact_bytes(folder, monkeypatch):
    """Check that findings name the same lines as for a file in one piece."""

    def spoil(rows):
        rows[3].target = rows[7].target = rows[15].target = "1"
        rows[9].input = read_rows(folder / "test-00000-of-00002.jsonl")[2].input

    rewrite(folder, spoil)
    edit_file(folder, SHARD, bytes=(folder / SHARD).stat().st_size)
    whole = found(folder)
    assert len(whole) == 4
    monkeypatch.setattr(file_check, "_ROWS_PER_PART", 8)
    manifest = Manifest.load(folder)
    file = next(file for file in manifest.files if file.name == SHARD)
    check = file_check.FileCheck(folder, manifest, file, 20, file_check.CheckScope())
    assert [part.rows for part in file_check.split_check(check)] == [
        range(20, 28),
        range(28, 36),
        range(36, 40),
    ]
    assert found(folder) == whole
    edit_file(folder, SHARD, sha256="0" * 64)
    assert [part.part for part in file_check.split_check(check)] != [None]
    file = next(file for file in Manifest.load(folder).files if file.name == SHARD)
    assert [part.part for part in file_check.split_check(replace(check, file=file))] == [None]


@pytest.mark.parametrize("sample", [None, 13])
@pytest.mark.parametrize("gap", [1, 3])
def test_rows_that_are_missing_are_one_finding_and_all_others_are_judged(folder, gap, sample):
    def cut(rows):
        rows[15].target = "1"
        del rows[5 : 5 + gap]

    rewrite(folder, cut)
    edit_file(folder, SHARD, bytes=1)  # this one reports no more either
    lines = [line for line in verify(folder, judge=Tiny, sample=sample) if SHARD in line]
    missing = [line for line in lines if "missing before this line" in line]
    assert len(missing) == 1
    if sample is None:
        more = " is" if gap == 1 else " and 2 more are"
        assert missing == [f"{SHARD}:6: 'tiny-v1-s0-train-25'{more} missing before this line"]
        (other,) = [line for line in lines if line not in missing]
        assert other.startswith(f"{SHARD}:{16 - gap}: tiny-v1-s0-train-35: ")
        assert "target '1' is not the sum" in other
    else:
        assert "row" in missing[0]
        assert len(lines) == 1 + ("'1'" in "".join(lines))


def test_a_rejecting_judge_is_a_finding_on_intact_rows(tmp_path):
    write(Wrong(), tmp_path / "data", {"train": 5})
    lines = list(verify(tmp_path / "data", judge=Wrong))
    assert lines
    assert all("make another row" not in line for line in lines)
    assert list(verify(tmp_path / "data", judge=Wrong, judged=False)) == []


def test_a_generator_that_cannot_make_rows_is_one_finding(folder):
    lines = list(verify(folder, judge=Exiting))
    assert len(lines) == len(Dataset(folder).manifest.files)
    assert lines[1].startswith(
        f"{SHARD}:1: no row can be generated from here on: tiny tried to end"
    )


def test_rows_that_cannot_be_regenerated_are_reported_in_place(folder):
    lines = list(verify(folder, judge=Uncertified))
    assert lines == [
        f"{name}-00000-of-00002.jsonl:6: no row can be generated from here on: "
        f"tiny-v1-s0-{name}-5: the sum is {total}"
        for name in SPLITS
        for total in [read_rows(folder / f"{name}-00000-of-00002.jsonl")[5].target]
    ]


def test_a_line_that_is_not_a_row(folder):
    def spoil(rows):
        rows[2].choices = "none"

    rewrite(folder, spoil)
    (line,) = found(folder)
    assert line.startswith(f"{SHARD}:3: damaged: choices: ")


class Unmade(Tiny, Documentation):
    """Sums from a source that another machine lacks."""

    def sources(self):
        """Return a source with another digest each time."""
        return [Source(name="dice", version="1", digest=str(next(THROWS)))]


THROWS = count()


@pytest.mark.parametrize("order", [("train", "test"), ("test", "train")])
def test_a_copied_row_is_found_though_no_row_can_be_regenerated(tmp_path, order):
    folder = tmp_path / "data"
    write(Unmade(), folder, SPLITS, shards=2)
    names = {"train": SHARD, "test": "test-00000-of-00002.jsonl"}
    source, target = order
    copied = read_rows(folder / names[source])[5]

    def copy(rows):
        rows[2] = replace(copied, id=rows[2].id)

    rewrite(folder, copy, names[target])
    places = {"train": 25 if source == "train" else 22, "test": 5 if source == "test" else 2}
    assert list(verify(folder, judge=Unmade)) == [
        "manifest.json: sources differ from the installed ones, so no row was generated again",
        f"tiny-v1-s0-test-{places['test']} and tiny-v1-s0-train-{places['train']} "
        f"have the same input: a row in two splits",
    ]


def test_shared_rows_are_found_among_three_splits(tmp_path):
    folder = tmp_path / "data"
    write(Unmade(), folder, {"train": 30, "dev": 10, "test": 10})
    first = next(Dataset(folder).rows("dev"))

    def copy(rows):
        rows[0] = replace(first, id=rows[0].id)

    rewrite(folder, copy, "train-00000-of-00001.jsonl")
    rewrite(folder, copy, "test-00000-of-00001.jsonl")
    assert sum("in two splits" in line for line in verify(folder, judge=Unmade)) == 2


def test_a_shared_row_keeps_its_number_after_lost_rows(tmp_path):
    folder = tmp_path / "data"
    write(Unmade(), folder, SPLITS, shards=2)
    copied = next(Dataset(folder).rows("test"))

    def copy(rows):
        rows[5] = replace(copied, id=rows[5].id)

    rewrite(folder, copy)
    (folder / "train-00000-of-00002.jsonl").unlink()
    last = list(verify(folder, judge=Unmade))[-1]
    assert last.startswith("tiny-v1-s0-test-0 and tiny-v1-s0-train-25 have the same")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m["files"][1].update(rows=21), "has 20 rows, but the manifest has 21"),
        (lambda m: m["splits"].update(train=41), "train has 41 rows, but its files 40"),
        (lambda m: m["files"][1].update(bytes=5), "bytes"),
        (lambda m: m["files"].pop(), "test-00001-of-00002.jsonl: not in the manifest"),
        (lambda m: m["files"].reverse(), "is listed where train-00000-of-00002.jsonl belongs"),
        (
            lambda m: [m["files"][n].update(rows=rows) for n, rows in ((0, 19), (1, 21))],
            "train-00000-of-00002.jsonl has 19 rows, but 20 belong there",
        ),
        (lambda m: m["files"].append(m["files"][0]), "train has 40 rows, but its files 60"),
        (lambda m: m["files"][1].update(split="dev"), "is of no split that is listed"),
        (lambda m: m["splits"].pop("test"), "is of no split that is listed"),
        (lambda m: m.update(seed=1), "but should be 'tiny-v1-s1-train-0'"),
        (lambda m: m.update(generator="other"), "generator is 'other', not 'tiny'"),
    ],
    ids=[
        "rows of a file",
        "rows of a split",
        "bytes",
        "unlisted file",
        "order of files",
        "cut",
        "file twice",
        "unknown split",
        "lost split",
        "seed",
        "generator",
    ],
)
def test_a_manifest_that_does_not_fit(folder, change, words):
    edit(folder, change)
    assert any(words in line for line in found(folder))


class Grouped(Tiny, Groups):
    """Generator of rows in groups of four."""

    @property
    def group_size(self) -> int:
        return 4


@pytest.mark.parametrize(("cls", "due"), [(Tiny, (18, 18)), (Grouped, (16, 20))])
def test_moved_boundaries_of_shards_are_a_finding(tmp_path, cls, due):
    """Check with 12 + 24 rows, which groups of 12 would allow."""
    write(cls(), tmp_path, {"train": 36}, shards=2)
    assert list(verify(tmp_path, judge=cls)) == []
    names = [f"train-0000{n}-of-00002.jsonl" for n in (0, 1)]
    lines = [line for name in names for line in (tmp_path / name).read_bytes().splitlines(True)]
    for name, part in zip(names, (lines[:12], lines[12:]), strict=True):
        data = b"".join(part)
        (tmp_path / name).write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        edit_file(tmp_path, name, rows=len(part), bytes=len(data), sha256=digest)
    assert list(verify(tmp_path, judge=cls)) == [
        f"manifest.json: {names[0]} has 12 rows, but {due[0]} belong there",
        f"manifest.json: {names[1]} has 24 rows, but {due[1]} belong there",
    ]


def test_a_dataset_of_another_version_cannot_be_judged(folder):
    edit(folder, lambda manifest: manifest.update(version=2))
    findings = verify(folder, judge=Tiny)
    assert "but should be 'tiny-v2-s0-train-0'; the same for" in next(findings)
    with pytest.raises(Unchecked, match="tiny version 2, but version 1 is installed"):
        list(findings)


def test_an_option_that_is_left_out_is_a_finding(folder):
    """Leave out an option with its default value, so that the rows are the same."""
    edit(folder, lambda manifest: manifest["options"].pop("most"))
    assert [line for line in verify(folder, judge=Tiny) if "options are incomplete" in line]


def test_unknown_options_are_a_finding(folder):
    edit(folder, lambda manifest: manifest["options"].update(colour="red"))
    (line,) = found(folder)
    assert line.startswith("manifest.json: tiny: colour: no such field")


def test_a_dataset_of_an_absent_generator_names_its_distribution(folder):
    edit(folder, lambda manifest: manifest.update(distribution="tiny-plugin"))
    with pytest.raises(Unchecked, match="'tiny', which is not installed here; pip install tiny-pl"):
        list(verify(folder))


@pytest.mark.parametrize("sample", [1, 3, 7, 40, 1000])
def test_a_sample_is_spread_evenly_and_every_byte_is_read(folder, sample):
    def spoil(rows):
        for row in rows:
            row.target = "1"

    for name in ("train-00000-of-00002.jsonl", SHARD):
        rewrite(folder, spoil, name)
    looked = list(verify(folder, judge=Tiny, sample=sample))
    numbers = [int(line.split(": ")[1].rpartition("-")[2]) for line in looked]
    expected = [(2 * part + 1) * 40 // (2 * sample) for part in range(sample)]
    assert numbers == (expected if sample < 40 else [0, 20])
    (folder / SHARD).write_bytes((folder / SHARD).read_bytes()[:-1] + b" ")
    assert any("sha256 differs" in line for line in verify(folder, judge=Tiny, sample=sample))


class Reading(Tiny):
    """Sums whose maximum is read from a file."""

    limit: External[str] = Field("", description="a file with the most in it")

    @model_validator(mode="after")
    def _is_read(self):
        if self.limit and not Path(self.limit).read_text().isdigit():
            raise ValueError(f"limit: expected digits, but got {Path(self.limit).read_text()!r}")
        return self


def test_files_named_only_by_the_manifest_are_not_read(folder, tmp_path):
    (tmp_path / "secret").write_text("hunter2")
    edit(folder, lambda m: m["options"].update(limit=str(tmp_path / "secret")))
    with pytest.raises(Unchecked, match=r"names files or models \(limit '.*secret'\)") as said:
        list(verify(folder, judge=Reading))
    assert "hunter2" not in str(said.value)
    with pytest.raises(Unchecked, match="hunter2"):
        list(verify(folder, judge=Reading, trust=True))


def test_other_checks_run_without_such_a_file(tmp_path):
    (tmp_path / "limit").write_text("9")
    folder = tmp_path / "data"
    write(Reading(limit=str(tmp_path / "limit")), folder, SPLITS, shards=2)
    assert list(verify(folder, judge=Reading, trust=True)) == []

    def spoil(rows):
        rows[3].metadata["a"] = "one"
        rows[5].id = "x"

    rewrite(folder, spoil)
    findings = verify(folder, judge=Reading)
    assert next(findings).startswith(
        f"{SHARD}:4: tiny-v1-s0-train-23: metadata.a: expected a whole"
    )
    assert next(findings).startswith(f"{SHARD}:6: id is 'x', but should be")
    with pytest.raises(Unchecked):
        next(findings)


def test_an_endless_line_is_not_read_to_its_end(folder):
    bomb = folder / "train-00000-of-00002.jsonl"
    bomb.write_bytes(b" " * 2**25)
    assert any("16,777,216 characters or more" in line for line in found(folder))


def test_a_file_with_more_rows_than_it_should_have_is_not_read_to_its_end(folder):
    (folder / SHARD).write_bytes((folder / SHARD).read_bytes() + b"\n" * 10**6)
    assert found(folder)[1] == f"{SHARD}: has more rows than the 20 of the manifest"


def test_a_dataset_is_locked_while_it_is_verified(folder):
    findings = verify(folder, judge=Reading)
    (folder / "README.md").unlink()
    assert next(findings) == "README.md: missing"
    with pytest.raises(AlreadyExists, match="another run is writing into"):
        write(Tiny(), folder, SPLITS, force=True)
    with pytest.raises(AlreadyExists, match="another run is writing"):
        found(folder)
    findings.close()
    assert not (folder / ".unfinished").exists()


def test_leftovers_of_a_stopped_run_are_not_findings(folder):
    with suppress(KeyboardInterrupt):
        write(Tiny(most=3), folder, SPLITS, shards=3, force=True, engine=Stopping(2))
    assert len(list((folder / ".unfinished").iterdir())) > 3
    assert found(folder) == []


def test_verifying_a_folder_without_a_dataset_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(NotADataset):
            list(verify(folder))
    assert list(tmp_path.iterdir()) == []

import hashlib
import json
from dataclasses import replace

import orjson
import pytest
from tiny_generator import Tiny

from relsmith import Dataset, Example, Local, verify, write
from relsmith.errors import InvalidOption, NotADataset, NotFound
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
    """Change a shard's rows, and the manifest with it, as one who wishes to deceive."""
    rows = read_rows(folder / name)
    rows = change(rows) or rows
    data = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    (folder / name).write_bytes(data)
    edit_file(folder, name, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def edit(folder, change) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


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
    assert row == f"{SHARD}:1: tiny-v1-s0-train-20: the text cannot be read"


def test_an_edited_space_outside_the_rows_meaning(folder):
    data = (folder / SHARD).read_bytes()
    (folder / SHARD).write_bytes(data.replace(b'"target":', b'"target": ', 1))
    (digest,) = found(folder)
    assert "sha256 differs" in digest


def test_a_truncated_file(folder):
    data = (folder / SHARD).read_bytes()
    (folder / SHARD).write_bytes(data[:-10])
    digest, row = found(folder)
    assert "sha256 differs" in digest
    assert row.startswith(f"{SHARD}:20: ")


def test_a_file_cut_after_a_row(folder):
    lines = (folder / SHARD).read_bytes().splitlines(keepends=True)
    (folder / SHARD).write_bytes(b"".join(lines[:-1]))
    digest, rows = found(folder)
    assert "sha256 differs" in digest
    assert rows == f"{SHARD}: has 19 rows, but the manifest says 20"


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
    unread, rows = found(folder)
    assert unread.startswith(f"{SHARD}: cannot be read beyond line 0: ")
    assert rows == f"{SHARD}: has 0 rows, but the manifest says 20"


def test_an_extra_shard(folder):
    (folder / "train-00002-of-00003.jsonl").touch()
    (folder / "notes.txt").touch()
    assert found(folder) == ["train-00002-of-00003.jsonl: not in the manifest"]


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
    assert found(folder) == [f"{SHARD}:8: tiny-v1-s0-train-27: target '1' is not the sum"]


def test_a_row_that_is_no_row(folder):
    def spoil(rows):
        rows[2].choices = "none"

    rewrite(folder, spoil)
    (line,) = found(folder)
    assert line.startswith(f"{SHARD}:3: choices: ")


@pytest.mark.parametrize("order", [("train", "test"), ("test", "train")])
def test_a_row_copied_into_another_split(folder, order):
    names = {"train": SHARD, "test": "test-00000-of-00002.jsonl"}
    source, target = order
    copied = read_rows(folder / names[source])[5]

    def copy(rows):
        rows[2] = replace(copied, id=rows[2].id)

    rewrite(folder, copy, names[target])
    places = {"train": 25 if source == "train" else 22, "test": 5 if source == "test" else 2}
    assert found(folder) == [
        f"tiny-v1-s0-test-{places['test']} and tiny-v1-s0-train-{places['train']} "
        f"have the same input: a row in two splits"
    ]


def test_shared_rows_are_found_among_three_splits(tmp_path):
    folder = tmp_path / "data"
    write(Tiny(), folder, {"train": 30, "dev": 10, "test": 10})
    first = next(Dataset(folder).rows("dev"))

    def copy(rows):
        rows[0] = replace(first, id=rows[0].id)

    rewrite(folder, copy, "train-00000-of-00001.jsonl")
    rewrite(folder, copy, "test-00000-of-00001.jsonl")
    assert len(found(folder)) == 2


def test_a_shared_row_is_named_rightly_though_rows_before_it_are_lost(folder):
    copied = next(Dataset(folder).rows("test"))

    def copy(rows):
        rows[5] = replace(copied, id=rows[5].id)

    rewrite(folder, copy)
    (folder / "train-00000-of-00002.jsonl").unlink()
    assert found(folder)[-1].startswith("tiny-v1-s0-test-0 and tiny-v1-s0-train-25 have the same")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m["files"][1].update(rows=21), "has 20 rows, but the manifest says 21"),
        (lambda m: m["splits"].update(train=41), "train has 41 rows, but its files 40"),
        (lambda m: m["files"][1].update(bytes=5), "bytes"),
        (lambda m: m["files"].pop(), "test-00001-of-00002.jsonl: not in the manifest"),
        (lambda m: m["files"].reverse(), "id is"),
        (lambda m: m["files"].append(m["files"][0]), "train has 40 rows, but its files 60"),
        (lambda m: m["files"][1].update(split="dev"), "is of no split that is listed"),
        (lambda m: m["splits"].pop("test"), "is of no split that is listed"),
        (lambda m: m.update(seed=1), "but should be 'tiny-v1-s1-train-0'"),
        (lambda m: m.update(generator="other"), "but should be 'other-v1-s0-train-0'"),
    ],
    ids=[
        "rows of a file",
        "rows of a split",
        "bytes",
        "unlisted file",
        "order of files",
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


def test_a_dataset_of_another_version_cannot_be_judged(folder):
    edit(folder, lambda manifest: manifest.update(version=2))
    with pytest.raises(InvalidOption, match="version 2, but version 1 is installed"):
        found(folder)


def test_a_dataset_with_unknown_options_cannot_be_judged(folder):
    edit(folder, lambda manifest: manifest["options"].update(colour="red"))
    with pytest.raises(InvalidOption, match="colour"):
        found(folder)


def test_a_dataset_of_an_absent_generator_names_its_distribution(folder):
    edit(folder, lambda manifest: manifest.update(distribution="tiny-plugin"))
    with pytest.raises(NotFound, match="'tiny', which is not installed here; pip install tiny-pl"):
        list(verify(folder))


def test_what_is_no_dataset_cannot_be_verified(tmp_path):
    with pytest.raises(NotADataset):
        list(verify(tmp_path))

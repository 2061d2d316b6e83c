import json

import pytest
from tiny_generator import Tiny

from relsmith import Manifest, write
from relsmith.dataset.manifest import DataFile, is_shard_name, shard_name
from relsmith.errors import NotADataset


@pytest.fixture
def folder(tmp_path):
    write(Tiny(), tmp_path / "data", {"train": 3, "test": 2}, seed=5)
    return tmp_path / "data"


@pytest.fixture
def edited(folder):
    """Change the manifest, and return the error."""

    def edit(change) -> str:
        path = folder / "manifest.json"
        found = json.loads(path.read_bytes())
        changed = change(found)
        path.write_text(json.dumps(found if changed is None else changed))
        with pytest.raises(NotADataset) as caught:
            Manifest.load(folder)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)
        return str(caught.value)

    return edit


def without(found: dict, name: str) -> dict:
    return {key: value for key, value in found.items() if key != name}


def test_the_manifest_round_trips(folder):
    manifest = Manifest.load(folder)
    assert manifest.json_bytes() == (folder / "manifest.json").read_bytes()
    assert manifest.splits == {"train": 3, "test": 2}
    assert manifest.seed == 5
    assert manifest.options == {"most": 9}
    assert [(file.name, file.rows) for file in manifest.files] == [
        ("train-00000-of-00001.jsonl", 3),
        ("test-00000-of-00001.jsonl", 2),
    ]
    for file in manifest.files:
        assert file.bytes == (folder / file.name).stat().st_size


def test_the_manifest_holds_no_path(folder):
    assert str(folder.parent) not in (folder / "manifest.json").read_text()


def test_a_newer_format_asks_for_an_upgrade(edited):
    said = edited(lambda found: found.update(format=3, novelty=True))
    assert "has format 3, but this relsmith reads up to 2; upgrade relsmith" in said


@pytest.mark.parametrize("value", ["1", None, [], 0, -1])
def test_an_unknown_format_is_refused(edited, value):
    edited(lambda found: found.update(format=value))


@pytest.mark.parametrize(
    "name", ["format", "generator", "version", "options", "seed", "splits", "sources", "files"]
)
def test_a_missing_key_is_named(edited, name):
    assert name in edited(lambda found: without(found, name))


@pytest.mark.parametrize("value", [[], 5, "x"])
def test_json_that_is_not_a_manifest_is_refused(edited, value):
    edited(lambda found: value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"null", b'{"format": 1}'])
def test_invalid_text_is_refused_in_one_line(folder, data):
    (folder / "manifest.json").write_bytes(data)
    with pytest.raises(NotADataset) as caught:
        Manifest.load(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "../train-00000-of-00001.jsonl",
        "/etc/passwd",
        "a/train-00000-of-00001.jsonl",
        "train-00000-of-00001.jsonl\n",
        "train.jsonl",
        "manifest.json",
        "",
    ],
)
def test_a_file_may_only_be_a_shard_of_this_folder(edited, name):
    assert "files.0.name" in edited(lambda found: found["files"][0].update(name=name))


@pytest.mark.parametrize(
    ("field", "value"), [("rows", -1), ("bytes", -1), ("sha256", "0" * 63), ("sha256", "G" * 64)]
)
def test_impossible_file_records_are_refused(edited, field, value):
    assert f"files.0.{field}" in edited(lambda found: found["files"][0].update({field: value}))


def test_an_unknown_key_is_refused(edited):
    assert "when: " in edited(lambda found: found.update(when="today"))


def test_a_folder_without_a_manifest_is_not_a_dataset(tmp_path):
    with pytest.raises(NotADataset, match=r"is not a finished dataset: it has no manifest\.json"):
        Manifest.load(tmp_path)
    with pytest.raises(NotADataset):
        Manifest.load(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(NotADataset, match="is not a finished dataset"):
        Manifest.load(tmp_path / "file")


def test_file_names():
    assert shard_name("train", 3, 12, "jsonl.gz") == "train-00003-of-00012.jsonl.gz"
    assert is_shard_name(shard_name("a_1", 123456, 1234567, "jsonl"))
    assert DataFile(
        name="train-00000-of-00001.jsonl", split="train", rows=1, bytes=1, sha256="0" * 64
    )


def test_format_1_has_no_licences(folder):
    path = folder / "manifest.json"
    old = {"name": "WordNet", "version": "3.0", "digest": "abc"}
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"format": 1, "sources": [old]}))
    assert Manifest.load(folder).sources[0].licence == ""
    forged = old | {"licence": "its own"}
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"sources": [forged]}))
    with pytest.raises(NotADataset, match="sources have no licences in format 1"):
        Manifest.load(folder)

"""Every format has the same rows, and the same lines are read from it."""

import builtins
import gzip
import hashlib
import io
import json
import re
from functools import partial

import pandas
import pyarrow
import pytest
from pyarrow import parquet
from tiny_generator import Tiny

from relsmith import Dataset, Example, diff, make, verify, write
from relsmith.dataset.columns import arrow_schema, column_types, conform
from relsmith.dataset.encoding import line_encoder, open_lines
from relsmith.dataset.statistics import compute_statistics
from relsmith.errors import InvalidOption, MissingExtra, NotADataset
from relsmith.storage.text import decompressed_reader
from relsmith.testing.profile import scaled

PACKED = ["jsonl.gz", "jsonl.zst", "parquet"]
SPLITS = {"train": 600, "test": 40}
GENERATORS = {
    "clutrr": {"k": "2..4", "noise": "all"},
    "analogy": {},
    "cloze": {},
    "relinf": {},
    "comparatives": {},
}


@pytest.mark.parametrize(
    "name",
    # relinf first reads its facts, for seconds
    [pytest.param(n, marks=[pytest.mark.slow] * (n == "relinf")) for n in GENERATORS],
)
def test_lines_round_trip(tmp_path, name, joined):
    generator = make(name, **GENERATORS[name])
    splits = {"train": scaled(300)}
    write(generator, tmp_path / "plain", splits, shards=2)
    for encoding in PACKED:
        write(generator, tmp_path / encoding, splits, shards=2, encoding=encoding)
        packed = Dataset(tmp_path / encoding)
        lines = b""
        for file in packed.manifest.files:
            with open_lines(packed.folder / file.name) as opened:
                lines += opened.read()
        assert lines == joined(tmp_path / "plain"), encoding
        assert list(diff(tmp_path / "plain", tmp_path / encoding)) == []
        assert list(verify(tmp_path / encoding)) == []


@pytest.mark.parametrize("encoding", PACKED)
def test_the_same_request_gives_the_same_bytes(tmp_path, contents, encoding):
    for name in ("one", "two"):
        write(Tiny(), tmp_path / name, SPLITS, shards=3, encoding=encoding)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("encoding", PACKED)
def test_rows_are_found_by_number(tmp_path, encoding):
    write(Tiny(), tmp_path / "plain", SPLITS)
    write(Tiny(), tmp_path / "packed", SPLITS, shards=2, encoding=encoding)
    plain, packed = Dataset(tmp_path / "plain"), Dataset(tmp_path / "packed")
    for key in (0, 599, 5, 301, -1):
        assert packed[key] == plain[key]
    assert packed[595:605] == plain[595:605]
    assert packed["test"][::-13] == plain["test"][::-13]


@pytest.mark.parametrize("encoding", PACKED)
def test_rows_of_every_format_are_counted(tmp_path, encoding):
    write(Tiny(), tmp_path / "data", SPLITS, encoding=encoding)
    assert compute_statistics(tmp_path / "data").splits["rows"].to_dict() == SPLITS


@pytest.mark.parametrize("encoding", PACKED)
def test_a_replaced_row_is_found(tmp_path, encoding):
    """Check that a row with a matching digest in the manifest still differs."""
    out = tmp_path / "data"
    write(Tiny(), out, {"train": 50}, encoding=encoding)
    write(Tiny(most=3), tmp_path / "other", {"train": 50}, encoding=encoding)
    name = f"train-00000-of-00001.{encoding}"
    (out / name).write_bytes((tmp_path / "other" / name).read_bytes())
    mine, theirs = (Dataset(folder).manifest for folder in (out, tmp_path / "other"))
    forged = mine.model_copy(update={"files": theirs.files})
    (out / "manifest.json").write_bytes(forged.json_bytes())
    found = list(verify(out, judge=Tiny))
    assert any("these options and this seed give another row" in finding for finding in found)


def with_fields(table, change):
    return table.cast(pyarrow.schema([change(field) for field in table.schema]))


def with_swapped_names(table):
    frame = pyarrow.Table.from_pandas(table.to_pandas()).schema.pandas_metadata
    other = {"input": "target", "target": "input"}
    for column in frame["columns"]:
        column["name"] = other.get(column["name"], column["name"])
    return table.replace_schema_metadata({"pandas": json.dumps(frame)})


TABLE_FORGERIES = {
    "pandas": (with_swapped_names, "metadata"),
    "huggingface": (
        lambda table: table.replace_schema_metadata({"huggingface": '{"info": {}}'}),
        "metadata",
    ),
    "key of a field": (
        lambda table: with_fields(table, lambda field: field.with_metadata({"note": "x"})),
        "schema",
    ),
    "large strings": (
        lambda table: with_fields(
            table,
            lambda field: field.with_type(
                pyarrow.large_string() if field.name == "input" else field.type
            ),
        ),
        "schema",
    ),
    "dictionary": (
        lambda table: table.set_column(1, "input", table["input"].dictionary_encode()),
        "schema",
    ),
    "never null": (
        lambda table: with_fields(table, lambda field: field.with_nullable(False)),
        "schema",
    ),
}


def of_another_version(path):
    """Change the version of pyarrow in a file; page statistics may then differ."""
    path.write_bytes(re.sub(rb"(arrow version )\d", rb"\g<1>9", path.read_bytes()))


def test_a_table_of_another_version_has_no_findings(tmp_path):
    write(Tiny(), tmp_path, {"train": 50}, encoding="parquet")
    (path,) = tmp_path.glob("train-*")
    data = path.read_bytes()
    of_another_version(path)
    assert path.read_bytes() != data
    assert list(verify_with_new_digest(path)) == []


@pytest.mark.parametrize("other_version", [False, True])
@pytest.mark.parametrize("forgery", TABLE_FORGERIES)
def test_a_forged_schema_of_a_table_is_found(tmp_path, forgery, other_version):
    """Forge the schema or metadata of a table with right rows and digests."""
    change, word = TABLE_FORGERIES[forgery]
    write(Tiny(), tmp_path, {"train": 50}, encoding="parquet")
    (path,) = tmp_path.glob("train-*")
    honest = pandas.read_parquet(path)
    parquet.write_table(change(parquet.read_table(path)), path, compression="zstd")
    if other_version:
        of_another_version(path)
    (finding,) = verify_with_new_digest(path)
    assert finding.startswith(f"{path.name}: its {word} is not ")
    if forgery == "pandas":
        assert list(pandas.read_parquet(path)["target"]) == list(honest["input"])


def verify_with_new_digest(path):
    """Verify a dataset of one file after updating its size and digest in the manifest."""
    manifest, data = Dataset(path.parent).manifest, path.read_bytes()
    digests = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    forged = manifest.model_copy(update={"files": [manifest.files[0].model_copy(update=digests)]})
    (path.parent / "manifest.json").write_bytes(forged.json_bytes())
    return verify(path.parent, judge=Tiny)


def rewritten(data, **options):
    sink = io.BytesIO()
    table = parquet.read_table(io.BytesIO(data)).cast(arrow_schema(Tiny))
    parquet.write_table(table, sink, **{"compression": "zstd"} | options)
    return sink.getvalue()


def before_footer(data):
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:footer] + b"hidden" + data[footer:]


SKIPPED_FRAME = b"\x50\x2a\x4d\x18" + (6).to_bytes(4, "little") + b"hidden"
REPACKED = {
    "members": ("jsonl.gz", lambda data: data + gzip.compress(b"", mtime=0), "one gzip member"),
    "padding": ("jsonl.gz", lambda data: data + bytes(9), "one gzip member"),
    "name": (
        "jsonl.gz",
        lambda data: data[:3] + b"\x08" + data[4:10] + b"x\0" + data[10:],
        "member",
    ),
    "first frame": ("jsonl.zst", lambda data: SKIPPED_FRAME + data, "one zstd frame"),
    "last frame": ("jsonl.zst", lambda data: data + SKIPPED_FRAME, "one zstd frame"),
    "hidden": ("parquet", before_footer, "pages"),
    "index": ("parquet", partial(rewritten, write_page_index=True), "pages"),
    "groups": ("parquet", partial(rewritten, row_group_size=7), "groups have 7 rows"),
    "compression": ("parquet", partial(rewritten, compression="snappy"), "compression, stat"),
    "statistics": (
        "parquet",
        lambda data: data.replace(b"train-9", b"train-8"),
        "statistics or pages",
    ),
    "statistics of a page": (
        "parquet",
        lambda data: data.replace(b"train-9", b"train-8", 1),
        "pages",
    ),
    "path": (  # used by Java programs to find a column
        "parquet",
        lambda data: b"\x05inbox".join(data.rsplit(b"\x05input", 1)),
        "pages",
    ),
    "writer": (
        "parquet",
        lambda data: data.replace(b"arrow version ", b"arrow version-"),
        "schema",
    ),
    "order": (
        "parquet",
        partial(rewritten, sorting_columns=[parquet.SortingColumn(0)]),
        "pages",
    ),
}


@pytest.mark.parametrize("forgery", REPACKED)
def test_other_compression_is_found(tmp_path, forgery):
    """Forge a file with right rows and digests in which some readers find other rows."""
    encoding, change, words = REPACKED[forgery]
    write(Tiny(), tmp_path, {"train": 50}, encoding=encoding)
    (path,) = tmp_path.glob("train-*")
    data = path.read_bytes()
    path.write_bytes(change(data))
    assert path.read_bytes() != data
    (finding,) = verify_with_new_digest(path)
    assert words in finding


@pytest.mark.parametrize("forgery", ["hidden", "groups", "compression", "statistics", "order"])
def test_other_packing_by_another_version_is_found(tmp_path, forgery):
    write(Tiny(), tmp_path, {"train": 50}, encoding="parquet")
    (path,) = tmp_path.glob("train-*")
    path.write_bytes(REPACKED[forgery][1](path.read_bytes()))
    of_another_version(path)
    (finding,) = verify_with_new_digest(path)
    assert REPACKED[forgery][2] in finding


@pytest.mark.parametrize("encoding", PACKED)
@pytest.mark.parametrize("harm", ["cut", "flipped", "emptied", "exchanged"])
def test_damage_is_one_line(tmp_path, encoding, harm):
    write(Tiny(), tmp_path, {"train": 2000}, encoding=encoding)
    path = tmp_path / f"train-00000-of-00001.{encoding}"
    data = bytearray(path.read_bytes())
    if harm == "flipped":
        for place in range(len(data) // 3, len(data) // 3 + 64):
            data[place] ^= 0xFF
    spoilt = {"cut": data[: len(data) // 2], "emptied": b"", "exchanged": b"not packed at all\n"}
    path.write_bytes(spoilt.get(harm, data))
    with pytest.raises(NotADataset) as caught:
        list(Dataset(tmp_path).rows())
    assert "\n" not in str(caught.value)
    assert "run gen verify " in str(caught.value)
    findings = list(verify(tmp_path, judge=Tiny))
    assert findings
    assert all(path.name in finding and "\n" not in finding for finding in findings)


@pytest.mark.parametrize(
    ("encoding", "module"), [("jsonl.zst", "zstandard"), ("parquet", "pyarrow")]
)
def test_a_missing_package_is_reported_before_writing(tmp_path, monkeypatch, encoding, module):
    imported = builtins.__import__

    def refuse(name, *rest):
        if name.partition(".")[0] == module:
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtra, match=rf"needs {module}: pip install '\.\[bulk\]'"):
        write(Tiny(), tmp_path / "data", SPLITS, encoding=encoding)
    assert not (tmp_path / "data").exists()


class Loose(Tiny):
    """Generator of rows that fit no table."""

    class Metadata(Tiny.Metadata):
        """Metadata with names as keys."""

        free: dict[str, int]


def test_rows_that_fit_no_table_are_refused_before_writing(tmp_path):
    with pytest.raises(InvalidOption, match="--format: rows of tiny do not fit a table"):
        write(Loose(), tmp_path / "data", SPLITS, encoding="parquet")
    assert not (tmp_path / "data").exists()


def test_a_table_has_ordered_fields_and_numeric_columns():
    row = {"b": 1, "a": [{"y": None, "x": 2}], "c": "z"}
    column = {"a": [{"x": "number", "y": "string"}], "b": "integer", "c": "string", "d": ["string"]}
    assert repr(conform(row, column)) == repr(
        {"a": [{"x": 2.0, "y": None}], "b": 1, "c": "z", "d": None}
    )


def test_rows_of_a_table_have_the_documented_line():
    example = Example("id", "input", [], "1", {"b": 2, "a": 1})
    assert line_encoder("jsonl", Tiny)(example).endswith(b'{"b":2,"a":1}}')
    assert line_encoder("parquet", Tiny)(example).endswith(b'{"a":1,"b":2}}')
    assert list(column_types(Tiny)) == ["id", "input", "choices", "target", "metadata"]


def test_decompression_bombs_are_refused():
    with (
        decompressed_reader(io.BytesIO(b"tiny"), lambda file: iter([b"x" * 10**6] * 10)) as file,
        pytest.raises(ValueError, match="more than 100 times its size"),
    ):
        file.read()


def test_seeking_back_restarts_reading():
    parts = [b"one", b"", b"two", b"three"]
    with decompressed_reader(io.BytesIO(b"."), lambda file: iter(parts)) as file:
        assert file.read() == b"onetwothree"
        for place in (4, 0, 9, 11, 3):
            file.seek(place)
            assert file.read() == b"onetwothree"[place:]

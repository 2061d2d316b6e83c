"""`gen verify` finds changed datasets, even if digests, row counts and card are updated."""

import hashlib
import json
import os
import random
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import duckdb
import orjson
import polars
import pytest

import relsmith
from relsmith.capabilities import Limited
from relsmith.dataset import Manifest
from relsmith.dataset.card import card
from relsmith.dataset.encoding import open_lines, shard_writer
from relsmith.errors import RelsmithError
from relsmith.testing.conformance import corruptions
from relsmith.testing.profile import scaled, thinned
from relsmith_comparatives import Comparatives

GENERATORS = ("analogy", "clutrr", "cloze", "comparatives", "relinf", "relinf-aggregate")
OPTIONS: dict[str, dict[str, object]] = {
    "analogy": {"setting": "unsupervised", "choices": "3", "relations": "shipped"},
    "clutrr": {"k": "2,3", "noise": "supporting", "choices": "3"},
}
TRAIN, TEST = "train-00000-of-00001.jsonl", "test-00000-of-00001.jsonl"

Lines = list[bytes]


class Datasets(dict[str, Path]):
    """Valid datasets by generator, made on first use, of more than one block where possible."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> Path:
        options = OPTIONS.get(name, {})
        if name == "relinf-aggregate":
            options = {"candidates": str(self["relinf"]), "simulated": 5}
        generator = relsmith.make(name, **options)
        capacity = Limited.of(generator).capacity(("train", "test"), 0) or {
            "train": 270,
            "test": 30,
        }
        splits = {"train": min(270, capacity["train"]), "test": min(30, capacity["test"])}
        self[name] = self.folder / name
        relsmith.write(generator, self[name], splits)
        return self[name]


@pytest.fixture(scope="session")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> Datasets:
    return Datasets(tmp_path_factory.mktemp("valid"))


QUICK = ("clutrr", "comparatives")
"""The generators of the quick tier."""
EVERY = [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in GENERATORS]


@pytest.fixture(params=EVERY)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def forged(name: str, datasets: Datasets, tmp_path: Path) -> Path:
    """Return a copy of a dataset, to be changed."""
    return Path(shutil.copytree(datasets[name], tmp_path / "forged"))


def verified(folder: Path) -> list[str]:
    return list(relsmith.verify(folder, trust=True))


def number_of(name: str, folder: Path) -> int:
    """Return the number of a row of the split to change, far from its beginning."""
    return Manifest.load(folder).splits[name] - 7


def rewrite(folder: Path, name: str, change: Callable[[Lines], Lines]) -> None:
    """Change the lines of a shard, and update manifest and card accordingly."""
    lines = change((folder / name).read_bytes().splitlines(keepends=True))
    data = b"".join(lines)
    (folder / name).write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()

    def note(manifest: dict) -> None:
        file = next(file for file in manifest["files"] if file["name"] == name)
        file.update(rows=len(lines), bytes=len(data), sha256=digest)
        manifest["splits"][file["split"]] = len(lines)

    edit(folder, note)


def edit(folder: Path, change: Callable[[dict], None]) -> None:
    """Change the manifest, and update the card."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    change(manifest)
    written = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    (folder / "manifest.json").write_bytes(written)
    (folder / "README.md").write_text(card(Manifest.load(folder)))


def renumbered(lines: Lines, first: int = 0) -> Lines:
    """Return the lines with ids numbered from `first`."""
    stem = json.loads(lines[0])["id"].rpartition("-")[0]
    return [
        orjson.dumps(orjson.loads(line) | {"id": f"{stem}-{n}"}) + b"\n"
        for n, line in enumerate(lines, first)
    ]


def of_another_seed(lines: Lines, folder: Path, n: int) -> bytes:
    """Return row n with the content of a row of another seed."""
    manifest = Manifest.load(folder)
    generator = relsmith.make(manifest.generator, **manifest.options)
    rows = generator.split("train", splits=tuple(manifest.splits), seed=1)
    own = json.loads(lines[n])
    for row in rows[:40]:
        if row.input != own["input"]:
            return orjson.dumps(row.record() | {"id": own["id"]}) + b"\n"
    raise AssertionError


def test_valid_datasets_have_no_findings(datasets: Datasets, name: str) -> None:
    assert verified(datasets[name]) == []


ROW_FORGERIES: dict[str, Callable[[Lines, int, Path], Lines]] = {
    "swapped": lambda lines, n, _: [*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]],
    "swapped and renumbered": lambda lines, n, _: renumbered(
        [*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]]
    ),
    "repeated": lambda lines, n, _: [*lines[:n], lines[n - 1], *lines[n + 1 :]],
    "repeated and renumbered": lambda lines, n, _: renumbered(
        [*lines[:n], lines[n - 1], *lines[n + 1 :]]
    ),
    "inserted": lambda lines, n, _: [*lines[:n], lines[n - 1], *lines[n:]],
    "deleted": lambda lines, n, _: [*lines[:n], *lines[n + 1 :]],
    "deleted and renumbered": lambda lines, n, _: renumbered([*lines[:n], *lines[n + 1 :]]),
    "of another seed": lambda lines, n, folder: [
        *lines[:n],
        of_another_seed(lines, folder, n),
        *lines[n + 1 :],
    ],
    "of the test split": lambda lines, n, folder: [
        *lines[:n],
        (folder / TEST).read_bytes().splitlines(keepends=True)[3],
        *lines[n + 1 :],
    ],
    "of the test split, renumbered": lambda lines, n, folder: renumbered(
        [
            *lines[:n],
            (folder / TEST).read_bytes().splitlines(keepends=True)[3],
            *lines[n + 1 :],
        ]
    ),
    "a doubled key": lambda lines, n, _: [
        *lines[:n],
        lines[n].replace(b'"target":', b'"target":"","target":'),
        *lines[n + 1 :],
    ],
    "a space": lambda lines, n, _: [
        *lines[:n],
        lines[n].replace(b'"target":', b'"target": '),
        *lines[n + 1 :],
    ],
    "no JSON": lambda lines, n, _: [*lines[:n], lines[n][:-9] + b"\n", *lines[n + 1 :]],
    "no end of line": lambda lines, n, _: [*lines[:-1], lines[-1][:-1]],
}

MOST_FINDINGS = {"swapped": 2, "inserted": 3}
"""Expected findings of forgeries that have more than one."""


FEW = ("swapped and renumbered", "of another seed", "a space")
"""Forgeries of clutrr in the quick tier; comparatives is faster and has all."""


@pytest.mark.parametrize(
    ("name", "forgery"),
    [
        pytest.param(name, forgery, marks=[pytest.mark.slow] * (not quick))
        for name in GENERATORS
        for forgery in ROW_FORGERIES
        for quick in [name == "comparatives" or (name == "clutrr" and forgery in FEW)]
    ],
)
def test_a_forged_row_is_named(forged: Path, forgery: str) -> None:
    n = number_of("train", forged)
    ids = [json.loads(line)["id"] for line in (forged / TRAIN).read_bytes().splitlines()]
    rewrite(forged, TRAIN, lambda lines: ROW_FORGERIES[forgery](lines, n, forged))
    findings = verified(forged)
    place = len(ids) if forgery == "no end of line" else n + 1
    assert findings[0].startswith(f"{TRAIN}:{place}: ")
    assert ids[place - 1] in findings[0] or findings[0].startswith(f"{TRAIN}:{place}: damaged")
    assert len(findings) <= MOST_FINDINGS.get(forgery, 1)


def test_an_appended_row_is_named(forged: Path) -> None:
    n = number_of("train", forged)
    rewrite(forged, TRAIN, lambda lines: renumbered([*lines, lines[n]]))
    findings = verified(forged)
    assert findings[0].startswith(f"{TRAIN}:{n + 8}: ")
    assert len(findings) <= 2  # relinf has no more rows, so its judge also reports this one


def test_every_changed_value_of_a_row_is_found(forged: Path) -> None:
    n = number_of("train", forged)
    lines = (forged / TRAIN).read_bytes().splitlines(keepends=True)
    row = relsmith.Example.parse(lines[n])
    changes = dict(corruptions(row))
    if len(row.choices) > 1:
        changes["order of choices"] = relsmith.Example(
            **row.record() | {"choices": row.choices[::-1]}
        )
    kinds = {what.partition("[")[0]: what for what in changes}
    for what in thinned(kinds.values(), least=8):
        line = orjson.dumps(changes[what]) + b"\n"
        rewrite(forged, TRAIN, lambda _, line=line: [*lines[:n], line, *lines[n + 1 :]])
        (finding,) = relsmith.verify(forged, trust=True, judged=False)
        assert finding.startswith(f"{TRAIN}:{n + 1}: {row.id}: these options and this seed"), what
        assert "differ" in finding


def forge_card(folder: Path) -> None:
    text = (folder / "README.md").read_text()
    (folder / "README.md").write_text(text.replace("path: train-*", "path: https://e.org/*"))


def rename_shard(folder: Path) -> None:
    name = "train-00001-of-00002.jsonl"
    (folder / TEST).rename(folder / name)
    edit(folder, lambda manifest: manifest["files"][1].update(name=name))


def link_shard(folder: Path) -> None:
    (folder / TRAIN).rename(folder.parent / "elsewhere")
    (folder / TRAIN).symlink_to(folder.parent / "elsewhere")


def link_folder(folder: Path) -> None:
    (folder.parent / "other").mkdir()
    (folder / "data").symlink_to(folder.parent / "other")


def double_key(folder: Path) -> None:
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace('"seed"', '"seed": 7,\n  "seed"'))


def write_into(name: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}\n")

    return write


FOLDER_FORGERIES: dict[str, tuple[Callable[[Path], None], str]] = {
    "card": (forge_card, "README.md: is not the card of this manifest"),
    "no card": (lambda folder: (folder / "README.md").unlink(), "README.md: missing"),
    "no shard": (lambda folder: (folder / TEST).unlink(), f"{TEST}: missing"),
    "extra shard": (write_into("train-extra.jsonl"), "train-extra.jsonl: not in the manifest"),
    "a loading script": (write_into("forged.py"), "forged.py: not in the manifest"),
    "a folder": (write_into("data/train.jsonl"), "data: not in the manifest"),
    "a script in the work folder": (
        write_into(".unfinished/x.py"),
        ".unfinished/x.py: not in the man",
    ),
    "a name with a line break": (write_into("a\nb"), "'a\\nb': not in the manifest"),
    "renamed shard": (rename_shard, "train-00001-of-00002.jsonl is listed where test-00000-of-"),
    "linked shard": (link_shard, f"{TRAIN}: is a symbolic link"),
    "linked folder": (link_folder, "data: not in the manifest"),
    "doubled key": (double_key, "manifest.json: is not the way gen writes it"),
    "note": (
        lambda folder: edit(folder, lambda manifest: manifest["notes"].append("all well")),
        "manifest.json: notes are not those of the generator",
    ),
    "source": (
        lambda folder: edit(
            folder,
            lambda manifest: manifest["sources"].append(
                {"name": "book", "version": "1", "digest": "0"}
            ),
        ),
        "manifest.json: sources differ",
    ),
    "distribution": (
        lambda folder: edit(folder, lambda manifest: manifest.update(distribution="other")),
        "manifest.json: distribution is not the one that provides",
    ),
    "order of options": (
        lambda folder: edit(
            folder,
            lambda manifest: manifest.update(options=dict(reversed(manifest["options"].items()))),
        ),
        "manifest.json: options are incomplete",
    ),
    "withheld": (
        lambda folder: edit(folder, lambda manifest: manifest["withheld"].update(odd=["x"])),
        "manifest.json: withheld is not what",
    ),
}


@pytest.mark.parametrize("forgery", FOLDER_FORGERIES)
def test_a_forged_folder_is_found(datasets: Datasets, tmp_path: Path, forgery: str) -> None:
    forge, words = FOLDER_FORGERIES[forgery]
    folder = Path(shutil.copytree(datasets["comparatives"], tmp_path / "forged"))
    forge(folder)
    (finding,) = verified(folder)
    assert words in finding


@pytest.mark.parametrize("linked", [".unfinished", ".unfinished/.lock"])
def test_verify_follows_no_link_to_write(datasets: Datasets, tmp_path: Path, linked: str) -> None:
    folder = Path(shutil.copytree(datasets["comparatives"], tmp_path / "forged"))
    own = tmp_path / "target" / ".lock"
    own.parent.mkdir()
    own.write_text("mine")
    if linked == ".unfinished":
        (folder / linked).symlink_to(own.parent)
    else:
        (folder / ".unfinished").mkdir()
        (folder / linked).symlink_to(own)
    (finding,) = verified(folder)
    assert finding == f"{linked}: not in the manifest"
    assert own.read_text() == "mine"


def test_a_fifo_in_place_of_a_shard_is_not_opened(datasets: Datasets, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(datasets["comparatives"], tmp_path / "forged"))
    (folder / TRAIN).unlink()
    os.mkfifo(folder / TRAIN)
    assert verified(folder) == [f"{TRAIN}: is not a regular file"]


FORMATS = ("jsonl", "jsonl.gz", "jsonl.zst", "parquet")


def change_rows(path: Path, encoding: str, rng: random.Random) -> None:
    """Swap, repeat, insert or delete a row, or change a value of it; write the file anew."""
    with open_lines(path) as opened:
        lines = opened.read().splitlines(keepends=True)
    n = rng.randrange(1, len(lines) - 1)
    forgery = rng.choice(["value", *list(ROW_FORGERIES)[:7]])
    if forgery == "value":
        changed = rng.choice([row for _, row in corruptions(relsmith.Example.parse(lines[n]))])
        lines[n] = orjson.dumps(changed.record()) + b"\n"
    else:
        lines = ROW_FORGERIES[forgery](lines, n, path.parent)
    with path.open("wb") as sink, shard_writer(encoding, sink, Comparatives) as write:
        write([line.removesuffix(b"\n") for line in lines])


def flip_bit(path: Path, encoding: str, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def change_bytes(path: Path, encoding: str, rng: random.Random) -> None:
    """Remove, move or repeat a part of the file, or insert zeros."""
    data = path.read_bytes()
    start, end = sorted(rng.choices(range(len(data) + 1), k=2))
    part, rest = data[start:end], data[:start] + data[end:]
    changed = [rest, rest + part, part + data, data + part, data[:start] + bytes(9) + data[start:]]
    path.write_bytes(rng.choice(changed))


def content(path: Path) -> object:
    """Return the rows that other programs read in a file, and its description of the columns."""
    if path.suffix != ".parquet":
        with open_lines(path) as opened:
            return opened.read()
    described = [
        [row[1:] for row in duckdb.sql(f"from {table}('{path}')").fetchall()]
        for table in ("parquet_metadata", "parquet_schema")
    ]
    return described, polars.read_parquet(path).to_dicts()


def update_digest(folder: Path, name: str) -> None:
    """Update manifest and card after a change of a shard; the row count only if it is readable."""
    data = (folder / name).read_bytes()
    try:
        with open_lines(folder / name) as opened:
            rows = opened.read().count(b"\n")
    except (OSError, ValueError, EOFError, zlib.error):
        rows = None  # it can no longer be read

    def note(manifest: dict) -> None:
        file = next(file for file in manifest["files"] if file["name"] == name)
        file.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
        if rows:
            manifest["splits"][file["split"]] += rows - file["rows"]
            file["rows"] = rows

    edit(folder, note)


@pytest.mark.parametrize("encoding", FORMATS)
def test_forgeries_of_every_format_are_found(tmp_path: Path, encoding: str) -> None:
    """Change a shard at random, and update manifest and card; verify must find each change.

    A change that makes no difference for any reader, as of an unused bit in zstd, does not count.
    """
    valid, forged = tmp_path / "valid", tmp_path / "forged"
    relsmith.write(Comparatives(), valid, {"train": 60, "test": 20}, shards=2, encoding=encoding)
    names = [file.name for file in Manifest.load(valid).files]
    rng, found = random.Random(encoding), 0
    while found < scaled(100):
        shutil.copytree(valid, forged)
        name = rng.choice(names)
        forge = rng.choice([change_rows, flip_bit, change_bytes])
        forge(forged / name, encoding, rng)
        update_digest(forged, name)
        if verified(forged):
            found += 1
        else:
            assert content(forged / name) == content(valid / name), f"{forge.__name__} of {name}"
        shutil.rmtree(forged)


def flip_bits(
    datasets: Datasets, names: tuple[str, ...], folder: Path, count: int, seed: int
) -> None:
    """Flip a random bit of a random file, `count` times; verify must find each."""
    rng = random.Random(seed)
    for flip in range(count):
        name = names[flip % len(names)]
        copy = Path(shutil.copytree(datasets[name], folder / str(flip)))
        path = rng.choice(sorted(copy.iterdir()))
        data = bytearray(path.read_bytes())
        place, bit = rng.randrange(len(data)), rng.randrange(8)
        data[place] ^= 1 << bit
        path.write_bytes(data)
        try:
            found = bool(list(relsmith.verify(copy, trust=True, sample=5)))
        except RelsmithError:
            found = True
        assert found, f"bit {bit} of byte {place} of {path.name} of {name}"
        shutil.rmtree(copy)


def test_flipped_bits_are_found(datasets: Datasets, tmp_path: Path) -> None:
    flip_bits(datasets, QUICK, tmp_path, scaled(60, least=10), 0)


@pytest.mark.slow
def test_flipped_bits_of_all_datasets_are_found(datasets: Datasets, tmp_path: Path) -> None:
    flip_bits(datasets, GENERATORS, tmp_path, scaled(500), 1)

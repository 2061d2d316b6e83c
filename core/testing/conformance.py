"""The conformance suite that every generator must pass, built-in or plugin.

The profile (profile.py) sets the effort: without RELSMITH_PROFILE=full it tries a few rows of each
kind, which takes seconds.
"""

import copy
import hashlib
import os
import re
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache
from importlib import metadata
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from ..capabilities import Drawings, Groups, Limited
from ..dataset import Dataset, Manifest, verify, write
from ..dataset.card import reproduction_command
from ..dataset.columns import NotTabular, column_types
from ..engines.engine import Engine, Local, Result, Spec, Work
from ..example import Example
from ..generator import Generator
from ..registry import check_generator_class
from ..validation import JUDGE_FAILED, findings
from .profile import profile, scaled, thinned
from .readers import read_back

_SPLITS = {"train": 400, "test": 200}
"""The size of the golden dataset, in every profile."""
_QUICK_SPLITS = {"train": 40, "test": 20}
_SHARDS = 3
_CORRUPTED_ROWS = 25
_VIEWED_ROWS = 50
_COMPARED_ROWS = 400


def check_generator(
    cls: type[Generator],
    *,
    golden: str | None = None,
    options: Mapping[str, object] | None = None,
    unjudged: Collection[str] = (),
) -> None:
    """Assert that the generator passes all conformance checks with these options.

    `golden` is the digest of a small dataset (`golden_digest`); pin it once rows are published,
    so that bytes change only with the version. `unjudged` names metadata that no judge can check.
    """
    check_generator_class(cls.name, cls)
    generator = cls.configure(options or {})
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain"
        manifest = write(generator, plain, _checked_splits(generator))
        check_options(generator, manifest)
        check_rows(generator, plain)
        check_tables(generator, plain)
        check_view(generator, plain)
        check_sharding(generator, plain)
        check_resume(generator, plain)
        check_command(plain)
        check_independence(generator)
        check_judge(generator, unjudged)
        if golden is not None:
            same = manifest.splits == _splits(generator)
            _compare(generator, _digest(plain) if same else golden_digest(generator), golden)


def check_options(generator: Generator, manifest: Manifest) -> None:
    """Check that options survive the manifest."""
    again = type(generator).configure(manifest.options)
    assert again == generator, f"options changed in the manifest: {generator!r} became {again!r}"


def check_rows(generator: Generator, folder: Path) -> None:
    """Check that every row passes the judge and does not depend on earlier rows."""
    splits = Dataset(folder).manifest.splits
    rows = {split: list(Dataset(folder).rows(split)) for split in splits}
    places = [[(split, n) for n in (1, count // 2, count - 1)] for split, count in splits.items()]
    for split, n in thinned([place for some in zip(*places, strict=True) for place in some], 2):
        (alone,) = generator.examples(n + 1, start=n, split=split, splits=tuple(splits))
        assert Example.parse(orjson.dumps(alone)) == rows[split][n], (
            f"row {n} of {split} depends on earlier rows"
        )
    rejected = list(verify(folder, judge=type(generator), trust=True))
    assert not rejected, f"the judge rejects a row of the generator: {rejected[0]}"


def check_view(generator: Generator, plain: Path) -> None:
    """Check that spans, facts and steps of `gen view` are valid."""
    for row in islice(Dataset(plain), _VIEWED_ROWS):
        view = Drawings.of(generator).view(row)
        facts = len(view.fact_texts)
        for marks in (view.fact_spans, view.blanks):
            ends = [place for mark in marks for place in (mark.start, mark.end)]
            assert ends == sorted(ends) and all(0 <= end <= len(row.input) for end in ends), (
                f"the view of {row.id} has spans {ends}, which are not ordered parts of its text"
            )
        stated = {number for span in view.fact_spans for number in span.facts}
        assert stated <= set(range(facts)), f"the view of {row.id} has no fact {max(stated)}"
        for n, step in enumerate(view.steps):
            used = set(step.uses)
            assert used <= set(range(facts + n)), f"step {n} of {row.id} uses a later fact"
        edges = view.graph.edges(data=True) if view.graph is not None else ()
        numbers = [traits["number"] for *_, traits in edges if "number" in traits]
        assert not numbers or sorted(numbers) == list(range(facts)), (
            f"the graph of {row.id} has edges {sorted(numbers)}, but the view has {facts} facts"
        )


def check_tables(generator: Generator, plain: Path) -> None:
    """Check that rows have one type, and that table readers return them unchanged.

    The readers are pyarrow, polars, pandas and datasets, from JSON lines and from Parquet; a
    warning names those that are not installed.
    """
    cls = type(generator)
    try:
        column_types(cls)
    except NotTabular as error:
        raise AssertionError(f"rows of {cls.name} do not fit a table: {error}") from None
    lines = plain.with_name("rows.jsonl")
    lines.write_bytes(_joined(plain))
    rows = [orjson.loads(line) for line in lines.read_bytes().splitlines()]
    for reader, back in read_back(lines, cls):
        assert len(back) == len(rows), f"{reader} returns {len(back)} of {len(rows)} rows"
        for row, other in zip(rows, back, strict=True):
            if _sorted(row) != _sorted(other):
                where, ours, theirs = next(_differing(row, other, ""))
                remedy = (
                    "table readers take texts such as 2024-05-01 for times; write the date in "
                    "words, as in 1 May 2024, or as numbers"
                    if isinstance(theirs, date)
                    else "in every row write every field of Metadata, and values of one type"
                )
                raise AssertionError(
                    f"{reader} changes {row['id']}: {where.lstrip('.')} is {ours!r:.100}, but is "
                    f"read as {theirs!r:.100}; {remedy}"
                )


def _sorted(row: Any) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS)


def _differing(ours: Any, theirs: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield where two values differ in value or type, and both."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in {**ours, **theirs}:
            inner = f"{where}.{name}"
            yield from _differing(ours.get(name, _MISSING), theirs.get(name, _MISSING), inner)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for n, (our, their) in enumerate(zip(ours, theirs, strict=True)):
            yield from _differing(our, their, f"{where}[{n}]")
    elif type(ours) is not type(theirs) or ours != theirs:
        yield where, ours, theirs


class _Missing:
    def __repr__(self) -> str:
        return "missing"


_MISSING = _Missing()


def check_sharding(generator: Generator, plain: Path) -> None:
    """Check that shards and workers with random hash seeds do not change the joined bytes."""
    splits = Dataset(plain).manifest.splits
    engines = {_shards(): _AlwaysProcesses(1 if profile() == "quick" else 3), 7: Local()}
    for shards in thinned(engines):
        engine, other = engines[shards], _sharded(plain, shards)
        with _random_hashes():
            write(generator, other, splits, shards=shards, engine=engine)
        assert _joined(other) == _joined(plain), (
            f"{shards} shards by {engine.workers} worker(s) give other bytes: does a draw depend "
            f"on set order, the clock, or state kept between blocks?"
        )


def check_resume(generator: Generator, plain: Path) -> None:
    """Check that a run that is interrupted after every shard ends with the same bytes."""
    splits = Dataset(plain).manifest.splits
    for shards in thinned([None, _shards()]):
        whole = _sharded(plain, shards) if shards else plain
        if not whole.exists():
            write(generator, whole, splits, shards=shards)
        stopped = whole.with_name(f"{whole.name}-stopped")
        for finished in range(len(Dataset(whole).manifest.files) + 1):
            with suppress(KeyboardInterrupt):
                write(generator, stopped, splits, shards=shards, engine=_Interrupted(finished))
            assert not (stopped / "manifest.json").exists(), "an unfinished dataset looks finished"
        write(generator, stopped, splits, shards=shards)
        assert _contents(stopped) == _contents(whole), "a resumed run gives other bytes"


def check_command(plain: Path) -> None:
    """Check that the command on the card writes the same bytes, for installed generators."""
    manifest = Dataset(plain).manifest
    if not manifest.distribution:
        return
    again = plain.with_name("again")
    gen, *words, _ = shlex.split(reproduction_command(manifest))
    (script,) = metadata.entry_points(group="console_scripts", name=gen)
    before = sys.argv
    sys.argv = [gen, *words, str(again), "--workers", "1", "--quiet"]
    try:
        script.load()()
    except SystemExit as ended:
        assert not ended.code, f"the card's command fails: {reproduction_command(manifest)}"
    finally:
        sys.argv = before
    assert _contents(again) == _contents(plain), (
        f"the card's command gives other bytes: {reproduction_command(manifest)}"
    )


def check_independence(generator: Generator) -> None:
    """Check that two seeds, and two splits of a seed, share no input beyond chance."""
    splits = ("train", "test")
    capacity = _smallest(generator, splits, 42, 43)
    if capacity is None or capacity > 3 * _COMPARED_ROWS:
        rows = min(_COMPARED_ROWS, scaled(_COMPARED_ROWS))
    else:  # all seeds may have the same few rows
        rows = min(_COMPARED_ROWS, capacity)

    @cache
    def inputs(seed: int, split: str) -> set[str]:
        made = generator.examples(rows, seed=seed, split=split, splits=splits)
        return {row.input for row in made}

    for seed in thinned((42, 43)):
        shared = inputs(seed, "train") & inputs(seed, "test")
        assert not shared, f"seed {seed}: {len(shared)} inputs are in both splits: {min(shared)!r}"
    by_chance = 0 if capacity is None else rows * rows / capacity
    for split in thinned(splits):
        shared = inputs(42, split) & inputs(43, split)
        assert len(shared) <= 0.02 * rows + 3 * by_chance, (
            f"seeds 42 and 43 share {len(shared)} of {rows} inputs of {split}; "
            f"draw from block.stream() or block.permutation() only"
        )


def check_judge(generator: Generator, unjudged: Collection[str] = ()) -> None:
    """Check that the judge finds every corruption of a row; in `quick`, one of each kind."""
    for number, example in enumerate(generator.examples(scaled(_CORRUPTED_ROWS, least=5))):
        corrupted = list(corruptions(example, unjudged))
        for what, corrupt in (
            _one_of_each_kind(corrupted, number) if profile() == "quick" else corrupted
        ):
            found = findings(generator, corrupt)
            assert found, f"the judge misses a corruption of {example.id} ({what}): {corrupt}"
            crashed = [finding for finding in found if finding.startswith(JUDGE_FAILED)]
            assert not crashed, (
                f"the judge fails on a corruption of {example.id} ({what}): {crashed[0]}; "
                f"refuse such metadata in Metadata, or return a finding"
            )


def _one_of_each_kind(
    corrupted: list[tuple[str, Example]], number: int
) -> Iterator[tuple[str, Example]]:
    """Yield one of the corruptions that differ only in their place, another for each row."""
    kinds: dict[str, list[tuple[str, Example]]] = {}
    for what, corrupt in corrupted:
        kinds.setdefault(_WHERE.sub("", what), []).append((what, corrupt))
    for some in kinds.values():
        yield some[number % len(some)]


_WHERE = re.compile(r"\[\d+\]|['\"].*['\"]")
"""The position or choice in the description of a corruption; the rest is its kind."""


def check_golden(generator: Generator, golden: str) -> None:
    """Check that no byte has changed since the digest was pinned."""
    _compare(generator, golden_digest(generator), golden)


def _compare(generator: Generator, digest: str, golden: str) -> None:
    assert digest == golden, (
        f"rows of {generator.name} version {generator.version} have the digest {digest}, but "
        f"{golden!r} is pinned; if the change is intended, raise the version and pin the new digest"
    )


def golden_digest(generator: Generator, splits: Mapping[str, int] | None = None) -> str:
    """Return the digest of a small dataset of the generator, to be pinned in a test."""
    with TemporaryDirectory() as folder:
        write(generator, Path(folder) / "golden", splits or _splits(generator))
        return _digest(Path(folder) / "golden")


def _digest(folder: Path) -> str:
    return hashlib.sha256(_joined(folder)).hexdigest()


def corruptions(example: Example, unjudged: Collection[str] = ()) -> Iterator[tuple[str, Example]]:
    """Yield corrupted copies of the row, each with one simple change."""
    for what, corrupted in _corrupted_rows(example, unjudged):
        if corrupted != example:
            yield what, corrupted


def _corrupted_rows(example: Example, unjudged: Collection[str]) -> Iterator[tuple[str, Example]]:
    def corrupted(**changes: Any) -> Example:
        fields = {name: copy.deepcopy(getattr(example, name)) for name in Example.__slots__}
        return Example(**(fields | changes))

    words = example.input.split(" ")
    yield "the input is empty", corrupted(input="")
    yield "the first word is missing", corrupted(input=" ".join(words[1:]))
    yield "the last word is missing", corrupted(input=" ".join(words[:-1]))
    yield (
        "two words have changed places",
        corrupted(input=" ".join([*words[1:2], *words[:1], *words[2:]])),
    )
    yield "the target is empty", corrupted(target="")
    yield "the target is unknown", corrupted(target=example.target + "x")
    for choice in example.choices:
        if choice != example.target:
            yield f"the target is {choice!r}", corrupted(target=choice)
            fewer = [kept for kept in example.choices if kept != choice]
            yield f"the choice {choice!r} is missing", corrupted(choices=fewer)
    judged = {name: value for name, value in example.metadata.items() if name not in unjudged}
    for where, value in _corrupted_values(judged):
        kept = {name: value for name, value in example.metadata.items() if name in unjudged}
        yield f"metadata{where}", corrupted(metadata=kept | value)


def _corrupted_values(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield copies of the value with one part changed or removed, and where."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f".{name} missing", {key: kept for key, kept in value.items() if key != name}
            for where, corrupted in _corrupted_values(inner):
                yield f".{name}{where}", value | {name: corrupted}
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield f"[{n}] missing", value[:n] + value[n + 1 :]
            for where, corrupted in _corrupted_values(inner):
                yield f"[{n}]{where}", [*value[:n], corrupted, *value[n + 1 :]]
    elif isinstance(value, bool):
        yield " flipped", not value
    elif isinstance(value, int | float):
        yield " plus one", value + 1
    elif isinstance(value, str):
        yield " with an x", value + "x"


def _checked_splits(generator: Generator) -> dict[str, int]:
    return _splits(generator, _QUICK_SPLITS if profile() == "quick" else _SPLITS)


def _splits(generator: Generator, wanted: Mapping[str, int] = _SPLITS) -> dict[str, int]:
    capacity, size = _smallest(generator, tuple(wanted), 0), Groups.of(generator).group_size
    most = {split: min(max(rows, size), capacity or rows) for split, rows in wanted.items()}
    return {split: rows // size * size for split, rows in most.items()}


def _shards() -> int:
    return min(_SHARDS, scaled(_SHARDS, least=2))


def _sharded(plain: Path, shards: int) -> Path:
    return plain.with_name(f"{shards}-shards")


def _smallest(generator: Generator, splits: tuple[str, ...], *seeds: int) -> int | None:
    """Return the smallest capacity of the splits for these seeds; None if unlimited."""
    capacities = [Limited.of(generator).capacity(splits, seed) for seed in seeds]
    return min((min(rows.values()) for rows in capacities if rows), default=None)


@contextmanager
def _random_hashes() -> Iterator[None]:
    """Give every worker a random hash seed."""
    before = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = "random"
    try:
        yield
    finally:
        del os.environ["PYTHONHASHSEED"]
        if before is not None:
            os.environ["PYTHONHASHSEED"] = before


class _AlwaysProcesses(Local):
    """Always uses processes, even for one worker, so that each has its own hash seed."""

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        """Yield the result of every shard."""
        return self._in_processes(work, specs)


class _Interrupted(Engine):
    """An engine that is interrupted after `shards` shards."""

    def __init__(self, shards: int) -> None:
        self.shards = shards

    def map_shards(self, work: Work[Spec, Result], specs: Sequence[Spec]) -> Iterator[Result]:
        yield from islice(Local().map_shards(work, specs), self.shards)
        raise KeyboardInterrupt


def _joined(folder: Path) -> bytes:
    return b"".join((folder / file.name).read_bytes() for file in Dataset(folder).manifest.files)


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

"""`gen NAME`: write a dataset."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from . import output
from .parameters import (
    Cluster,
    Engine,
    Force,
    Format,
    Judge,
    Out,
    Quiet,
    Rows,
    Seed,
    Shards,
    Split,
    Workers,
)

if TYPE_CHECKING:
    from ..generator import Generator


def write(
    generator: "Generator",
    *,
    rows: Rows = None,
    seed: Seed = 0,
    split: Split = None,
    out: Out = None,
    shards: Shards = None,
    format: Format = "jsonl",
    force: Force = False,
    judge: Judge = False,
    workers: Workers = None,
    engine: Engine = "local",
    cluster: Cluster = None,
    quiet: Quiet = False,
) -> None:
    """Write the dataset and print a summary."""
    from .. import dataset
    from ..dataset.plan import plan_splits
    from ..engines.engine import start_engine

    out = out or Path("data", generator.name)
    splits = plan_splits(generator, split, rows, seed)
    with (
        output.progress(generator.name, sum(splits.values()), quiet) as advance,
        start_engine(engine, workers=workers, cluster=cluster, progress=advance) as started,
    ):
        manifest = dataset.write(
            generator,
            out,
            splits,
            seed=seed,
            shards=shards,
            encoding=format,
            judge=judge,
            force=force,
            engine=started,
        )
    if not quiet:
        counts = ", ".join(f"{name} {count}" for name, count in manifest.splits.items())
        total = output.size(sum(file.bytes for file in manifest.files))
        files = len(manifest.files)
        output.echo(f"{out}: {counts} rows in {files} file{'s' * (files > 1)}, {total}")
        folder = shlex.quote(str(out))
        output.echo(f"show it: gen show {folder}    verify it: gen verify {folder}")
        for note in manifest.notes:
            output.echo(f"note: {note}")

"""`gen run`: several datasets as one suite."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidSuite, RelsmithError
from . import output
from .output import echo_json
from .parameters import Json, Quiet, Workers


def run(
    file: Annotated[Path, typer.Argument(metavar="SUITE", help="A YAML file of datasets.")],
    out: Annotated[
        Path | None, typer.Option(help="The folder to write.", show_default="data/NAME")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Solve every row anew once it is written.")
    ] = True,
    force: Annotated[
        bool,
        typer.Option("--force", metavar="", help="Make datasets again that are there but differ."),
    ] = False,
    workers: Workers = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write, verify and describe several datasets as one suite.

    Killed, the same command goes on where it stopped: what is finished and unchanged is kept.
    """
    from ..dataset.suite import SUITE, Suite, plan_dataset, write_suite
    from ..engines.engine import Local, cores
    from ..kb.document import parse_document
    from ..storage.files import refuse_url
    from ..storage.text import read

    text = read(file, "name a YAML file")
    suite, lines = parse_document(text, str(file), Suite, InvalidSuite)
    out = out or Path("data", suite.name)
    refuse_url(out)
    jobs = []
    for name, part in suite.datasets.items():
        try:
            jobs.append(plan_dataset(name, part, out))
        except RelsmithError as error:
            line = lines.of(("datasets", name))
            raise InvalidSuite(f"{file}:{line}: {name}: {error}") from error

    @contextmanager
    def engine(what: str, rows: int) -> Iterator[Local]:
        with output.progress(what, rows, quiet) as advance:
            yield Local(workers or cores(), advance)

    fates = {}
    for job, fate in write_suite(suite, jobs, out, engine, check=verify, force=force):
        fates[job.name] = fate
        if not (quiet or json):
            counts = ", ".join(f"{split} {rows}" for split, rows in job.plan.splits.items())
            output.echo(f"{job.folder}: {counts} rows, {fate}{' and verified' * verify}")
    if json:
        echo_json({"out": str(out), "datasets": fates})
    elif not quiet:
        output.echo(f"{out}: {len(fates)} datasets, listed in {out / 'README.md'} and {SUITE}")

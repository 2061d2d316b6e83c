"""`gen run`: several datasets as one suite."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidSuite, RelsmithError
from . import output
from .output import echo_json
from .parameters import Json, Quiet, Workers, switch

if TYPE_CHECKING:
    from ..dataset.suite import EngineProvider, Suite
    from ..kb.document import LineNumbers


def run(
    file: Annotated[Path, typer.Argument(metavar="SUITE", help="A YAML file that lists datasets.")],
    out: Annotated[
        Path | None, typer.Option(help="Output folder.", show_default="data/NAME")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Verify every dataset after writing it.")
    ] = True,
    force: Annotated[
        bool, switch("--force", "Replace existing datasets that differ from the suite.")
    ] = False,
    workers: Workers = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write and verify several datasets as one suite, with a common card.

    If it is killed, the same command continues where it stopped: finished datasets are kept.
    """
    from ..dataset.manifest import SUITE
    from ..dataset.suite import plan_dataset, write_suite
    from ..storage.files import local_path

    suite, lines = read_suite_file(file)
    out = out or Path("data", suite.name)
    local_path(out)
    jobs = []
    for name, part in suite.datasets.items():
        try:
            jobs.append(plan_dataset(name, part, out))
        except RelsmithError as error:
            line = lines.line_of(("datasets", name))
            raise InvalidSuite(f"{file}:{line}: {name}: {error}") from error

    outcomes = {}
    engine = local_engines(quiet, workers)
    for job, outcome in write_suite(suite, jobs, out, engine, check=verify, force=force):
        outcomes[job.name] = outcome
        if not (quiet or json):
            counts = ", ".join(f"{split} {rows}" for split, rows in job.plan.splits.items())
            output.echo(f"{job.folder}: {counts} rows, {outcome}{' and verified' * verify}")
    if json:
        echo_json({"out": str(out), "datasets": outcomes})
    elif not quiet:
        output.echo(f"{out}: {len(outcomes)} datasets, listed in {out / 'README.md'} and {SUITE}")


def read_suite_file(file: Path) -> "tuple[Suite, LineNumbers]":
    """Return the suite in a YAML file, and the lines of its values."""
    from ..dataset.suite import Suite
    from ..kb.document import parse_document
    from ..storage.text import read

    return parse_document(read(file, "give a YAML file"), str(file), Suite, InvalidSuite)


def local_engines(quiet: bool, workers: int | None) -> "EngineProvider":
    """Return a function that starts local workers with a progress bar."""
    from ..engines.engine import Local, available_cores

    @contextmanager
    def engine(what: str, rows: int) -> Iterator[Local]:
        with output.progress(what, rows, quiet) as advance:
            yield Local(workers or available_cores(), advance)

    return engine

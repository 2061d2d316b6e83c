"""`gen templates`: inspect sentence banks."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import CheckFailed
from ..seed import Stream
from . import output
from .output import echo_json
from .parameters import Json, Quiet, Seed, integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..kb.worlds import world as worlds
    from ..templates.bank import Bank
    from ..templates.prose import ProseSegment, ProseStatistics
    from ..templates.statistics import BankStatistics

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", help="Inspect sentence banks.")

World = Annotated[str, typer.Option(help="The world of the bank (gen list).")]
Paraphrases = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Use a bank of sentences in CLUTRR's template format."),
]


def _bank(world: str, paraphrases: Path | None) -> "Bank":
    if paraphrases:
        from ..templates.paraphrases import load_paraphrases

        return load_paraphrases(paraphrases)
    from ..templates.bank import find_bank

    return find_bank(world)


@app.callback()
def templates() -> None:
    """Inspect sentence banks: their size and variety, and samples."""


@app.command("stats")
def stats(
    world: World = "kinship",
    paraphrases: Paraphrases = None,
    every: Annotated[int, integer(1, "Measure overlap in every n-th group.")] = 61,
    stories: Annotated[
        int, integer(1, "Number of stories to generate for measuring prose.")
    ] = 2000,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count frames, renderings and words, and measure the prose of stories."""
    from ..templates.paraphrases import unstated_facts
    from ..templates.prose import measure_prose
    from ..templates.statistics import count_groups, measure

    bank = _bank(world, paraphrases)
    unstated = unstated_facts(bank) if paraphrases else []
    with output.progress("overlap", count_groups(bank), quiet, "groups") as advance:
        figures = measure(bank, every, advance)
    prose = None
    if bank.world.stories is not None and not unstated:
        with output.progress("stories", stories, quiet, "stories") as advance:
            prose = measure_prose(bank, _segments(world, paraphrases, stories, advance))
    if json:
        echo_json({**asdict(figures), "prose": asdict(prose) if prose else None})
        return
    _print_size(figures, every)
    if prose:
        _print_prose(prose, stories)
        _print_relations(prose, bank.world)
    if paraphrases:
        output.echo(f"not stated             {', '.join(unstated) or 'none'}")


def _segments(
    world: str, paraphrases: Path | None, count: int, advance: "Callable[[int], None]"
) -> "Iterator[ProseSegment]":
    """Yield the segments of stories with 2 to 10 facts."""
    from ..generators.clutrr import Clutrr
    from ..generators.clutrr.metadata import story_segments
    from ..kb.worlds.stories import DATED_PREFIX
    from ..templates.prose import ProseSegment

    options = {"world": world, "k": "2..10"}
    if paraphrases:
        options["paraphrases"] = str(paraphrases)
    for number, row in enumerate(Clutrr.configure(options).examples(count)):
        metadata = row.metadata
        stated, genders = metadata["facts"] + metadata["side_facts"], dict(metadata["genders"])
        for template, text, numbers in zip(
            metadata["templates"], story_segments(row), metadata["states"], strict=True
        ):
            if not template.startswith(DATED_PREFIX):
                yield ProseSegment(template, text, [stated[n] for n in numbers], genders)
        advance(number + 1)


def _print_size(figures: "BankStatistics", every: int) -> None:
    output.echo(f"frames                 {figures.frames}")
    for length, count in figures.frames_by_length.items():
        output.echo(
            f"  of {length} fact(s)         {count}, for {figures.clauses[length]} clauses, "
            f"{figures.groups[length]} with genders"
        )
    output.echo(f"renderings             {figures.renderings}")
    output.echo(
        f"  per clause           {figures.mean_per_clause:.1f}, at least {figures.least_per_clause}"
    )
    output.echo(
        f"  with genders         {figures.mean_per_group:.1f}, at least {figures.least_per_group}"
    )
    output.echo(f"distinct words         {figures.words}")
    output.echo(f"words per rendering    {figures.mean_length:.1f}")
    where = "" if every == 1 else f", in one group of {every}"
    for title, overlap in (("words only", figures.words_only), ("all tokens", figures.all_tokens)):
        output.echo(
            f"overlap, {title}    unigrams {overlap.unigrams:.4f}, bigrams {overlap.bigrams:.4f}"
            f"{where}"
        )


def _print_prose(prose: "ProseStatistics", stories: int) -> None:
    from ..templates.forms import EXAMPLES

    output.echo(
        f"in {stories} stories        {prose.sentences} sentences, {prose.facts} facts; "
        f"{prose.unused} frames do not occur"
    )
    output.echo("facts by form")
    for form, share in sorted(prose.forms.items(), key=lambda item: -item[1]):
        if share:
            output.echo(f"  {form:20} {share:6.1%}   {EXAMPLES[form]}")
    output.echo(f"a name twice           {prose.echo:.1%} of stretches, within a sentence")
    output.echo(f"he, she, him           {prose.pronouns:.1f} in 100 sentences")
    output.echo(f"no fact                {prose.fact_free:.1%} of sentences")
    if prose.skew:
        output.echo(
            f"skew                   {prose.skew.ratio:.1f}, of {prose.skew.most} "
            f"to {prose.skew.least}"
        )


def _print_relations(prose: "ProseStatistics", world: "worlds.World") -> None:
    """Print the share of each relation together with its inverse."""
    output.echo(f"stated relations       evenness {prose.evenness:.2f}, 1 if all are equal")
    words = dict(zip(world.predicates, world.words, strict=True))
    shown: set[str] = set()
    for name in world.predicates:
        both = dict.fromkeys((name, world.inverse(name) or name))
        if name not in shown:
            share = sum(prose.told[each] for each in both)
            listed = dict.fromkeys(word for each in both for word in words[each])
            output.echo(f"  {', '.join(listed):40} {share:6.1%}")
        shown |= both.keys()


@app.command("preview")
def preview(
    world: World = "kinship",
    paraphrases: Paraphrases = None,
    relation: Annotated[
        str | None,
        typer.Option(help="Only frames that state this relation: aunt, or a predicate's name."),
    ] = None,
    theme: Annotated[str | None, typer.Option(help="Only frames of this theme.")] = None,
    facts: Annotated[
        int | None, integer(1, "Only frames with this many facts.", show_default="any")
    ] = None,
    n: Annotated[int, integer(1, "Number of frames.", "-n")] = 10,
    seed: Seed = 0,
) -> None:
    """Print rendered samples of frames, each with its id."""
    from ..templates.preview import previews

    stream = Stream("preview", seed)
    bank = _bank(world, paraphrases)
    for frame, text in previews(bank, stream, n, word=relation, theme=theme, length=facts):
        output.echo(f"{frame}: {text}")


@app.command("lint")
def lint(
    world: World = "kinship",
    paraphrases: Paraphrases = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find frames that state too much or too little, or that are ungrammatical.

    Exit code 1 if there are any.
    """
    from ..templates.lint import lint as lint_bank

    bank, name = _bank(world, paraphrases), paraphrases or world
    with output.progress(f"lint {name}", len(bank.frames), quiet, "frames") as advance:
        findings = lint_bank(bank, advance)
    if json:
        echo_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            output.echo(str(finding))
        output.echo(f"{name}: {len(bank.frames)} frames, {len(findings)} finding(s)")
    if findings:
        raise CheckFailed(f"{name}: {len(findings)} finding(s); fix those frames")


@app.command("gallery")
def gallery(seed: Seed = 0) -> None:
    """Print the gallery of stories (docs/GALLERY.md)."""
    from ..generators.clutrr.output.gallery import gallery as page

    output.echo(page(seed), nl=False)

"""`gen relinf-questionnaires` and `gen relinf-aggregate`: out to annotators, and back."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import AlreadyExists, CannotWrite, InvalidOption
from ..generator import Generator
from . import output
from .describe import echo_json, new_table, print_rich
from .parameters import (
    Folder,
    Force,
    Format,
    Json,
    Judge,
    Out,
    Quiet,
    Seed,
    Shards,
    Workers,
    whole_number,
)

if TYPE_CHECKING:
    from ..generators.relinf.aggregate import Made
    from ..generators.relinf.aggregation import Precision

_FORMS = "jsonl,html,label-studio,mturk,prolific"


def questionnaires(
    folder: Folder,
    to: Annotated[str, typer.Option(help="Which forms, of those of the default.")] = _FORMS,
    out: Annotated[Path, typer.Option(help="The folder to write.")] = Path("questionnaires"),
    annotators: Annotated[
        int,
        typer.Option(parser=whole_number(1), metavar="<int>", help="How many see each sentence."),
    ] = 5,
    most: Annotated[
        int,
        typer.Option(parser=whole_number(1), metavar="<int>", help="Most sentences on a sheet."),
    ] = 24,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace the files in --out.")
    ] = False,
    json: Json = False,
) -> None:
    """Make questionnaires of the candidates that `gen relinf` wrote: one question on each.

    The answer in each sentence is masked, and annotators say whether the sentence answers the
    question, does not, or makes no sense. A sentence that several triples share is asked once.
    """
    from ..dataset import Dataset
    from ..generators.relinf import Relinf
    from ..generators.relinf.questionnaire import WRITERS
    from ..generators.relinf.questionnaire import questionnaires as make

    forms = dict.fromkeys(form.strip() for form in to.split(","))
    unknown = [form for form in forms if form not in WRITERS]
    if unknown:
        raise InvalidOption(f"--to: expected some of {_FORMS}, but got {unknown[0]!r}")
    candidates = Dataset(folder)
    if candidates.manifest.generator != Relinf.name:
        raise InvalidOption(
            f"{folder} was made by {candidates.manifest.generator}; name a folder of gen relinf"
        )
    made = make(candidates.rows(), most)
    files = {
        name: writer
        for form, writers in WRITERS.items()
        if form in forms
        for name, writer in writers.items()
    }
    there = [name for name in files if (out / name).exists()]
    if there and not force:
        raise AlreadyExists(
            f"{out / there[0]} exists already; pass --force to replace it or choose another --out"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, writer in files.items():
            (out / name).write_text(writer(made, annotators), encoding="utf-8")
    except OSError as error:
        raise CannotWrite(f"{out}: {error.strerror}; make room or permission") from None
    sentences = sum(len(one.items) for one in made)
    if json:
        echo_json({"questionnaires": len(made), "sentences": sentences, "files": list(files)})
        return
    typer.echo(f"{len(made)} questionnaires with {sentences} sentences, for {annotators} each:")
    for name in files:
        typer.echo(f"  {out / name}")


Experts = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Annotations by experts, to compare the labels with."),
]
Report = Annotated[bool, typer.Option("--json", metavar="", help="The report, for programs.")]


def aggregate(
    generator: Generator,
    *,
    experts: Experts = None,
    seed: Seed = 0,
    out: Out = None,
    shards: Shards = None,
    format: Format = "jsonl",
    force: Force = False,
    judge: Judge = False,
    workers: Workers = None,
    quiet: Quiet = False,
    json: Report = False,
) -> None:
    """Write all pairs that the annotators agree on, and report on the annotators."""
    from .. import dataset
    from ..engine import Local
    from ..generators.relinf.aggregate import RelinfAggregate, hands, labelled, read_shares
    from ..generators.relinf.aggregation import against_experts
    from ..generators.relinf.annotation import read_annotations

    assert isinstance(generator, RelinfAggregate)
    out = out or Path("data", generator.name)
    splits = tuple(read_shares(generator.shares)) or ("train",)
    made = labelled(generator)
    sizes = {split: len(hand) for split, hand in hands(generator, splits, seed).items()}
    empty = [split for split, size in sizes.items() if not size]
    if empty:
        raise InvalidOption(
            f"--shares: nothing is left for {empty[0]!r}: {len(made.by_question)} question(s) in "
            f"all, and each goes to one split"
        )
    compared = None
    if experts:
        tasks = {row.metadata["task"] for row in made.candidates.values()}
        theirs = read_annotations([experts], tasks)
        compared = against_experts(made.verdicts, theirs.votes)
        for complaint in theirs.complaints:
            output.fail(f"{experts}: {complaint}")
    with output.progress(generator.name, sum(sizes.values()), quiet) as advance:
        dataset.write(
            generator,
            out,
            sizes,
            seed=seed,
            shards=shards,
            encoding=format,
            judge=judge,
            force=force,
            engine=Local(workers or output.cores(), advance),
        )
    for complaint in made.votes.complaints:
        output.fail(complaint)
    if json:
        echo_json(_report(made, compared) | {"splits": sizes})
    elif not quiet:
        _print_report(made, compared)
        if generator.simulated:
            typer.echo(
                f"the {generator.simulated} annotators are SIMULATED; the labels mean nothing"
            )
        counts = ", ".join(f"{name} {count}" for name, count in sizes.items())
        typer.echo(f"{out}: {counts} rows")
        there = shlex.quote(str(out))
        typer.echo(f"look at it: gen show {there}    check it: gen verify {there}")


def _report(made: "Made", compared: "Precision | None") -> dict[str, Any]:
    from ..generators.relinf.aggregation import fleiss_kappa, krippendorff_alpha, worker_quality

    votes = made.votes.votes
    found: dict[str, Any] = {
        "tasks": len({row.metadata["task"] for row in made.candidates.values()}),
        "votes": sum(map(len, votes.values())),
        "left_out": {reason: len(which) for reason, which in made.votes.left_out.items()},
        "outcomes": made.outcomes,
        "krippendorff_alpha": krippendorff_alpha(votes),
        "fleiss_kappa": fleiss_kappa(votes),
        "workers": [one._asdict() for one in worker_quality(votes)],
    }
    if compared:
        found["experts"] = {
            "compared": compared.compared,
            "agreed": compared.agreed,
            "precision": compared.precision,
        }
    return found


_MOST_WORKERS = 10


def _print_report(made: "Made", compared: "Precision | None") -> None:
    found = _report(made, compared)
    rows: list[tuple[str, str]] = [
        ("sentences", str(found["tasks"])),
        ("votes", str(found["votes"])),
        *((f"candidates: {name}", str(count)) for name, count in found["outcomes"].items()),
        ("Krippendorff's alpha", _number(found["krippendorff_alpha"])),
        ("Fleiss' kappa", _number(found["fleiss_kappa"])),
    ]
    if compared:
        rows.append(
            ("precision on experts", f"{_number(compared.precision)} of {compared.compared}")
        )
    _print_table(("annotation", "value"), rows)
    workers = found["workers"]
    shown = [
        (one["worker"], str(one["votes"]), _number(one["with_others"]), _number(one["nonsense"]))
        for one in workers[:_MOST_WORKERS]
    ]
    _print_table(("annotator", "votes", "agrees with others", "says nonsense"), shown)
    if len(workers) > len(shown):
        typer.echo(f"... and {len(workers) - len(shown)} who agree more (all with --json)")


def _print_table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.text import Text

    table = new_table(*columns)
    for column in table.columns[1:]:
        column.justify, column.ratio = "right", None
    for row in rows:
        table.add_row(*map(Text, row))
    print_rich(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"

"""`gen exam`: sealed exams."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import CheckFailed, InvalidOption
from . import output
from .describe import new_table
from .parameters import Json, Quiet, Workers, integer, switch
from .run import local_engines

if TYPE_CHECKING:
    from ..exam.holder import Holder

app = typer.Typer(
    no_args_is_help=True,
    help="Sealed exams: make one, publish its questions, score submissions, reveal and verify it.",
    rich_markup_mode="markdown",
)

Folder = Annotated[Path, typer.Argument(metavar="EXAM", help="The holder's folder.")]
Out = Annotated[Path, typer.Option(help="The folder to publish; must not exist.")]
Candidate = Annotated[str, typer.Option(metavar="NAME", help="The candidate.")]


@contextmanager
def _opened(folder: Path) -> "Iterator[Holder]":
    from ..exam.holder import Holder
    from ..storage.database import explain_database_errors

    holder = Holder(folder)
    try:
        with explain_database_errors():
            yield holder
    finally:
        holder.database.close()


@app.command()
def new(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="A suite file without seeds.")],
    out: Annotated[Path, typer.Option(help="The holder's folder; must not exist.")],
    submissions: Annotated[int, integer(1, "Submissions per candidate.")] = 3,
    wordings: Annotated[
        bool,
        switch("--wordings", "Each candidate gets own wordings of rows with `siblings: words`."),
    ] = False,
    judge: Annotated[
        bool, typer.Option("--judge/--no-judge", help="Judge every row before it is sealed.")
    ] = True,
    workers: Workers = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make an exam: draw a secret seed, make and judge the rows, and seal them.

    Prints the commitment; publish it. Keep the folder secret: it has the seed and the answers.
    """
    from ..exam.holder import Holder
    from .run import read_suite_file

    read, _ = read_suite_file(suite)
    holder = Holder.create(
        read,
        out,
        local_engines(quiet, workers),
        submissions=submissions,
        wordings=wordings,
        judge=judge,
    )
    holder.database.close()
    if json:
        output.echo_json(
            {"questions": holder.exam.questions, "commitment": holder.exam.commitment()}
        )
    elif not quiet:
        output.echo(f"{out}: {holder.exam.questions} questions; keep this folder secret")
        output.echo(f"commitment, to be published: {holder.exam.commitment()}")
        output.echo(f"then: gen exam publish {out} --out FOLDER")


@app.command()
def publish(exam: Folder, out: Out, candidate: Candidate = "", quiet: Quiet = False) -> None:
    """Write the questions without answers; --candidate chooses their wordings."""
    with _opened(exam) as holder:
        holder.publish(out, candidate)
        if not quiet:
            output.echo(f"{out}: {holder.exam.questions} questions, no answers")


@app.command()
def check(
    exam: Folder,
    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS", help="Ids and answers, as for gen score.")
    ],
    candidate: Candidate,
    json: Json = False,
) -> None:
    """Score a submission, in whole percents; it is logged and counts to the candidate's limit."""
    with _opened(exam) as holder:
        entry = holder.check(candidate, holder.read_answers(answers))
    if json:
        output.echo_json(entry)
        return
    table = new_table("dataset", "questions", "score", "95 % interval")
    for name, each in entry["scores"].items():
        shown = f"{each['score']} %", f"{each['low']} to {each['high']} %"
        table.add_row(name, str(each["questions"]), *shown)
    output.print_rich(table)
    output.echo(f"submission {entry['number']}, receipt {entry['receipt']}")


@app.command()
def log(exam: Folder) -> None:
    """Print the scored submissions, one line of JSON each."""
    with _opened(exam) as holder:
        for entry in holder.log():
            output.echo_json(entry, indented=False)


@app.command()
def reveal(
    exam: Folder,
    out: Out,
    yes: Annotated[
        bool, switch("--yes", "Confirm: after the reveal, no more submissions are taken.")
    ] = False,
) -> None:
    """Write the seed, the answers and all submissions, for everybody to verify."""
    if not yes:
        raise InvalidOption("--yes: after the reveal, no submissions are taken; add it to confirm")
    with _opened(exam) as holder:
        holder.reveal(out)
        output.echo(f"{out}: gen exam verify {out} --commitment {holder.exam.commitment()}")


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A published exam.")],
    commitment: Annotated[
        str, typer.Option(metavar="SHA256", help="The commitment that was published first.")
    ] = "",
    receipt: Annotated[
        list[str] | None, typer.Option(metavar="SHA256", help="Your receipt; repeatable.")
    ] = None,
    candidate: Annotated[
        str, typer.Option(metavar="NAME", help="The candidate whose wordings the questions have.")
    ] = "",
    workers: Workers = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a revealed exam again from its seed and compare every byte and score.

    Needs nothing but the published folder. Before the reveal, only the commitment is checked.
    """
    from ..exam.publishing import verify as check_folder

    checked = check_folder(
        folder,
        local_engines(quiet, workers),
        commitment=commitment,
        receipts=receipt or (),
        candidate=candidate,
    )
    if json:
        grades = {
            name: {part: grade._asdict() for part, grade in each.items()}
            for name, each in checked.grades.items()
        }
        found: dict[str, Any] = {"findings": checked.findings, "revealed": checked.is_revealed}
        output.echo_json({"commitment": checked.exam.commitment(), **found, "scores": grades})
    else:
        for finding in checked.findings:
            output.echo(finding)
        for name, each in checked.grades.items():
            output.echo(f"submission {name}: {each['all'].right} of {each['all'].questions} right")
    if checked.findings:
        raise CheckFailed(
            f"{folder}: {len(checked.findings)} finding(s); it is not what was sealed"
        )
    if not (quiet or json):
        how = "is what was sealed" if checked.is_revealed else "is not revealed yet, and complete"
        output.echo(f"{folder}: {how}; commitment {checked.exam.commitment()}")


@app.command()
def trace(
    exam: Folder,
    text: Annotated[Path, typer.Argument(metavar="FILE", help="A leaked text, in any format.")],
    json: Json = False,
) -> None:
    """Find the candidate whose wordings a leaked text has."""
    from ..exam.tracing import trace as find
    from ..storage.text import read

    with _opened(exam) as holder:
        found = find(holder.secret, holder.questions(), holder.candidates(), read(text))
    if json:
        output.echo_json([each._asdict() for each in found])
        return
    table = new_table("candidate", "same wordings", "by chance at most")
    for each in found:
        table.add_row(each.candidate, f"{each.matching} of {each.found}", f"{each.chance:.2g}")
    output.print_rich(table)

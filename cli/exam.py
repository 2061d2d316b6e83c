"""`gen exam`: sealed exams."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import CheckFailed, InvalidOption
from . import output
from .parameters import Json, Quiet, Workers, decimal, integer, switch
from .run import local_engines, read_suite_file
from .serving import Host, Proxy, Url, check_proxies, host_of, listen_at

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
_PORT = 8650


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
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Make an exam: draw a secret seed, make and judge the rows, and seal them.

    Prints the commitment; publish it. Keep the folder secret: it has the seed and the answers.
    """
    from ..exam.holder import Holder

    read, engines = read_suite_file(suite)[0], local_engines(quiet, workers)
    holder = Holder.create(read, out, engines, submissions=submissions, wordings=wordings)
    holder.database.close()
    if not quiet:
        output.echo(f"{out}: {holder.exam.questions} questions; keep this folder secret")
        output.echo(f"commitment, to be published: {holder.exam.commitment()}")


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
    for name, each in entry["scores"].items():
        interval = f"95 % interval {each['low']} to {each['high']} %"
        output.echo(f"{name}: {each['score']} % of {each['questions']} questions, {interval}")
    output.echo(f"submission {entry['number']}, receipt {entry['receipt']}")


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
        for change in holder.exam.package_changes():
            output.echo(f"warning: {change}", err=True)
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
) -> None:
    """Make a revealed exam again from its seed and compare every byte and score.

    Needs nothing but the published folder. Before the reveal, only the commitment and the number of
    questions are checked.
    """
    from ..exam.publishing import verify as check_folder

    engines = local_engines(quiet, workers)
    checked = check_folder(folder, engines, commitment, receipt or (), candidate)
    for finding in checked.findings:
        output.echo(finding)
    for name, each in checked.grades.items():
        output.echo(f"submission {name}: {each['all'].right} of {each['all'].questions} right")
    for change in checked.exam.package_changes() if checked.is_revealed else ():
        output.echo(f"warning: {change}", err=True)
    if checked.findings:
        raise CheckFailed(f"{folder}: {len(checked.findings)} finding(s): not what was sealed")
    if not quiet:
        partly = "not revealed yet: only the number of questions and any --commitment were checked"
        how = "what was sealed" if checked.is_revealed else partly
        output.echo(f"{folder} is {how}; commitment {checked.commitment}")


@app.command()
def trace(
    exam: Folder,
    text: Annotated[Path, typer.Argument(metavar="FILE", help="A leaked text, in any format.")],
) -> None:
    """Find the candidate whose wordings a leaked text has, the best match first."""
    from ..exam.tracing import trace as find
    from ..storage.text import read

    with _opened(exam) as holder:
        for each in find(holder.sealed, holder.candidates(), read(text)):
            by_chance = f"by chance at most {each.chance:.2g}"
            output.echo(f"{each.candidate}: {each.matching} of {each.found} wordings, {by_chance}")


@app.command()
def place(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="A suite file without seeds.")],
    out: Annotated[Path, typer.Option(help="The folder of this candidate; an old one continues.")],
    command: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="Shell command that reads questions and prints answers, as lines of JSON.",
        ),
    ] = "",
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Answers to questions.jsonl: ids and answers, or a log of Inspect."
        ),
    ] = None,
    margin: Annotated[
        float, decimal(1, 50, "Stop at a 95 % interval of this many points to each side.")
    ] = 10,
    limit: Annotated[
        int | None, integer(1, "Questions at most.", show_default="all rows of the suite")
    ] = None,
    batch: Annotated[int, integer(1, "Questions asked at a time.")] = 20,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Estimate the accuracy of a candidate from few questions, drawn evenly by difficulty.

    Without --command, the next questions are written to questions.jsonl; --answers takes the
    answers to them. Answers are kept: the same command continues where it stopped.
    """
    from ..exam.placement import MIN_QUESTIONS, QUESTIONS, Placement
    from ..storage.files import locked

    if command and answers:
        raise InvalidOption("--answers: has no effect with --command; drop one")
    placement = Placement(read_suite_file(suite)[0], out)
    with locked(out, f"{out} is in use by another command; wait for it"):
        if answers:
            for id, reply in _replies(answers, out).items():
                placement.save(id, reply)
        most = min(limit or len(placement.questions), len(placement.questions))
        while True:
            found = placement.estimate()
            is_narrow = found.questions >= MIN_QUESTIONS and 100 * found.margin <= margin
            is_done = is_narrow or found.questions >= most
            if not (quiet or json) and found.questions:
                interval = f"95 % interval {100 * found.low:.0f} to {100 * found.high:.0f} %"
                share = f"accuracy {100 * found.share:.0f} %, {interval}"
                output.echo(f"{found.questions} questions: {share}")
            if is_done or not command:
                break
            placement.ask(command, min(batch, most - found.questions))
        asked = [] if is_done else placement.batch(min(batch, most - found.questions))
    if json:
        output.echo_json({**found._asdict(), "done": is_done, "strata": placement.table()})
    elif asked and not quiet:
        output.echo(f"{out / QUESTIONS}: {len(asked)} questions; pass the answers as --answers")


def _replies(path: Path, folder: Path) -> "dict[str, str | None]":
    """Return the replies in a file of ids and answers or a log of Inspect."""
    from ..evaluation.picture.logs import program_log
    from ..scoring.predictions import read_predictions

    if (log := program_log(path)) is None:
        return {id: each.reply for id, each in read_predictions(path, bool, folder).items()}
    return {entry.id: entry.reply or entry.extracted for entry in log.entries}


@app.command()
def invite(
    exam: Folder,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Candidates.")],
    days: Annotated[float, decimal(0, 3660, "Days until the link expires.")] = 30,
    url: Url = f"http://127.0.0.1:{_PORT}",
    revoke: Annotated[bool, switch("--revoke", "Only disable the links of these.")] = False,
) -> None:
    """Make a link for each candidate to `gen exam serve`; an earlier link stops working."""
    from ..web.exam.access import invite as make
    from ..web.exam.access import revoke as disable

    host_of(url)
    with _opened(exam) as holder:
        for name in names:
            if revoke:
                disable(holder, name)
            else:
                output.echo(f"{name}\t{url.rstrip('/')}/c/{make(holder, name, days)}")


@app.command()
def serve(
    exam: Folder,
    port: Annotated[int, integer(0, "Port.")] = _PORT,
    host: Host = "127.0.0.1",
    url: Url = "",
    proxy: Proxy = None,
) -> None:
    """Serve questions and scores to invited candidates, and a public leaderboard, until Ctrl-C.

    Only this machine can reach them unless --host is given. Outside a trusted network, put a
    server with TLS in front, and pass the public address as --url and the server's as --proxy.
    """
    from ..web import require

    require()
    proxies = check_proxies(proxy)
    with _opened(exam) as holder, TemporaryDirectory() as work:
        from ..web.exam.site import ExamSite
        from ..web.server import serve as run

        listening, hosts, where = listen_at(host, port, url)
        output.echo(f"{holder.exam.suite.name}: {where} (Ctrl-C stops)")
        site = ExamSite(holder, Path(work), hosts=hosts, secure=url.startswith("https://"))
        run(site.app, listening, proxies=proxies)

"""Placement: estimate the accuracy of a candidate from few questions.

The questions are fresh rows of a suite, drawn evenly from strata of equal certified difficulty, and
asked in an order in which each beginning is such a sample. Answers are saved as they come.

References: Cochran, Sampling techniques, 1977, chapter 5A (post-stratification); Korn and Graubard,
Confidence intervals for proportions estimated from survey data, 1998.
"""

import os
import secrets
import signal
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import takewhile
from math import fsum, log
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from ..capabilities import Groups, Reasoning
from ..clusters import wilson_interval
from ..dataset.suite import Suite, plan_dataset
from ..errors import CheckFailed, InvalidInput, InvalidOption
from ..example import Example
from ..prompting.prompt import Prompter
from ..scoring.predictions import parse_prediction
from ..scoring.scorer import generator_class, score
from ..splits import test_split
from ..storage import files
from ..storage.text import parse_json, read
from ..validation import findings
from .sealing import EXAM, Description, Secret, describe, hide_seeds

MIN_QUESTIONS: Final = 20
"""Questions before the first interval may end a placement."""
_MIN_GROUP: Final = 4
"""Answered questions of a stratum; smaller ones are merged with the next."""
_SECRET, _ANSWERS, QUESTIONS = "secret", "answers.jsonl", "questions.jsonl"

Stratum = tuple[str, ...]
"""Dataset, world, k, kinds of noise, and whether the end facts mislead."""


class Question(NamedTuple):
    """A row that can be asked, and its stratum."""

    id: str
    row: Example
    stratum: Stratum

    def shown(self) -> bytes:
        """Return the line that the candidate gets."""
        known = {
            "id": self.id,
            "input": Prompter("cot")(self.row).text,
            "choices": self.row.choices,
        }
        return orjson.dumps(known, option=orjson.OPT_APPEND_NEWLINE)


class Share(NamedTuple):
    """The estimated accuracy on all rows of a suite, with its 95 % interval."""

    questions: int
    share: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """The larger distance from the estimate to an end of the interval."""
        return max(self.share - self.low, self.high - self.share)


def estimate(weights: Mapping[Stratum, float], answered: Iterable[tuple[Stratum, bool]]) -> Share:
    """Return the post-stratified share of right answers.

    Strata with few answers are merged with their neighbours in sorted order. Wilson's interval is
    taken for the number of independent rows that would have the variance of the estimate; for
    variances, shares are drawn towards that of all rows, so that none is 0.
    """
    counts: dict[Stratum, list[int]] = {stratum: [0, 0] for stratum in sorted(weights)}
    for stratum, is_right in answered:
        counts[stratum][0] += 1
        counts[stratum][1] += is_right
    rows, right = map(sum, zip(*counts.values(), strict=True))
    if not rows:
        return Share(0, 0.5, 0.0, 1.0)
    groups = [[0.0, 0, 0]]
    for stratum, (asked, correct) in counts.items():
        if groups[-1][1] >= _MIN_GROUP:
            groups.append([0.0, 0, 0])
        for place, value in enumerate((weights[stratum], asked, correct)):
            groups[-1][place] += value
    if len(groups) > 1 and groups[-1][1] < _MIN_GROUP:
        last = groups.pop()
        groups[-1] = [one + other for one, other in zip(groups[-1], last, strict=True)]
    share = fsum(weight * correct / asked for weight, asked, correct in groups)
    common = (right + 1) / (rows + 2)
    drawn = [(w, n, (correct + 2 * common) / (n + 2)) for w, n, correct in groups]
    variance = fsum(w * w * p * (1 - p) / n for w, n, p in drawn)
    mean = fsum(w * p for w, _, p in drawn)
    worth = mean * (1 - mean) / variance
    return Share(rows, share, *wilson_interval(share, worth))


class Placement:
    """The placement of a candidate, in a folder of its own."""

    def __init__(self, suite: Suite, folder: Path) -> None:
        exam = describe(suite, submissions=1, wordings=False)
        if not (folder / EXAM).exists():
            with files.replacing(folder) as successor:
                successor.mkdir(mode=0o700)
                (successor / _SECRET).touch(mode=0o600)
                (successor / _SECRET).write_text(f"{secrets.token_bytes(32).hex()}\n", "ascii")
                (successor / EXAM).write_bytes(exam.json_bytes())
        elif Description.load(folder) != exam:
            raise InvalidOption(
                f"--out: the placement in {folder} is of another suite or of other versions of "
                f"packages; give another folder"
            )
        self.exam, self.folder = exam, folder
        self.secret = Secret.parse(read(folder / _SECRET), folder / _SECRET)
        self.answers = self._read_answers()

    @cached_property
    def questions(self) -> dict[str, Question]:
        """All questions by id, in the order in which they are asked."""
        every = list[Question]()
        with hide_seeds(self.exam.suite.datasets, self.secret):
            for name, entry in self.exam.suite.datasets.items():
                every += self._questions_of(name, _rows(entry, name, self.secret.seed(name)))
        members = defaultdict[Stratum, list[Question]](list)
        for question in sorted(every):
            members[question.stratum].append(question)
        places = {
            question.id: (number + self._uniform(stratum)) / len(listed)
            for stratum, listed in members.items()
            for number, question in enumerate(listed)
        }
        return {each.id: each for each in sorted(every, key=lambda each: places[each.id])}

    def _questions_of(self, dataset: str, rows: Sequence[Example]) -> list[Question]:
        misled = _misled(rows)
        return [
            Question(
                self.secret.derive("id", dataset, row.id)[:16].hex(),
                row,
                (dataset, *_difficulty(row), "misleading" if is_misled else ""),
            )
            for row, is_misled in zip(rows, misled, strict=True)
        ]

    def _uniform(self, stratum: Stratum) -> float:
        """Return a number from 0 to 1, so that small strata do not all come first or last."""
        return int.from_bytes(self.secret.derive("order", *stratum)[:6], "big") / 2**48

    def _read_answers(self) -> dict[str, str | None]:
        """Return the saved answers by id, without a last line that was not written to its end."""
        path = self.folder / _ANSWERS
        data = path.read_bytes() if path.exists() else b""
        if not data.endswith(b"\n") and data:
            data = data[: data.rfind(b"\n") + 1]
            files.write(path, data)
        try:
            found = [parse_prediction(parse_json(line), str(path)) for line in data.splitlines()]
        except ValueError:
            raise InvalidInput(
                f"{path}: it is damaged; restore it or start in another folder"
            ) from None
        return {each.id: each.reply for each in found}

    def save(self, id: str, reply: str | None) -> None:
        """Save an answer, None for no answer; InvalidInput for other rows or a second answer."""
        if id not in self.questions:
            raise InvalidInput(f"{self.folder} has no question {id!r}")
        if id in self.answers:
            raise InvalidInput(f"{id!r} is answered twice; leave one")
        with (self.folder / _ANSWERS).open("ab") as file:
            line = {"id": id, "answer": reply}
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        self.answers[id] = reply

    def batch(self, size: int) -> list[Question]:
        """Return the next questions, each certified by the judge, and write them to a file."""
        left = [each for each in self.questions.values() if each.id not in self.answers][:size]
        for name, entry in self.exam.suite.datasets.items():
            generator = plan_dataset(name, entry, Path()).generator
            for each in left:
                if each.stratum[0] == name and (found := findings(generator, each.row)):
                    raise CheckFailed(f"a row of {name} is wrong: {found[0]}")
        files.write(self.folder / QUESTIONS, b"".join(each.shown() for each in left))
        return left

    def ask(self, command: str, size: int) -> None:
        """Ask the next questions of a shell command: lines of JSON in, lines of JSON out.

        Each answer is saved when its line is complete. CheckFailed if the command fails or does not
        answer all.
        """
        asked = {each.id for each in self.batch(size)}
        with (
            (self.folder / QUESTIONS).open("rb") as stdin,
            subprocess.Popen(  # noqa: S602
                command, shell=True, stdin=stdin, stdout=subprocess.PIPE, start_new_session=True
            ) as process,
        ):
            assert process.stdout
            try:
                for line in process.stdout:
                    if line.endswith(b"\n") and line.strip():
                        self._take(line, asked)
            except BaseException:
                _kill_with_children(process)
                raise
        missing = len(asked - self.answers.keys())
        if process.returncode or missing:
            ended = (
                f"ended with exit status {process.returncode}" if process.returncode else "ended"
            )
            raise CheckFailed(
                f"--command: it {ended} and left {missing} of {len(asked)} questions unanswered; "
                f"other answers are kept, and the same command continues"
            )

    def _take(self, line: bytes, asked: set[str]) -> None:
        try:
            answer = parse_prediction(parse_json(line), "--command")
        except ValueError as error:
            raise InvalidInput(f"--command: a line of its output {error}: {line[:60]!r}") from None
        if answer.id not in asked:
            raise InvalidInput(f"--command: it was not asked {answer.id!r}")
        self.save(answer.id, answer.reply)

    @cached_property
    def weights(self) -> dict[Stratum, float]:
        """The share of each stratum in the rows of the suite."""
        counts = Counter(each.stratum for each in self.questions.values())
        return {stratum: count / len(self.questions) for stratum, count in counts.items()}

    def verdicts(self) -> list[tuple[Stratum, bool]]:
        """Return the stratum of each answered question, and whether the answer is right.

        Questions after one that is not answered do not count, so skipping hard ones gains nothing.
        """
        answered = takewhile(lambda each: each.id in self.answers, self.questions.values())
        return [
            (each.stratum, bool(score(each.row, self.answers[each.id] or "").value))
            for each in answered
        ]

    def table(self) -> list[dict[str, Any]]:
        """Return for each stratum its share of the rows, and its questions and right answers."""
        verdicts = self.verdicts()
        asked = Counter(stratum for stratum, _ in verdicts)
        right = Counter(stratum for stratum, is_right in verdicts if is_right)
        return [
            {"stratum": stratum, "weight": weight, "asked": asked[stratum], "right": right[stratum]}
            for stratum, weight in sorted(self.weights.items())
        ]

    def estimate(self) -> Share:
        """Return the estimated accuracy on the rows of the suite."""
        return estimate(self.weights, self.verdicts())


def _kill_with_children(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process that leads a session, and all processes of the session."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _rows(entry: Any, name: str, seed: int) -> list[Example]:
    """Return the rows of a dataset that are asked; of siblings the first of each group."""
    job = plan_dataset(name, entry, Path())
    splits = job.plan.splits
    split = test_split(splits)
    rows = job.generator.examples(splits[split], seed=seed, split=split, splits=tuple(splits))
    return [*rows][:: Groups.of(job.generator).group_size]


def _difficulty(row: Example) -> Stratum:
    """Return what a row's metadata certifies of its difficulty: world, k and kinds of noise."""
    known = row.metadata
    k = known.get("k")
    noise = known.get("noise")
    return (
        str(known.get("world", "")),
        f"k={k:02d}" if isinstance(k, int) else "",
        "+".join(map(str, noise)) if isinstance(noise, list) else "",
    )


def _misled(rows: Sequence[Example]) -> list[bool]:
    """Return for each row whether the end facts suggest another answer.

    The suggestion is that of naive Bayes on the facts that mention a person of the query, fitted to
    the other half of the rows; it needs no numpy and is equal on every machine. Rows without end
    facts are never misleading.
    """
    seen = [Reasoning.of_class(generator_class(row)).end_facts(row) for row in rows]
    found = [False] * len(rows)
    for half in (0, 1):
        counts, totals = defaultdict[str, Counter[str]](Counter), Counter[str]()
        for row, features in [*zip(rows, seen, strict=True)][1 - half :: 2]:
            totals[row.target] += 1
            counts[row.target].update(features)
        for number in range(half, len(rows) if totals else 0, 2):
            if features := seen[number]:
                fit = {
                    answer: log(total)
                    + fsum(log((counts[answer][each] + 0.1) / (total + 1)) for each in features)
                    for answer, total in sorted(totals.items())
                }
                found[number] = max(fit, key=fit.__getitem__) != rows[number].target
    return found

"""Relation inference in context: public files, and rows of `gen relinf-aggregate`.

References: Levy and Dagan, Annotating Relation Inference in Context via Question Answering, 2016;
Holt, Probabilistic Models of Relational Implication, 2018.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import nan
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from typing_extensions import override

from ....clusters import RowClusters
from ....errors import InvalidInput, RelsmithError
from ....example import Example
from ....flat_metadata import Scalar
from ....storage import files, text
from ...report import Table, TableRow, figure, line, paper, tests_of, with_notes
from ...result import DataInfo, Ratio, Result, RowLabels
from ...task import Task, TaskRows
from .curve import by_component_count, counts, ranking

_LABELS = {"true": True, "y": True, "yes": True, "false": False, "n": False, "no": False}
_WANTED = "expected 'arg, relation, arg' TAB 'arg, relation, arg' TAB y or n (True or False)"


class Assertion(NamedTuple):
    """Two arguments and the relation between them."""

    arg1: str
    relation: str
    arg2: str


@dataclass(frozen=True)
class InferencePair:
    """A row: a premise, a hypothesis, and whether the premise implies the hypothesis."""

    premise: Assertion
    hypothesis: Assertion
    implied: bool


class InferenceAnswer(NamedTuple):
    """The score of a pair (None if it is never predicted as implied) and the prediction."""

    score: float | None
    taken: bool
    """Whether the pair is predicted as implied."""


class InferenceTask(Task[InferencePair, InferenceAnswer]):
    """Decide whether a premise implies a hypothesis."""

    name: ClassVar = "inferences"
    made_by: ClassVar = "gen relinf-aggregate"
    row_name: ClassVar = "a labelled pair"
    columns: ClassVar = ("taken", "right", "score")
    figures: ClassVar = {
        "precision": Ratio(top="right", bottom="taken"),
        "recall": Ratio(top="right", bottom="implied"),
        "taken": Ratio(top="taken"),
        "implied": Ratio(top="implied"),
    }

    @override
    def fits(self, path: Path) -> bool:
        try:
            return bool(_read_file(path, 1)) if path.is_file() else super().fits(path)
        except RelsmithError:
            return False

    @override
    def parse(self, example: Example, number: int) -> InferencePair:
        metadata = example.metadata
        triple = Assertion(*metadata["triple"])
        question = metadata["question"]
        answer = triple[metadata["answer_at"]]
        asked = Assertion(answer, question["relation"], question["argument"])
        sides = (asked, triple) if metadata["reversed"] else (triple, asked)
        return InferencePair(*sides, _LABELS[example.target])

    @override
    def labels(self, example: Example, row: InferencePair) -> dict[str, Scalar]:
        return {"implied": row.implied}

    @override
    def read(self, path: Path, split: str) -> TaskRows[InferencePair]:
        if path.is_dir():
            return super().read(path, split)
        numbered = _read_file(path)
        if not numbered:
            raise InvalidInput(f"{path} has no pairs; {_WANTED} in each line")
        pairs = list(numbered.values())
        data = DataInfo(
            name=path.stem,
            split=None,
            digest=files.digest(path),
            rows=len(pairs),
            labels=RowLabels.of(
                {"implied": [pair.implied for pair in pairs]},
                RowClusters("hypotheses", [", ".join(pair.hypothesis) for pair in pairs]),
            ),
        )
        return TaskRows(data, [f"{path.stem}/{number}" for number in numbered], pairs)

    @override
    def numbers(self, row: InferencePair, answer: InferenceAnswer) -> Sequence[float]:
        right = answer.taken and row.implied
        return answer.taken, right, nan if answer.score is None else answer.score

    @override
    def prediction_record(self, row: InferencePair, answer: InferenceAnswer) -> dict[str, Any]:
        return {"answer": "yes" if answer.taken else "no", "score": answer.score}

    @override
    def tables(self, results: Sequence[Result]) -> list[Table]:
        return inference(results)


def _read_file(path: Path, most: int | None = None) -> dict[int, InferencePair]:
    """Return the pairs of a file by line number: all, or the first ones."""
    lines = text.numbered_lines(path, "name a file of pairs or a dataset")
    filled = ((number, line) for number, line in lines if line.strip())
    return {number: _pair(line, f"{path}:{number}") for number, line in islice(filled, most)}


def _pair(line: str, where: str) -> InferencePair:
    """Parse a line of the files of Levy and Dagan or of Holt: the hypothesis comes first."""
    columns = line.split("\t")
    if len(columns) != 3:
        raise InvalidInput(f"{where}: {len(columns)} columns instead of 3; {_WANTED}")
    hypothesis, premise, label = columns
    implied = _LABELS.get(label.strip().lower())
    if implied is None:
        raise InvalidInput(f"{where}: the label is {label!r}; {_WANTED}")
    return InferencePair(_assertion(premise, where), _assertion(hypothesis, where), implied)


def _assertion(text: str, where: str) -> Assertion:
    parts = [part.strip() for part in text.split(", ")]
    if len(parts) != 3 or not all(parts):
        raise InvalidInput(
            f"{where}: {text!r} is not three parts with ', ' between them; {_WANTED}"
        )
    return Assertion(*parts)


def inference(results: Sequence[Result]) -> list[Table]:
    """Make a table for each set of pairs: precision and recall of each method."""
    columns = ["precision", "recall", "area above 0.5", "recall at 0.8"]
    tables = []
    for (_, tested), same_pairs in tests_of(by_component_count(results)).items():
        pairs, implied, *_ = counts(*same_pairs[0])
        title = f"{tested}: {implied} of {pairs} pairs are implied"
        note = f"predicting every pair as implied has precision {implied / pairs:.3f}"
        tables.append(Table(title, columns, [_line(*pair) for pair in same_pairs], note, 3))
    return with_notes(tables, results, paper("inference")["figure_2"])


def _line(result: Result, test: int) -> TableRow:
    cells = [figure(result, name, test) for name in ("precision", "recall")]
    return line(result, [*cells, *ranking(result, test)])

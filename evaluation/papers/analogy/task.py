"""The task on word analogies, and the tables of the paper.

References: table 1 of Rezaee and Camacho-Collados, 2022.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from sys import intern
from typing import Any, ClassVar, NamedTuple

from typing_extensions import override

from ....errors import NotFound
from ....example import Example
from ....flat_metadata import Scalar
from ...report import Table, TableRow, figure, line, ordered, paper, with_notes
from ...result import DataInfo, Ratio, Result, RowFilter
from ...statistics import Estimate, Sample, difference
from ...task import Fold, Task, TaskRows

WordPair = tuple[str, str]
WordQuad = tuple[str, str, str, str]
"""The words of the query pair and of a candidate pair."""

SUPERVISED, UNSUPERVISED = "supervised", "unsupervised"
ALL = "All"
MODELS = "analogy-encoder analogy-perplexity analogy-relation analogy-vectors".split()
"""The order of models in tables."""


class AnalogyLabels(NamedTuple):
    """The labels of a row, by which figures can be broken down."""

    relation: str
    setting: str
    probe: str
    group: str
    symmetric: bool
    many: bool
    """Whether a head has many tails."""
    negative: bool
    """Whether the row has a negative."""
    flawed: bool
    """Whether the negative is true in fact."""


# Many rows share the same labels.
_row_labels = cache(AnalogyLabels)
_labels = cache(AnalogyLabels._asdict)


class AnalogyRow(NamedTuple):
    """A row: one candidate pair that is true or false, or several of which one is right.

    Candidates are sorted, so their order reveals nothing. The target is 1 for true and 0 for
    false, or the index of the right candidate.
    """

    query: WordPair
    candidates: tuple[WordPair, ...]
    target: int
    labels: AnalogyLabels

    @property
    def quads(self) -> tuple[WordQuad, ...]:
        """Each candidate, preceded by the query."""
        return tuple((*self.query, *offer) for offer in self.candidates)

    @property
    def supervised(self) -> bool:
        """Whether the row asks for true or false, not for the best of several."""
        return self.labels.setting == SUPERVISED

    @property
    def judged_pair(self) -> WordPair:
        """The only candidate, or the right one."""
        return self.candidates[0 if self.supervised else self.target]


class AnalogyTask(Task[AnalogyRow, int]):
    """Word analogies; every relation is trained and tested separately."""

    name: ClassVar = "analogies"
    made_by: ClassVar = "gen analogy"
    row_name: ClassVar = "a word analogy"
    figures: ClassVar = {
        "accuracy": Ratio(top="right"),
        "flawed": Ratio(top="flawed", bottom="negative"),
    }

    @override
    def parse(self, example: Example, number: int) -> AnalogyRow:
        metadata, flags = example.metadata, example.metadata["flags"]
        query, positive, negative = (metadata[name] for name in ("query", "positive", "negative"))
        labels = _row_labels(
            *(metadata[name] for name in ("relation", "setting", "probe", "group")),
            flags["symmetric"],
            flags["cardinality"].endswith("to-many"),
            negative=metadata["setting"] != SUPERVISED or positive is None,
            flawed=bool(metadata["false_negative"]),
        )
        if labels.setting == SUPERVISED:
            only = _pair(negative if positive is None else positive)
            return AnalogyRow(_pair(query), (only,), int(positive is not None), labels)
        wrong = [_pair(negative), *map(_pair, metadata["others"])]
        candidates = tuple(sorted({_pair(positive), *wrong}))
        target = candidates.index(_pair(positive))
        return AnalogyRow(_pair(query), candidates, target, labels)

    @override
    def labels(self, example: Example, row: AnalogyRow) -> Mapping[str, Scalar]:
        return _labels(row.labels)

    @override
    def folds(
        self, train: TaskRows[AnalogyRow] | None, tests: Sequence[TaskRows[AnalogyRow]]
    ) -> Iterator[Fold[AnalogyRow]]:
        learnt = _by_relation(train.rows) if train else {}
        tested = [_by_relation(test.rows) for test in tests]
        for relation in sorted({name for places in tested for name in places}):
            places: list[Sequence[int]] = [by_name.get(relation, []) for by_name in tested]
            yield Fold(
                relation,
                train and train.take(learnt.get(relation, [])),
                [test.take(some) for test, some in zip(tests, places, strict=True)],
                places,
            )

    @override
    def numbers(self, row: AnalogyRow, answer: int) -> Sequence[float]:
        return (float(answer == row.target),)

    @override
    def prediction_record(self, row: AnalogyRow, answer: int) -> dict[str, Any]:
        if row.supervised:
            return {"answer": "true" if answer else "false"}
        return {"answer": " : ".join(row.candidates[answer])}

    @override
    def tables(self, results: Sequence[Result]) -> list[Table]:
        return accuracy_by_group(results)


def _pair(words: Any) -> WordPair:
    head, tail = words
    return intern(head), intern(tail)


def _by_relation(rows: Sequence[AnalogyRow]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.labels.relation, []).append(place)
    return places


class _TestResult(NamedTuple):
    """A result on one of its test sets."""

    result: Result
    number: int

    @property
    def data(self) -> DataInfo:
        return self.result.setup.tests[self.number]

    @property
    def other_training(self) -> str:
        """Name of the training dataset, if it is not the tested one."""
        train = self.result.setup.train
        return train.name if train and train.digest != self.data.digest else ""

    @property
    def title(self) -> str:
        return self.data.label + (
            f", trained on {self.other_training}" if self.other_training else ""
        )

    def per_cent(self, where: RowFilter) -> Estimate | None:
        """Return the accuracy on some rows in per cent, averaged over relations."""
        accuracy = figure(self.result, "accuracy", self.number, where, average_over="relation")
        return accuracy.scaled(100) if accuracy else None


def _tests(results: Sequence[Result]) -> list[_TestResult]:
    return [
        _TestResult(result, number)
        for result in ordered(results, MODELS)
        for number in range(len(result.setup.tests))
    ]


def _columns(data: DataInfo) -> list[tuple[str, str]]:
    """Return the pairs of setting and probe, in the paper's order."""
    columns = [
        (str(kind["setting"]), str(kind["probe"])) for kind in data.kinds("setting", "probe")
    ]
    in_paper = [(setting, probe) for setting, probe in paper("analogy")["columns"]]
    return sorted(columns, key=lambda column: (*_rank(in_paper, column), column))


def _rank(order: Sequence[Any], value: Any) -> tuple[bool, int]:
    """Return a sort key: the position in an order, other values last."""
    return value not in order, order.index(value) if value in order else 0


def _relations(data: DataInfo) -> list[dict[str, Any]]:
    """Return every relation with its group and flags, by the paper's order of groups."""
    groups = list(paper("analogy")["table_1"])
    return sorted(
        data.kinds("group", "relation", "symmetric", "many"),
        key=lambda kind: _rank(groups, kind["group"]),
    )


def accuracy_by_group(results: Sequence[Result]) -> list[Table]:
    """Table 1: accuracy by setting and probe, for each group of relations and over all."""
    tables = []
    by_title = sorted(_tests(results), key=lambda test: test.title)
    for title, same in groupby(by_title, key=lambda test: test.title):
        tests = list(same)
        columns, relations = _columns(tests[0].data), _relations(tests[0].data)
        for group in dict.fromkeys([*(kind["group"] for kind in relations), ALL]):
            lines = [_group_line(test, group, columns) for test in tests]
            count = sum(group in (kind["group"], ALL) for kind in relations)
            tables.append(
                Table(
                    f"{title}: {group} ({count} relation{'s' * (count != 1)})",
                    [" ".join(column) for column in columns],
                    [line for line in lines if any(line.cells)],
                    digits=1,
                )
            )
    return with_notes(tables, results, _TABLE_1_NOTE)


_TABLE_1_NOTE = (
    "per cent right, averaged over relations; paper: table 1, over its 40 relations: "
    "RoBERTa-large for encoders and language models, RelBERT for relation encoders, "
    "fastText for vectors"
)


def _group_line(test: _TestResult, group: str, columns: Sequence[tuple[str, str]]) -> TableRow:
    among: RowFilter = {} if group == ALL else {"group": group}
    cells = [
        test.per_cent({**among, "setting": setting, "probe": probe}) for setting, probe in columns
    ]
    theirs = paper("analogy")
    model = theirs["counterparts"].get(test.result.setup.model)
    figures = theirs["table_1"].get(group, {}).get(model, [])
    beside = dict(zip(map(tuple, theirs["columns"]), figures, strict=False))
    papers = [
        beside.get(column) if cell else None for column, cell in zip(columns, cells, strict=True)
    ]
    return line(test.result, cells, papers)


def marked_name(kind: RowFilter) -> str:
    """Return the name of a relation with its marks."""
    marks = " *" * bool(kind["many"]) + " \u2020" * bool(kind["symmetric"])
    return f"{kind['relation']}{marks}"


def compare_negatives(results: Sequence[Result]) -> list[Table]:
    """Compare the paper's negatives with sound ones, by relation, in a table for each model."""
    tables = []
    tests = [test for test in _tests(results) if not test.other_training]
    for theirs in [test for test in tests if _has_paper_negatives(test)]:
        label = theirs.result.setup.label
        sound = [
            test
            for test in tests
            if test.result.setup.label == label and not _has_paper_negatives(test)
        ]
        if sound:
            ours = max(sound, key=lambda test: _options(test) == _options(theirs))
            for setting in (SUPERVISED, UNSUPERVISED):
                lines = _negatives_lines(theirs, ours, {"setting": setting, "probe": "random"})
                if lines:
                    title = f"{label}, {setting}, random"
                    heads = ["in fact true", "the paper's negatives", "sound negatives"]
                    columns = [*heads, "difference"]
                    tables.append(Table(title, columns, lines, _NEGATIVES_NOTE, 1, "relation"))
    if not tables:
        raise NotFound(
            "no model has random results of both kinds of negatives; make datasets with and "
            "without gen analogy --paper-faithful, and results of both with gen eval"
        )
    return with_notes(tables, results)


_NEGATIVES_NOTE = (
    "per cent; 'in fact true' is the share of the paper's negatives in the test that the "
    "relation contains; each model is trained and tested on the same kind of negatives"
)


def _has_paper_negatives(test: _TestResult) -> bool:
    return bool(test.data.options.get("paper_faithful"))


def _options(test: _TestResult) -> dict[str, Any]:
    """Return the options of the dataset except negatives and probes."""
    return {**test.data.options, "paper_faithful": None, "probe": None}


def _negatives_lines(theirs: _TestResult, ours: _TestResult, among: RowFilter) -> list[TableRow]:
    """Return a line for each relation that both have, and one for their average."""
    have = {kind["relation"] for kind in ours.data.kinds("relation")}
    kinds = {marked_name(kind): kind["relation"] for kind in _relations(theirs.data)}
    wheres = {name: {**among, "relation": it} for name, it in kinds.items() if it in have}
    lines = [_negatives_line(name, theirs, ours, [where]) for name, where in wheres.items()]
    both = [where for line, where in zip(lines, wheres.values(), strict=True) if all(line.cells)]
    lines = [line for line in lines if all(line.cells)]
    return [*lines, _negatives_line("average", theirs, ours, both, last=True)] if lines else []


def _negatives_line(
    name: str,
    theirs: _TestResult,
    ours: _TestResult,
    wheres: Sequence[RowFilter],
    *,
    last: bool = False,
) -> TableRow:
    samples = [
        Sample.averaged([test.result.sums(figure, test.number, where) for where in wheres])
        for test, figure in ((theirs, "flawed"), (theirs, "accuracy"), (ours, "accuracy"))
    ]
    cells = [sample.estimate().scaled(100) if sample else None for sample in samples]
    _, faithful, sound = samples
    if faithful and sound:
        # Relations are paired; the rows of one relation are not.
        found = difference(faithful, sound, paired=len(wheres) > 1)
        cells.append(Estimate(found.difference, found.low, found.high).scaled(100))
    else:
        cells.append(None)
    return TableRow(name, last, cells, [None] * len(cells))

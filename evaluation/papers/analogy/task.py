"""Whether, or which, two words are related as two others are; and the paper's tables.

References: tables 1 and 2 of Rezaee and Camacho-Collados, 2022.
"""

import re
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
from ...statistics import Estimate, estimate
from ...task import Fold, Task, TaskRows

Pair = tuple[str, str]
Quad = tuple[str, str, str, str]
"""The words of the pair that is given and of one that is offered."""

SUPERVISED, UNSUPERVISED = "supervised", "unsupervised"
ALL = "All"
MODELS = "analogy-encoder analogy-perplexity analogy-relation analogy-vectors".split()
"""In the order of tables."""


class Kind(NamedTuple):
    """What a row is of: all that figures can be divided by."""

    relation: str
    setting: str
    probe: str
    group: str
    symmetric: bool
    many: bool
    """Whether a head has many tails."""


# There are many rows of each kind.
_kind = cache(Kind)
_labels = cache(Kind._asdict)


class Analogy(NamedTuple):
    """A row: one offered pair that is right or not, or several of which one is.

    Pairs stand in the order of their words, so that no place tells a thing. The target is 1 for
    true and 0 for false, or the place of the right pair.
    """

    query: Pair
    offers: tuple[Pair, ...]
    target: int
    flawed: bool
    """Whether what counts as false is true in fact."""
    kind: Kind

    @property
    def quads(self) -> tuple[Quad, ...]:
        """Each offered pair beside the one that is given."""
        return tuple((*self.query, *offer) for offer in self.offers)

    @property
    def supervised(self) -> bool:
        """Whether one pair is true or false, rather than one of several the best."""
        return self.kind.setting == SUPERVISED

    @property
    def right(self) -> Pair:
        """The pair that the row is about: the one that is offered, or that is right."""
        return self.offers[0 if self.supervised else self.target]


class Analogies(Task[Analogy, int]):
    """Word analogies; every relation is learnt and tested by itself."""

    name: ClassVar = "analogies"
    made_by: ClassVar = "gen analogy"
    row_name: ClassVar = "an analogy"
    columns: ClassVar = ("right", "negative", "flawed")
    figures: ClassVar = {
        "accuracy": Ratio(top="right"),
        "flawed": Ratio(top="flawed", bottom="negative"),
    }

    @override
    def parse(self, example: Example, number: int) -> Analogy:
        metadata, flags = example.metadata, example.metadata["flags"]
        kind = _kind(
            *(metadata[name] for name in ("relation", "setting", "probe", "group")),
            flags["symmetric"],
            flags["cardinality"].endswith("to-many"),
        )
        query, flawed = _pair(metadata["query"]), bool(metadata["false_negative"])
        positive, negative = metadata["positive"], metadata["negative"]
        if kind.setting == SUPERVISED:
            offer = _pair(negative if positive is None else positive)
            return Analogy(query, (offer,), int(positive is not None), flawed, kind)
        wrong = [_pair(negative), *map(_pair, metadata["others"])]
        offers = tuple(sorted({_pair(positive), *wrong}))
        return Analogy(query, offers, offers.index(_pair(positive)), flawed, kind)

    @override
    def labels(self, example: Example, row: Analogy) -> Mapping[str, Scalar]:
        return _labels(row.kind)

    @override
    def folds(
        self, train: TaskRows[Analogy] | None, tests: Sequence[TaskRows[Analogy]]
    ) -> Iterator[Fold[Analogy]]:
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
    def numbers(self, row: Analogy, answer: int) -> Sequence[float]:
        negative = not (row.supervised and row.target)
        return float(answer == row.target), float(negative), float(row.flawed)

    @override
    def prediction_record(self, row: Analogy, answer: int) -> dict[str, Any]:
        if row.supervised:
            return {"answer": "true" if answer else "false"}
        return {"answer": " : ".join(row.offers[answer])}

    @override
    def tables(self, results: Sequence[Result]) -> list[Table]:
        return by_group(results)


def _pair(words: Any) -> Pair:
    head, tail = words
    return intern(head), intern(tail)


def _by_relation(rows: Sequence[Analogy]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.kind.relation, []).append(place)
    return places


class _Test(NamedTuple):
    """A result, and one of the tests that it is of."""

    result: Result
    number: int

    @property
    def data(self) -> DataInfo:
        return self.result.setup.tests[self.number]

    @property
    def elsewhere(self) -> str:
        """What the model was trained on, where that is another dataset."""
        train = self.result.setup.train
        return train.name if train and train.digest != self.data.digest else ""

    @property
    def title(self) -> str:
        return self.data.label + (f", trained on {self.elsewhere}" if self.elsewhere else "")

    def per_cent(self, where: RowFilter) -> Estimate | None:
        """Accuracy over some rows, each relation counting alike."""
        accuracy = figure(self.result, "accuracy", self.number, where, average_over="relation")
        return accuracy.scaled(100) if accuracy else None


def _tests(results: Sequence[Result]) -> list[_Test]:
    return [
        _Test(result, number)
        for result in ordered(results, MODELS)
        for number in range(len(result.setup.tests))
    ]


def _columns(data: DataInfo) -> list[tuple[str, str]]:
    """The settings and probes that there are, in the paper's order."""
    columns = [
        (str(kind["setting"]), str(kind["probe"])) for kind in data.kinds("setting", "probe")
    ]
    in_paper = [(setting, probe) for setting, probe in paper("analogy")["columns"]]
    return sorted(columns, key=lambda column: (*_rank(in_paper, column), column))


def _rank(order: Sequence[Any], value: Any) -> tuple[bool, int]:
    """Where a value stands in an order, others after it."""
    return value not in order, order.index(value) if value in order else 0


def _relations(data: DataInfo) -> list[dict[str, Any]]:
    """Every relation with its group and marks, by the paper's order of groups."""
    groups = list(paper("analogy")["table_1"])
    return sorted(
        data.kinds("group", "relation", "symmetric", "many"),
        key=lambda kind: _rank(groups, kind["group"]),
    )


def by_group(results: Sequence[Result]) -> list[Table]:
    """Table 1: for each group of relations and over all, the average by setting and probe."""
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
    return with_notes(tables, _TABLE_1_NOTE)


_TABLE_1_NOTE = (
    "per cent right, each relation counting alike; paper: table 1, over its 40 relations, "
    "RoBERTa-large beside encoders and language models, RelBERT beside relation encoders, "
    "fastText beside vectors"
)


def _group_line(test: _Test, group: str, columns: Sequence[tuple[str, str]]) -> TableRow:
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


def by_relation(results: Sequence[Result], setting: str = SUPERVISED) -> list[Table]:
    """Table 2: a table for each model, a line for each relation, with marks and averages."""
    tables = []
    for test in _tests([result for result in results if not result.setup.baseline]):
        probes = [probe for place, probe in _columns(test.data) if place == setting]
        lines = [
            _probes_line(test, marked(kind), {"relation": kind["relation"]}, setting, probes)
            for kind in _relations(test.data)
        ]
        if any(any(line.cells) for line in lines):
            unmarked = {"symmetric": False, "many": False}
            lines += [
                _probes_line(test, "average", {}, setting, probes),
                _probes_line(test, "average without marked", unmarked, setting, probes),
            ]
            title = f"{test.title}, {test.result.setup.label}, {setting}"
            tables.append(Table(title, probes, lines, _TABLE_2_NOTE, 1, "relation"))
    if not tables:
        raise NotFound(
            f"no result is of a {setting} test; make some with gen eval DIR --model analogy-encoder"
        )
    return with_notes(tables)


_TABLE_2_NOTE = (
    "*: a head has many tails; \u2020: it holds both ways; paper: table 2, RoBERTa-large, "
    "supervised, and its averages without marked relations"
)


def marked(kind: RowFilter) -> str:
    """The relation's name with its marks."""
    marks = " *" * bool(kind["many"]) + " \u2020" * bool(kind["symmetric"])
    return f"{kind['relation']}{marks}"


def _probes_line(
    test: _Test, name: str, among: RowFilter, setting: str, probes: Sequence[str]
) -> TableRow:
    cells = [test.per_cent({**among, "setting": setting, "probe": probe}) for probe in probes]
    theirs: dict[str, float] = {}
    if setting == SUPERVISED and among:
        theirs = paper_figures(str(among.get("relation", "")))
    beside = [(theirs[probe], 0.0) if probe in theirs else None for probe in probes]
    return TableRow(name, "relation" not in among, cells, beside)


def paper_figures(relation: str) -> dict[str, float]:
    """RoBERTa-large's figures for a relation of BATS, by probe; without a name, for all unmarked.

    Other relations have none.
    """
    inside = re.search(r"\[(.+)\]", relation)
    name = re.sub(r"\s*[-:]\s*", ":", inside[1] if inside else relation)
    theirs = paper("analogy")
    figures = theirs["table_2"].get(name, []) if relation else theirs["without_marked"]
    return dict(zip(("random", "reverse", "type"), map(float, figures), strict=False))


def negatives(results: Sequence[Result], probe: str = "random") -> list[Table]:
    """The paper's negatives beside sound ones, relation by relation, a table for each model."""
    tables = []
    tests = [test for test in _tests(results) if not test.elsewhere]
    for theirs in [test for test in tests if _faithful(test)]:
        label = theirs.result.setup.label
        sound = [test for test in tests if test.result.setup.label == label and not _faithful(test)]
        if sound:
            ours = max(sound, key=lambda test: _options(test) == _options(theirs))
            tables += [
                Table(
                    f"{label}, {setting}, {probe}",
                    _NEGATIVES,
                    lines,
                    _NEGATIVES_NOTE,
                    1,
                    "relation",
                )
                for setting in (SUPERVISED, UNSUPERVISED)
                if (lines := _negatives(theirs, ours, {"setting": setting, "probe": probe}))
            ]
    if not tables:
        raise NotFound(
            f"no model has {probe} results of both kinds of negatives; make datasets with and "
            f"without gen analogy --paper-faithful, and results of both with gen eval"
        )
    return with_notes(tables)


_NEGATIVES = ["in fact true", "the paper's negatives", "sound negatives", "difference"]
_NEGATIVES_NOTE = (
    "per cent; 'in fact true' is the share of the paper's negatives, in the test, that the "
    "relation lists; each model is trained and tested on the same kind"
)


def _faithful(test: _Test) -> bool:
    """Whether negatives were drawn as in the paper, true or not."""
    return bool(test.data.options.get("paper_faithful"))


def _options(test: _Test) -> dict[str, Any]:
    """How the dataset was made, but for its kind of negatives, and for other probes beside."""
    return {**test.data.options, "paper_faithful": None, "probe": None}


def _negatives(theirs: _Test, ours: _Test, among: RowFilter) -> list[TableRow]:
    """A line for each relation that both have, and one for all of them."""
    have = {kind["relation"] for kind in ours.data.kinds("relation")}
    kinds = {marked(kind): kind["relation"] for kind in _relations(theirs.data)}
    wheres = {name: {**among, "relation": it} for name, it in kinds.items() if it in have}
    lines = [_negatives_line(name, theirs, ours, [where]) for name, where in wheres.items()]
    both = [where for line, where in zip(lines, wheres.values(), strict=True) if all(line.cells)]
    lines = [line for line in lines if all(line.cells)]
    return [*lines, _negatives_line("average", theirs, ours, both, last=True)] if lines else []


def _negatives_line(
    name: str, theirs: _Test, ours: _Test, wheres: Sequence[RowFilter], *, last: bool = False
) -> TableRow:
    flawed, faithful, sound = (
        estimate([test.result.sums(figure, test.number, where) for where in wheres])
        for test, figure in ((theirs, "flawed"), (theirs, "accuracy"), (ours, "accuracy"))
    )
    difference = sound.minus(faithful) if sound and faithful else None
    cells = [cell and cell.scaled(100) for cell in (flawed, faithful, sound, difference)]
    return TableRow(name, last, cells, [None] * len(cells))

"""Tables and figures over results, with the paper's beside ours.

References: tables 1 and 2 and section 4 of Rezaee and Camacho-Collados, 2022.
"""

from collections.abc import Sequence
from dataclasses import replace

from ...errors import NotFound
from ..table import Figure, Line, Table
from . import paper
from .results import Cell, Result, average
from .rows import SUPERVISED

_RELATION = "relation"


def by_group(results: Sequence[Result]) -> list[Table]:
    """Table 1: for each group of relations and over all, the average by setting and probe."""
    tables = []
    for dataset in dict.fromkeys(result.setup.test.dataset for result in results):
        of_dataset = _ordered(
            [result for result in results if result.setup.test.dataset == dataset]
        )
        columns = _columns(of_dataset)
        groups = dict.fromkeys(cell.group for result in of_dataset for cell in result.cells)
        in_paper = [group for group in paper.GROUPS if group in groups]
        others = [group for group in groups if group not in paper.GROUPS]
        for group in [*in_paper, *others, paper.ALL]:
            lines = [_group_line(result, group, columns) for result in of_dataset]
            count = len({cell.relation for result in of_dataset for cell in _of(result, group)})
            tables.append(
                Table(
                    f"{dataset}: {group} ({count} relation{'s' * (count != 1)})",
                    [f"{setting} {probe}" for setting, probe in columns],
                    [line for line in lines if any(line.cells)],
                    digits=1,
                )
            )
    return [*tables[:-1], replace(tables[-1], note=_TABLE_1_NOTE)]


_TABLE_1_NOTE = (
    "per cent right, each relation counting alike; paper: table 1, over its 40 relations, "
    "RoBERTa-large beside encoders and language models, RelBERT beside relation encoders, "
    "fastText beside vectors"
)


def _of(result: Result, group: str) -> list[Cell]:
    return [cell for cell in result.cells if group in (cell.group, paper.ALL)]


def _columns(results: Sequence[Result]) -> list[tuple[str, str]]:
    """The settings and probes that there are, in the paper's order."""
    columns = dict.fromkeys(
        (cell.setting, cell.probe) for result in results for cell in result.cells
    )
    in_paper = [column for column in paper.COLUMNS if column in columns]
    return in_paper + sorted(column for column in columns if column not in paper.COLUMNS)


def _group_line(result: Result, group: str, columns: Sequence[tuple[str, str]]) -> Line:
    cells: list[Figure | None] = []
    for column in columns:
        of_column = [cell for cell in _of(result, group) if (cell.setting, cell.probe) == column]
        cells.append(_per_cent(average(of_column)) if of_column else None)
    theirs = paper.TABLE_1.get(
        (paper.GROUPS.get(group, group), paper.COUNTERPARTS.get(result.setup.model, ""))
    )
    beside = dict(zip(paper.COLUMNS, theirs or (), strict=False))
    return Line(
        result.setup.label,
        result.setup.yardstick,
        cells,
        [
            (beside[column], 0.0) if cell and column in beside else None
            for column, cell in zip(columns, cells, strict=True)
        ],
    )


def by_relation(results: Sequence[Result], setting: str = SUPERVISED) -> list[Table]:
    """Table 2: a table for each model, a line for each relation, with marks and averages."""
    tables = []
    for result in _ordered([result for result in results if not result.setup.yardstick]):
        cells = [cell for cell in result.cells if cell.setting == setting]
        if not cells:
            continue
        probes = [probe for place, probe in _columns([result]) if place == setting]
        relations = list(dict.fromkeys(cell.relation for cell in _by_group(cells)))
        lines = [
            _relation_line([cell for cell in cells if cell.relation == relation], probes, setting)
            for relation in relations
        ]
        lines += [
            _average_line("average", cells, probes, {}),
            _average_line(
                "average without marked",
                [cell for cell in cells if not (cell.many or cell.symmetric)],
                probes,
                paper.WITHOUT_MARKED if setting == SUPERVISED else {},
            ),
        ]
        title = f"{result.setup.test.dataset}, {result.setup.label}, {setting}"
        tables.append(Table(title, probes, lines, _TABLE_2_NOTE, 1, _RELATION))
    if not tables:
        raise NotFound(
            f"no result is of a {setting} test; make some with gen eval DIR --model analogy-encoder"
        )
    return tables


_TABLE_2_NOTE = (
    "*: a head has many tails; \u2020: it holds both ways; paper: table 2, RoBERTa-large, "
    "supervised, and its averages without marked relations"
)


def _by_group(cells: Sequence[Cell]) -> list[Cell]:
    groups = list(paper.GROUPS)

    def rank(cell: Cell) -> tuple[int, str]:
        return (groups.index(cell.group) if cell.group in groups else len(groups), cell.relation)

    return sorted(cells, key=rank)


def marked(cell: Cell) -> str:
    """The relation's name with its marks."""
    return cell.relation + " *" * cell.many + " \u2020" * cell.symmetric


def _relation_line(cells: Sequence[Cell], probes: Sequence[str], setting: str) -> Line:
    by_probe = {cell.probe: _per_cent(cell.accuracy) for cell in cells}
    theirs = paper.relation_figures(cells[0].relation) if setting == SUPERVISED else {}
    return Line(
        marked(cells[0]),
        False,
        [by_probe.get(probe) for probe in probes],
        [(theirs[probe], 0.0) if probe in theirs else None for probe in probes],
    )


def _average_line(
    name: str, cells: Sequence[Cell], probes: Sequence[str], theirs: dict[str, float]
) -> Line:
    averages: list[Figure | None] = []
    for probe in probes:
        of_probe = [cell for cell in cells if cell.probe == probe]
        averages.append(_per_cent(average(of_probe)) if of_probe else None)
    beside = [(theirs[probe], 0.0) if probe in theirs else None for probe in probes]
    return Line(name, True, averages, beside)


def negatives(results: Sequence[Result], probe: str = "random") -> list[Table]:
    """The paper's negatives beside sound ones, relation by relation, a table for each model."""
    tables = []
    for model, setting in dict.fromkeys(
        (result.setup.label, cell.setting) for result in _ordered(results) for cell in result.cells
    ):
        of_model = [result for result in results if result.setup.label == model]
        faithful, sound = (
            {
                cell.relation: cell
                for result in of_model
                if result.setup.paper_faithful == kind
                for cell in result.cells
                if (cell.setting, cell.probe) == (setting, probe)
            }
            for kind in (True, False)
        )
        both = [cell for cell in _by_group(list(faithful.values())) if cell.relation in sound]
        if both:
            pairs = [(cell, sound[cell.relation]) for cell in both]
            lines = [_negatives_line(marked(theirs), [theirs], [ours]) for theirs, ours in pairs]
            lines.append(
                _negatives_line("average", *map(list, zip(*pairs, strict=True)), last=True)
            )
            title = f"{model}, {setting}, {probe}"
            tables.append(Table(title, _NEGATIVES, lines, _NEGATIVES_NOTE, 1, _RELATION))
    if not tables:
        raise NotFound(
            f"no model has {probe} results of both kinds of negatives; make datasets with and "
            f"without gen analogy --paper-faithful, and results of both with gen eval"
        )
    return tables


_NEGATIVES = ["in fact true", "the paper's negatives", "sound negatives", "difference"]
_NEGATIVES_NOTE = (
    "per cent; 'in fact true' is the share of the paper's negatives, in the test, that the "
    "relation lists; each model is trained and tested on the same kind"
)


def _negatives_line(
    name: str, faithful: list[Cell], sound: list[Cell], *, last: bool = False
) -> Line:
    ours, theirs = _per_cent(average(sound)), _per_cent(average(faithful))
    flawed = sum(cell.flawed / cell.negatives for cell in faithful) / len(faithful)
    cells: list[Figure | None] = [(100 * flawed, 0.0), theirs, ours, (ours[0] - theirs[0], 0.0)]
    return Line(name, last, cells, [None] * len(cells))


def _per_cent(figure: Figure) -> Figure:
    return 100 * figure[0], 100 * figure[1]


_ORDER = "analogy-encoder analogy-perplexity analogy-relation analogy-vectors".split()


def _ordered(results: Sequence[Result]) -> list[Result]:
    def rank(result: Result) -> tuple[bool, int, str]:
        name = result.setup.model
        place = _ORDER.index(name) if name in _ORDER else len(_ORDER)
        return result.setup.yardstick, place, result.setup.label

    return sorted(results, key=rank)

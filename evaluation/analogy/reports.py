"""Tables and figures over results, with the paper's beside ours.

References: tables 1 and 2 and section 4 of Rezaee and Camacho-Collados, 2022.
"""

from collections.abc import Sequence

from ...errors import NotFound
from ..table import Figure, Line, Table
from . import paper
from .results import Cell, Result, average
from .rows import SUPERVISED

_RELATION = "relation"


def by_group(results: Sequence[Result]) -> list[Table]:
    """Table 1: for each group of relations and over all, the average by setting and probe."""
    tables = []
    for dataset in dict.fromkeys(one.setup.test.dataset for one in results):
        here = _ordered([one for one in results if one.setup.test.dataset == dataset])
        columns = _columns(here)
        groups = dict.fromkeys(cell.group for one in here for cell in one.cells)
        known = [group for group in paper.GROUPS if group in groups]
        others = [group for group in groups if group not in paper.GROUPS]
        for group in [*known, *others, paper.ALL]:
            lines = [_group_line(one, group, columns) for one in here]
            count = len({cell.relation for one in here for cell in _of(one, group)})
            tables.append(
                Table(
                    f"{dataset}: {group} ({count} relation{'s' * (count != 1)})",
                    [f"{setting} {probe}" for setting, probe in columns],
                    [line for line in lines if any(line.cells)],
                    digits=1,
                )
            )
    return [*tables[:-1], _noted(tables[-1], _TABLE_1_NOTE)]


_TABLE_1_NOTE = (
    "per cent right, each relation counting alike; paper: table 1, over its 40 relations, "
    "RoBERTa-large beside encoders and language models, RelBERT beside relation encoders, "
    "fastText beside vectors"
)


def _noted(table: Table, note: str) -> Table:
    return Table(table.title, table.columns, table.lines, note, table.digits, table.head)


def _of(result: Result, group: str) -> list[Cell]:
    return [cell for cell in result.cells if group in (cell.group, paper.ALL)]


def _columns(results: Sequence[Result]) -> list[tuple[str, str]]:
    """The settings and probes that there are, in the paper's order."""
    found = dict.fromkeys((cell.setting, cell.probe) for one in results for cell in one.cells)
    known = [column for column in paper.COLUMNS if column in found]
    return known + sorted(column for column in found if column not in paper.COLUMNS)


def _group_line(result: Result, group: str, columns: Sequence[tuple[str, str]]) -> Line:
    cells: list[Figure | None] = []
    for column in columns:
        some = [cell for cell in _of(result, group) if (cell.setting, cell.probe) == column]
        cells.append(_per_cent(average(some)) if some else None)
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
    for one in _ordered([result for result in results if not result.setup.yardstick]):
        cells = [cell for cell in one.cells if cell.setting == setting]
        if not cells:
            continue
        probes = [probe for place, probe in _columns([one]) if place == setting]
        relations = list(dict.fromkeys(cell.relation for cell in _by_group(cells)))
        lines = [
            _relation_line([cell for cell in cells if cell.relation == relation], probes, setting)
            for relation in relations
        ]
        lines += [
            _average_line("average", cells, probes, dict.fromkeys(paper.WITHOUT_MARKED)),
            _average_line(
                "average without marked",
                [cell for cell in cells if not (cell.many or cell.symmetric)],
                probes,
                dict(paper.WITHOUT_MARKED) if setting == SUPERVISED else {},
            ),
        ]
        title = f"{one.setup.test.dataset}, {one.setup.label}, {setting}"
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
    known = list(paper.GROUPS)

    def rank(cell: Cell) -> tuple[int, str]:
        return (known.index(cell.group) if cell.group in known else len(known), cell.relation)

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
    name: str, cells: Sequence[Cell], probes: Sequence[str], theirs: dict[str, float | None]
) -> Line:
    found: list[Figure | None] = []
    for probe in probes:
        some = [cell for cell in cells if cell.probe == probe]
        found.append(_per_cent(average(some)) if some else None)
    beside = [theirs.get(probe) for probe in probes]
    return Line(name, True, found, [None if one is None else (one, 0.0) for one in beside])


def negatives(results: Sequence[Result], probe: str = "random") -> list[Table]:
    """The paper's negatives beside sound ones, relation by relation, a table for each model."""
    tables = []
    for model, setting in dict.fromkeys(
        (one.setup.label, cell.setting) for one in _ordered(results) for cell in one.cells
    ):
        of_model = [one for one in results if one.setup.label == model]
        faithful, sound = (
            {
                cell.relation: cell
                for one in of_model
                if one.setup.paper_faithful == kind
                for cell in one.cells
                if (cell.setting, cell.probe) == (setting, probe)
            }
            for kind in (True, False)
        )
        both = [cell for cell in _by_group(list(faithful.values())) if cell.relation in sound]
        if both:
            pairs = [(cell, sound[cell.relation]) for cell in both]
            lines = [_negatives_line(marked(one), [one], [other]) for one, other in pairs]
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
    def rank(one: Result) -> tuple[bool, int, str]:
        name = one.setup.model
        place = _ORDER.index(name) if name in _ORDER else len(_ORDER)
        return one.setup.yardstick, place, one.setup.label

    return sorted(results, key=rank)

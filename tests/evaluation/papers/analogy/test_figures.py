"""The figure of relations: consistent styles, and no hidden points."""

from relsmith.evaluation.report import Table, TableRow
from relsmith.evaluation.statistics import Estimate


def _table(title: str, columns: list[str]) -> Table:
    cells = [Estimate(60.0, 50.0, 70.0) for _ in columns]
    return Table(title, columns, [TableRow("a relation", False, cells, [None] * len(cells))], "", 1)


def test_tables_keep_their_style_and_points_stay_visible() -> None:
    from relsmith.evaluation.papers.analogy.figures import relations_figure
    from relsmith.evaluation.plots import load_pyplot

    paper, sound = ["random", "type"], ["random", "type", "mismatch"]
    tables = [_table("paper 1", paper), _table("sound 1", sound), _table("paper 2", paper)]
    tables.append(_table("sound 2", sound))
    pyplot = load_pyplot()
    figure = relations_figure(pyplot, tables)
    looks: dict[str, set[tuple[str, str]]] = {}
    for axes in figure.axes:
        assert axes.get_legend() is None
        for drawn in axes.get_lines():
            if not str(drawn.get_label()).startswith("_"):
                look = (str(drawn.get_color()), str(drawn.get_marker()))
                looks.setdefault(str(drawn.get_label()), set()).add(look)
    assert set(looks) == {table.title for table in tables}
    assert all(len(each) == 1 for each in looks.values()), looks
    assert len({look for each in looks.values() for look in each}) == len(tables)
    (legend,) = figure.legends
    figure.tight_layout()
    figure.canvas.draw()
    top = legend.get_window_extent().y1
    assert all(top <= axes.get_tightbbox().y0 for axes in figure.axes)
    points = [x for axes in figure.axes for drawn in axes.get_lines() for x in drawn.get_xdata()]
    assert all(low < min(points) for low, _ in (axes.get_xlim() for axes in figure.axes))
    pyplot.close(figure)

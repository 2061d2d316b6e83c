"""Random maps, from which stories are drawn."""

from ....errors import InvalidOption
from ....seed import Stream
from .steps import Grid, Square

_SQUARES_A_PLACE = 2


def side(places: int, lines: int = 2) -> int:
    """How many rows and columns, and layers, a map with so many places has."""
    width = 1
    while width**lines < _SQUARES_A_PLACE * places:
        width += 1
    return width


def place(stream: Stream, places: int, grid: Grid) -> tuple[Square, ...]:
    """Put so many places into squares, about half as many as there are.

    So whatever holds between two places holds between many: few steps where many squares are taken,
    and more than are counted where there are many rows and columns.
    """
    if places < 1:
        raise InvalidOption(f"cannot place {places} places; ask for at least one")
    width = side(places, grid.lines)
    size = width**grid.lines
    if grid.shared:
        numbers = [stream.below(size) for _ in range(places)]
    else:
        numbers = stream.sample(list(range(size)), places)
    return tuple([_square(number, width, grid.lines) for number in numbers])


def _square(number: int, width: int, lines: int) -> Square:
    """The squares of a map by number, row by row."""
    steps = []
    for _ in range(lines):
        number, along = divmod(number, width)
        steps.append(along)
    return tuple(reversed(steps))

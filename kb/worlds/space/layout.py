"""Random maps, from which stories are sampled."""

from ....errors import InvalidOption
from ....seed import Stream
from .steps import Grid, Square

_SQUARES_PER_PLACE = 2


def side(places: int, axes: int = 2) -> int:
    """Return the number of rows, columns and layers of a map with so many places."""
    width = 1
    while width**axes < _SQUARES_PER_PLACE * places:
        width += 1
    return width


def sample_squares(stream: Stream, places: int, grid: Grid) -> tuple[Square, ...]:
    """Sample a square for each place; there are about twice as many squares.

    So every predicate holds between many places: few steps since many squares are taken, and more
    than are counted since there are many rows and columns.
    """
    if places < 1:
        raise InvalidOption(f"cannot place {places} places; ask for at least one")
    width = side(places, grid.axes)
    size = width**grid.axes
    if grid.shared:
        numbers = [stream.below(size) for _ in range(places)]
    else:
        numbers = stream.sample(list(range(size)), places)
    return tuple([_square(number, width, grid.axes) for number in numbers])


def _square(number: int, width: int, axes: int) -> Square:
    """Return a square of a map by its number, row by row."""
    steps = []
    for _ in range(axes):
        number, along = divmod(number, width)
        steps.append(along)
    return tuple(reversed(steps))

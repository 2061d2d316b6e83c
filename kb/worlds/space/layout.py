"""Random maps, from which stories are sampled."""

from math import isqrt

from ....errors import InvalidOption
from ....seed import Stream
from .steps import Square

_SQUARES_PER_PLACE = 2
_SPREAD = 4


def side(places: int) -> int:
    """Return the numbers of rows and columns of a map for a number of places."""
    return isqrt(_SQUARES_PER_PLACE * places - 1) + 1


def sample_squares(stream: Stream, places: int) -> tuple[Square, ...]:
    """Sample a square for each place; there are about twice as many squares.

    So every predicate holds between many places: few steps since many squares are taken, and more
    than are counted since there are many rows and columns.
    """
    if places < 1:
        raise InvalidOption(f"cannot place {places} places; ask for at least one")
    width = side(places)
    numbers = stream.sample(list(range(width * width)), places)
    return tuple([divmod(number, width) for number in numbers])


def things_in_line(things: int) -> int:
    """Return the minimum number of things in one row, and in one column.

    `left` follows only from `left` and `left`, so this is one more than the maximum length of a
    chain between two things in line; likewise for the other straight directions.
    """
    return -(-things // 3)


def sample_cross(stream: Stream, things: int) -> tuple[Square, ...]:
    """Sample a square for each thing: a third of them in one row, a third in one column.

    The others are scattered around this cross, over four times its width, where few are in line
    with anything: without them, long chains would hardly have a diagonal fact.
    """
    if things < 1:
        raise InvalidOption(f"cannot place {things} things; ask for at least one")
    side = things_in_line(things)
    width, first = _SPREAD * side, (_SPREAD - 1) * side // 2
    arm = range(first, first + side)
    middle_column, middle_row = (first + stream.below(side) for _ in range(2))
    cells = dict.fromkeys((column, middle_row) for column in arm)
    cells |= dict.fromkeys((middle_column, row) for row in arm)
    while len(cells) < things:
        cells.setdefault((stream.below(width), stream.below(width)))
    shuffled = list(cells)
    stream.shuffle(shuffled)
    return tuple(shuffled)

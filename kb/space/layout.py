"""Random maps, from which stories are drawn."""

from math import isqrt

from ...errors import InvalidOption
from ...seed import Stream
from .steps import Square

_SQUARES_A_PLACE = 2


def side(places: int) -> int:
    """How many rows and columns a map with so many places has."""
    return isqrt(_SQUARES_A_PLACE * places - 1) + 1


def place(stream: Stream, places: int) -> tuple[Square, ...]:
    """Put so many places into squares of their own, half the squares of the map.

    So whatever holds between two places holds between many: few steps where many squares are taken,
    and more than three where there are many rows and columns.
    """
    if places < 1:
        raise InvalidOption(f"cannot place {places} places; ask for at least one")
    width = side(places)
    squares = [(row, column) for row in range(width) for column in range(width)]
    return tuple(stream.sample(squares, places))

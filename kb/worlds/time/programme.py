"""Random programmes of events, from which stories are drawn."""

from itertools import combinations
from typing import Final

from ....errors import InvalidOption
from ....seed import Stream
from .intervals import Interval, relation

_FEWEST: Final = 7
"""Between so many moments and one more there are events in all relations to one in their middle."""
_ONCE: Final = 0.7
"""So many of those that are not together lie nowhere else, at most."""


def alike(events: int) -> int:
    """How many events of a programme begin and end together at least.

    `equals` follows from nothing but `equals` and `equals`, so this is one more than the facts
    that can lie between two such events.
    """
    return -(-events // 3)


def arrange(stream: Stream, events: int) -> tuple[Interval, ...]:
    """Let so many events begin and end, a third of them together.

    The others begin and end at a few moments, first one in each relation to these, then at all
    others in turn. So many share a start or an end, and most have others that lie between them; and
    some come twice, so that chains may begin and end with what gives nothing away.
    """
    if events < 1:
        raise InvalidOption(f"cannot arrange {events} events; ask for at least one")
    spans, _ = _spans(stream, events - alike(events), alike(events))
    stream.shuffle(spans)
    return tuple(spans)


def arrange_points(stream: Stream, size: int) -> tuple[Interval, ...]:
    """Let events begin and end, and as many instants come as there are other than those together.

    Instants come at all moments in turn at which events begin and end, so that many come at once.
    """
    if size < 1:
        raise InvalidOption(f"cannot arrange {size} events; ask for at least one")
    rest = size - alike(size)
    spans, moments = _spans(stream, rest // 2, alike(size))
    while len(spans) < size:
        every = list(range(moments + 1))
        stream.shuffle(every)
        spans += [(moment, moment) for moment in every][: size - len(spans)]
    stream.shuffle(spans)
    return tuple(spans)


def _spans(stream: Stream, rest: int, together: int) -> tuple[list[Interval], int]:
    """So many events in all ways, then those that lie together; and the number of moments."""
    moments = _FEWEST
    while (moments + 1) * (moments + 2) / 2 <= _ONCE * rest:
        moments += 1
    middle = moments // 3, moments - moments // 3
    every = list(combinations(range(moments + 1), 2))
    spans: list[Interval] = []
    while len(spans) < rest:
        stream.shuffle(every)
        chosen = {relation(middle, span): span for span in every}
        every.sort(key=lambda span: span not in chosen.values())
        spans += [span for span in every if span != middle]
    return spans[:rest] + [middle] * together, moments

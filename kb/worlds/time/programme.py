"""Random programmes of events, from which stories are sampled."""

from itertools import combinations
from typing import Final

from ....errors import InvalidOption
from ....seed import Stream
from .intervals import Interval, relation

_MIN_MOMENTS: Final = 7
"""With one more moment, there are events in all relations to an event in the middle."""
_MAX_UNIQUE_SHARE: Final = 0.7
"""Maximum share of possible intervals that are used once by the events that do not coincide."""


def coinciding_events(events: int) -> int:
    """Return the minimum number of events with the same start and end.

    `equals` follows only from `equals` and `equals`, so this is one more than the maximum length
    of a chain between two such events.
    """
    return -(-events // 3)


def sample_intervals(stream: Stream, events: int) -> tuple[Interval, ...]:
    """Sample intervals of events, a third of which coincide.

    The others start and end at a few moments, first one in each relation to these, then at all
    others in turn. Thus many share a start or an end, and most have others between them. Some
    intervals occur twice, so that the ends of a chain need not reveal the answer.
    """
    if events < 1:
        raise InvalidOption(f"cannot arrange {events} events; ask for at least one")
    spans, _ = _spans(stream, events - coinciding_events(events), coinciding_events(events))
    stream.shuffle(spans)
    return tuple(spans)


def sample_intervals_and_points(stream: Stream, size: int) -> tuple[Interval, ...]:
    """Sample intervals of events, and as many instants as there are events that do not coincide.

    Instants are at the starts and ends of events in turn, so that many are simultaneous.
    """
    if size < 1:
        raise InvalidOption(f"cannot arrange {size} events; ask for at least one")
    rest = size - coinciding_events(size)
    spans, moments = _spans(stream, rest // 2, coinciding_events(size))
    while len(spans) < size:
        every = list(range(moments + 1))
        stream.shuffle(every)
        spans += [(moment, moment) for moment in every][: size - len(spans)]
    stream.shuffle(spans)
    return tuple(spans)


def _spans(stream: Stream, rest: int, together: int) -> tuple[list[Interval], int]:
    """Return `rest` different intervals, then those that coincide; and the number of moments."""
    moments = _MIN_MOMENTS
    while (moments + 1) * (moments + 2) / 2 <= _MAX_UNIQUE_SHARE * rest:
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

"""Random programmes of events, from which stories are drawn."""

from ...errors import InvalidOption
from ...seed import Stream
from .intervals import Interval


def alike(events: int) -> int:
    """How many events of a programme begin and end together at least.

    `equals` follows from nothing but `equals` and `equals`, so this is one more than the facts
    that can lie between two such events.
    """
    return -(-events // 3)


def arrange(stream: Stream, events: int) -> tuple[Interval, ...]:
    """Let so many events begin and end, a third of them together.

    A quarter begins with these and a quarter ends with them, so that long chains of shared starts
    and ends need not be of equals alone; a few end where they start and start where they end; the
    others lie anywhere around them.
    """
    if events < 1:
        raise InvalidOption(f"cannot arrange {events} events; ask for at least one")
    together = alike(events)
    few = max(1, events // 24)
    width = 2 * together
    start, end = width, 2 * width
    spans = [(start, end)] * together
    spans += [(start, _other(stream, start + 1, 3 * width, end)) for _ in range(events // 4)]
    spans += [(_other(stream, 0, end, start), end) for _ in range(events // 4)]
    spans += [(stream.below(start), start) for _ in range(few)]
    spans += [(end, end + 1 + stream.below(width)) for _ in range(few)]
    while len(spans) < events:
        one, other = stream.below(3 * width + 1), stream.below(3 * width + 1)
        if one != other:
            spans.append((min(one, other), max(one, other)))
    spans = spans[:events]
    stream.shuffle(spans)
    return tuple(spans)


def _other(stream: Stream, low: int, high: int, barred: int) -> int:
    """A number from low up to high that is not barred."""
    number = low + stream.below(high - low - 1)
    return number + (number >= barred)

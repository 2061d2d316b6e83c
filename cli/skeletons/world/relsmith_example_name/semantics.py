"""The meaning of the predicates: events begin at hours of one day."""

from itertools import product

from relsmith.worlds import Situation, chain_names


def relation(x: int, y: int) -> str:
    """Return the predicate for the hours x and y."""
    return "same" if x == y else "earlier" if y < x else "later"


class Day:
    """Semantics that check rules in all relevant days.

    Only the order of hours counts, and n events have at most n different hours, so the hours 0 to
    n - 1 cover all cases.
    """

    predicates = frozenset({"earlier", "later", "same"})

    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Return all assignments of hours to the events of the chain."""
        names = chain_names(len(chain), closed=closed)
        events = tuple(dict.fromkeys(names))
        days = []
        for hours in product(range(len(events)), repeat=len(events)):
            hour = dict(zip(events, hours, strict=True))
            steps = zip(names, names[1:], chain, strict=False)
            if all(relation(hour[x], hour[y]) == step for x, y, step in steps):
                first, last = hour[names[0]], hour[names[-1]]
                days.append(
                    Situation(
                        relations=frozenset() if closed else frozenset([relation(first, last)]),
                        reverse_relations=frozenset()
                        if closed
                        else frozenset([relation(last, first)]),
                        size=len(events),
                        facts=tuple(f"{event} begins at {hour[event]}" for event in events),
                    )
                )
        return tuple(days)

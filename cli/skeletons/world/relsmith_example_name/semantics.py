"""What the predicates mean: events begin at hours of one day."""

from itertools import product

from relsmith.kb.worlds.semantics import Situation, chain_names


def relation(x: int, y: int) -> str:
    """How the hour y stands to the hour x."""
    return "same" if x == y else "earlier" if y < x else "later"


class Day:
    """Rules are checked in all days that matter.

    Why these suffice: only the order of hours counts, and n events have at most n different
    hours, so whatever can happen to them also happens within the hours 0 to n - 1.
    """

    predicates = frozenset({"earlier", "later", "same"})

    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Every way to put the events of the chain at hours."""
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
                        back=frozenset() if closed else frozenset([relation(last, first)]),
                        size=len(events),
                        facts=tuple(f"{event} begins at {hour[event]}" for event in events),
                    )
                )
        return tuple(days)

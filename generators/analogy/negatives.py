"""Negatives: for every query of a dataset, as many pairs that do not hold as others that do."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ...kb.relations import Extension, Pair
from ...seed import Stream
from .aids import Aids


class Negative(NamedTuple):
    """A pair that is offered as unrelated, and why."""

    pair: Pair
    rule: str
    certificate: str
    true: bool = False


Drawn = list[list[Negative]]
"""The negatives of every query, one for each of the other tuples; none where there are none."""


class Sound:
    """Negatives of which none holds, by the strategies of the paper's section 2.2."""

    def __init__(
        self,
        tuples: Sequence[Pair],
        extension: Extension,
        stream: Stream,
        aids: Aids | None = None,
        foreign: Sequence[Pair] = (),
    ) -> None:
        """`foreign` are pairs of other relations between words of the same types."""
        self.tuples, self.extension, self.stream = tuples, extension, stream
        self.aids, self.foreign = aids or Aids(), foreign
        self.heads = list(dict.fromkeys(head for head, _ in tuples))
        self.tails = list(dict.fromkeys(tail for _, tail in tuples))
        every = (tail for head in self.heads for tail in extension.relation.tails[head])
        self.spare_tails = [tail for tail in dict.fromkeys(every) if tail not in set(self.tails)]
        self._known: dict[tuple[str, str, str], Negative | None] = {}

    def negative(self, head: str, tail: str, rule: str) -> Negative | None:
        """The pair as a negative, if it does not hold and is not a word with itself."""
        key = (head, tail, rule)
        if key not in self._known:
            extension = self.extension
            bad = extension.same(head, tail) or extension.holds(head, tail)
            why = extension.why_false(head, tail)
            self._known[key] = None if bad else Negative((head, tail), rule, why)
        return self._known[key]

    def _of(self, pairs: Iterable[Pair], rule: str) -> list[Negative]:
        """Those of the pairs that are sound, in random order."""
        found = [one for head, tail in pairs if (one := self.negative(head, tail, rule))]
        self.stream.shuffle(found)
        return found

    def random_head(self, query: Pair) -> list[Negative]:
        """(h_j, t_i): another head with the query's tail."""
        return self._of(((head, query[1]) for head in self.heads if head != query[0]), "random-head")

    def random_tail(self, query: Pair, wanted: int) -> list[Negative]:
        """(h_i, t_j): the query's head with another tail; of other tuples where ours are few."""
        tails = [tail for tail in self.tails if tail != query[1]]
        found = self._of(((query[0], tail) for tail in tails), "random-tail")
        if len(found) < wanted:
            found += self._of(((query[0], tail) for tail in self.spare_tails), "random-tail")
        return found

    def draw(self, probe: str) -> Drawn:
        """The negatives of a probe for every query."""
        return getattr(self, f"_{probe.replace('-', '_')}")()  # type: ignore[no-any-return]

    def _random(self) -> Drawn:
        def pools(query: Pair) -> tuple[list[Negative], ...]:
            by_head = self.random_head(query)
            return by_head, self.random_tail(query, len(self.tuples) - 1 - len(by_head))

        return self._each(pools)

    def _random_head(self) -> Drawn:
        return self._each(lambda query: (self.random_head(query),))

    def _random_tail(self) -> Drawn:
        return self._each(lambda query: (self.random_tail(query, len(self.tuples) - 1),))

    def _each(self, pools: Callable[[Pair], tuple[list[Negative], ...]]) -> Drawn:
        wanted = len(self.tuples) - 1
        return [in_turn(pools(query), wanted, at) for at, query in enumerate(self.tuples)]

    def _reverse(self) -> Drawn:
        """(t_j, h_j) of another tuple; the query's own only where those do not suffice."""
        every = self._of(((tail, head) for head, tail in self.tuples), "reverse")
        places = {one.pair: at for at, one in enumerate(every)}
        drawn = []
        for at, (head, tail) in enumerate(self.tuples):
            own = places.get((tail, head))
            others = _window(every, at, lambda one, own=own: own is None or one is not every[own])  # type: ignore[misc]
            reserve = [] if own is None else [every[own]]
            drawn.append(in_turn(([*others, *reserve],), len(self.tuples) - 1, 0))
        return drawn

    def _type(self) -> Drawn:
        """(h_j, h_k) and (t_j, t_k): two heads, or two tails, none of them the query's."""
        pools = [
            self._of(((one, other) for one in words for other in words if one != other), rule)
            for words, rule in ((self.heads, "type-head"), (self.tails, "type-tail"))
        ]
        wanted = len(self.tuples) - 1
        drawn = []
        starts = [0, 0]
        for at, query in enumerate(self.tuples):
            picked: list[list[Negative]] = []
            for which, pool in enumerate(pools):
                word = query[which]
                some, starts[which] = _next(pool, starts[which], wanted, word)
                picked.append(some)
            drawn.append(in_turn(tuple(picked), wanted, at))
        return drawn


def _window(
    pool: list[Negative], start: int, keep: Callable[[Negative], bool]
) -> list[Negative]:
    """The pool from another start on, without what is not to be kept."""
    if not pool:
        return []
    start %= len(pool)
    return [one for one in [*pool[start:], *pool[:start]] if keep(one)]


def _next(pool: list[Negative], start: int, most: int, word: str) -> tuple[list[Negative], int]:
    """The next so many of the pool without that word, and where to go on for the next query."""
    found: list[Negative] = []
    at = start
    for at in range(start, start + len(pool)):
        one = pool[at % len(pool)]
        if word not in one.pair:
            found.append(one)
            if len(found) == most:
                break
    # Half of them will be used; the next query starts with others.
    return found, (start + (most + 1) // 2) % len(pool) if pool else 0


def in_turn(pools: tuple[list[Negative], ...], wanted: int, first: int) -> list[Negative]:
    """So many, from each pool in turn; a pool that is used up leaves its turn to the others.

    Where all of them together are too few, they are gone through again.
    """
    pools = tuple(pool for pool in (*pools[first % len(pools) :], *pools[: first % len(pools)]))
    found: list[Negative] = []
    for turn in range(max(map(len, pools))):
        found += [pool[turn] for pool in pools if turn < len(pool)]
        if len(found) >= wanted:
            break
    return (found * -(-wanted // len(found)))[:wanted] if found else []


class Literal:
    """Negatives exactly as the paper draws them, true or not."""

    def __init__(self, tuples: Sequence[Pair], extension: Extension, stream: Stream) -> None:
        self.tuples, self.extension, self.stream = tuples, extension, stream

    def draw(self, probe: str) -> Drawn:
        """The negatives of a probe; those of `random` are twice as many, by head and by tail."""
        rules = {
            "random": ("random-head", "random-tail"),
            "random-head": ("random-head",),
            "random-tail": ("random-tail",),
            "reverse": ("reverse",),
            "type": ("type-head", "type-tail"),
        }[probe]
        count = len(self.tuples)
        drawn = []
        for i in range(count):
            others = [j for j in range(count) if j != i]
            if probe == "type":
                found = [self._one(i, j, rules[(i + j) % 2]) for j in others]
            else:
                found = [self._one(i, j, rule) for rule in rules for j in others]
            made = [one for one in found if one]
            drawn.append((made * -(-len(found) // len(made)))[: len(found)] if made else [])
        return drawn

    def _one(self, i: int, j: int, rule: str) -> Negative | None:
        (head, tail), (other_head, other_tail) = self.tuples[i], self.tuples[j]
        if rule == "random-head":
            j = self._other(j, lambda k: self.tuples[k][0] != head)
            return self._made(self.tuples[j][0], tail, rule) if j >= 0 else None
        if rule == "random-tail":
            j = self._other(j, lambda k: self.tuples[k][1] != tail)
            return self._made(head, self.tuples[j][1], rule) if j >= 0 else None
        if rule == "reverse":
            return self._made(other_tail, other_head, rule)
        side = rule == "type-tail"
        own = self.tuples[i][side]
        j = self._other(j, lambda k: self.tuples[k][side] != own)
        k = self._other(
            self.stream.below(len(self.tuples)),
            lambda k: self.tuples[k][side] not in (own, self.tuples[j][side]),
        )
        if j < 0 or k < 0:
            return None
        return self._made(self.tuples[j][side], self.tuples[k][side], rule)

    def _other(self, first: int, fits: Callable[[int], bool]) -> int:
        """That tuple where it fits, else one drawn from those that do, or -1."""
        if fits(first):
            return first
        fitting = [k for k in range(len(self.tuples)) if fits(k)]
        return self.stream.choice(fitting) if fitting else -1

    def _made(self, head: str, tail: str, rule: str) -> Negative:
        true = self.extension.holds(head, tail)
        why = "none" if true else self.extension.why_false(head, tail)
        return Negative((head, tail), rule, why, true)

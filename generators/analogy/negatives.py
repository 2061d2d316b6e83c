"""Negatives: for every query of a dataset, as many pairs that do not hold as others that do."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Generic, TypeVar

from ...kb.relations import Extension, Pair
from ...seed import Stream
from .aids import Aids

T = TypeVar("T")
Make = Callable[[Pair, str, str, bool], T]
"""Makes what a row needs of a negative: from the pair, its rule, its certificate, its truth."""


class Table(Generic[T]):
    """The negatives of every query, drawn when they are first asked for."""

    def __init__(
        self, queries: list[int], per_query: int, tuples: int, draw: Callable[[int], list[T]]
    ) -> None:
        self.queries, self.per_query, self._draw = queries, per_query, draw
        self.drawn: list[list[T]] = [[] for _ in range(tuples)]

    def draw(self, i: int) -> list[T]:
        """One negative for each of the other tuples."""
        self.drawn[i] = self._draw(i)
        return self.drawn[i]


class _Maker(Generic[T]):
    """Negatives that are made once each."""

    def __init__(
        self, tuples: Sequence[Pair], extension: Extension, stream: Stream, make: Make[T]
    ) -> None:
        self.tuples, self.extension, self.stream = tuples, extension, stream
        self.wanted = len(tuples) - 1
        self._make = make
        self._negatives: dict[tuple[str, str, str], T] = {}
        self._pairs: dict[int, Pair] = {}

    def negative(self, head: str, tail: str, rule: str, why: str | None = None) -> T:
        """The pair as a negative; a certificate is looked for where none is given."""
        key = (head, tail, rule)
        negative = self._negatives.get(key)
        if negative is None:
            why = why or self.extension.why_false(head, tail) or "not listed"
            negative = self._negatives[key] = self._make((head, tail), rule, why, why == "none")
            self._pairs[id(negative)] = (head, tail)
        return negative

    def pairs(self, negatives: list[T]) -> set[Pair]:
        """The pairs of those negatives, which were all made here."""
        return {self._pairs[id(negative)] for negative in negatives}


class Sound(_Maker[T]):
    """Negatives of which none holds, by the strategies of the paper's section 2.2 and more."""

    def __init__(
        self,
        tuples: Sequence[Pair],
        extension: Extension,
        stream: Stream,
        make: Make[T],
        aids: Aids | None = None,
        foreign: Sequence[Pair] = (),
    ) -> None:
        """`foreign` are pairs of other relations between words of the same types."""
        super().__init__(tuples, extension, stream, make)
        self.aids, self.foreign = aids or Aids(), foreign
        self.heads = list(dict.fromkeys(head for head, _ in tuples))
        self.tails = list(dict.fromkeys(tail for _, tail in tuples))
        stream.shuffle(self.heads)
        stream.shuffle(self.tails)
        self._turned: list[T | None] = []
        self._ordered: dict[tuple[str, str], list[str]] = {}

    def false(self, head: str, tail: str) -> bool:
        """Whether the pair may be offered: it is certainly false, and no word with itself."""
        return self.extension.why_false(head, tail) is not None

    def table(self, probe: str, least: int) -> Table[T]:
        """The negatives of a probe; a query has none where fewer than `least` differ."""
        draw: dict[str, Callable[[int, Pair, int], list[T]]] = {
            "random": self._random,
            "random-head": self._random_head,
            "random-tail": self._random_tail,
            "reverse": self._reverse,
            "type": self._type,
            "mismatch": self._mismatch,
            "frequency": self._frequency,
            "near": self._near,
            "cross": self._cross,
        }

        def some(i: int, wanted: int) -> list[T]:
            return draw[probe](i, self.tuples[i], wanted)

        # Where one is enough, it need not be drawn from all.
        few = 1 if least == 1 and probe in _DIRECT else self.wanted
        every = range(len(self.tuples))
        queries = [i for i in every if len(self.pairs(some(i, few))) >= least]
        return Table(
            queries,
            self.wanted,
            len(self.tuples),
            lambda i: fill_up(some(i, self.wanted), self.wanted),
        )

    def _random(self, i: int, query: Pair, wanted: int) -> list[T]:
        """By head and by tail, half of each; more of the one where there are few of the other."""
        heads = list(islice(self._other_heads(i, query), wanted))
        half = wanted // 2 + (i % 2 and wanted % 2)
        tails = list(islice(self._other_tails(i, query), wanted - min(half, len(heads))))
        heads = heads[: wanted - len(tails)]
        return [
            *(self.negative(head, query[1], "random-head") for head in heads),
            *(self.negative(query[0], tail, "random-tail") for tail in tails),
        ]

    def _random_head(self, i: int, query: Pair, wanted: int) -> list[T]:
        heads = islice(self._other_heads(i, query), wanted)
        return [self.negative(head, query[1], "random-head") for head in heads]

    def _random_tail(self, i: int, query: Pair, wanted: int) -> list[T]:
        tails = islice(self._other_tails(i, query), wanted)
        return [self.negative(query[0], tail, "random-tail") for tail in tails]

    def _other_heads(self, i: int, query: Pair) -> Iterator[str]:
        """The h_j of (h_j, t_i): another head for the query's tail."""
        return (head for head in _from(self.heads, i) if self.false(head, query[1]))

    def _other_tails(self, i: int, query: Pair) -> Iterator[str]:
        """The t_j of (h_i, t_j): another tail for the query's head, ours or, where few, others."""
        tails = chain(_from(self.tails, i), self._spare_tails())
        return (tail for tail in tails if self.false(query[0], tail))

    def _spare_tails(self) -> Iterator[str]:
        """Tails of our heads that are in none of our tuples."""
        tails = set(self.tails)
        for head in self.heads:
            for tail in self.extension.relation.tails[head]:
                if tail not in tails:
                    tails.add(tail)
                    yield tail

    def _reverse(self, i: int, query: Pair, wanted: int) -> list[T]:
        """(t_j, h_j) of another tuple; of the query itself only where those do not suffice."""
        if not self._turned:
            self._turned = [
                self.negative(tail, head, "reverse") if self.false(tail, head) else None
                for head, tail in self.tuples
            ]
        turned = _from(self._turned, i + 1)
        return [negative for negative in turned if negative is not None][:wanted]

    def _type(self, i: int, query: Pair, wanted: int) -> list[T]:
        """(h_j, h_k) and (t_j, t_k): two heads, or two tails, none of them the query's."""
        half = wanted // 2 + (i % 2 and wanted % 2)
        heads = list(islice(self._twos(self.heads, i, query[0]), wanted))
        tails = list(islice(self._twos(self.tails, i, query[1]), wanted - min(half, len(heads))))
        return [
            *(self.negative(*two, "type-head") for two in heads[: wanted - len(tails)]),
            *(self.negative(*two, "type-tail") for two in tails),
        ]

    def _twos(self, words: list[str], i: int, but: str) -> Iterator[Pair]:
        """Ordered pairs of two of the words, every query from another distance on."""
        count = len(words)
        for turn in range(count - 1):
            apart = 1 + (i + turn) % (count - 1)
            for first in range(count):
                head, tail = words[(i + first) % count], words[(i + first + apart) % count]
                if but not in (head, tail) and self.false(head, tail):
                    yield head, tail

    def _mismatch(self, i: int, query: Pair, wanted: int) -> list[T]:
        """(h_j, t_k) for each other tuple j, where k goes through all tails, each query anew."""
        negatives = []
        for number, (head, _) in enumerate(_from(self.tuples, i + 1)[:wanted]):
            tails = self._wrong_tails(head, query, _from(self.tails, number + 2 * i))
            tail = next(tails, None)
            if tail is not None and head not in query:
                negatives.append(self.negative(head, tail, "mismatch"))
        return negatives

    def _frequency(self, i: int, query: Pair, wanted: int) -> list[T]:
        zipf = self.aids.zipf
        return self._retailed(
            i,
            query,
            wanted,
            "frequency",
            lambda tail, tails: sorted(tails, key=lambda word: abs(zipf(word) - zipf(tail))),
        )

    def _near(self, i: int, query: Pair, wanted: int) -> list[T]:
        nearness = self.aids.nearness(self.tails)
        return self._retailed(
            i,
            query,
            wanted,
            "near",
            lambda tail, tails: sorted(tails, key=lambda word: -nearness(tail, word)),
        )

    def _retailed(
        self,
        i: int,
        query: Pair,
        wanted: int,
        rule: str,
        order: Callable[[str, list[str]], list[str]],
    ) -> list[T]:
        """(h_j, t_k) for each other tuple j: its head, with the first tail in order that is wrong.

        No word of the query comes again, so nothing but the relation tells right from wrong.
        """
        negatives = []
        for head, tail in _from(self.tuples, i + 1)[:wanted]:
            if head in query:
                continue
            key = (rule, tail)
            if key not in self._ordered:
                self._ordered[key] = order(tail, self.tails)
            few = list(islice(self._wrong_tails(head, query, self._ordered[key]), _NEAREST))
            if few:
                negatives.append(self.negative(head, few[i % len(few)], rule))
        return negatives

    def _wrong_tails(self, head: str, query: Pair, tails: Iterable[str]) -> Iterator[str]:
        """Those of the tails that are none of the head's, nor in the query."""
        return (tail for tail in tails if tail not in query and self.false(head, tail))

    def _cross(self, i: int, query: Pair, wanted: int) -> list[T]:
        """A tuple of another relation; that alone makes no pair of an open relation false."""
        why = None if self.extension.relation.open else "other relation"
        return [
            self.negative(head, tail, "cross", why)
            for head, tail in _from(self.foreign, i * wanted)[: 2 * wanted]
            if self.false(head, tail)
        ][:wanted]


_DIRECT = ("random", "random-head", "random-tail", "reverse", "type")
_NEAREST = 3


def _from(items: Sequence[T], start: int) -> list[T]:
    """All the items, from another start on."""
    if not items:
        return []
    start %= len(items)
    return [*items[start:], *items[:start]]


def fill_up(negatives: list[T], wanted: int) -> list[T]:
    """So many of them, gone through again where they are too few; none where there are none."""
    return (negatives * -(-wanted // len(negatives)))[:wanted] if negatives else []


class Literal(_Maker[T]):
    """Negatives exactly as the paper draws them, true or not."""

    def table(self, probe: str) -> Table[T]:
        """The negatives of a probe; those of `random` are twice as many, by head and by tail."""
        rules = {"random": ("random-head", "random-tail")}.get(probe, (probe,))
        drawn, sides = [], ("type-head", "type-tail")
        for i in range(len(self.tuples)):
            rest = [j for j in range(len(self.tuples)) if j != i]
            if probe == "type":
                negatives = [self._drawn(i, j, sides[(i + j) % 2]) for j in rest]
            else:
                negatives = [self._drawn(i, j, rule) for rule in rules for j in rest]
            drawn.append([negative for negative in negatives if negative is not None])
        per_query = len(rules) * self.wanted
        queries = [i for i, negatives in enumerate(drawn) if self._offers_a_choice(negatives)]
        return Table(queries, per_query, len(drawn), lambda i: fill_up(drawn[i], per_query))

    def _offers_a_choice(self, negatives: list[T]) -> bool:
        """Whether there is a negative beside what may be the positive itself."""
        pairs = self.pairs(negatives)
        return len(pairs) > 1 or any(not self.extension.holds(*pair) for pair in pairs)

    def _drawn(self, i: int, j: int, rule: str) -> T | None:
        (head, tail), (other_head, other_tail) = self.tuples[i], self.tuples[j]
        if rule == "reverse":
            return self._paired(other_tail, other_head, rule)
        if rule == "random-head":
            word = self._other(j, 0, (head,))
            return None if word is None else self._paired(word, tail, rule)
        if rule == "random-tail":
            word = self._other(j, 1, (tail,))
            return None if word is None else self._paired(head, word, rule)
        side = int(rule == "type-tail")
        own = self.tuples[i][side]
        word = self._other(j, side, (own,))
        if word is None:
            return None
        second = self._other(self.stream.below(len(self.tuples)), side, (own, word))
        return None if second is None else self._paired(word, second, rule)

    def _other(self, j: int, side: int, but: tuple[str, ...]) -> str | None:
        """A word of tuple j, or of another one where that is one of those it may not be."""
        if self.tuples[j][side] not in but:
            return self.tuples[j][side]
        words = [pair[side] for pair in self.tuples if pair[side] not in but]
        return self.stream.choice(words) if words else None

    def _paired(self, head: str, tail: str, rule: str) -> T:
        return self.negative(head, tail, rule, "none" if self.extension.holds(head, tail) else None)

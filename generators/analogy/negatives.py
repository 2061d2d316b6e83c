"""Negatives: for every query, as many pairs that do not hold as there are positives."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Generic, TypeVar

from ...kb.relations import Extension, Pair
from ...seed import Stream
from .resources import Resources, WordProfile

T = TypeVar("T")
Make = Callable[[Pair, str, str, bool], T]
"""Makes a candidate from a pair, its rule, its certificate, and whether it is true."""


class NegativeTable(Generic[T]):
    """The negatives of every query, sampled when they are first used."""

    def __init__(
        self, queries: list[int], per_query: int, tuples: int, draw: Callable[[int], list[T]]
    ) -> None:
        self.queries, self.per_query, self._draw = queries, per_query, draw
        self.drawn: list[list[T]] = [[] for _ in range(tuples)]

    def draw(self, i: int) -> list[T]:
        """Sample one negative for each of the other tuples."""
        self.drawn[i] = self._draw(i)
        return self.drawn[i]


class _NegativeMaker(Generic[T]):
    """Makes each negative once."""

    def __init__(
        self, tuples: Sequence[Pair], extension: Extension, stream: Stream, make: Make[T]
    ) -> None:
        self.tuples, self.extension, self.stream = tuples, extension, stream
        self.wanted = len(tuples) - 1
        self._make = make
        self._negatives: dict[tuple[str, str, str], T] = {}
        self._pairs: dict[int, Pair] = {}

    def negative(self, head: str, tail: str, rule: str, why: str | None = None) -> T:
        """Return the pair as a negative; if no certificate is given, look one up."""
        key = (head, tail, rule)
        negative = self._negatives.get(key)
        if negative is None:
            why = why or self.extension.why_false(head, tail) or "not listed"
            negative = self._negatives[key] = self._make((head, tail), rule, why, why == "none")
            self._pairs[id(negative)] = (head, tail)
        return negative

    def pairs(self, negatives: list[T]) -> set[Pair]:
        """Return the pairs of negatives that were made here."""
        return {self._pairs[id(negative)] for negative in negatives}


class SoundNegatives(_NegativeMaker[T]):
    """Negatives that certainly do not hold, by the paper's section 2.2 and further strategies."""

    def __init__(
        self,
        tuples: Sequence[Pair],
        extension: Extension,
        stream: Stream,
        make: Make[T],
        resources: Resources | None = None,
        foreign: Sequence[Pair] = (),
    ) -> None:
        """`foreign` are pairs of other relations between words of the same types."""
        super().__init__(tuples, extension, stream, make)
        self.resources, self.foreign = resources or Resources(), foreign
        self.heads = list(dict.fromkeys(head for head, _ in tuples))
        self.tails = list(dict.fromkeys(tail for _, tail in tuples))
        stream.shuffle(self.heads)
        stream.shuffle(self.tails)
        self._reversed: list[T | None] = []
        self._ordered: dict[str, list[str]] = {}

    @cached_property
    def profiles(self) -> dict[str, WordProfile]:
        """Profiles of all words of the tuples."""
        return self.resources.profiles(self.extension.relation, self.tuples)

    @cached_property
    def _nearness(self) -> Callable[[str, str], float]:
        return self.resources.nearness(self.profiles)

    def is_false(self, head: str, tail: str) -> bool:
        """Return whether the pair is certainly false."""
        return self.extension.why_false(head, tail) is not None

    def table(self, probe: str, least: int) -> NegativeTable[T]:
        """Return the negatives of a probe, for queries with at least `least` different ones."""
        draw: dict[str, Callable[[int, Pair, int], list[T]]] = {
            "random": self._random,
            "random-head": self._random_head,
            "random-tail": self._random_tail,
            "reverse": self._reverse,
            "type": self._type,
            "mismatch": self._mismatch,
            "hard": self._hard,
            "cross": self._cross,
        }

        def some(i: int, wanted: int) -> list[T]:
            return draw[probe](i, self.tuples[i], wanted)

        # Where one is enough, the others need not be sampled yet.
        few = 1 if least == 1 and probe in _DIRECT else self.wanted
        every = range(len(self.tuples))
        queries = [i for i in every if len(self.pairs(some(i, few))) >= least]
        return NegativeTable(
            queries,
            self.wanted,
            len(self.tuples),
            lambda i: repeat_to(some(i, self.wanted), self.wanted),
        )

    def _random(self, i: int, query: Pair, wanted: int) -> list[T]:
        """Half by head and half by tail; more of the one if there are few of the other."""
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
        """Return the h_j of (h_j, t_i): other heads for the query's tail."""
        return (head for head in _rotated(self.heads, i) if self.is_false(head, query[1]))

    def _other_tails(self, i: int, query: Pair) -> Iterator[str]:
        """Return the t_j of (h_i, t_j): other tails for the query's head, spare ones last."""
        tails = chain(_rotated(self.tails, i), self._spare_tails())
        return (tail for tail in tails if self.is_false(query[0], tail))

    def _spare_tails(self) -> Iterator[str]:
        """Yield tails of our heads that are in none of our tuples."""
        tails = set(self.tails)
        for head in self.heads:
            for tail in self.extension.relation.tails[head]:
                if tail not in tails:
                    tails.add(tail)
                    yield tail

    def _reverse(self, i: int, query: Pair, wanted: int) -> list[T]:
        """(t_j, h_j) of another tuple; of the query itself only if those do not suffice."""
        if not self._reversed:
            self._reversed = [
                self.negative(tail, head, "reverse") if self.is_false(tail, head) else None
                for head, tail in self.tuples
            ]
        candidates = _rotated(self._reversed, i + 1)
        return [negative for negative in candidates if negative is not None][:wanted]

    def _type(self, i: int, query: Pair, wanted: int) -> list[T]:
        """(h_j, h_k) and (t_j, t_k): two heads, or two tails, none of them the query's."""
        half = wanted // 2 + (i % 2 and wanted % 2)
        heads = list(islice(self._word_pairs(self.heads, i, query[0]), wanted))
        tails = list(
            islice(self._word_pairs(self.tails, i, query[1]), wanted - min(half, len(heads)))
        )
        return [
            *(self.negative(*two, "type-head") for two in heads[: wanted - len(tails)]),
            *(self.negative(*two, "type-tail") for two in tails),
        ]

    def _word_pairs(self, words: list[str], i: int, excluded: str) -> Iterator[Pair]:
        """Yield ordered pairs of the words, starting from another distance for each query."""
        count = len(words)
        for turn in range(count - 1):
            apart = 1 + (i + turn) % (count - 1)
            for first in range(count):
                head, tail = words[(i + first) % count], words[(i + first + apart) % count]
                if excluded not in (head, tail) and self.is_false(head, tail):
                    yield head, tail

    def _mismatch(self, i: int, query: Pair, wanted: int) -> list[T]:
        """(h_j, t_k) for each other tuple j, where k cycles through all tails."""
        negatives = []
        for number, (head, _) in enumerate(_rotated(self.tuples, i + 1)[:wanted]):
            tails = self._wrong_tails(head, query, _rotated(self.tails, number + 2 * i))
            tail = next(tails, None)
            if tail is not None and head not in query:
                negatives.append(self.negative(head, tail, "mismatch"))
        return negatives

    def _hard(self, i: int, query: Pair, wanted: int) -> list[T]:
        """A head and a tail that resemble those of the query, the most similar first.

        Both have the part of speech of the query's words and, as far as there are such words, their
        domain and frequency. Their difference is then about that of the query.
        """
        heads, tails = self._similar(self.heads, query[0]), self._similar(self.tails, query[1])
        negatives: list[T] = []
        for total in range(len(heads) + len(tails) - 1):
            for place in range(max(0, total - len(tails) + 1), min(total + 1, len(heads))):
                head, tail = heads[place], tails[total - place]
                if not {head, tail} & set(query) and self.is_false(head, tail):
                    negatives.append(self.negative(head, tail, "hard"))
                    if len(negatives) == wanted:
                        return negatives
        return negatives

    def _similar(self, words: list[str], word: str) -> list[str]:
        """Return the words with the same part of speech as another one, the most similar first."""
        profiles, nearness = self.profiles, self._nearness
        if word not in self._ordered:
            own = profiles[word]
            alike = {other: own.likeness(profiles[other]) for other in words if other != word}
            self._ordered[word] = sorted(
                (other for other, (same_part, _, _) in alike.items() if same_part),
                key=lambda other: (alike[other], nearness(word, other)),
                reverse=True,
            )
        return self._ordered[word]

    def _wrong_tails(self, head: str, query: Pair, tails: Iterable[str]) -> Iterator[str]:
        """Return the tails that are false for the head, and not in the query."""
        return (tail for tail in tails if tail not in query and self.is_false(head, tail))

    def _cross(self, i: int, query: Pair, wanted: int) -> list[T]:
        """A tuple of another relation; for an open relation that alone is no certificate."""
        why = None if self.extension.relation.open else "other relation"
        return [
            self.negative(head, tail, "cross", why)
            for head, tail in _rotated(self.foreign, i * wanted)[: 2 * wanted]
            if self.is_false(head, tail)
        ][:wanted]


_DIRECT = ("random", "random-head", "random-tail", "reverse", "type")


def _rotated(items: Sequence[T], start: int) -> list[T]:
    """Return all the items, starting at another place."""
    if not items:
        return []
    start %= len(items)
    return [*items[start:], *items[:start]]


def repeat_to(negatives: list[T], wanted: int) -> list[T]:
    """Return `wanted` of them, repeated if they are too few; none if there are none."""
    return (negatives * -(-wanted // len(negatives)))[:wanted] if negatives else []


class PaperNegatives(_NegativeMaker[T]):
    """Negatives exactly as the paper samples them, true or not."""

    def table(self, probe: str) -> NegativeTable[T]:
        """Return the negatives of a probe; for `random` twice as many, by head and by tail."""
        rules = {"random": ("random-head", "random-tail")}.get(probe, (probe,))
        drawn, sides = [], ("type-head", "type-tail")
        for i in range(len(self.tuples)):
            rest = [j for j in range(len(self.tuples)) if j != i]
            if probe == "type":
                negatives = [self._sample(i, j, sides[(i + j) % 2]) for j in rest]
            else:
                negatives = [self._sample(i, j, rule) for rule in rules for j in rest]
            drawn.append([negative for negative in negatives if negative is not None])
        per_query = len(rules) * self.wanted
        queries = [i for i, negatives in enumerate(drawn) if self._has_alternative(negatives)]
        return NegativeTable(
            queries, per_query, len(drawn), lambda i: repeat_to(drawn[i], per_query)
        )

    def _has_alternative(self, negatives: list[T]) -> bool:
        """Return whether there is a negative other than the positive itself."""
        pairs = self.pairs(negatives)
        return len(pairs) > 1 or any(not self.extension.holds(*pair) for pair in pairs)

    def _sample(self, i: int, j: int, rule: str) -> T | None:
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

    def _other(self, j: int, side: int, excluded: tuple[str, ...]) -> str | None:
        """Return a word of tuple j, or of another one if that is excluded."""
        if self.tuples[j][side] not in excluded:
            return self.tuples[j][side]
        words = [pair[side] for pair in self.tuples if pair[side] not in excluded]
        return self.stream.choice(words) if words else None

    def _paired(self, head: str, tail: str, rule: str) -> T:
        return self.negative(head, tail, rule, "none" if self.extension.holds(head, tail) else None)

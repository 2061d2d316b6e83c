"""How large and how varied a bank is, measured on renderings of clauses.

A clause is a chain of one to three predicates that the rules can derive something from; a group
is a clause with a gender for each person. A rendering is what a frame makes of a group, people
left as numbers and lexical slots filled once, so that word lists do not multiply renderings.
Overlap is Jaccard's index over the sets of unigrams or bigrams of two renderings: all pairs
within a group, mean over groups. It is given for words alone, people and punctuation dropped,
and for all tokens.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise, product
from math import gcd

from ..kb.worlds.rules import RuleIndex
from ..seed import hash_key
from .bank import LONGEST, Bank
from .frame import Frame
from .language import words_of
from .stitcher import Stitcher
from .tokens import Choice, Words, flat
from .wording import Genders

Clause = tuple[str, ...]
Advance = Callable[[int], None]

_MOST_CHAINS = 20_000
_TOKEN = re.compile(r"@\d|'s\b|[^\W_]+(?:['-][^\W_]+)*|[^\w\s]")
_PERSON = re.compile(r"@\d(?:'s)?")


@dataclass(frozen=True)
class Overlap:
    """Mean Jaccard overlap within groups."""

    unigrams: float
    bigrams: float


@dataclass(frozen=True)
class Statistics:
    """The figures of a bank."""

    frames: int
    frames_by_length: dict[int, int]
    clauses: dict[int, int]
    groups: dict[int, int]
    renderings: int
    least_per_group: int
    mean_per_group: float
    least_per_clause: int
    mean_per_clause: float
    words: int
    mean_length: float
    words_only: Overlap
    all_tokens: Overlap


def clauses(bank: Bank, longest: int = LONGEST) -> list[Clause]:
    """Every chain of one to three predicates that derives something.

    Where there are too many chains of a length, each n-th of them stands for all.
    """
    rules = RuleIndex.from_world(bank.world)
    names = tuple(bank.world.predicates)
    return [
        chain
        for length in range(1, longest + 1)
        for chain in islice(product(names, repeat=length), 0, None, _stride(len(names), length))
        if length == 1 or rules.derive(chain)
    ]


def _stride(predicates: int, length: int) -> int:
    """So many chains are passed over at a time, so that all predicates come in all places."""
    stride: int = 1 + predicates**length // _MOST_CHAINS
    while gcd(stride, predicates) > 1:
        stride += 1
    return stride


def genders(bank: Bank, clause: Sequence[str]) -> Iterator[Genders]:
    """Every way to give the people of a clause genders."""
    kinds: tuple[str | None, ...] = bank.world.genders or (None,)
    for genders in product(kinds, repeat=len(clause) + 1):
        if not any(
            name in bank.head.opposite and genders[n] == genders[n + 1]
            for n, name in enumerate(clause)
        ):
            yield genders


def render(
    stitcher: Stitcher,
    frame: Frame,
    backwards: bool,
    clause: Sequence[str],
    kinds: Genders,
    names: Sequence[str],
) -> str:
    """What a frame makes of a clause, with all options, lexical slots filled by its id."""
    if backwards:
        inverse = stitcher.bank.world.inverse
        clause = [inverse(name) or name for name in reversed(clause)]
        kinds, names = kinds[::-1], names[::-1]
    wording = frame.worded(kinds)[-1]
    fillers = stitcher.bank.language.fillers
    number = _number(frame.id)
    chosen = [fillers[n][number % len(fillers[n])] for n in wording.fillers]
    return wording.fill([*names, *stitcher.nouns(clause, kinds), *chosen])


@cache
def _number(frame: str) -> int:
    return hash_key("filler", frame) >> 128


def renderings(stitcher: Stitcher, clause: Clause, kinds: Genders) -> list[str]:
    """The distinct renderings of a group, people as @0, @1 …"""
    names = [f"@{n}" for n in range(len(kinds))]
    return list(
        dict.fromkeys(
            render(stitcher, frame, backwards, clause, kinds, names)
            for frame, backwards in stitcher.clause(clause, kinds)
        )
    )


def vocabulary(bank: Bank) -> set[str]:
    """Every word that the bank can write, in small letters."""
    texts = [words for some in bank.language.lists.values() for words in some]
    for frame in bank.frames:
        for token in flat(frame.tokens):
            if isinstance(token, Words):
                texts.append(token.text)
            elif isinstance(token, Choice):
                texts += token.words
    for pronoun in bank.head.pronouns.values():
        texts += pronoun.words.values()
    for predicate in bank.world.predicates.values():
        words = predicate.words
        texts += words.values() if isinstance(words, dict) else [words]
    return {word for text in texts for word in words_of(text)}


def measure(bank: Bank, every: int = 1, advance: Advance = lambda done: None) -> Statistics:
    """All figures; overlap and lengths are measured in each n-th group where `every` is n.

    `advance` is told how many groups are done.
    """
    stitcher = Stitcher(bank)
    masks = _Masks()
    counts: dict[Clause, list[int]] = {}
    lengths: list[int] = []
    groups = _groups(bank)
    plain: list[Overlap] = []
    full: list[Overlap] = []
    for number, (clause, kinds) in enumerate(groups):
        # No two frames, nor one read both ways, make the same text: counting them will do.
        counts.setdefault(clause, []).append(len(stitcher.clause(clause, kinds)))
        if number % every == 0:
            texts = renderings(stitcher, clause, kinds)
            full.append(masks.overlap([_TOKEN.findall(text.lower()) for text in texts]))
            tokens = [words_of(_PERSON.sub("", text)) for text in texts]
            plain.append(masks.overlap(tokens))
            lengths += [len(some) for some in tokens]
        advance(number + 1)
    flat_counts = [count for some in counts.values() for count in some]
    per_clause = [sum(some) for some in counts.values()]
    sizes = range(1, LONGEST + 1)
    return Statistics(
        frames=len(bank.frames),
        frames_by_length={n: sum(len(f.predicates) == n for f in bank.frames) for n in sizes},
        clauses={n: sum(len(clause) == n for clause in counts) for n in sizes},
        groups={n: sum(len(clause) == n for clause, _ in groups) for n in sizes},
        renderings=sum(flat_counts),
        least_per_group=min(flat_counts),
        mean_per_group=sum(flat_counts) / len(flat_counts),
        least_per_clause=min(per_clause),
        mean_per_clause=sum(per_clause) / len(per_clause),
        words=len(vocabulary(bank)),
        mean_length=sum(lengths) / max(1, len(lengths)),
        words_only=_mean(plain),
        all_tokens=_mean(full),
    )


def _groups(bank: Bank) -> list[tuple[Clause, Genders]]:
    return [(clause, kinds) for clause in clauses(bank) for kinds in genders(bank, clause)]


def count_groups(bank: Bank) -> int:
    """How many groups `measure` goes through."""
    return len(_groups(bank))


def _mean(some: list[Overlap]) -> Overlap:
    count = max(1, len(some))
    return Overlap(sum(o.unigrams for o in some) / count, sum(o.bigrams for o in some) / count)


class _Masks:
    """Sets of n-grams as bits of whole numbers, whose overlap is quick to count."""

    def __init__(self) -> None:
        self._bits: dict[tuple[str, ...], int] = {}

    def overlap(self, texts: list[list[str]]) -> Overlap:
        return Overlap(
            self._overlap([[(word,) for word in text] for text in texts]),
            self._overlap([list(pairwise(text)) for text in texts]),
        )

    def _overlap(self, texts: Sequence[Sequence[tuple[str, ...]]]) -> float:
        # Bits are numbered within the group, so that the numbers stay short.
        self._bits.clear()
        masks = [self._mask(text) for text in texts]
        sizes = [mask.bit_count() for mask in masks]
        total, pairs = 0.0, 0
        for n, mask in enumerate(masks):
            size = sizes[n]
            for m in range(n):
                shared = (mask & masks[m]).bit_count()
                if shared:
                    total += shared / (size + sizes[m] - shared)
            pairs += n
        return total / pairs if pairs else 0.0

    def _mask(self, grams: Sequence[tuple[str, ...]]) -> int:
        mask = 0
        for gram in grams:
            mask |= 1 << self._bits.setdefault(gram, len(self._bits))
        return mask

"""Size and variety of a bank, measured on renderings of clauses.

A clause is a chain of one to three predicates from which the rules derive something; a group is a
clause with a gender for each person. A rendering is a group realized by a frame, with numbers for
people and one choice for lexical slots, so that word lists do not multiply renderings. Overlap is
the Jaccard index of the unigrams or bigrams of two renderings: mean over the pairs of a group, then
over groups. It is measured for words without people and punctuation, and for all tokens.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product
from math import gcd

from relsmith.kb.worlds.rules import RuleIndex
from relsmith.templates.bank import MAX_FACTS, Bank
from relsmith.templates.language import words_of
from relsmith.templates.realization import Genders
from relsmith.templates.samples import possible_genders, render, vocabulary
from relsmith.templates.stitcher import Stitcher

Clause = tuple[str, ...]

_MAX_CLAUSES = 20_000
_TOKEN = re.compile(r"@\d|'s\b|[^\W_]+(?:['-][^\W_]+)*|[^\w\s]")
_PERSON = re.compile(r"@\d(?:'s)?")


@dataclass(frozen=True)
class Overlap:
    """Mean Jaccard overlap within groups."""

    unigrams: float
    bigrams: float


@dataclass(frozen=True)
class BankStatistics:
    """Size and variety of a bank."""

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


def clauses(bank: Bank, longest: int = MAX_FACTS) -> list[Clause]:
    """Return every chain of one to three predicates from which the rules derive something.

    If there are too many chains of a length, every n-th is considered.
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
    """Return the step through all chains; coprime, so that all predicates occur at all places."""
    stride: int = 1 + predicates**length // _MAX_CLAUSES
    while gcd(stride, predicates) > 1:
        stride += 1
    return stride


def renderings(stitcher: Stitcher, clause: Clause, genders: Genders) -> list[str]:
    """Return the distinct renderings of a group, with @0, @1 … for people."""
    names = [f"@{n}" for n in range(len(genders))]
    return list(
        dict.fromkeys(
            render(stitcher, frame, backwards, clause, genders, names)
            for frame, backwards in stitcher.matching_frames(clause, genders)
        )
    )


def measure(bank: Bank, every: int = 1) -> BankStatistics:
    """Return the statistics; overlap and lengths are measured in every `every`-th group."""
    stitcher = Stitcher(bank)
    counts: dict[Clause, list[int]] = {}
    lengths: list[int] = []
    groups = _groups(bank)
    plain: list[Overlap] = []
    full: list[Overlap] = []
    for number, (clause, genders) in enumerate(groups):
        # Frames and directions all give different texts: counting them suffices.
        counts.setdefault(clause, []).append(len(stitcher.matching_frames(clause, genders)))
        if number % every == 0:
            texts = renderings(stitcher, clause, genders)
            full.append(_overlap([_TOKEN.findall(text.lower()) for text in texts]))
            tokens = [words_of(_PERSON.sub("", text)) for text in texts]
            plain.append(_overlap(tokens))
            lengths += [len(some) for some in tokens]
    flat_counts = [count for some in counts.values() for count in some]
    per_clause = [sum(some) for some in counts.values()]
    sizes = range(1, MAX_FACTS + 1)
    return BankStatistics(
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
    return [
        (clause, genders) for clause in clauses(bank) for genders in possible_genders(bank, clause)
    ]


def _mean(some: list[Overlap]) -> Overlap:
    count = max(1, len(some))
    return Overlap(sum(o.unigrams for o in some) / count, sum(o.bigrams for o in some) / count)


def _overlap(texts: list[list[str]]) -> Overlap:
    """Return the mean overlap of all pairs of texts."""
    return Overlap(
        _mean_jaccard([[(word,) for word in text] for text in texts]),
        _mean_jaccard([list(pairwise(text)) for text in texts]),
    )


def _mean_jaccard(texts: Sequence[Sequence[tuple[str, ...]]]) -> float:
    """Return the mean Jaccard index of all pairs of n-gram sets, with bitmasks for speed."""
    bits: dict[tuple[str, ...], int] = {}
    masks = [0] * len(texts)
    for n, grams in enumerate(texts):
        for gram in grams:
            masks[n] |= 1 << bits.setdefault(gram, len(bits))
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

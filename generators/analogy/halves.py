"""Which tuples of a relation each split gets."""

from collections.abc import Mapping

from ...kb.relations import Pair, Relation
from ...seed import Stream


def by_head(
    tails: Mapping[str, tuple[str, ...]],
    splits: int,
    most: int,
    stream: Stream,
    taken: Mapping[Pair, int],
) -> list[list[Pair]]:
    """Share the tails of all heads out evenly, no head in two splits, `most` of them in all.

    `taken` has the split of pairs that other relations list too: they stay together, so that no
    row can stand in two splits.
    """
    heads = list(tails)
    stream.shuffle(heads)
    heads.sort(key=lambda head: -len(tails[head]))
    parts: list[list[str]] = [[] for _ in range(splits)]
    sizes = [0] * splits
    fixed = {
        head: taken[head, tail] for head in tails for tail in tails[head] if (head, tail) in taken
    }
    for head in sorted(heads, key=lambda head: head not in fixed):
        split = fixed.get(head, min(range(splits), key=sizes.__getitem__))
        parts[split].append(head)
        sizes[split] += len(tails[head])
    rooms = [most // splits + (split < most % splits) for split in range(splits)]
    return [_some(tails, part, room, stream) for part, room in zip(parts, rooms, strict=True)]


def _some(
    tails: Mapping[str, tuple[str, ...]], heads: list[str], most: int, stream: Stream
) -> list[Pair]:
    """At most so many tuples, drawn so that no head has many more than another."""
    ours = {head: list(tails[head]) for head in heads}
    for some in ours.values():
        stream.shuffle(some)
    pairs = [
        (head, ours[head][turn])
        for turn in range(max(map(len, ours.values()), default=0))
        for head in heads
        if turn < len(ours[head])
    ][:most]
    stream.shuffle(pairs)
    return pairs


def by_tuple(relation: Relation, splits: int, most: int, stream: Stream) -> list[list[Pair]]:
    """Share the tuples out as the paper does: cut, then by number, the first split the larger."""
    pairs = list(relation.pairs)
    stream.shuffle(pairs)
    pairs = pairs[:most]
    sizes = [(len(pairs) + splits - 1 - split) // splits for split in range(splits)]
    return [pairs[sum(sizes[:split]) : sum(sizes[: split + 1])] for split in range(splits)]

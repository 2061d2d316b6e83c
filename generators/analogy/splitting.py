"""The division of a relation's tuples among splits."""

from collections.abc import Mapping

from ...kb.relations import Pair, Relation
from ...seed import Stream


def split_by_head(
    tails: Mapping[str, tuple[str, ...]],
    splits: int,
    most: int,
    stream: Stream,
    assigned: Mapping[Pair, int],
) -> list[list[Pair]]:
    """Divide the tuples evenly, with no head in two splits, and at most `most` in all.

    `assigned` has the split of pairs that other relations list too: they stay in it, so that no row
    is in two splits.
    """
    heads = list(tails)
    stream.shuffle(heads)
    heads.sort(key=lambda head: -len(tails[head]))
    parts: list[list[str]] = [[] for _ in range(splits)]
    sizes = [0] * splits
    fixed = {
        head: assigned[head, tail]
        for head in tails
        for tail in tails[head]
        if (head, tail) in assigned
    }
    for head in sorted(heads, key=lambda head: head not in fixed):
        split = fixed.get(head, min(range(splits), key=sizes.__getitem__))
        parts[split].append(head)
        sizes[split] += len(tails[head])
    rooms = [most // splits + (split < most % splits) for split in range(splits)]
    return [_sample(tails, part, room, stream) for part, room in zip(parts, rooms, strict=True)]


def _sample(
    tails: Mapping[str, tuple[str, ...]], heads: list[str], most: int, stream: Stream
) -> list[Pair]:
    """Sample at most `most` tuples, so that no head has many more than another."""
    shuffled = {head: list(tails[head]) for head in heads}
    for some in shuffled.values():
        stream.shuffle(some)
    pairs = [
        (head, shuffled[head][turn])
        for turn in range(max(map(len, shuffled.values()), default=0))
        for head in heads
        if turn < len(shuffled[head])
    ][:most]
    stream.shuffle(pairs)
    return pairs


def split_by_tuple(relation: Relation, splits: int, most: int, stream: Stream) -> list[list[Pair]]:
    """Divide the tuples as the paper does: cut, then by number, the first split larger."""
    pairs = list(relation.pairs)
    stream.shuffle(pairs)
    pairs = pairs[:most]
    sizes = [(len(pairs) + splits - 1 - split) // splits for split in range(splits)]
    return [pairs[sum(sizes[:split]) : sum(sizes[: split + 1])] for split in range(splits)]

"""One pass over a corpus: which pairs make rows, and where they stand."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from .blanks import Blanker, Unit, phrases_of
from .corpus import Bad, Corpus, Pair

_ITEM_BITS, _MEMBER_BITS = 8, 16
_PLACE = _ITEM_BITS + _MEMBER_BITS
_ALONE = 1 << _ITEM_BITS - 1
_ITEMS, _MEMBERS = _ALONE - 1, (1 << _MEMBER_BITS) - 1

Spot = tuple[int, int, int, bool]
"""Where a row comes from: its group's place, which of its pairs, which blank of it, and whether
the pair is the only one of its group."""


@dataclass
class Index:
    """The spots of all rows in order, eight bytes each; `masks` says which units may be blanked."""

    bad: Bad
    pairs: int = 0
    spots: "array[int]" = field(default_factory=lambda: array("Q"))
    masks: "array[int] | None" = None

    def __len__(self) -> int:
        return len(self.spots)

    def __getitem__(self, row: int) -> Spot:
        packed = self.spots[row]
        return (
            packed >> _PLACE,
            packed >> _ITEM_BITS & _MEMBERS,
            packed & _ITEMS,
            packed & _ALONE > 0,
        )

    def mask(self, row: int) -> int:
        """One bit for each unit of the pair."""
        return -1 if self.masks is None else self.masks[row]

    def shares(self, splits: int) -> list["array[int]"]:
        """Deal whole groups out to so many splits, each time to the one with the fewest rows."""
        shares = [array("Q") for _ in range(splits)]
        group, share = None, shares[0]
        for row, packed in enumerate(self.spots):
            place = packed >> _PLACE
            if place != group:
                group, share = place, min(shares, key=len)
            share.append(row)
        return shares


Fits = Callable[[Pair, list[Unit]], bool]


def build_index(
    corpus: Corpus,
    blanker: Blanker,
    *,
    most: int,
    cap: float,
    single: bool,
    strict: bool,
    fits: Fits | None = None,
) -> Index:
    """Read every pair once.

    An answer is admitted in at most 1 + `cap` x so many pairs of the first so many, so the cap
    holds in the corpus and in whatever rows are drawn from it. With `single`, a row is made of
    each phrase that stands in one place only, up to `most` of a pair.
    """
    index = Index(Bad(corpus.name, strict))
    plain = blanker.visible and cap >= 1 and not single
    if not plain:
        index.masks = array("Q")
    admitted: dict[str, int] = {}
    spots = index.spots
    for group in corpus.groups(bad=index.bad):
        first = group[0].place << _PLACE | (_ALONE if len(group) == 1 else 0)
        for member, pair in enumerate(group):
            index.pairs += 1
            packed = first | member << _ITEM_BITS
            if plain:
                if blanker.any(pair):
                    spots.append(packed)
                continue
            units = blanker.units(pair)
            clusters = [
                cluster
                for cluster in blanker.clusters(pair, units)
                if _admissible(pair, cluster, most, single and not blanker.visible, fits)
                and _admit(cluster, admitted, 1 + cap * index.pairs)
            ]
            if not clusters:
                continue
            mask = _mask(units, clusters)
            for item in range(min(most, len(clusters)) if single else 1):
                spots.append(packed | item)
                index.masks.append(mask)  # type: ignore[union-attr]
    return index


def _mask(units: list[Unit], clusters: list[list[Unit]]) -> int:
    """A bit for each unit that is in a cluster."""
    kept = {unit[0] for cluster in clusters for unit in cluster}
    if len(kept) == len(units):
        return (1 << len(units)) - 1
    return sum([1 << bit for bit, unit in enumerate(units) if unit[0] in kept])


def _admissible(pair: Pair, cluster: list[Unit], most: int, alone: bool, fits: Fits | None) -> bool:
    if len(cluster) > 1 and (alone or len(phrases_of(cluster)) > most):
        return False
    return fits is None or fits(pair, cluster)


def _admit(cluster: list[Unit], admitted: dict[str, int], quota: float) -> bool:
    phrases = phrases_of(cluster) if len(cluster) > 1 else (cluster[0][2],)
    for phrase in phrases:
        if admitted.get(phrase, 0) + 1 > quota:
            return False
    for phrase in phrases:
        admitted[phrase] = admitted.get(phrase, 0) + 1
    return True

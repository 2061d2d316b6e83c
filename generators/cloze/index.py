"""The index of rows: which pairs of a corpus make rows, found in one pass."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from .blanks import BlankFinder, Unit, phrases_of
from .corpus import BadLines, ClozePair, Corpus

_ITEM_BITS, _MEMBER_BITS = 8, 16
_PLACE = _ITEM_BITS + _MEMBER_BITS
_SINGLE_PAIR = 1 << _ITEM_BITS - 1
_ITEMS, _MEMBERS = _SINGLE_PAIR - 1, (1 << _MEMBER_BITS) - 1

RowOrigin = tuple[int, int, int, bool]
"""The origin of a row: place of the group, number of the pair, number of the blank, and whether the
pair is the only one of its group."""


@dataclass
class RowIndex:
    """The origins of all rows in order, eight bytes each, with masks of the units to blank."""

    bad: BadLines
    pairs: int = 0
    origins: "array[int]" = field(default_factory=lambda: array("Q"))
    masks: "array[int] | None" = None

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, row: int) -> RowOrigin:
        packed = self.origins[row]
        return (
            packed >> _PLACE,
            packed >> _ITEM_BITS & _MEMBERS,
            packed & _ITEMS,
            packed & _SINGLE_PAIR > 0,
        )

    def mask(self, row: int) -> int:
        """Return a mask with one bit for each unit of the pair that may be blanked."""
        return -1 if self.masks is None else self.masks[row]

    def split(self, splits: int) -> list["array[int]"]:
        """Assign groups to splits, each to the one with fewest rows; return row numbers."""
        parts = [array("Q") for _ in range(splits)]
        group, part = None, parts[0]
        for row, packed in enumerate(self.origins):
            place = packed >> _PLACE
            if place != group:
                group, part = place, min(parts, key=len)
            part.append(row)
        return parts


ClusterFilter = Callable[[ClozePair, list[Unit]], bool]


def build_index(
    corpus: Corpus,
    blank_finder: BlankFinder,
    *,
    most: int,
    cap: float,
    single: bool,
    strict: bool,
    fits: ClusterFilter | None = None,
) -> RowIndex:
    """Index a corpus in one pass.

    An answer is admitted in at most 1 + `cap` * n of the first n pairs, so the cap holds in the
    corpus and in any rows sampled from it. With `single`, a row is made of each phrase that occurs
    once, up to `most` per pair.
    """
    index = RowIndex(BadLines(corpus.name, strict))
    plain = blank_finder.visible and cap >= 1 and not single
    if not plain:
        index.masks = array("Q")
    admitted: dict[str, int] = {}
    origins = index.origins
    for group in corpus.groups(bad=index.bad):
        first = group[0].place << _PLACE | (_SINGLE_PAIR if len(group) == 1 else 0)
        for member, pair in enumerate(group):
            index.pairs += 1
            packed = first | member << _ITEM_BITS
            if plain:
                if blank_finder.has_candidates(pair):
                    origins.append(packed)
                continue
            units = blank_finder.units(pair)
            clusters = [
                cluster
                for cluster in blank_finder.clusters(pair, units)
                if _admissible(pair, cluster, most, single and not blank_finder.visible, fits)
                and _admit(cluster, admitted, 1 + cap * index.pairs)
            ]
            if not clusters:
                continue
            mask = _mask(units, clusters)
            for item in range(min(most, len(clusters)) if single else 1):
                origins.append(packed | item)
                index.masks.append(mask)  # type: ignore[union-attr]
    return index


def _mask(units: list[Unit], clusters: list[list[Unit]]) -> int:
    """Return a mask with a bit for each unit that is in a cluster."""
    kept = {unit[0] for cluster in clusters for unit in cluster}
    if len(kept) == len(units):
        return (1 << len(units)) - 1
    return sum([1 << bit for bit, unit in enumerate(units) if unit[0] in kept])


def _admissible(
    pair: ClozePair, cluster: list[Unit], most: int, alone: bool, fits: ClusterFilter | None
) -> bool:
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

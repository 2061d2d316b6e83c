"""Clusters of rows: rows that were drawn together, whose answers are not independent."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import Any, NamedTuple

NORMAL = 1.959964
"""The 97.5 % quantile of the normal distribution."""


CLUSTER_FIELDS = "clause", "probe", "relation", "question", "story", "cluster", "group"
"""The metadata that `clusters` looks at."""


class RowClusters(NamedTuple):
    """The name of the clusters, and the key of each row's cluster."""

    unit: str
    keys: list[str]


def clusters(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> RowClusters:
    """Return the clusters of rows, given by id and metadata.

    Stories are drawn by clause, analogies by relation and pairs of relation inference by question.
    Clauses of one group of siblings are one cluster. If stories have several questions, with
    different clauses, each story is a cluster. Other rows are clusters by group or alone.
    """
    listed = list(rows)
    units = [found for _, metadata in listed if (found := _unit(metadata))]
    known = bool(units) and len(units) == len(listed)
    names = [("stories", "story"), *[("clusters", "cluster")] * (not known)]
    for unit, name in names:
        if any(metadata.get(name) for _, metadata in listed):
            return RowClusters(unit, [str(metadata.get(name) or row) for row, metadata in listed])
    if not known:
        keys = [str(metadata.get("group") or row) for row, metadata in listed]
        grouped = any(metadata.get("group") for _, metadata in listed)
        return RowClusters("groups" if grouped else "rows", keys)
    keys = [key for _, key in units]
    if units[0][0] == "clauses":
        keys = _merged(keys, [str(metadata.get("group") or "") for _, metadata in listed])
    return RowClusters(units[0][0], keys)


def _unit(metadata: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the type of unit and the unit of which a row was drawn; None if it is not known."""
    match metadata:
        case {"clause": [*relations]} if relations:
            return "clauses", " ".join(map(str, relations))
        case {"probe": str(), "relation": str(relation)}:
            return "relations", relation
        case {"question": {"relation": relation, "argument": argument}}:
            return "questions", f"{relation} {argument}"
    return None


def _merged(keys: Sequence[str], groups: Sequence[str]) -> list[str]:
    """Give the rows of a group the same key, and all other rows with their keys too."""
    parent = {key: key for key in keys}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = key = parent[parent[key]]
        return key

    first: dict[str, str] = {}
    for key, group in zip(keys, groups, strict=True):
        if group:
            parent[root(key)] = root(first.setdefault(group, key))
    return [root(key) for key in keys]


def share_interval(right: Sequence[bool], keys: Sequence[str]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the share of right rows, whose clusters are `keys`.

    It is Wilson's interval for the effective number of rows: as many independent rows would have
    the variance of the cluster sums. It is nearly that of `evaluation.statistics.share`, but needs
    no numpy and is equal on every machine.
    """
    rows, share = len(right), sum(right) / len(right)
    effects = dict.fromkeys(keys, 0.0)
    for verdict, key in zip(right, keys, strict=True):
        effects[key] += verdict - share
    count, spread, seen = len(effects), share * (1 - share), rows * min(share, 1 - share)
    variance = fsum(effect**2 for effect in effects.values()) / rows**2
    each = variance * count / max(1, count - 1) / spread if spread else 0.0
    worth = min(rows, (seen + 1) / (seen * each + 1 / count))
    quantile, freedom = NORMAL, max(1, count - 1)
    if spread:  # Fisher's and Cornish's expansion of Student's quantile
        cubic, quintic = NORMAL**3 + NORMAL, 5 * NORMAL**5 + 16 * NORMAL**3 + 3 * NORMAL
        quantile += cubic / (4 * freedom) + quintic / (96 * freedom**2)
    return wilson_interval(share, worth, quantile)


def wilson_interval(share: float, rows: float, quantile: float = NORMAL) -> tuple[float, float]:
    """Return Wilson's interval for a share of `rows` independent rows."""
    square = quantile**2 / rows
    middle = (share + square / 2) / (1 + square)
    half = quantile * sqrt(share * (1 - share) / rows + square / (4 * rows)) / (1 + square)
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))

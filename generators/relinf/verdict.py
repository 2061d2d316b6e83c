"""The judge of labels: counts the votes and runs Dawid and Skene's algorithm in plain Python."""

import math
from collections import Counter
from functools import lru_cache
from typing import Any

from ...example import Example


class Cast(dict[str, list[tuple[str, str]]]):
    """For each task (worker, label), as the files have them; told apart from others by identity."""

    __hash__ = object.__hash__  # type: ignore[assignment]


_LABELS = ("yes", "no", "nonsense")


def label_findings(example: Example, votes: Cast, rule: str) -> list[str]:
    """Whether annotations, votes and label are what the files and the rule make of them."""
    claims: dict[str, Any] = example.metadata
    cast = sorted(list(vote) for vote in votes.get(claims["task"], []))
    if claims["annotations"] != cast:
        return ["the annotations are not those of the files"]
    counts = {label: sum(said == label for _, said in cast) for label in _LABELS}
    findings = [] if claims["votes"] == counts else [f"votes should be {counts}"]
    label, confidence = decide(claims["task"], votes, rule)
    if example.target != label:
        findings.append(f"target is {example.target!r}, but the annotators say {label!r}")
    if not math.isclose(claims["confidence"], confidence, abs_tol=2e-4):
        findings.append(f"confidence is {claims['confidence']}, but should be {confidence:.4f}")
    return findings


def decide(task: str, votes: Cast, rule: str) -> tuple[str, float]:
    """The label of a task and its confidence; no label where too few agree."""
    if rule == "dawid-skene":
        sure = _weighed(votes)[task]
        label = max(_LABELS, key=lambda label: sure[label])
        return label, sure[label]
    cast = Counter(label for _, label in votes[task])
    total = sum(cast.values())
    (label, most), *_ = cast.most_common()
    if rule == "all-but-one":
        enough = most >= 2 and total - most <= 1
    elif rule == "majority":
        enough = 2 * most > total
    else:
        k, n = (int(part) for part in rule.split("/"))
        enough = most >= k and most * n >= k * total
    return (label if enough else ""), most / total


@lru_cache(2)
def _weighed(votes: Cast) -> dict[str, dict[str, float]]:
    sure = {
        task: {label: sum(said == label for _, said in cast) / len(cast) for label in _LABELS}
        for task, cast in votes.items()
    }
    for _ in range(100):
        errs: dict[tuple[str, str, str], float] = {}
        for task, cast in votes.items():
            for worker, said in cast:
                for label in _LABELS:
                    place = worker, label, said
                    errs[place] = errs.get(place, 0.01) + sure[task][label]
        for worker in {worker for worker, _, _ in errs}:
            for label in _LABELS:
                row = [errs.get((worker, label, said), 0.01) for said in _LABELS]
                for said, value in zip(_LABELS, row, strict=True):
                    errs[worker, label, said] = value / sum(row)
        usual = {
            label: sum(chances[label] for chances in sure.values()) / len(sure) for label in _LABELS
        }
        moved = 0.0
        for task, cast in votes.items():
            logs = {
                label: math.log(usual[label] + 1e-12)
                + sum(math.log(errs[worker, label, said]) for worker, said in cast)
                for label in _LABELS
            }
            top = max(logs.values())
            weights = {label: math.exp(value - top) for label, value in logs.items()}
            new = {label: weight / sum(weights.values()) for label, weight in weights.items()}
            moved = max(moved, *(abs(new[label] - sure[task][label]) for label in _LABELS))
            sure[task] = new
        if moved < 1e-9:
            break
    return sure

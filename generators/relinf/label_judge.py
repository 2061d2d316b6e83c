"""The judge of labels: counts votes, and runs Dawid and Skene's algorithm in plain Python."""

import math
from collections import Counter
from functools import lru_cache
from typing import Any

from ...example import Example


class VotesByTask(dict[str, list[tuple[str, str]]]):
    """(worker, label) pairs by task, hashed by identity."""

    __hash__ = object.__hash__  # type: ignore[assignment]


_LABELS = ("yes", "no", "nonsense")


def label_findings(example: Example, votes: VotesByTask, rule: str) -> list[str]:
    """Return differences of annotations, votes and label from the files and the rule."""
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


def decide(task: str, votes: VotesByTask, rule: str) -> tuple[str, float]:
    """Return the label of a task and its confidence; an empty label if too few agree."""
    if rule == "dawid-skene":
        posteriors = _posteriors(votes)[task]
        label = max(_LABELS, key=lambda label: posteriors[label])
        return label, posteriors[label]
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
def _posteriors(votes: VotesByTask) -> dict[str, dict[str, float]]:
    posteriors = {
        task: {label: sum(said == label for _, said in cast) / len(cast) for label in _LABELS}
        for task, cast in votes.items()
    }
    for _ in range(100):
        confusion: dict[tuple[str, str, str], float] = {}
        for task, cast in votes.items():
            for worker, said in cast:
                for label in _LABELS:
                    place = worker, label, said
                    confusion[place] = confusion.get(place, 0.01) + posteriors[task][label]
        for worker in {worker for worker, _, _ in confusion}:
            for label in _LABELS:
                row = [confusion.get((worker, label, said), 0.01) for said in _LABELS]
                for said, value in zip(_LABELS, row, strict=True):
                    confusion[worker, label, said] = value / sum(row)
        priors = {
            label: sum(posterior[label] for posterior in posteriors.values()) / len(posteriors)
            for label in _LABELS
        }
        change = 0.0
        for task, cast in votes.items():
            logs = {
                label: math.log(priors[label] + 1e-12)
                + sum(math.log(confusion[worker, label, said]) for worker, said in cast)
                for label in _LABELS
            }
            top = max(logs.values())
            weights = {label: math.exp(value - top) for label, value in logs.items()}
            new = {label: weight / sum(weights.values()) for label, weight in weights.items()}
            change = max(change, *(abs(new[label] - posteriors[task][label]) for label in _LABELS))
            posteriors[task] = new
        if change < 1e-9:
            break
    return posteriors

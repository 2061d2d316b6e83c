"""The judge of labels: counts votes."""

import math
from collections import Counter
from typing import Any

from ...example import Example

_LABELS = ("yes", "no", "nonsense")


def label_findings(example: Example, cast: list[list[str]], rule: str) -> list[str]:
    """Return differences of a row from all [worker, label] on its task, and from the rule."""
    claims: dict[str, Any] = example.metadata
    if claims["annotations"] != sorted(cast):
        return ["the annotations are not those of the files"]
    counts = {label: sum(said == label for _, said in cast) for label in _LABELS}
    findings = [] if claims["votes"] == counts else [f"votes should be {counts}"]
    label, confidence = decide([label for _, label in cast], rule)
    if example.target != label:
        findings.append(f"target is {example.target!r}, but the annotators say {label!r}")
    if not math.isclose(claims["confidence"], confidence, abs_tol=2e-4):
        findings.append(f"confidence is {claims['confidence']}, but should be {confidence:.4f}")
    return findings


def decide(labels: list[str], rule: str) -> tuple[str, float]:
    """Return the label of a task and its confidence; an empty label if too few agree."""
    total, ((label, most), *_) = len(labels), Counter(labels).most_common()
    if rule == "all-but-one":
        enough = most >= 2 and total - most <= 1
    elif rule == "majority":
        enough = 2 * most > total
    else:
        k, n = (int(part) for part in rule.split("/"))
        enough = most >= k and most * n >= k * total
    return (label if enough else ""), most / total

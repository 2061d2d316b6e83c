"""The hypothesis-only baseline: naive Bayes on words, cross-validated by question."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ...example import Example
from ...seed import hash_key

_FOLDS = 5
_WORD = re.compile(r"\w+")


def hypothesis_only(rows: Sequence[Example]) -> dict[str, float]:
    """Return accuracies in percent of the most frequent label and of the hypothesis alone.

    Five-fold cross-validation with whole questions per fold. If the second is well above the first,
    the hypotheses reveal labels.
    """
    folds: list[list[Example]] = [[] for _ in range(_FOLDS)]
    for row in rows:
        folds[hash_key("fold", row.metadata["question"]["number"]) % _FOLDS].append(row)
    common = right = 0
    for n, held_out in enumerate(folds):
        training = [row for m, fold in enumerate(folds) if m != n for row in fold]
        if not training:
            continue
        bayes = _NaiveBayes(training)
        common += sum(row.target == bayes.commonest for row in held_out)
        right += sum(row.target == bayes.predict(row.metadata["hypothesis"]) for row in held_out)
    total = max(len(rows), 1)
    return {
        "commonest label, accuracy (%)": round(100 * common / total, 1),
        "hypothesis only, accuracy (%)": round(100 * right / total, 1),
    }


class _NaiveBayes:
    def __init__(self, rows: Sequence[Example]) -> None:
        self.labels = Counter(row.target for row in rows)
        self.commonest = min(self.labels, key=lambda label: (-self.labels[label], label))
        self.words: dict[str, Counter[str]] = {label: Counter() for label in self.labels}
        for row in rows:
            self.words[row.target].update(_words(row.metadata["hypothesis"]))
        self.vocabulary = len(set().union(*self.words.values())) + 1

    def predict(self, hypothesis: str) -> str:
        """Return the most probable label, with add-one smoothing."""
        return min(
            self.labels, key=lambda label: (-self._log_probability(label, hypothesis), label)
        )

    def _log_probability(self, label: str, hypothesis: str) -> float:
        counts, total = self.words[label], sum(self.words[label].values())
        return math.log(self.labels[label]) + sum(
            math.log((counts[word] + 1) / (total + self.vocabulary)) for word in _words(hypothesis)
        )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))

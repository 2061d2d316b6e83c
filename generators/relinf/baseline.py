"""Baselines that see a part of a row: naive Bayes, cross-validated by question."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from ...example import Example
from ...seed import hash_key

_FOLDS = 5
_WORD = re.compile(r"\w+")


def partial_inputs(rows: Sequence[Example]) -> dict[str, float]:
    """Return accuracies in percent of the most frequent label and of parts of the input.

    Five-fold cross-validation with whole questions per fold. If the others are well above the
    first, the hypotheses or the relations of premises reveal labels.
    """
    common, by_hypothesis = _accuracies(rows, lambda row: _words(row.metadata["hypothesis"]))
    _, by_relation = _accuracies(rows, lambda row: {row.metadata["triple"][1]})
    return {
        "commonest label, accuracy (%)": common,
        "hypothesis only, accuracy (%)": by_hypothesis,
        "relation of the premise only, accuracy (%)": by_relation,
    }


Features = Callable[[Example], set[str]]


def _accuracies(rows: Sequence[Example], features: Features) -> tuple[float, float]:
    """Return the accuracies of the most frequent label and of naive Bayes, in percent."""
    folds: list[list[Example]] = [[] for _ in range(_FOLDS)]
    for row in rows:
        folds[hash_key("fold", row.metadata["question"]["number"]) % _FOLDS].append(row)
    common = right = 0
    for n, held_out in enumerate(folds):
        training = [row for m, fold in enumerate(folds) if m != n for row in fold]
        if not training:
            continue
        bayes = _NaiveBayes(training, features)
        common += sum(row.target == bayes.commonest for row in held_out)
        right += sum(row.target == bayes.predict(row) for row in held_out)
    total = max(len(rows), 1)
    return round(100 * common / total, 1), round(100 * right / total, 1)


class _NaiveBayes:
    def __init__(self, rows: Sequence[Example], features: Features) -> None:
        self.features = features
        self.labels = Counter(row.target for row in rows)
        self.commonest = min(self.labels, key=lambda label: (-self.labels[label], label))
        self.words: dict[str, Counter[str]] = {label: Counter() for label in self.labels}
        for row in rows:
            self.words[row.target].update(features(row))
        self.vocabulary = len(set().union(*self.words.values())) + 1

    def predict(self, row: Example) -> str:
        """Return the most probable label, with add-one smoothing."""
        features = self.features(row)
        return min(self.labels, key=lambda label: (-self._log_probability(label, features), label))

    def _log_probability(self, label: str, features: set[str]) -> float:
        counts, total = self.words[label], sum(self.words[label].values())
        return math.log(self.labels[label]) + sum(
            math.log((counts[word] + 1) / (total + self.vocabulary)) for word in features
        )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))

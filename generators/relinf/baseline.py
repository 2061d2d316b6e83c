"""What can be told from the hypothesis alone: a naive Bayes on its words, by question."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ...example import Example
from ...seed import hash_key

_FOLDS = 5
_WORD = re.compile(r"\w+")


def hypothesis_only(rows: Sequence[Example]) -> dict[str, float]:
    """Accuracies in percent: always the commonest label, and guessing from the hypothesis alone.

    Learnt on the questions of four folds and asked of the fifth's, for all five; where the second
    is well above the first, the hypotheses give labels away.
    """
    folds: list[list[Example]] = [[] for _ in range(_FOLDS)]
    for row in rows:
        folds[hash_key("fold", row.metadata["question"]["number"]) % _FOLDS].append(row)
    common = right = 0
    for n, held_out in enumerate(folds):
        learnt = [row for m, fold in enumerate(folds) if m != n for row in fold]
        if not learnt:
            continue
        bayes = _Bayes(learnt)
        common += sum(row.target == bayes.commonest for row in held_out)
        right += sum(row.target == bayes.guess(row.metadata["hypothesis"]) for row in held_out)
    total = max(len(rows), 1)
    return {
        "commonest label, accuracy (%)": round(100 * common / total, 1),
        "hypothesis only, accuracy (%)": round(100 * right / total, 1),
    }


class _Bayes:
    def __init__(self, rows: Sequence[Example]) -> None:
        self.labels = Counter(row.target for row in rows)
        self.commonest = min(self.labels, key=lambda label: (-self.labels[label], label))
        self.words: dict[str, Counter[str]] = {label: Counter() for label in self.labels}
        for row in rows:
            self.words[row.target].update(_words(row.metadata["hypothesis"]))
        self.vocabulary = len(set().union(*self.words.values())) + 1

    def guess(self, hypothesis: str) -> str:
        """The label that naive Bayes, with one added to each count, finds likeliest."""
        return min(self.labels, key=lambda label: (-self._log(label, hypothesis), label))

    def _log(self, label: str, hypothesis: str) -> float:
        counts, total = self.words[label], sum(self.words[label].values())
        return math.log(self.labels[label]) + sum(
            math.log((counts[word] + 1) / (total + self.vocabulary)) for word in _words(hypothesis)
        )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))

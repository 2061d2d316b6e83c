"""Accuracy of shortcuts: look-up tables and a bag of words.

    python bench/leakage.py [ROWS]

A table is fitted on half of the rows and scored on the other; so is naive Bayes on the words
of the story, which sees word counts only. For comparison, the accuracy from the gender of
the person y of the query alone.
"""

import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable

from relsmith import Example
from relsmith.generators.clutrr import Clutrr

KINDS: tuple[dict[str, str], ...] = (
    {},
    {"noise": "supporting"},
    {"noise": "all"},
    {"answer": "yes-no"},
    {"task": "memory"},
    {"world": "spatial"},
    {"world": "time"},
    {"world": "work"},
    {"world": "ordering"},
)
Half = list[Example]


def gender(row: Example) -> object:
    """Return the gender of the person y of the query."""
    return dict(row.metadata["genders"]).get(row.metadata["query"][1])


def places(row: Example) -> object:
    """Return where the two names occur first."""
    words = re.findall(r"[\w-]+", row.input)
    return gender(row), *(words.index(name) for name in row.metadata["query"])


def names(row: Example) -> object:
    """Return the name of person x."""
    return gender(row), row.metadata["query"][0]


def question(row: Example) -> object:
    """Return the question without names."""
    x, y = row.metadata["query"]
    text = row.input[row.metadata["starts"][-1] :]
    return gender(row), text.replace(x, "X").replace(y, "Y")


def table(feature: Callable[[Example], object], fit: Half, test: Half) -> float:
    """Return the accuracy of the most frequent answer per feature."""
    seen: dict[object, Counter[str]] = defaultdict(Counter)
    for row in fit:
        seen[feature(row)][row.target] += 1
    (usual, _), *_ = Counter(row.target for row in fit).most_common(1)
    best = {what: targets.most_common(1)[0][0] for what, targets in seen.items()}
    return sum(best.get(feature(row), usual) == row.target for row in test) / len(test)


def bag_of_words(fit: Half, test: Half) -> float:
    """Return the accuracy of naive Bayes; words of the question are marked, rare ones ignored."""

    def words(row: Example) -> set[str]:
        end = row.metadata["starts"][-1] - 1
        asked = {f"?{word}" for word in re.findall(r"[\w-]+", row.input[end:])}
        return asked | set(re.findall(r"[\w-]+", row.input[:end].lower()))

    rows = Counter(row.target for row in fit)
    said: dict[str, Counter[str]] = {target: Counter() for target in rows}
    for row in fit:
        said[row.target].update(words(row))
    often = sum(said.values(), Counter[str]())
    right = 0
    for row in test:
        frequent = [word for word in words(row) if often[word] >= len(fit) / 100]
        scores = {
            target: math.log(count)
            + sum(math.log((said[target][word] + 0.5) / (count + 1)) for word in frequent)
            for target, count in rows.items()
        }
        right += max(scores, key=scores.__getitem__) == row.target
    return right / len(test)


def main() -> None:
    """Print a line per kind of row."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{'k = 2..10, percent right':28} gender  places   names  question  bag of words")
    for options in KINDS:
        examples = list(Clutrr.configure({"k": "2..10", "people": "70", **options}).examples(rows))
        fit, test = examples[: rows // 2], examples[rows // 2 :]
        shares = [table(feature, fit, test) for feature in (gender, places, names, question)]
        shares.append(bag_of_words(fit, test))
        label = " ".join(options.values()) or "no noise"
        gaps = (6, 7, 7, 9, 13)
        print(
            f"{label:28}" + " ".join(f"{100 * f:{w}.1f}" for f, w in zip(shares, gaps, strict=True))
        )


if __name__ == "__main__":
    main()

"""How well programs choose answers of cloze tests that do not read the sentence.

    python bench/cloze_choices.py [ROWS] [--vectors FILE]

Rows are those of `gen cloze --form choice`, with seed 1 (default: all). Topic similarity takes the
choice whose word vector (GloVe of an installed package) is nearest to the mean of the words of
abstract and text. Part of speech, form and length take the choice that most others resemble, or
the longest. Usual answer takes the choice that is the answer of most other rows. Of equally good
choices one is drawn. Intervals are over groups of texts with one abstract.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from relsmith import Example
from relsmith.clusters import clusters
from relsmith.evaluation.pretrained import find
from relsmith.evaluation.statistics import share
from relsmith.generators.cloze import Cloze
from relsmith.generators.cloze.tokens import Text
from relsmith.kb.lexicon import english
from relsmith.kb.lexicon.vectors import read_vectors
from relsmith.kb.lexicon.wordnet import nltk_reader

Score = Callable[[Example, str], float]


def context(row: Example) -> list[str]:
    """Return the content words of a row without those of its blank."""
    start, end = row.metadata["spans"][0]
    text = row.metadata["concrete"]
    shown = f"{row.metadata['abstract']} {text[:start]} {text[end:]}"
    return [word for word in Text(shown).lower if word.isalpha() and word not in STOP]


STOP = english.words("stop")


class Topic:
    """Cosine of a choice and the mean of its context."""

    def __init__(self, rows: list[Example], path: Path) -> None:
        words = {word for row in rows for word in context(row)}
        words |= {part for row in rows for choice in row.choices for part in choice.lower().split()}
        self.vectors = {
            word: np.array(numbers) / np.linalg.norm(numbers)
            for word, numbers in read_vectors(path, words).items()
        }

    def mean(self, words: list[str]) -> np.ndarray:
        """Return the mean of the words' vectors, with length 1."""
        known = [self.vectors[word] for word in words if word in self.vectors]
        total = sum(known) if known else np.zeros(len(next(iter(self.vectors.values()))))
        return np.asarray(total / (np.linalg.norm(total) or 1))

    def __call__(self, row: Example, choice: str) -> float:
        """Return the similarity."""
        return float(self.mean(context(row)) @ self.mean(choice.lower().split()))


def part_of_speech(row: Example, choice: str) -> float:
    """Return how many of the choices share a part of speech with this one."""
    return sum(bool(senses(choice) & senses(other)) for other in row.choices)


def senses(choice: str) -> set[str]:
    """Return the parts of speech of the last word."""
    found = {sense.pos() for sense in nltk_reader().synsets(choice.rsplit(maxsplit=1)[-1])}
    return found or set("nvar")


def form(row: Example, choice: str) -> float:
    """Return how many choices have its case, inflection and number of words."""
    return sum(shape(choice) == shape(other) for other in row.choices)


def shape(choice: str) -> tuple[object, ...]:
    """Return case, inflection and number of words."""
    last = choice.rsplit(maxsplit=1)[-1]
    return choice[:1].isupper(), english.inflection(last), choice.count(" "), len(choice) == 1


def length(row: Example, choice: str) -> float:
    """Return the number of letters."""
    return len(choice)


def usual(rows: list[Example]) -> Score:
    """Return a score: how many other rows have the choice as their answer."""
    answers = Counter(row.target.lower() for row in rows)
    return lambda row, choice: answers[choice.lower()] - (choice == row.target)


def accuracy(rows: list[Example], score: Score) -> list[float]:
    """Return for each row the chance that the best choice is the answer; ties share."""
    right = []
    for row in rows:
        scores = {choice: score(row, choice) for choice in row.choices}
        best = [choice for choice in row.choices if scores[choice] >= max(scores.values()) - 1e-9]
        right.append((row.target in best) / len(best))
    return right


def main() -> None:
    """Print the accuracy of each program with its interval."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=int, nargs="?")
    parser.add_argument("--vectors", type=Path)
    arguments = parser.parse_args()
    generator = Cloze.configure({"form": "choice", "difficulty": "false"})
    number = arguments.rows or generator.capacity(("train",), 1)["train"]
    rows = list(generator.examples(number, seed=1))
    names: Mapping[str, Score] = {
        "topic similarity": Topic(rows, arguments.vectors or Path(find("glove"))),
        "part of speech": part_of_speech,
        "case, inflection, number of words": form,
        "longest choice": length,
        "usual answer": usual(rows),
    }
    keys = clusters((row.id, row.metadata) for row in rows).keys
    print(f"{len(rows)} rows with {len(rows[0].choices)} choices")
    for name, score in names.items():
        estimate = share(accuracy(rows, score), keys)
        print(f"{name}: {estimate.mean:.3f} ({estimate.low:.3f} to {estimate.high:.3f})")


if __name__ == "__main__":
    main()

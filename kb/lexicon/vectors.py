"""Reader of word vectors in text files, a word and its numbers per line (GloVe, word2vec)."""

from collections.abc import Callable, Container
from functools import lru_cache
from math import isfinite, sqrt
from pathlib import Path

from ...errors import InvalidInput
from ...storage.text import numbered_lines

Vectors = dict[str, list[float]]


def read_vectors(
    path: Path,
    wanted: Container[str],
    *,
    spell: Callable[[str], str] = str,
    option: str = "vectors",
    remedy: str = "name a file of word vectors",
) -> Vectors:
    """Read the vectors of the wanted words, the first of each.

    `spell` is applied to the words of the file. The first line may be a header with the number of
    words and of dimensions. Errors name the option.
    """
    vectors: Vectors = {}
    width = number = 0
    try:
        # Only \n ends a line: some files have words with other breaks in them.
        for number, line in numbered_lines(path, remedy, option, newline="\n"):
            word, _, rest = line.rstrip().partition(" ")
            if number <= 2 and not width:
                width = rest.count(" ") + 1
                if number == width == 1:
                    width = 0
                    continue
            word = spell(word)
            if word in wanted and word not in vectors:
                vectors[word] = _numbers(rest, width)
    except ValueError as error:
        raise InvalidInput(
            f"{option}: {path}:{number}: {error}; expected a word and its numbers, with spaces"
        ) from None
    return vectors


def _numbers(text: str, width: int) -> list[float]:
    numbers = [float(number) for number in text.split(" ")]
    if len(numbers) != width or not all(map(isfinite, numbers)):
        raise ValueError(f"{len(numbers)} numbers instead of {width}, or infinite")
    return numbers


@lru_cache(maxsize=2)
def nearness(path: Path, words: frozenset[str]) -> Callable[[str, str], float]:
    """Return the cosine similarity of two of the words; 0 if one has no vector."""
    spelled = {word.casefold().replace(" ", "_") for word in words}
    remedy = "give 'wordnet' or a file of word vectors"
    read = read_vectors(path, spelled, spell=str.casefold, option="neighbours", remedy=remedy)
    units = {word: _unit(vector) for word, vector in read.items()}

    def cosine(first: str, second: str) -> float:
        a, b = (units.get(name.casefold().replace(" ", "_")) for name in (first, second))
        return sum(x * y for x, y in zip(a, b, strict=True)) if a and b else 0.0

    return cosine


def _unit(vector: list[float]) -> list[float]:
    length = sqrt(sum(x * x for x in vector)) or 1.0
    return [x / length for x in vector]

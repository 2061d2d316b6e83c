"""Word vectors from a text file, a word and its numbers a line: how near two words are."""

from collections.abc import Callable
from functools import lru_cache
from math import sqrt
from pathlib import Path

from ...errors import InvalidOption


@lru_cache(maxsize=2)
def nearness(path: Path, words: frozenset[str]) -> Callable[[str, str], float]:
    """The cosine of the angle between the vectors of two of the words; 0 where one has none."""
    found = _read(path, {word.casefold().replace(" ", "_") for word in words})

    def cosine(one: str, other: str) -> float:
        a, b = (found.get(word.casefold().replace(" ", "_")) for word in (one, other))
        return sum(x * y for x, y in zip(a, b, strict=True)) if a and b else 0.0

    return cosine


def _read(path: Path, wanted: set[str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    width = None
    try:
        with path.open(encoding="utf-8") as lines:
            for at, line in enumerate(lines, 1):
                word, *numbers = line.rstrip().split(" ")
                if at == 1 and len(numbers) == 1:
                    continue  # how many words, how many numbers
                width = width or len(numbers)
                if word.casefold() in wanted and word.casefold() not in found:
                    if len(numbers) != width:
                        raise ValueError(f"{len(numbers)} numbers instead of {width}")
                    vector = [float(number) for number in numbers]
                    length = sqrt(sum(x * x for x in vector)) or 1.0
                    found[word.casefold()] = [x / length for x in vector]
    except OSError as error:
        raise InvalidOption(
            f"neighbours: cannot read {str(path)!r}: {error.strerror}; "
            f"give 'wordnet' or a file of word vectors"
        ) from None
    except ValueError as error:
        raise InvalidOption(
            f"neighbours: {path}:{at}: {error}; expected a word and its numbers, with spaces"
        ) from None
    return found

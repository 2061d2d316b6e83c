"""Rows as a model may see them: the tokens of two texts, and where the second is blanked."""

import re
from dataclasses import dataclass
from pathlib import Path

from ...dataset import Dataset
from ...errors import NotADataset
from ...example import Example

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|\S")


@dataclass(frozen=True)
class Pair:
    """A row: tokens in small letters, and the first token and the one after the last of blanks."""

    abstract: list[str]
    concrete: list[str]
    blanks: list[tuple[int, int]]


def read_pairs(folder: str | Path, split: str) -> list[Pair]:
    """Read a split whose rows blank words of a concrete text."""
    return [_pair(row, folder) for row in Dataset(folder).rows(split)]


def _pair(row: Example, folder: str | Path) -> Pair:
    metadata = row.metadata
    try:
        given = metadata["tokens"] == "given"
        abstract, concrete = (_tokens(metadata[name], given) for name in ("abstract", "concrete"))
        blanks = [(int(start), int(end)) for start, end, _ in metadata["blanks"]]
        texts = [" ".join(_tokens(text, given)) for _, _, text in metadata["blanks"]]
    except (KeyError, TypeError, ValueError) as error:
        raise NotADataset(
            f"{folder}: row {row.id!r} is no cloze test with an abstract, a concrete text and "
            f"blanks ({type(error).__name__}: {error}); evaluate rows such as those of gen cloze"
        ) from None
    if not (abstract and concrete) or texts != [" ".join(concrete[a:b]) for a, b in blanks]:
        raise NotADataset(f"{folder}: row {row.id!r}: its blanks are not where it says they are")
    return Pair(abstract, concrete, sorted(blanks))


def _tokens(text: str, given: bool) -> list[str]:
    return text.lower().split(" ") if given else _TOKEN.findall(text.lower())

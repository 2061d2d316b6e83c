"""Rows as a model may see them: a story with its names taken out, two people, and facts."""

import re
from dataclasses import dataclass
from pathlib import Path

from ...dataset import Dataset
from ...errors import NotADataset
from ...example import Example

Word = str | int
"""A word of a story, or the number of the entity that is named there."""

_TOKEN = re.compile(r"\w+(?:[-'\u2019]\w+)*|[^\w\s]")


@dataclass(frozen=True)
class Story:
    """A row: entities are numbered in the order of their names, so that no number tells a thing."""

    words: list[Word]
    names: list[str]
    query: tuple[int, int]
    facts: list[tuple[int, str, int]]
    k: int
    target: str


def read_stories(folder: str | Path, split: str) -> list[Story]:
    """Read a split whose rows tell stories with facts about who is what to whom."""
    return [_story(row, folder) for row in Dataset(folder).rows(split)]


def _story(row: Example, folder: str | Path) -> Story:
    metadata = row.metadata
    try:
        chains = [metadata["facts"], *(path["facts"] for path in metadata["noise_facts"])]
        query, k = metadata["query"], int(metadata["k"])
        end = max(sentence["span"][1] for sentence in metadata["sentences"])
    except (KeyError, TypeError, ValueError) as error:
        raise NotADataset(
            f"{folder}: row {row.id!r} is no story with facts and a query "
            f"({type(error).__name__}: {error}); evaluate rows such as those of gen clutrr"
        ) from None
    if metadata.get("asked"):
        raise NotADataset(
            f"{folder}: row {row.id!r} asks for yes or no; "
            f"make the dataset with --answer relation to evaluate it"
        )
    facts = {(x, relation, y) for chain in chains for x, relation, y in chain}
    names = sorted({name for x, _, y in facts for name in (x, y)} | set(query))
    number = {name: index for index, name in enumerate(names)}
    return Story(
        words=tokens(row.input[:end], number),
        names=names,
        query=(number[query[0]], number[query[1]]),
        facts=sorted((number[x], relation, number[y]) for x, relation, y in facts),
        k=k,
        target=row.target,
    )


def tokens(text: str, entities: dict[str, int]) -> list[Word]:
    """Cut a text into words in small letters, with the number of an entity for its name."""
    longest_first = sorted(entities, key=lambda name: (-len(name), name))
    names = "|".join(re.escape(name) for name in longest_first)
    named = re.compile(rf"\b({names})\b", re.IGNORECASE) if names else None
    numbers = {name.lower(): number for name, number in entities.items()}
    words: list[Word] = []
    for index, part in enumerate(named.split(text) if named else [text]):
        if index % 2:
            words.append(numbers[part.lower()])
        else:
            words += [word.lower() for word in _TOKEN.findall(part)]
    return words

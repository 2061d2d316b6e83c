"""Three people swap things; who has what in the end? A starting point, written by `gen new`.

Change it step by step and run `pytest`. docs/plugins.md of relsmith explains each part.
"""

import re
from collections.abc import Iterator
from itertools import pairwise, permutations
from typing import ClassVar, Self

from pydantic import BaseModel, Field, model_validator

from relsmith import Block, Example, Generator, Range
from relsmith.capabilities import Limited

PEOPLE = "Amara Bruno Chidi Delphine Elif Farid Greta Hana Ines Jamal Kavya Lars".split()
THINGS = "ball book coin cup drum flute key lamp map pen ring scarf".split()
TRIOS, TREASURES = list(permutations(PEOPLE, 3)), list(permutations(THINGS, 3))
SWAPS = ("{} and {} swap.", "{} trades with {}.")


class Metadata(BaseModel):
    """Metadata of a row: everything that proves its answer, as plain JSON."""

    start: list[list[str]] = Field(description="[person, thing] for each, before the first swap")
    swaps: list[list[str]] = Field(description="the two people of each swap, in order")
    asked: str = Field(description="the person whose thing is asked for")
    holders: list[str] = Field(
        description="who has the answer before the first swap and after each: the certificate"
    )


class ExampleNameGenerator(Generator, Limited):
    """Swaps: three people have a thing each and swap; who has what in the end?

    `gen list` shows the first line; the whole docstring is the help of `gen example-name`.
    """

    name: ClassVar[str] = "example-name"
    version: ClassVar[int] = 1  # raise it when published rows change
    Metadata: ClassVar[type[BaseModel]] = Metadata

    # Every field is an option: this one is --swaps. Options that control difficulty are useful.
    swaps: Range = Field(Range(2, 6), description="number of swaps per row, 1 to 20")

    @model_validator(mode="after")
    def _check_swaps(self) -> Self:
        if self.swaps.low < 1 or self.swaps.high > 20:
            raise ValueError(f"swaps: expected 1 to 20, but got '{self.swaps}'")
        return self

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Rows cycle through the numbers of swaps, so the smallest space is the limit."""
        fewest = _row_count(self.swaps.low) // len(splits)
        return dict.fromkeys(splits, fewest * len(self.swaps))

    def rows(self, block: Block) -> Iterator[Example]:
        """Decode each row from a number of a permutation: numbers never repeat in any split."""
        numbers = [block.permutation(_row_count(swaps), f"{swaps} swaps") for swaps in self.swaps]
        wording = block.stream("wording")  # each purpose has its own stream
        for n in block.numbers:
            turn, which = divmod(n, len(numbers))
            start, swaps, asked = _story(numbers[which][turn], self.swaps.low + which)
            states = [start]
            for first, second in swaps:
                before = states[-1]
                states.append(before | {first: before[second], second: before[first]})
            answer = states[-1][asked]
            sentences = [f"{person} has the {thing}." for person, thing in start.items()]
            sentences += [wording.choice(SWAPS).format(*swap) for swap in swaps]
            yield Example(
                block.id(n),
                f"{' '.join(sentences)} What does {asked} have?",
                sorted(start.values()),
                answer,
                {
                    "start": [list(pair) for pair in start.items()],
                    "swaps": swaps,
                    "asked": asked,
                    "holders": [who for state in states for who in state if state[who] == answer],
                },
            )

    def replay(self, example: Example) -> list[str]:
        """Check that every step of the certificate follows from a swap; fast, as it runs always."""
        row, holders = example.metadata, example.metadata["holders"]
        findings = [
            f"{first} and {second} swap, but the answer goes from {before} to {after}"
            for (before, after), (first, second) in zip(
                pairwise(holders), row["swaps"], strict=True
            )
            if after != {first: second, second: first}.get(before, before)
        ]
        if [holders[0], example.target] not in row["start"] or holders[-1] != row["asked"]:
            findings.append(f"{example.target!r} does not get from the start to the person asked")
        return findings

    def problems(self, example: Example) -> list[str]:
        """Solve the row independently: parse the text, and trace the answer backwards.

        It shares no code with `rows`, so that it does not repeat its mistakes.
        """
        text = _TEXT.fullmatch(example.input)
        if text is None:
            return [f"the text cannot be read: {example.input!r}"]
        start, swaps = _HAS.findall(text["start"]), _SWAP.findall(text["swaps"])
        holders = [text["asked"]]
        for swap in reversed(swaps):
            after = holders[0]
            holders.insert(0, swap[1 - swap.index(after)] if after in swap else after)
        checks = {
            "target": (example.target, dict(start)[holders[0]]),
            "choices": (example.choices, sorted(thing for _, thing in start)),
            "start": (example.metadata["start"], [list(pair) for pair in start]),
            "swaps": (example.metadata["swaps"], [list(swap) for swap in swaps]),
            "asked": (example.metadata["asked"], text["asked"]),
            "holders": (example.metadata["holders"], holders),
        }
        return [
            f"{what} is {has!r}, but the text says {should!r}"
            for what, (has, should) in checks.items()
            if has != should
        ]


def _row_count(swaps: int) -> int:
    """Return the number of different rows with that many swaps."""
    sequences: int = 3**swaps
    return len(TRIOS) * len(TREASURES) * sequences * 3


def _story(number: int, count: int) -> tuple[dict[str, str], list[list[str]], str]:
    """Decode a number: the things people have, `count` swaps, and the person asked about."""
    number, trio = divmod(number, len(TRIOS))
    number, treasure = divmod(number, len(TREASURES))
    number, asked = divmod(number, 3)
    people, swaps = TRIOS[trio], []
    for _ in range(count):
        number, idle = divmod(number, 3)
        swaps.append([person for person in people if person != people[idle]])
    return dict(zip(people, TREASURES[treasure], strict=True)), swaps, people[asked]


_TEXT = re.compile(
    r"(?P<start>(?:[A-Z]\w+ has the \w+\. )+)"
    r"(?P<swaps>(?:[A-Z]\w+ (?:and [A-Z]\w+ swap|trades with [A-Z]\w+)\. )+)"
    r"What does (?P<asked>[A-Z]\w+) have\?"
)
_HAS = re.compile(r"(\w+) has the (\w+)\.")
_SWAP = re.compile(r"(\w+) (?:and|trades with) (\w+)")

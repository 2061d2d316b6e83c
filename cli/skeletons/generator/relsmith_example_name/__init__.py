"""Three people swap things; who has what in the end? Made by `gen new`, to be made your own.

Change a little, run `pytest`, change on. relsmith's docs/plugins.md says what each part is for.
"""

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar, Self

from pydantic import BaseModel, Field, model_validator

from relsmith import Block, Example, Generator, Range

PEOPLE = "Amara Bruno Chidi Delphine Elif Farid Greta Hana Ines Jamal Kavya Lars".split()
THINGS = "ball book coin cup drum flute key lamp map pen ring scarf".split()
SWAPS = ("{} and {} swap.", "{} trades with {}.")
TRADERS = 3


class Metadata(BaseModel):
    """What is known about a row, as plain JSON: all that proves its answer."""

    start: list[list[str]] = Field(description="[person, thing] for each, before the first swap")
    swaps: list[list[str]] = Field(description="the two people of each swap, in order")
    asked: str = Field(description="the person whose thing is asked for")
    holders: list[str] = Field(
        description="who has the answer before the first swap and after each: the certificate"
    )


class ExampleNameGenerator(Generator):
    """Swaps: three people have a thing each and swap; who has what in the end?

    The first line is what `gen list` shows, the whole is the help of `gen example-name`.
    """

    name: ClassVar[str] = "example-name"
    version: ClassVar[int] = 1  # raise it when a row changes that others may already have
    Metadata: ClassVar[type[BaseModel]] = Metadata

    # Every field is an option, this one --swaps. What makes rows harder is a good one to have.
    swaps: Range = Field(Range(2, 6), description="how many swaps a row has, 1 to 20")

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.swaps.low < 1 or self.swaps.high > 20:
            raise ValueError(f"swaps: expected 1 to 20, but got '{self.swaps}'")
        return self

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Rows run through the numbers of swaps in turn, so the fewest cards are the limit."""
        fewest = _cards(self.swaps.low) // len(splits)
        return dict.fromkeys(splits, fewest * len(self.swaps))

    def rows(self, block: Block) -> Iterator[Example]:
        """Deal a card to each row: no card comes twice, and no two splits share one."""
        hands = [block.deal(_cards(swaps), f"{swaps} swaps") for swaps in self.swaps]
        wording = block.stream("wording")  # each purpose has its own stream
        for n in block.numbers:
            turn, which = divmod(n, len(hands))
            start, swaps, asked = _story(hands[which][turn], self.swaps.low + which)
            states = [start]
            for first, second in swaps:
                before = states[-1]
                states.append(before | {first: before[second], second: before[first]})
            answer = states[-1][asked]
            told = [f"{person} has the {thing}." for person, thing in start.items()]
            told += [wording.choice(SWAPS).format(*swap) for swap in swaps]
            yield Example(
                block.id(n),
                f"{' '.join(told)} What does {asked} have?",
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
        """Every step of the certificate follows from a swap; cheap, since every row is checked."""
        row, holders = example.metadata, example.metadata["holders"]
        flaws = [
            f"{first} and {second} swap, but the answer goes from {before} to {after}"
            for (before, after), (first, second) in zip(
                pairwise(holders), row["swaps"], strict=True
            )
            if after != {first: second, second: first}.get(before, before)
        ]
        if [holders[0], example.target] not in row["start"] or holders[-1] != row["asked"]:
            flaws.append(
                f"{example.target!r} does not go from the start to the one who is asked of"
            )
        return flaws

    def problems(self, example: Example) -> list[str]:
        """Solve the row by other means: read the text, and ask backwards who had the answer.

        It shares no code with `rows`, so that no mistake is made twice.
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


def _cards(swaps: int) -> int:
    """How many different rows there are with so many swaps: `_story` reads each off its card."""
    starts = math.perm(len(PEOPLE), TRADERS) * math.perm(len(THINGS), TRADERS)
    sequences: int = TRADERS * (TRADERS - 1) ** (swaps - 1)
    return starts * sequences * TRADERS


def _story(card: int, count: int) -> tuple[dict[str, str], list[list[str]], str]:
    """Who has what at first, so many swaps, and who is asked of."""
    card, people = _picked(card, PEOPLE)
    card, things = _picked(card, THINGS)
    card, asked = divmod(card, TRADERS)
    card, idle = divmod(card, TRADERS)
    swaps = []
    for _ in range(count):
        swaps.append([person for person in people if person != people[idle]])
        card, step = divmod(card, TRADERS - 1)
        idle = (idle + 1 + step) % TRADERS  # another than before, or the two would swap back
    return dict(zip(people, things, strict=True)), swaps, people[asked]


def _picked(card: int, pool: list[str]) -> tuple[int, list[str]]:
    """What is left of a card once it has said which of a pool to take, in which order."""
    left, taken = list(pool), []
    for _ in range(TRADERS):
        card, place = divmod(card, len(left))
        taken.append(left.pop(place))
    return card, taken


_TEXT = re.compile(
    r"(?P<start>(?:[A-Z]\w+ has the \w+\. )+)"
    r"(?P<swaps>(?:[A-Z]\w+ (?:and [A-Z]\w+ swap|trades with [A-Z]\w+)\. )+)"
    r"What does (?P<asked>[A-Z]\w+) have\?"
)
_HAS = re.compile(r"(\w+) has the (\w+)\.")
_SWAP = re.compile(r"(\w+) (?:and|trades with) (\w+)")

"""A plugin: a custom generator with its judge, checked by relsmith's conformance suite.

`python examples/own_generator.py`

In a package it needs one more line, an entry point in the group `relsmith.generators`,
and becomes a command of `gen` (docs/plugins.md; `gen new generator NAME` writes one).
"""

import re
from collections.abc import Iterator
from typing import ClassVar

from pydantic import BaseModel, Field

from relsmith import Block, Example, Generator
from relsmith.testing import check_generator


class Metadata(BaseModel):
    """Metadata of a row."""

    steps: list[int] = Field(description="what is added, in order")


class Walk(Generator):
    """Steps to the left and to the right; how far from the door do they end?"""

    name: ClassVar[str] = "walk"
    version: ClassVar[int] = 1
    Metadata: ClassVar[type[BaseModel]] = Metadata

    steps: int = Field(6, ge=6, le=30, description="how many steps are told")

    def rows(self, block: Block) -> Iterator[Example]:
        """Draw steps until this split owns them."""
        stream = block.stream("steps")
        for n in block.numbers:
            text = ""
            while not text or not block.owns(text):
                steps = [stream.below(19) - 9 for _ in range(self.steps)]
                text = " ".join(f"Go {step}." for step in steps)
            yield Example(
                block.id(n), f"{text} Where are you?", [], str(sum(steps)), {"steps": steps}
            )

    def replay(self, example: Example) -> list[str]:
        """Check that the steps add up to the answer."""
        right = str(sum(example.metadata["steps"]))
        return [] if example.target == right else [f"the steps add up to {right}"]

    def problems(self, example: Example) -> list[str]:
        """Solve the row from its text alone."""
        told = re.fullmatch(r"((?:Go -?\d+\. )+)Where are you\?", example.input)
        if told is None:
            return [f"the text cannot be read: {example.input!r}"]
        steps = [int(step) for step in re.findall(r"-?\d+", told[1])]
        right = Example(example.id, example.input, [], str(sum(steps)), {"steps": steps})
        return [] if example == right else [f"the text says {right}, but the row {example}"]


if __name__ == "__main__":
    check_generator(Walk)
    for row in Walk()[:3]:
        print(row.input, "->", row.target)
    print("walk is conformant")

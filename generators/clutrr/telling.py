"""Facts told in words: by a sentence bank, plainly, or as bare facts."""

from collections.abc import Sequence
from typing import Literal

from ...seed import Stream
from ...templates.stitcher import Line, Order, Stitcher
from .sentences import plain_frames

Style = Literal["text", "plain", "facts"]


class Teller:
    """Tells facts."""

    def tell(
        self,
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
        stream: Stream,
        hidden: set[str],
        told: set[str],
    ) -> Sequence[Line]:
        """Tell the facts along a path in order.

        The clause has genders and predicates in turn, the first fact a number. Those whose gender
        comes to be shown are taken out of `hidden`; templates in `told` are better not used again.
        """
        raise NotImplementedError


class ByBank(Teller):
    """Tells by the frames of a sentence bank."""

    def __init__(self, stitcher: Stitcher) -> None:
        self.stitcher = stitcher

    def tell(
        self,
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
        stream: Stream,
        hidden: set[str],
        told: set[str],
    ) -> Sequence[Line]:
        """Tell them so."""
        return self.stitcher.along(people, clause, stream, first, hidden, told)


class Plainly(Teller):
    """Tells by a short sentence for each fact, in which the word says the gender."""

    def __init__(self, frames: tuple[str, ...]) -> None:
        self.frames = frames

    def tell(
        self,
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
        stream: Stream,
        hidden: set[str],
        told: set[str],
    ) -> Sequence[Line]:
        """Tell them so."""
        hidden.clear()
        lines: list[Line] = []
        for number, (x, word, y) in enumerate(facts, first):
            template, text = stream.choice(plain_frames(self.frames, word))
            text = text.replace("{x}", x).replace("{y}", y)
            lines.append(Line(text, number, number, template))
        return lines


class Barely(Teller):
    """Tells facts as they stand in the metadata: (x, word, y), y is the word of x."""

    def tell(
        self,
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
        stream: Stream,
        hidden: set[str],
        told: set[str],
    ) -> Sequence[Line]:
        """Tell them so."""
        hidden.clear()
        return [
            Line(f"({', '.join(fact)})", number, number, BARE)
            for number, fact in enumerate(facts, first)
        ]


BARE = "fact"
"""The template of a bare fact."""


def mixed(lines: list[Line], noise: Sequence[Line], order: Order, stream: Stream) -> None:
    """Put noise between what is told, in one piece where the story is told in order."""
    if order == "narrative":
        at = stream.below(len(lines) + 1)
        lines[at:at] = noise
    else:
        for line in noise:
            lines.insert(stream.below(len(lines) + 1), line)

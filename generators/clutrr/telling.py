"""Facts told in words: by a sentence bank, plainly, or as bare facts."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from ...seed import Stream
from ...templates.stitcher import Order, Stitcher
from .sentences import plain_frames

Style = Literal["text", "plain", "facts"]


Line = Sequence[Any]
"""What one sentence or stretch of text says: its text, its first and last fact, its template."""


class Teller(Protocol):
    """Tells the facts along a path in order.

    The clause has genders and predicates in turn, the first fact a number. Those whose gender
    comes to be shown are taken out of `hidden`; templates in `told` are better not used again.
    """

    def __call__(
        self,
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
        stream: Stream,
        hidden: set[str],
        told: set[str],
    ) -> list[Line]:
        """Tell them."""


def by_bank(stitcher: Stitcher) -> Teller:
    """Tell by the frames of a sentence bank."""

    def tell(
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
        stream: Stream,
        hidden: set[str],
        told: set[str],
    ) -> list[Line]:
        return [*stitcher.along(people, clause, stream, first=first, hidden=hidden, told=told)]

    return tell


def plainly(frames: tuple[str, ...]) -> Teller:
    """Tell by a short sentence for each fact, in which the word says the gender."""

    def tell(
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
        stream: Stream,
        hidden: set[str],
        told: set[str],
    ) -> list[Line]:
        hidden.clear()
        lines: list[Line] = []
        for number, (x, word, y) in enumerate(facts, first):
            template, text = stream.choice(plain_frames(frames, word))
            lines.append((text.replace("{x}", x).replace("{y}", y), number, number, template))
        return lines

    return tell


def barely(
    people: list[str],
    clause: tuple[str | None, ...],
    facts: list[list[str]],
    first: int,
    stream: Stream,
    hidden: set[str],
    told: set[str],
) -> list[Line]:
    """The facts as they stand in the metadata: (x, word, y), y is the word of x."""
    hidden.clear()
    return [
        (f"({', '.join(fact)})", number, number, BARE) for number, fact in enumerate(facts, first)
    ]


BARE = "fact"
"""The template of a bare fact."""


def mixed(lines: list[Line], noise: list[Line], order: Order, stream: Stream) -> None:
    """Put noise between what is told, in one piece where the story is told in order."""
    if order == "narrative":
        at = stream.below(len(lines) + 1)
        lines[at:at] = noise
    else:
        for line in noise:
            lines.insert(stream.below(len(lines) + 1), line)

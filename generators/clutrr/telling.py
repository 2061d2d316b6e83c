"""Facts told in words: by a sentence bank, plainly, or as bare facts."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from ...kb.stories import Stories
from ...seed import Stream
from ...templates.stitcher import Line, Order, Stitcher
from .sentences import plain_frames

Style = Literal["text", "plain", "facts"]


class Passage:
    """Facts along a path of people: genders and predicates in turn, the facts in words.

    `first` is the number of the first fact.
    """

    __slots__ = ("clause", "facts", "first", "people")

    def __init__(
        self,
        people: list[str],
        clause: tuple[str | None, ...],
        facts: list[list[str]],
        first: int,
    ) -> None:
        self.people, self.clause, self.facts, self.first = people, clause, facts, first


class Teller(ABC):
    """Tells facts."""

    @abstractmethod
    def tell(
        self, passage: Passage, stream: Stream, hidden: set[str], told: set[str]
    ) -> Sequence[Line]:
        """Tell a passage in order.

        Those whose gender comes to be shown are taken out of `hidden`; templates in `told` are
        better not used again.
        """


class ByBank(Teller):
    """Tells by the frames of a sentence bank."""

    def __init__(self, stitcher: Stitcher) -> None:
        self.stitcher = stitcher

    def tell(
        self, passage: Passage, stream: Stream, hidden: set[str], told: set[str]
    ) -> Sequence[Line]:
        """Tell it so."""
        people, clause = passage.people, passage.clause
        return self.stitcher.along(people, clause, stream, passage.first, hidden, told)


class Plainly(Teller):
    """Tells by a short sentence for each fact, in which the word says the gender."""

    def __init__(self, stories: Stories) -> None:
        self.stories = stories

    def tell(
        self, passage: Passage, stream: Stream, hidden: set[str], told: set[str]
    ) -> Sequence[Line]:
        """Tell it so."""
        hidden.clear()
        lines: list[Line] = []
        for number, (x, word, y) in enumerate(passage.facts, passage.first):
            template, text = stream.choice(plain_frames(self.stories, word))
            text = text.replace("{x}", x).replace("{y}", y)
            lines.append(Line(text, number, number, template))
        return lines


class Barely(Teller):
    """Tells facts as they stand in the metadata: (x, word, y), y is the word of x."""

    def tell(
        self, passage: Passage, stream: Stream, hidden: set[str], told: set[str]
    ) -> Sequence[Line]:
        """Tell it so."""
        hidden.clear()
        return [
            Line(f"({', '.join(fact)})", number, number, BARE)
            for number, fact in enumerate(passage.facts, passage.first)
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

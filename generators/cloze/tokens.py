"""A text as tokens, and where each of them stands."""

import re
from functools import cached_property
from itertools import accumulate

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|\S")

MARK = "____"
"""What a blank looks like; no text may hold it."""


class Text:
    """A text with its tokens: those it was given with, or words and signs of its own."""

    __slots__ = ("__dict__", "given", "text")

    def __init__(self, text: str, tokens: list[str] | None = None) -> None:
        self.text = text
        self.given = tokens is not None
        if tokens is not None:
            self.tokens = tokens

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens in order."""
        return _TOKEN.findall(self.text)

    @cached_property
    def lower(self) -> list[str]:
        """The tokens in small letters; one to one with them."""
        return [token.lower() for token in self.tokens]

    def spaced(self, at: int) -> bool:
        """Whether a token stands one space after the token before it."""
        end = self._ends[at - 1]
        return self.given or self.text[end : self._ends[at] - len(self.tokens[at])] == " "

    @cached_property
    def _ends(self) -> list[int]:
        if self.given:
            return list(accumulate(map(len, self.tokens)))
        return [found.end() for found in _TOKEN.finditer(self.text)]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters from token `start` up to token `end`."""
        last = self._ends[end - 1]
        first = self._ends[start] - len(self.tokens[start])
        # Tokens that were given stand a space apart.
        return (first + start, last + end - 1) if self.given else (first, last)

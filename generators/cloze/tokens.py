"""A text as tokens, and where each of them stands."""

import re
from itertools import accumulate
from typing import Any

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|\S")

MARK = "____"
"""What a blank looks like; no text may hold it."""


class Text:
    """A text with its tokens: those it was given with, a space apart, or words and signs."""

    __slots__ = ("given", "lower", "starts", "text", "tokens")

    text: str
    tokens: list[str]
    lower: list[str]
    """The tokens in small letters; one to one with them."""
    starts: list[int]
    """The character at which each token starts, and where one more would."""

    def __init__(self, text: str, tokens: list[str] | None = None) -> None:
        self.text = text
        self.given = tokens is not None
        self.tokens = _TOKEN.findall(text) if tokens is None else tokens

    def __getattr__(self, name: str) -> Any:
        """Work out `lower` or `starts` when first asked for it; then it is simply there."""
        if name == "lower":
            self.lower = (
                self.text.lower().split(" ")
                if self.given
                else [token.lower() for token in self.tokens]
            )
            return self.lower
        if name != "starts":
            raise AttributeError(name)
        if self.given:
            self.starts = list(accumulate([len(token) + 1 for token in self.tokens], initial=0))
        else:
            found = [one.start() for one in _TOKEN.finditer(self.text)]
            self.starts = [*found, len(self.text) + 1]
        return self.starts

    def spans(self, units: list[tuple[int, int, str]]) -> list[list[int]]:
        """The characters of each unit; a text whose tokens were given need not be searched."""
        if not self.given:
            return [[*self.span(start, end)] for start, end, _ in units]
        before = list(accumulate(map(len, self.tokens), initial=0))
        return [[before[start] + start, before[end] + end - 1] for start, end, _ in units]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters from token `start` up to token `end`."""
        starts = self.starts
        return starts[start], starts[end - 1] + len(self.tokens[end - 1])

    def spaced(self, at: int) -> bool:
        """Whether a token stands one space after the token before it."""
        if self.given:
            return True
        return self.text[self.span(at - 1, at)[1] : self.starts[at]] == " "

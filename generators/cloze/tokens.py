"""Texts as tokens with their positions."""

import re

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|\S")

MARK = "____"
"""The mark of a blank; no text may contain it."""


class Text:
    """A text with its tokens: given ones, separated by spaces, or words and signs."""

    __slots__ = ("_lower", "_starts", "given", "text", "tokens")

    def __init__(self, text: str, tokens: list[str] | None = None) -> None:
        self.text = text
        self.given = tokens is not None
        self.tokens: list[str] = _TOKEN.findall(text) if tokens is None else tokens
        self._lower: list[str] | None = None
        self._starts: list[int] | None = None

    @property
    def lower(self) -> list[str]:
        """The tokens in lower case."""
        if self._lower is None:
            self._lower = (
                self.text.lower().split(" ")
                if self.given
                else [token.lower() for token in self.tokens]
            )
        return self._lower

    @property
    def starts(self) -> list[int]:
        """The character offset of each token."""
        if self._starts is None:
            self._starts = (
                _offsets(self.tokens)
                if self.given
                else [match.start() for match in _TOKEN.finditer(self.text)]
            )
        return self._starts

    def spans(self, units: list[tuple[int, int, str]]) -> list[list[int]]:
        """Return the character span of each unit; for given tokens, by adding up lengths."""
        if not self.given:
            return [[*self.span(start, end)] for start, end, _ in units]
        spans, tokens, place, character = [], self.tokens, 0, 0
        for start, end, _ in units:
            while place < start:
                character += len(tokens[place]) + 1
                place += 1
            first = character
            while place < end:
                character += len(tokens[place]) + 1
                place += 1
            spans.append([first, character - 1])
        return spans

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the character span of the tokens from `start` up to `end`."""
        starts = self.starts
        return starts[start], starts[end - 1] + len(self.tokens[end - 1])

    def is_spaced(self, place: int) -> bool:
        """Return whether exactly one space separates a token from the one before it."""
        if self.given:
            return True
        return self.text[self.span(place - 1, place)[1] : self.starts[place]] == " "


def _offsets(tokens: list[str]) -> list[int]:
    starts, position = [], 0
    for token in tokens:
        starts.append(position)
        position += len(token) + 1
    return starts

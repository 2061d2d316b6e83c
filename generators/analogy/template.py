"""Sentences with four slots: {a} and {b} for the query, {c} and {d} for the option."""

import re
from dataclasses import dataclass
from typing import Self

NAMED = {
    "what": "What {a} is to {b}, {c} is to {d}.",
    "as": "{a} is to {b} as {c} is to {d}.",
    "relation": "The relation between {a} and {b} is the relation between {c} and {d}.",
    "colon": "{a} : {b} :: {c} : {d}",
}
_SLOT = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True)
class Template:
    """A sentence in two parts, one for each pair."""

    query: tuple[str, str, str]
    option: tuple[str, str, str]
    query_first: bool

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the name of a template, or a sentence with slots."""
        if text not in NAMED and "{" not in text:
            raise ValueError(
                f"expected {', '.join(NAMED)} or a sentence with {{a}}, {{b}}, {{c}} and {{d}}, "
                f"but got {text!r}"
            )
        words = _SLOT.split(NAMED.get(text, text))
        slots = words[1::2]
        if slots not in (list("abcd"), list("cdab")):
            raise ValueError(
                "expected each of {a}, {b}, {c}, {d} once, {a} before {b} and {c} before {d}, "
                f"and neither pair inside the other, but got {text!r}"
            )
        first, second = (words[0], words[2], ""), (words[4], words[6], words[8])
        return cls(first, second, True) if slots[0] == "a" else cls(second, first, False)

    def sentence(self, query: tuple[str, str], option: tuple[str, str]) -> str:
        """Return the sentence for two pairs."""
        asked, offered = fill(self.query, *query), fill(self.option, *option)
        return asked + offered if self.query_first else offered + asked


def fill(part: tuple[str, str, str], head: str, tail: str) -> str:
    """Return one part of a template with its words."""
    return f"{part[0]}{head}{part[1]}{tail}{part[2]}"

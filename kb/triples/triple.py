"""A triple: two arguments, the relation between them, and its count."""

import re
from typing import NamedTuple

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


class Triple(NamedTuple):
    """An assertion: `arg1 relation arg2`, read `count` times."""

    arg1: str
    relation: str
    arg2: str
    count: int = 1  # type: ignore[assignment]  # hides tuple.count, which nobody needs


def clean(text: str) -> str:
    """Return a field with normalised spaces; "" if it is empty or has control characters."""
    text = " ".join(text.split())
    return "" if _CONTROL.search(text) else text

"""Parser of the names of BATS files, such as `I01 [noun - plural_reg]`."""

import re
from typing import Any

from .relation import GROUPS

_NAME = re.compile(r"([IDEL])\d\d \[(.+)\]")
_GROUPS = {group[0].upper(): group for group in GROUPS}


def traits(stem: str) -> dict[str, Any] | None:
    """Return group, kind, types and symmetry by the stem of a BATS file, None for other files."""
    match = _NAME.fullmatch(stem)
    if not match:
        return None
    letter, title = match.groups()
    kind = re.sub(r"_(ir)?reg$", "", title)
    left, _, right = kind.partition(" - ")
    types: tuple[str, str] = (left, right)
    if letter == "I":
        types = (left, left.partition("_")[0])
    elif letter == "D":
        types = (re.sub(r".*(noun|verb|adj).*", r"\1", kind), "derived word")
    elif letter == "L":
        nouns = left.endswith("nyms") and left not in ("synonyms", "antonyms")
        types = ("noun", "noun") if nouns else ("word", "word")
        kind = kind if left == "meronyms" else left
    symmetric = left == "antonyms" or title == "synonyms - exact"
    return {"group": _GROUPS[letter], "kind": kind, "types": types, "symmetric": symmetric}

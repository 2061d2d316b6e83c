"""Patterns of claims; patterns.yaml explains them."""

import re
from typing import Any, Final

from ....tables import expanded, load_tables

NAMES: Final = 0xE000
"""The character of the first name."""
RELATIONS: Final = 0xF000
"""The character of the first relation word."""
_LAST: Final = 0xF8FF

_FILE: Final[dict[str, Any]] = load_tables(__package__, "patterns.yaml")
_PARTS: Final[dict[str, str]] = _FILE["parts"] | {
    "N": f"[{chr(NAMES)}-{chr(RELATIONS - 1)}]",
    "M": f"[{chr(RELATIONS)}-{chr(_LAST)}]",
}


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(expanded(pattern, _PARTS))


NOUN_PATTERNS: Final = [_compiled(each) for each in _FILE["noun"]]
RELATIONAL_PATTERNS: Final = [_compiled(each) for each in _FILE["relational"]]
TIME_PATTERNS: Final = [
    (words, _compiled(f"<THING><ADVERBS> {said}")) for words, said in _FILE["time"].items()
]
"""By relation, how it is also said, with words on both sides of a name."""
OTHER_OWNER, WITHOUT_SUBJECT, ELLIPTICAL = (
    _compiled(_FILE[name]) for name in ("other_owner", "without_subject", "elliptical")
)

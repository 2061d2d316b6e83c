"""What is known of two people who are compared, wherever a story's facts hold.

Why it misses no ranking is in docs/ordering.md. It shares no code with the rules or with ranks.py.
"""

from collections.abc import Iterable

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import Status, Verdict

# Of "y ... x": the dimension, and how y may compare with x: less (<), the same (=), more (>).
_MEANINGS = {
    "taller than": ("height", ">"),
    "shorter than": ("height", "<"),
    "as tall as": ("height", "="),
    "not taller than": ("height", "<="),
    "not shorter than": ("height", "=>"),
    "older than": ("age", ">"),
    "younger than": ("age", "<"),
    "as old as": ("age", "="),
    "not older than": ("age", "<="),
    "not younger than": ("age", "=>"),
    "faster than": ("speed", ">"),
    "slower than": ("speed", "<"),
    "as fast as": ("speed", "="),
    "not faster than": ("speed", "<="),
    "not slower than": ("speed", "=>"),
    "stronger than": ("strength", ">"),
    "weaker than": ("strength", "<"),
    "as strong as": ("strength", "="),
    "not stronger than": ("strength", "<="),
    "not weaker than": ("strength", "=>"),
}
_WORDS = {meaning: word for word, meaning in _MEANINGS.items()}

WORDS = tuple(_MEANINGS)

_Steps = dict[str, dict[str, bool]]
"""From whom a step leads up to whom, and whether it must rise or may be level."""


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Say whether the facts entail that the query's second compares so with its first.

    Without a claim, say whether the facts entail anything at all. The answers are then the most
    that is certain in each dimension of which anything is.
    """
    x, y = query
    if x == y:
        raise InvalidOption(f"query asks of {x!r} twice; name two people")
    if claimed is not None:
        _check_word(claimed)
    dimensions: dict[str, _Steps] = {}
    for start, word, end in facts:
        _check_word(word)
        dimension, signs = _MEANINGS[word]
        steps = dimensions.setdefault(dimension, {})
        if "<" not in signs:
            _note(steps, start, end, "=" not in signs)
        if ">" not in signs:
            _note(steps, end, start, "=" not in signs)
    if any(_rises_to_itself(steps) for steps in dimensions.values()):
        return Verdict(Status.IMPOSSIBLE)
    possible = {dimension: _signs(steps, x, y) for dimension, steps in dimensions.items()}
    certain = frozenset(
        _WORDS[dimension, signs] for dimension, signs in possible.items() if signs != "<=>"
    )
    everything = frozenset(
        word
        for word, (dimension, signs) in _MEANINGS.items()
        if set(signs) & set(possible.get(dimension, "<=>"))
    )
    if claimed is None:
        if certain:
            return Verdict(Status.ENTAILED, certain)
        return Verdict(Status.UNDETERMINED, everything)
    dimension, signs = _MEANINGS[claimed]
    known = possible.get(dimension, "<=>")
    if set(known) <= set(signs):
        return Verdict(Status.ENTAILED, certain)
    if set(known) & set(signs):
        return Verdict(Status.UNDETERMINED, everything)
    return Verdict(Status.CONTRADICTED, everything)


def _note(steps: _Steps, low: str, high: str, rises: bool) -> None:
    onward = steps.setdefault(low, {})
    onward[high] = onward.get(high, False) or rises


def _reached(steps: _Steps, start: str) -> dict[str, bool]:
    """All to whom steps lead up, and whether some way there rises."""
    reached: dict[str, bool] = {}
    ahead = [(start, False)]
    while ahead:
        person, risen = ahead.pop()
        for following, rising in steps.get(person, {}).items():
            rises = rising or risen
            if following not in reached or (rises and not reached[following]):
                reached[following] = rises
                ahead.append((following, rises))
    return reached


def _rises_to_itself(steps: _Steps) -> bool:
    return any(_reached(steps, person).get(person, False) for person in steps)


def _signs(steps: _Steps, x: str, y: str) -> str:
    """How y may compare with x: those of the three signs that no way speaks against."""
    up, down = _reached(steps, x).get(y), _reached(steps, y).get(x)
    signs = "<=>"
    if up is not None:
        signs = signs.replace("<", "")
    if down is not None:
        signs = signs.replace(">", "")
    return signs.replace("=", "") if up or down else signs


def _check_word(word: str) -> None:
    if word not in _MEANINGS:
        raise InvalidOption(f"no comparison {word!r}; the words are {', '.join(WORDS)}")

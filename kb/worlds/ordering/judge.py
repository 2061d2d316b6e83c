"""Judge of the ordering world: comparisons of two people that a story's facts entail.
Why it misses no ranking is in docs/ordering.md. It shares no code with the rules or with ranks.py.
"""

from collections.abc import Iterable

from ..fact import Fact, check_input
from ..verdict import Status, Verdict

# Of "y ... x": the dimension, and how y may compare with x: less (<), the same (=), more (>).
_MEANINGS = {
    word: (adjective, signs)
    for adjective, more, less in (
        ("tall", "taller", "shorter"),
        ("old", "older", "younger"),
        ("fast", "faster", "slower"),
        ("strong", "stronger", "weaker"),
    )
    for word, signs in (
        (f"{more} than", ">"),
        (f"{less} than", "<"),
        (f"as {adjective} as", "="),
        (f"not {more} than", "<="),
        (f"not {less} than", "=>"),
    )
}
_WORDS = {meaning: word for word, meaning in _MEANINGS.items()}

WORDS = tuple(_MEANINGS)

_Steps = dict[str, dict[str, bool]]
"""By person, those who are not lower, and whether they are strictly higher."""


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return whether the facts entail that the query's second compares so with its first.

    Without a claim, return whether the facts entail any comparison. Entailed answers are the
    strongest in each dimension.
    """
    facts = list(facts)
    check_input(facts, query, claimed, _MEANINGS, ("comparison", "people"))
    x, y = query
    dimensions: dict[str, _Steps] = {}
    for start, word, end in facts:
        dimension, signs = _MEANINGS[word]
        steps = dimensions.setdefault(dimension, {})
        if "<" not in signs:
            _add_step(steps, start, end, "=" not in signs)
        if ">" not in signs:
            _add_step(steps, end, start, "=" not in signs)
    if any(_reached(steps, name).get(name) for steps in dimensions.values() for name in steps):
        return Verdict(Status.IMPOSSIBLE)
    possible = {dimension: _signs(steps, x, y) for dimension, steps in dimensions.items()}
    entailed = frozenset(
        _WORDS[dimension, signs] for dimension, signs in possible.items() if signs != "<=>"
    )
    if claimed is None:
        is_entailed = bool(entailed)
    else:
        dimension, claimed_signs = _MEANINGS[claimed]
        is_entailed = set(possible.get(dimension, "<=>")) <= set(claimed_signs)
    if is_entailed:
        return Verdict(Status.ENTAILED, entailed)
    words = frozenset(
        word
        for word, (dimension, signs) in _MEANINGS.items()
        if set(signs) & set(possible.get(dimension, "<=>"))
    )
    return Verdict.not_entailed(words, claimed)


def _add_step(steps: _Steps, low: str, high: str, rises: bool) -> None:
    onward = steps.setdefault(low, {})
    onward[high] = onward.get(high, False) or rises


def _reached(steps: _Steps, start: str) -> dict[str, bool]:
    """Return everyone reachable by steps, and whether some path there is strict."""
    reached: dict[str, bool] = {}
    pending = [(start, False)]
    while pending:
        person, risen = pending.pop()
        for following, rising in steps.get(person, {}).items():
            rises = rising or risen
            if following not in reached or (rises and not reached[following]):
                reached[following] = rises
                pending.append((following, rises))
    return reached


def _signs(steps: _Steps, x: str, y: str) -> str:
    """Return the signs by which y may compare with x."""
    up, down = _reached(steps, x).get(y), _reached(steps, y).get(x)
    signs = "<=>"
    if up is not None:
        signs = signs.replace("<", "")
    if down is not None:
        signs = signs.replace(">", "")
    return signs.replace("=", "") if up or down else signs

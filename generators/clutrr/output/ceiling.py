"""What is to be had without reasoning, by readers who know the facts of a story but leave some out.

One does not know what is asked. The other does, and looks at what is told of the two people asked
about, at nothing between them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

from ....ends import Ends, by_ends, ends_of
from ....example import Example
from ....kb.worlds.rules import Rules
from ....kb.worlds.world import World
from ..metadata import told

_MOST = 5000
"""So many rows are enough to tell."""

_NEEDED = (
    *("facts", "beside_facts", "noise_facts", "genders", "query"),
    *("k", "task", "asked", "group", "story"),
)

_DOUBT = 5
"""So many times each kind of question counts as usual, before any is seen."""

Kind = tuple[str, int, bool]
"""What could be asked: the answer, how many of the two are in one fact only, and whether all facts
between them run from the first to the second."""
_Row = tuple[int, int, str, Kind | None, list[Kind]]
"""The number of its story among those of its k, its k, its answer, what kind of question it asks,
and all it could have asked."""


def measures(rows: Iterable[Example], worlds: Iterable[World]) -> dict[str, float]:
    """For each k what both get right, in percent; what is likely they learn from other rows.

    The one without the question lists all pairs k facts apart whose relation follows by the rules.
    It knows how often each kind of question is asked where it could be, and takes the likeliest
    answer. The other has seen which answers go with what is told of both.
    """
    known: list[_Row] = []
    ends: list[Ends] = []
    stories: dict[int, dict[str, int]] = {}
    some = [_brief(row) for row in islice(rows, _MOST)]
    world = _world(some, worlds)
    for row in some:
        if world is None or row.metadata["asked"] or row.target not in world.meanings:
            continue
        # Rows about one story would tell each other's questions: they stay together.
        story = row.metadata["group"] or row.metadata["story"] or row.id
        of_k = stories.setdefault(row.metadata["k"], {})
        known.append((of_k.setdefault(story, len(of_k)), *_read(row, world)))
        facts = [(x, word, y) for x, word, y in told(row.metadata)]
        ends.append(ends_of(facts, row.metadata["query"]))
    guessed = _guessed(known, ends)
    shares, by_them = {}, {}
    for k in sorted({row[1] for row in known}):
        rows_of_k = [row for row in known if row[1] == k]
        halves = [[row for row in rows_of_k if row[0] % 2 == half] for half in (0, 1)]
        right = (_hits(halves[0], halves[1]) + _hits(halves[1], halves[0])) / len(rows_of_k)
        shares[f"ceiling without the question, k = {k} (%)"] = round(100 * right, 1)
        right = sum(guessed[n] for n, row in enumerate(known) if row[1] == k) / len(rows_of_k)
        by_them[f"by what is told of the two alone, k = {k} (%)"] = round(100 * right, 1)
    return shares | by_them


def _guessed(known: list[_Row], ends: list[Ends]) -> list[bool]:
    """Of each row whether its answer is guessed by its ends, from how it is in other stories."""
    guessed = [False] * len(known)
    for half in (0, 1):
        ours = [n for n, row in enumerate(known) if row[0] % 2 == half]
        others = [n for n, row in enumerate(known) if row[0] % 2 != half]
        guesses = by_ends(((ends[n], known[n][2]) for n in others), (ends[n] for n in ours))
        for n, guess in zip(ours, guesses, strict=True):
            guessed[n] = guess == known[n][2]
    return guessed


def _hits(known: list[_Row], rows: list[_Row]) -> float:
    """How often the likeliest answer is right; of several, each is guessed as often.

    What is likely is learnt from other rows.
    """
    asked = Counter(kind for *_, kind, _ in known if kind)
    could = Counter(kind for *_, kinds in known for kind in kinds)
    usual = asked.total() / max(1, could.total())
    hits = 0.0
    for _, _, answer, _, kinds in rows:
        weights: Counter[str] = Counter()
        for kind in kinds:
            share = (asked[kind] + _DOUBT * usual) / (could[kind] + _DOUBT)
            weights[kind[0]] += share  # type: ignore[assignment]
        most = max(weights.values(), default=0)
        best = [word for word, weight in weights.items() if weight > most - 1e-9]
        hits += (answer in best) / max(1, len(best))
    return hits


def _brief(row: Example) -> Example:
    """A row without its text, which may be long."""
    kept = {name: row.metadata[name] for name in _NEEDED}
    return replace(row, input="", choices=[], metadata=kept)


def _world(rows: list[Example], worlds: Iterable[World]) -> World | None:
    """The world whose words all rows use."""
    words = {word for row in rows for _, word, _ in told(row.metadata)}
    return next((world for world in worlds if words <= set(world.meanings)), None)


@cache
def _rules(world: World) -> Rules:
    return Rules.of(world)


@cache
def _answer(world: World, clause: tuple[str, ...]) -> str | None:
    """What a chain of predicates gives, if one thing."""
    heads = _rules(world).derive(clause)
    return next(iter(heads)) if len(heads) == 1 else None


def _read(row: Example, world: World) -> tuple[int, str, Kind | None, list[Kind]]:
    metadata, genders = row.metadata, dict(row.metadata["genders"])
    # From each person to each other: the predicate, and whether it is told that way round.
    links: dict[str, dict[str, tuple[str, bool]]] = {}
    for x, word, y in told(metadata):
        name = world.meanings[word][0]
        links.setdefault(x, {})[y] = name, True
        links.setdefault(y, {})
        inverse = world.inverse(name)
        if inverse:
            links[y][x] = inverse, False
    apart = 1 if metadata["task"] == "memory" else metadata["k"]
    kinds: list[Kind] = []
    kind = None
    for x, near in links.items():
        for y, clause, forward in _ways(links, x, apart):
            answer = _answer(world, clause)
            if answer:
                word = world.predicates[answer].word(genders.get(y))
                kinds.append((word, (len(near) == 1) + (len(links[y]) == 1), forward))
                if [x, y] == metadata["query"]:
                    kind = kinds[-1]
    return metadata["k"], row.target, kind, kinds


def _ways(
    links: dict[str, dict[str, tuple[str, bool]]], start: str, k: int
) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Everyone k facts from somebody and no nearer, by one way there."""
    seen = {start}
    edge: dict[str, tuple[tuple[str, ...], bool]] = {start: ((), True)}
    for _ in range(k):
        further: dict[str, tuple[tuple[str, ...], bool]] = {}
        for person, (clause, forward) in edge.items():
            for other, (name, that_way) in links[person].items():
                if other not in seen and other not in further:
                    further[other] = (*clause, name), forward and that_way
        seen |= further.keys()
        edge = further
    for person, (clause, forward) in edge.items():
        yield person, clause, forward

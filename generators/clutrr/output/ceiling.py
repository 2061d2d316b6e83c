"""Ceilings: the best accuracy of guessers that know the facts of a story but do not reason.

One does not know the question. The other knows it, but only uses the end facts, those that mention
the two people of the query.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

from ....end_facts import Features, end_fact_features, predict_from_end_facts
from ....example import Example
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.world import World
from ..metadata import stated_facts
from ..options import story_worlds

_MAX_ROWS = 5000

_USED_FIELDS = (
    *("world", "facts", "beside_facts", "noise_facts", "genders", "query"),
    *("k", "task", "asked", "group", "story"),
)

_PRIOR_COUNT = 5
"""Pseudo-counts for each kind of question, at the average rate."""

QuestionKind = tuple[str, int, bool]
"""A possible question: the answer, how many of the two people are in one fact only, and whether all
facts between them run from the first to the second."""
_Row = tuple[int, int, str, QuestionKind | None, list[QuestionKind]]
"""The number of the story among those of its k, k, the answer, the kind of the question, and the
kinds of all possible questions."""


def measures(rows: Iterable[Example], train: Iterable[Example]) -> dict[str, float]:
    """Return the accuracy of both guessers for each k, in percent.

    The guesser without the question lists all pairs k facts apart whose relation the rules derive,
    knows how often each kind of question is asked where it is possible (by twofold
    cross-validation on all rows), and takes the likeliest answer. The other one is a logistic
    regression on the end facts, fitted to training rows; it is left out if there are none.
    """
    tested, fitted = [_brief(row) for row in islice(rows, _MAX_ROWS)], list(map(_brief, train))
    names = {row.metadata["world"] for row in tested}
    world = next((world for world in story_worlds() if names == {world.name}), None)
    if world is None:
        return {}
    tested, fitted = (
        [row for row in some if not row.metadata["asked"] and row.target in world.meanings]
        for some in (tested, fitted)
    )
    known: list[_Row] = []
    stories: dict[int, dict[str, int]] = {}
    for row in [*tested, *fitted][:_MAX_ROWS]:
        # Rows about one story would reveal each other's questions: they stay together.
        story = row.metadata["group"] or row.metadata["story"] or row.id
        of_k = stories.setdefault(row.metadata["k"], {})
        known.append((of_k.setdefault(story, len(of_k)), *_read(row, world)))
    guesses = predict_from_end_facts(
        ((_end_facts(row), row.target) for row in fitted), map(_end_facts, tested)
    )
    hits: dict[int, list[bool]] = {}
    for row, guess in zip(tested, guesses, strict=True):
        hits.setdefault(row.metadata["k"], []).append(guess == row.target)
    without_question, from_ends = {}, {}
    for k in sorted(hits):
        rows_of_k = [row for row in known if row[1] == k]
        halves = [[row for row in rows_of_k if row[0] % 2 == half] for half in (0, 1)]
        right = (_hits(halves[0], halves[1]) + _hits(halves[1], halves[0])) / len(rows_of_k)
        without_question[f"ceiling without the question, k = {k} (%)"] = round(100 * right, 1)
        right = sum(hits[k]) / len(hits[k])
        from_ends[f"end-facts baseline, k = {k} (%)"] = round(100 * right, 1)
    return without_question | (from_ends if fitted else {})


def _end_facts(row: Example) -> Features:
    facts = [(x, word, y) for x, word, y in stated_facts(row.metadata)]
    return end_fact_features(facts, row.metadata["query"], dict(row.metadata["genders"]))


def _hits(known: list[_Row], rows: list[_Row]) -> float:
    """Return the expected hits of guessing the likeliest answer, as learnt from `known` rows."""
    asked = Counter(kind for *_, kind, _ in known if kind)
    could = Counter(kind for *_, kinds in known for kind in kinds)
    usual = asked.total() / max(1, could.total())
    hits = 0.0
    for _, _, answer, _, kinds in rows:
        weights: Counter[str] = Counter()
        for kind in kinds:
            share = (asked[kind] + _PRIOR_COUNT * usual) / (could[kind] + _PRIOR_COUNT)
            weights[kind[0]] += share  # type: ignore[assignment]
        most = max(weights.values(), default=0)
        best = [word for word, weight in weights.items() if weight > most - 1e-9]
        hits += (answer in best) / max(1, len(best))
    return hits


def _brief(row: Example) -> Example:
    """Return a row without its text, which may be long."""
    kept = {name: row.metadata[name] for name in _USED_FIELDS}
    return replace(row, input="", choices=[], metadata=kept)


@cache
def _rules(world: World) -> RuleIndex:
    return RuleIndex.from_world(world)


@cache
def _answer(world: World, clause: tuple[str, ...]) -> str | None:
    """Return the predicate that a chain gives, if it is one."""
    heads = _rules(world).derive(clause)
    return next(iter(heads)) if len(heads) == 1 else None


def _read(row: Example, world: World) -> tuple[int, str, QuestionKind | None, list[QuestionKind]]:
    metadata, genders = row.metadata, dict(row.metadata["genders"])
    # From each person to each other: the predicate, and whether it is stated in that direction.
    links: dict[str, dict[str, tuple[str, bool]]] = {}
    for x, word, y in stated_facts(metadata):
        name = world.meanings[word][0]
        links.setdefault(x, {})[y] = name, True
        links.setdefault(y, {})
        inverse = world.inverse(name)
        if inverse:
            links[y][x] = inverse, False
    distance = 1 if metadata["task"] == "memory" else metadata["k"]
    kinds: list[QuestionKind] = []
    kind = None
    for x, near in links.items():
        for y, clause, forward in _at_distance(links, x, distance):
            answer = _answer(world, clause)
            if answer:
                word = world.predicates[answer].word(genders.get(y))
                kinds.append((word, (len(near) == 1) + (len(links[y]) == 1), forward))
                if [x, y] == metadata["query"]:
                    kind = kinds[-1]
    return metadata["k"], row.target, kind, kinds


def _at_distance(
    links: dict[str, dict[str, tuple[str, bool]]], start: str, k: int
) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield everyone at distance k, with one clause there and whether all its facts run forward."""
    seen = {start}
    edge: dict[str, tuple[tuple[str, ...], bool]] = {start: ((), True)}
    for _ in range(min(k, len(links))):
        further: dict[str, tuple[tuple[str, ...], bool]] = {}
        for person, (clause, forward) in edge.items():
            for other, (name, is_forward) in links[person].items():
                if other not in seen and other not in further:
                    further[other] = (*clause, name), forward and is_forward
        seen |= further.keys()
        edge = further
    for person, (clause, forward) in edge.items():
        yield person, clause, forward

"""Shortcuts: the accuracy of programs that guess the answer to a story without reasoning.

One knows all facts, but not the question. The others know the question: a regression on the end
facts, those that mention the two people of the query; a table by the two facts at the ends of the
chain; and a regression on the relation words of the text.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

from ....end_facts import Features, predict_from_end_facts
from ....example import Example
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.world import World
from ..metadata import end_facts, stated_facts, story_segments
from ..options import StoryOptions, story_worlds
from ..planning.end_balance import shipped_shares
from ..planning.feasibility import end_balance

_MAX_ROWS = 5000

_PRIOR_COUNT = 5
"""Pseudo-counts for each kind of question, at the average rate."""

QuestionKind = tuple[str, int, bool]
"""A possible question: the answer, how many of the two people are in one fact only, and whether all
facts between them run from the first to the second."""


@dataclass(frozen=True)
class _Story:
    """Features of a row that the programs use; its text, which may be long, is not kept."""

    id: str
    target: str
    k: int
    question: tuple[QuestionKind | None, list[QuestionKind]]
    end_facts: Features
    chain_ends: Features
    relation_words: Features


def measures(rows: Iterable[Example], train: Iterable[Example]) -> dict[str, float]:
    """Return the accuracy of the programs for each k, in percent.

    The one without the question lists all pairs k facts apart whose relation the rules derive,
    knows how often each kind of question is asked where it is possible (by twofold
    cross-validation on all rows), and takes the likeliest answer. The others are fitted to training
    rows, and left out if there are none. The floor is the least accuracy of any reader of the two
    ends of the chain that the rules of the world allow, for worlds where it is known.
    """
    rows = iter(rows)
    first = next(rows, None)
    name = first.metadata["world"] if first else ""
    world = next((world for world in story_worlds() if world.name == name), None)
    if first is None or world is None:
        return {}
    test, fitted = (
        [
            _story(row, world)
            for row in some
            if not row.metadata["asked"] and row.target in world.meanings
        ]
        for some in (islice(chain([first], rows), _MAX_ROWS), train)
    )
    shares: dict[str, dict[int, float]] = {
        "ceiling without the question": _without_question([*test, *fitted][:_MAX_ROWS])
    }
    if fitted:
        ends, words = (
            predict_from_end_facts(
                ((getattr(story, known), story.target) for story in fitted),
                (getattr(story, known) for story in test),
            )
            for known in ("end_facts", "relation_words")
        )
        by_ends = _by_chain_ends(fitted, test)
        shares["end-facts baseline"] = _accuracy(test, ends)
        programs = [
            *shares.values(),
            _accuracy(test, words),
            # Two facts are the whole chain.
            {k: share for k, share in _accuracy(test, by_ends).items() if k > 2},
        ]
        shares["strongest shortcut"] = {
            k: max(program.get(k, 0) for program in programs) for k in _lengths(test)
        }
        floors = shipped_shares(world.name).get(world.default, {})
        shares["floor for the ends of the chain"] = {
            k: floors[str(k)]["least"] for k in _lengths(test) if str(k) in floors
        }
    return {
        f"{name}, k = {k} (%)": round(100 * by_k[k], 1)
        for name, by_k in shares.items()
        for k in _lengths(test)
        if k in by_k
    }


def end_fact_caveats(options: StoryOptions) -> list[str]:
    """Return how often the ends of a chain give the answer, as planned, where that is known."""
    known = shipped_shares(options.world).get(options.rules, {})
    lengths = [k for k in options.all_lengths if str(k) in known and end_balance(options, k)]
    ours, least = (
        ", ".join(f"{100 * known[str(k)][name]:.0f}" for k in lengths) for name in ("ours", "least")
    )
    if not lengths:
        return []
    return [
        f"a program that reads only the first and the last fact of the chain is right in {ours} % "
        f"of the stories of k = {', '.join(map(str, lengths))}; the rules allow no less than "
        f"{least} %"
    ]


def _lengths(stories: list[_Story]) -> list[int]:
    return sorted({story.k for story in stories})


def _accuracy(stories: list[_Story], guesses: list[str]) -> dict[int, float]:
    """Return the share of right guesses for each k."""
    hits: dict[int, list[bool]] = {}
    for story, guess in zip(stories, guesses, strict=True):
        hits.setdefault(story.k, []).append(guess == story.target)
    return {k: sum(right) / len(right) for k, right in hits.items()}


def _without_question(stories: list[_Story]) -> dict[int, float]:
    """Return the accuracy of the program that does not know the question, for each k."""
    found: dict[int, float] = {}
    for k in _lengths(stories):
        of_k = [story for story in stories if story.k == k]
        # Rows about one story would reveal each other's questions: they stay together.
        number = {name: n for n, name in enumerate(dict.fromkeys(story.id for story in of_k))}
        halves = [[story for story in of_k if number[story.id] % 2 == half] for half in (0, 1)]
        found[k] = (_hits(halves[0], halves[1]) + _hits(halves[1], halves[0])) / len(of_k)
    return found


def _by_chain_ends(fitted: list[_Story], asked: list[_Story]) -> list[str]:
    """Return the most frequent answer to chains with the same ends, or else of the same length."""
    counts: dict[Features, Counter[str]] = {}
    for story in fitted:
        for known in (story.chain_ends, story.chain_ends[:1]):
            counts.setdefault(known, Counter())[story.target] += 1
    guesses = []
    for story in asked:
        counted = counts.get(story.chain_ends) or counts.get(story.chain_ends[:1])
        guesses.append(counted.most_common(1)[0][0] if counted else "")
    return guesses


def _story(row: Example, world: World) -> _Story:
    metadata, genders = row.metadata, dict(row.metadata["genders"])
    query, clause = metadata["query"], metadata["clause"]
    return _Story(
        id=metadata["group"] or metadata["story"] or row.id,
        target=row.target,
        k=metadata["k"],
        question=_possible_questions(row, world),
        end_facts=end_facts(row),
        chain_ends=(
            str(metadata["k"]),
            *(clause[0], clause[-1]),
            *(str(genders.get(person)) for person in query),
        ),
        relation_words=_relation_words(row, world),
    )


def _relation_words(row: Example, world: World) -> Features:
    """Return the relation words of the text, each with the people of the query it stands beside."""
    x, y = row.metadata["query"]
    features = []
    for segment in story_segments(row):
        mentions = f"{int(x in segment)}{int(y in segment)}"
        features += [f"{mentions} {word}" for word in _word_pattern(world).findall(segment)]
    genders = dict(row.metadata["genders"])
    return (*sorted(set(features)), f"{genders.get(x)} {genders.get(y)}", str(row.metadata["k"]))


@cache
def _word_pattern(world: World) -> "re.Pattern[str]":
    words = sorted(world.meanings, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")


def _hits(known: list[_Story], stories: list[_Story]) -> float:
    """Return the expected hits of guessing the likeliest answer, as learnt from `known` rows."""
    asked = Counter(kind for kind, _ in (story.question for story in known) if kind)
    could = Counter(kind for story in known for kind in story.question[1])
    usual = asked.total() / max(1, could.total())
    hits = 0.0
    for story in stories:
        weights: Counter[str] = Counter()
        for kind in story.question[1]:
            share = (asked[kind] + _PRIOR_COUNT * usual) / (could[kind] + _PRIOR_COUNT)
            weights[kind[0]] += share  # type: ignore[assignment]
        most = max(weights.values(), default=0)
        best = [word for word, weight in weights.items() if weight > most - 1e-9]
        hits += (story.target in best) / max(1, len(best))
    return hits


@cache
def _rules(world: World) -> RuleIndex:
    return RuleIndex.from_world(world)


@cache
def _answer(world: World, clause: tuple[str, ...]) -> str | None:
    """Return the predicate that a chain gives, if it is one."""
    heads = _rules(world).derive(clause)
    return next(iter(heads)) if len(heads) == 1 else None


def _possible_questions(
    row: Example, world: World
) -> tuple[QuestionKind | None, list[QuestionKind]]:
    """Return the kind of the question, and the kinds of all that the facts allow."""
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
                word = world.predicates[answer].word(genders[y] if world.genders else None)
                kinds.append((word, (len(near) == 1) + (len(links[y]) == 1), forward))
                if [x, y] == metadata["query"]:
                    kind = kinds[-1]
    return kind, kinds


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

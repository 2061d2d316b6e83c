"""Search for what can be asked with some options, in a few scenes before any row is made."""

from functools import cache, lru_cache, partial
from typing import Any, Final

from ....block import Block
from ....errors import InvalidWorld
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.scene import members
from ....kb.worlds.world import find_world
from ....seed import Stream
from ....splits import TRAIN
from ....templates.stitcher import held_out as templates_held_out
from ..options import HELD_OUT_SHARES, SHAPE, StoryOptions
from .chain import Chainer, ChainSampling, PredicateCounts
from .end_balance import (
    Answers,
    EndBalance,
    balanced_shares,
    end_answers,
    is_balanced,
    shipped_balance,
)
from .holdout import HoldOut, SplitClauses, clauses_held_out, names_held_out
from .planner import Planner

_SCENES: Final = 4
_MAX_CHAIN_ATTEMPTS: Final = 400
_MAX_PLAN_ATTEMPTS: Final = 50
_MAX_CLAUSE_ATTEMPTS: Final = 20
_MAX_END_ATTEMPTS: Final = 600


@cache
def rules_of(world: str, ruleset: str) -> RuleIndex:
    """Return a rule set of a world; raise InvalidWorld if it is ambiguous."""
    rules = RuleIndex.from_world(find_world(world), ruleset)
    for first, second in rules.ambiguous:
        raise InvalidWorld(
            f"{rules.predicates[first]} and {rules.predicates[second]} have two heads; "
            f"stories need rules that give one answer"
        )
    return rules


@lru_cache(maxsize=32)
def chainer_of(
    world: str, rules: str, people: int, shape: tuple[Any, ...], *stream_key: str | int
) -> Chainer:
    """Return a chainer over a scene; cached, since consecutive blocks share their scenes."""
    named = dict(zip(SHAPE, shape, strict=True))
    scene = find_world(world).scene(Stream(*stream_key, "scene"), people, **named)
    return Chainer(rules_of(world, rules), scene)


def search_chainers(options: StoryOptions) -> list[Chainer]:
    """Return chainers over the scenes that are searched."""
    return _chainers(options.world, options.rules, options.people, options.shape)


@lru_cache(maxsize=8)
def _chainers(world: str, rules: str, people: int, shape: tuple[Any, ...]) -> list[Chainer]:
    return [chainer_of(world, rules, people, shape, "search", n) for n in range(_SCENES)]


def clause_occurs(options: StoryOptions, answer: str, clause: tuple[str, ...]) -> bool:
    """Return whether the scenes searched have a chain with this clause and its answer."""
    rules = rules_of(options.world, options.rules)
    head, chain = rules.number[answer], tuple([rules.number[name] for name in clause])
    stream = Stream("occurs", *clause)
    for chainer in search_chainers(options):
        for _ in range(_MAX_CLAUSE_ATTEMPTS if chainer.sample_path(chain, stream) else 0):
            if chainer.instantiate(chain, head, stream):
                return True
    return False


def possible_answers(options: StoryOptions, k: int) -> frozenset[int]:
    """Return the predicates that chains of k facts lead to in the scenes searched."""
    if options.questions > 1:
        return _planned_answers(options, k)
    return _chain_answers(options.world, options.rules, options.people, options.shape, k)


@lru_cache(maxsize=256)
def _planned_answers(options: StoryOptions, k: int) -> frozenset[int]:
    concluded = rules_of(options.world, options.rules).head_predicates
    planner = _search_planner(options, options.questions)
    return frozenset([p for p in concluded if _can_plan(planner, p, k)])


@lru_cache(maxsize=256)
def _chain_answers(
    world: str, rules: str, people: int, shape: tuple[Any, ...], k: int
) -> frozenset[int]:
    stream, chainers = Stream("answers", k), _chainers(world, rules, people, shape)
    concluded = rules_of(world, rules).head_predicates
    return frozenset([p for p in concluded if _has_chain(chainers, p, k, stream)])


@lru_cache(maxsize=256)
def max_questions(options: StoryOptions, k: int) -> int:
    """Return how many questions stories of k facts can have, at most `options.questions`."""
    concluded = sorted(rules_of(options.world, options.rules).head_predicates)
    for questions in range(options.questions, 0, -1):
        planner = _search_planner(options, questions)
        for predicate in concluded:
            if _can_plan(planner, predicate, k):
                return questions
    return 0


def _search_planner(options: StoryOptions, questions: int) -> Planner:
    chainers = search_chainers(options)
    block = Block("search", 0, 0, (TRAIN,), TRAIN, 0)
    return Planner(options, questions, block, chainers.__getitem__, SplitClauses(), lambda k: None)


def _can_plan(planner: Planner, predicate: int, k: int) -> bool:
    for number in range(_SCENES):
        if planner.plan_in(planner.chainer(number), k, predicate, _MAX_PLAN_ATTEMPTS):
            return True
    return False


def _has_chain(chainers: list[Chainer], predicate: int, k: int, stream: Stream) -> bool:
    for chainer in chainers:
        pairs = chainer.goals[predicate]
        sampling = ChainSampling(stream, PredicateCounts(chainer.rules))
        for _ in range(_MAX_CHAIN_ATTEMPTS if pairs else 0):
            x, y = stream.choice(pairs)
            if chainer.sample_chain(x, y, k, 1 << x | 1 << y, sampling):
                return True
    return False


def end_balance(options: StoryOptions, k: int) -> EndBalance | None:
    """Return how often chains of k facts have which end facts; None: this does not matter."""
    if not options.max_side_facts:
        return None
    rules = rules_of(options.world, options.rules)
    if not is_balanced(rules, k):
        return None
    shipped = shipped_balance(options.world, options.rules, len(rules.predicates), k)
    return shipped or _searched_balance(
        options.world, options.rules, options.people, options.shape, k
    )


@lru_cache(maxsize=64)
def _searched_balance(
    world: str, rules: str, people: int, shape: tuple[Any, ...], k: int
) -> EndBalance:
    index = rules_of(world, rules)
    shares = balanced_shares(index, possible_ends(_chainers(world, rules, people, shape), k))
    return EndBalance(len(index.predicates), shares)


def possible_ends(chainers: list[Chainer], k: int) -> Answers:
    """Return the answers of chains of k facts by their end facts, in the scenes searched."""
    stream, found = Stream("ends", k), Answers()
    counts = PredicateCounts(chainers[0].rules)
    for (first, last), answers in end_answers(chainers[0].rules, k).items():
        sampling = ChainSampling(stream, counts, first, last)
        for answer in members(answers):
            for attempt in range(_MAX_END_ATTEMPTS):
                chainer = chainers[attempt % _SCENES]
                goals = chainer.goals_with_ends(answer, first, last)
                if not goals:
                    continue
                x, y = stream.choice(goals)
                if chainer.sample_chain(x, y, k, 1 << x | 1 << y, sampling):
                    found[first, last] = found.get((first, last), 0) | 1 << answer
                    break
    return found


@cache
def held_out(options: StoryOptions, generator: str, version: int, seed: int) -> HoldOut:
    """Return what is held out of the split train in a dataset of this seed."""
    key, lengths = (generator, version, seed), list(options.lengths(TRAIN))
    held = HoldOut()
    if "templates" in options.hold_out:
        templates = templates_held_out(options.bank(), HELD_OUT_SHARES["templates"], *key)
        held = held._replace(templates=templates)
    if "clauses" in options.hold_out:
        rules, occurs = rules_of(options.world, options.rules), partial(clause_occurs, options)
        held = held._replace(clauses=clauses_held_out(rules, lengths, occurs, *key))
    if "names" in options.hold_out:
        held = held._replace(names=names_held_out(options.pool(), *key))
    return held

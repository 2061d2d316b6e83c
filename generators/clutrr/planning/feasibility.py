"""Search for what can be asked with some options, in a few scenes before any row is made."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from ....block import Block
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.world import find_world
from ....seed import Stream
from ....splits import TRAIN
from .chain import Chainer, ChainSampling, PredicateCounts, check_unambiguous
from .planner import IndexedClause, Planner, PlanOptions

if TYPE_CHECKING:
    from ..generator import Clutrr

SHAPE: Final = ("children", "marriage", "same_gender")
"""The options that shape a scene, where its world uses them."""
_SCENES: Final = 4
_MAX_CHAIN_ATTEMPTS: Final = 400
_MAX_PLAN_ATTEMPTS: Final = 50
_MAX_CLAUSE_ATTEMPTS: Final = 20


@cache
def rules_of(world: str, ruleset: str) -> RuleIndex:
    """Return a rule set of a world; raise InvalidWorld if it is ambiguous."""
    return check_unambiguous(RuleIndex.from_world(find_world(world), ruleset))


@lru_cache(maxsize=32)
def chainer_of(
    world: str, rules: str, people: int, shape: tuple[Any, ...], *stream_key: str | int
) -> Chainer:
    """Return a chainer over a scene; cached, since consecutive blocks share their scenes."""
    named = dict(zip(SHAPE, shape, strict=True))
    scene = find_world(world).scene(Stream(*stream_key, "scene"), people, **named)
    return Chainer(rules_of(world, rules), scene)


def _search_chainers(options: "Clutrr") -> list[Chainer]:
    return [
        chainer_of(options.world, options.rules, options.people, options.shape, "search", number)
        for number in range(_SCENES)
    ]


def clause_occurs(options: "Clutrr", answer: str, clause: tuple[str, ...]) -> bool:
    """Return whether the scenes searched have a chain with this clause and its answer."""
    rules = rules_of(options.world, options.rules)
    head, chain = rules.number[answer], tuple([rules.number[name] for name in clause])
    stream = Stream("occurs", *clause)
    for chainer in _search_chainers(options):
        for _ in range(_MAX_CLAUSE_ATTEMPTS if chainer.sample_path(chain, stream) else 0):
            if chainer.instantiate(chain, head, stream):
                return True
    return False


@lru_cache(maxsize=256)
def possible_answers(options: "Clutrr", k: int) -> frozenset[int]:
    """Return the predicates that chains of k facts lead to in the scenes searched."""
    concluded = rules_of(options.world, options.rules).head_predicates
    if options.questions > 1:
        planner = _search_planner(options, options.questions)
        return frozenset([p for p in concluded if _can_plan(planner, p, k)])
    stream, chainers = Stream("answers", k), _search_chainers(options)
    return frozenset([p for p in concluded if _has_chain(chainers, p, k, stream)])


@lru_cache(maxsize=256)
def max_questions(options: "Clutrr", k: int) -> int:
    """Return how many questions stories of k facts can have, at most `options.questions`."""
    concluded = sorted(rules_of(options.world, options.rules).head_predicates)
    for questions in range(options.questions, 0, -1):
        planner = _search_planner(options, questions)
        for predicate in concluded:
            if _can_plan(planner, predicate, k):
                return questions
    return 0


def _search_planner(options: "Clutrr", questions: int) -> Planner:
    chainers = _search_chainers(options)
    block = Block("search", 0, 0, (TRAIN,), TRAIN, 0)
    return planner_of(options, block, chainers.__getitem__, questions, frozenset(), {})


def _can_plan(planner: Planner, predicate: int, k: int) -> bool:
    for number in range(_SCENES):
        if planner.plan_in(planner.chainer(number), k, predicate, _MAX_PLAN_ATTEMPTS):
            return True
    return False


def planner_of(
    options: "Clutrr",
    block: Block,
    chainer: Callable[[int], Chainer],
    questions: int,
    excluded: frozenset[IndexedClause],
    only: dict[tuple[int, int], list[IndexedClause]],
) -> Planner:
    """Return the planner for some options."""
    plan_options = PlanOptions(
        side_facts=options.max_side_facts,
        both_ways=options.direction == "random",
        questions=questions,
        noise_kinds=[kind for kind in options.kinds for _ in range(options.noise_paths)],
        noise_lengths=list(options.noise_length),
        noise_in_interior=options.noise_at == "interior",
        excluded=excluded,
        only=only,
    )
    return Planner(block, chainer, plan_options)


def _has_chain(chainers: list[Chainer], predicate: int, k: int, stream: Stream) -> bool:
    for chainer in chainers:
        pairs = chainer.goals[predicate]
        sampling = ChainSampling(stream, PredicateCounts(chainer.rules))
        for _ in range(_MAX_CHAIN_ATTEMPTS if pairs else 0):
            x, y = stream.choice(pairs)
            if chainer.sample_chain(x, y, k, 1 << x | 1 << y, sampling):
                return True
    return False

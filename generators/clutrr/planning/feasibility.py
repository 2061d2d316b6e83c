"""What can be asked with some options: found out in a few scenes before any row is made."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from ....block import Block
from ....kb.worlds.rules import Rules
from ....kb.worlds.world import find_world
from ....seed import Stream
from ....splits import TRAIN
from .chain import Chainer, Tally, fit_for_stories
from .planner import Clause, Plotter

if TYPE_CHECKING:
    from ..generator import Clutrr

SHAPE: Final = ("children", "marriage", "same_gender")
"""The options that shape a scene, where its world heeds them."""
_SCENES_TO_SEARCH: Final = 4
_TRIES: Final = 400
_PLOTS: Final = 50
_FOLLOWED: Final = 20


@cache
def rules_of(world: str, ruleset: str) -> Rules:
    """The rules of a world."""
    return fit_for_stories(Rules.of(find_world(world), ruleset))


@lru_cache(maxsize=32)
def chainer_of(
    world: str, rules: str, people: int, shape: tuple[Any, ...], *whose: str | int
) -> Chainer:
    """Blocks in a row share their scenes, which take a while to make."""
    named = dict(zip(SHAPE, shape, strict=True))
    scene = find_world(world).scene(Stream(*whose, "scene"), people, **named)
    return Chainer(rules_of(world, rules), scene)


def _searched(options: "Clutrr") -> list[Chainer]:
    """Scenes to find out in what there is."""
    return [
        chainer_of(options.world, options.rules, options.people, options.shape, "search", number)
        for number in range(_SCENES_TO_SEARCH)
    ]


def occurs(options: "Clutrr", answer: str, clause: tuple[str, ...]) -> bool:
    """Whether scenes have people along whom such a clause holds, and its answer with it."""
    rules = rules_of(options.world, options.rules)
    head, chain = rules.number[answer], tuple([rules.number[name] for name in clause])
    stream = Stream("occurs", *clause)
    for chainer in _searched(options):
        for _ in range(_FOLLOWED if chainer.path(chain, stream) else 0):
            if chainer.follow(chain, head, stream):
                return True
    return False


@lru_cache(maxsize=256)
def answers(options: "Clutrr", k: int) -> frozenset[int]:
    """The predicates that chains of k facts lead to; some are too far from everything."""
    concluded = rules_of(options.world, options.rules).concluded
    if options.questions > 1:
        plotter = _searcher(options, options.questions)
        return frozenset([p for p in concluded if _can_be_plotted(plotter, p, k)])
    stream, chainers = Stream("answers", k), _searched(options)
    return frozenset([p for p in concluded if _lead_to(chainers, p, k, stream)])


@lru_cache(maxsize=256)
def most_questions(options: "Clutrr", k: int) -> int:
    """How many questions stories of k facts can have, up to as many as are asked for."""
    concluded = sorted(rules_of(options.world, options.rules).concluded)
    for questions in range(options.questions, 0, -1):
        plotter = _searcher(options, questions)
        for predicate in concluded:
            if _can_be_plotted(plotter, predicate, k):
                return questions
    return 0


def _searcher(options: "Clutrr", questions: int) -> Plotter:
    chainers = _searched(options)
    block = Block("search", 0, 0, (TRAIN,), TRAIN, 0)
    return plotter_of(options, block, chainers.__getitem__, questions, frozenset(), {})


def _can_be_plotted(plotter: Plotter, predicate: int, k: int) -> bool:
    for number in range(_SCENES_TO_SEARCH):
        if plotter.plot_in(plotter.chainer(number), k, predicate, _PLOTS):
            return True
    return False


def plotter_of(
    options: "Clutrr",
    block: Block,
    chainer: Callable[[int], Chainer],
    questions: int,
    never: frozenset[Clause],
    only: dict[tuple[int, int], list[Clause]],
) -> Plotter:
    """What draws plots as the options say."""
    return Plotter(
        block,
        chainer,
        beside=options.most_beside,
        both_ways=options.direction == "random",
        questions=questions,
        kinds=[kind for kind in options.kinds for _ in range(options.noise_paths)],
        lengths=list(options.noise_length),
        interior=options.noise_at == "interior",
        never=never,
        only=only,
    )


def _lead_to(chainers: list[Chainer], predicate: int, k: int, stream: Stream) -> bool:
    for chainer in chainers:
        pairs, tally = chainer.goals[predicate], Tally(chainer.rules)
        for _ in range(_TRIES if pairs else 0):
            x, y = stream.choice(pairs)
            if chainer.derive(x, y, k, 1 << x | 1 << y, stream, tally):
                return True
    return False

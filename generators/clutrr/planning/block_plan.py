"""The story plans of a block: every story is assigned an answer, then planned on demand."""

from collections.abc import Iterator
from functools import cache, lru_cache, partial
from typing import Final

from ....block import Block
from ....errors import Infeasible
from ....kb.worlds.scene import UNSTATED_NUMBER
from ....seed import Stream
from ..options import StoryOptions
from ..story import QueryPlan, StoryPlan
from .chain import Chainer
from .end_balance import ANY
from .feasibility import chainer_of, end_balance, possible_answers, rules_of
from .holdout import HoldOut, split_clauses
from .planner import Planner

_ROWS_PER_SCENES: Final = 1 << 16
"""Rows that share a set of scenes, so that few scenes are made when rows are read in any order."""
_SCENES: Final = 24
"""Scenes of a set; each block begins with another of them."""
_ROWS_PER_CYCLE: Final = 256
"""Rows over which answers are balanced."""
_MAX_ATTEMPTS: Final = 400
_MAX_FREE_ATTEMPTS: Final = 100
"""Attempts to get a story that states a predicate anywhere, before its chain begins with it."""
UNDETERMINED: Final = -1
"""Marks a story whose answer must be undetermined."""


class BlockPlan:
    """Assigns an answer to every story of a block and plans each story on demand.

    Answers are balanced over several blocks. `asked` is the stream for memory questions.
    """

    def __init__(
        self, options: StoryOptions, block: Block, held_out: HoldOut, asked: Stream
    ) -> None:
        self.options, self.block, self.asked = options, block, asked
        self.rules = rules_of(options.world, options.rules)
        self.gendered = bool(options.story_world.genders)
        self.story_numbers = self._stories_of(block.index)
        """The stories whose first row is in the block; the last row may be in the next."""
        self.clauses = split_clauses(held_out, self.rules, block.split)
        balance = cache(partial(end_balance, options))
        self.planner = Planner(
            options, options.questions, block, self._chainer, self.clauses, balance
        )
        self.assignments = self._assign_answers()
        self.plans: dict[tuple[int, int], StoryPlan] = {}

    def story_plan(self, index: int) -> StoryPlan:
        """Return the plan of one story."""
        k, number, predicate, male = self.assignments[index]
        if number == UNDETERMINED:
            return self.planner.undetermined(k, predicate)
        if (k, number) not in self.plans:
            if _is_memory(self.options.task, number):
                self.plans[k, number] = self._plan_memory(k, predicate)
            else:
                self.plans[k, number] = self.planner.plan(k, predicate)
        plan = self.plans[k, number]
        gender = plan.gender[plan.queries[0].y]
        mirrored = male if gender == UNSTATED_NUMBER else bool(gender) != male
        return plan.copy(mirrored=mirrored and self.gendered)

    def _chainer(self, number: int) -> Chainer:
        options, block = self.options, self.block
        world, rules, people = options.world, options.rules, options.people
        stream_key = (block.generator, block.version, block.seed, block.split, block.variant)
        group = block.numbers.start // _ROWS_PER_SCENES
        number = (block.index + number) % _SCENES
        return chainer_of(world, rules, people, options.shape, *stream_key, group, number)

    def _stories_of(self, index: int) -> range:
        """Return the numbers of the stories whose first row is in the block of this index."""
        rows, size = self.block.size, self.options.group_size
        return range(-(-index * rows // size), -(-(index + 1) * rows // size))

    def _lengths(self, index: int) -> list[int]:
        stories, lengths = self._stories_of(index), self.options.lengths(self.block.split)
        return _lengths_of(lengths.cycle, stories.start, len(stories))

    def _assign_answers(self) -> list[tuple[int, int, int, bool]]:
        """Return for each story: k, the number of its plan, predicate, and is male.

        The number is UNDETERMINED where the answer is to be so.
        """
        stream, ks = self.block.stream("cards"), self._lengths(self.block.index)
        first = self.block.index - self.block.index % (_ROWS_PER_CYCLE // self.block.size)
        earlier = [self._lengths(index) for index in range(first, self.block.index)]
        answers: dict[int, Iterator[tuple[int, int, bool]]] = {}
        for k in dict.fromkeys(ks):
            counts = [block.count(k) for block in earlier]
            answers[k] = iter(self._balanced_answers(k, counts, ks.count(k), stream))
        return [(k, *next(answers[k])) for k in ks]

    def _balanced_answers(
        self, k: int, earlier: list[int], count: int, stream: Stream
    ) -> list[tuple[int, int, bool]]:
        """Return the assignments of the stories of one length, all answers equally often.

        `earlier` has the number of such stories in each block before this one, as far as answers
        are balanced over them together. Each plan is used twice, the second time with all genders
        mirrored: a world's axioms do not distinguish men and women, so the mirror image of a family
        is a family too.
        """
        share, total, first_plan = self.options.unknown_share, 0, 0
        for stories in earlier:
            determined = stories - (int((total + stories) * share) - int(total * share))
            first_plan += self._plan_count(determined)
            total += stories
        undetermined = int((total + count) * share) - int(total * share)
        count -= undetermined
        plans = self._plan_count(count)
        answers = self.clauses.answers(k, possible_answers(self.options, k))
        if not answers:
            raise Infeasible(f"no story of {k} facts was found; ask for more people or a smaller k")
        tellable = self.clauses.tellable_predicates(k, self.rules.body_predicates)
        block = self.block
        predicates = _cycle_predicates(
            self.options.task,
            tuple(sorted(answers)),
            tuple(sorted(tellable)),
            (block.generator, block.version, block.seed, block.split, block.variant),
            block.numbers.start // _ROWS_PER_CYCLE,
            k,
        )
        first = [
            (number, predicates[number], self.gendered and stream.random() < 0.5)
            for number in range(first_plan, first_plan + plans)
        ]
        again = stream.sample(first, count - plans)
        if again[:1] == first[-1:]:
            again.reverse()  # no story is next to its mirror image
        assigned = [*first, *[(number, predicate, not male) for number, predicate, male in again]]
        among = sorted(answers)
        for _ in range(undetermined):
            place = stream.below(len(assigned) + 1)
            assigned.insert(place, (UNDETERMINED, stream.choice(among), False))
        return assigned

    def _plan_count(self, stories: int) -> int:
        return -(-stories // 2) if self.gendered else stories

    def _plan_memory(self, k: int, predicate: int) -> StoryPlan:
        """Return a plan whose chain states the predicate, and asks for it."""
        stream, rules = self.asked, self.rules
        heads = self.clauses.answers_stating(k, predicate) or [
            head for *body, head in sorted(rules.compositions) if predicate in body
        ]
        starting = sorted({head for first, _, head in rules.compositions if first == predicate})
        for attempt in range(_MAX_ATTEMPTS):
            ends, head = (ANY, ANY), stream.choice(heads)
            if attempt >= _MAX_FREE_ATTEMPTS and starting and not self.clauses.only:
                ends, head = (predicate, ANY), stream.choice(starting)
            plan = self.planner.plan(k, head, ends)
            stating = [x for x in range(k) if plan.facts[x][1] == predicate]
            if stating:
                x, chain = stream.choice(stating), plan.queries[0]
                query = QueryPlan(x, x + 1, predicate, chain.facts, chain.clause)
                query.is_memory, plan.queries = True, [query]
                return plan
        raise Infeasible(
            f"no {k}-fact story can state the relation {rules.predicates[predicate]!r}; "
            f"try a larger --k"
        )


def _is_memory(task: str, number: int) -> bool:
    """Return whether the story of this number asks for a stated fact."""
    return task == "memory" or (task == "mixed" and number % 2 == 1)


@lru_cache(maxsize=64)
def _lengths_of(cycle: tuple[int, ...], first: int, count: int) -> list[int]:
    """Return k of consecutive stories, which take the lengths of the cycle in turn."""
    return [cycle[n % len(cycle)] for n in range(first, first + count)]


@lru_cache(maxsize=64)
def _cycle_predicates(
    task: str,
    answers: tuple[int, ...],
    tellable: tuple[int, ...],
    stream_key: tuple[str | int, ...],
    cycle: int,
    k: int,
) -> list[int]:
    """Return the answers of all plans of one length in a cycle, by the number of the plan.

    Blocks that are balanced together share them.
    """
    stream = Stream(*stream_key, "answers", cycle, k)
    pools = {False: _shuffled_cycles(answers, stream), True: _shuffled_cycles(tellable, stream)}
    return [next(pools[_is_memory(task, number)]) for number in range(_ROWS_PER_CYCLE)]


def _shuffled_cycles(predicates: tuple[int, ...], stream: Stream) -> Iterator[int]:
    while True:
        cycle = [*predicates]
        stream.shuffle(cycle)
        yield from cycle

"""The story plans of a block: every story is assigned an answer, then planned on demand."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ....block import Block
from ....errors import Infeasible
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.scene import UNSTATED_NUMBER
from ....seed import Stream
from ....splits import TRAIN
from .chain import Chainer
from .feasibility import chainer_of, planner_of, possible_answers
from .holdout import HoldOut
from .planner import IndexedClause, Planner, StoryPlan

if TYPE_CHECKING:
    from ..generator import Clutrr

_BLOCKS_PER_SCENE: Final = 4
_MAX_ATTEMPTS: Final = 400
UNDETERMINED: Final = -1
"""Marks a story whose answer must be undetermined."""


class PlannedStory:
    """The plan of one story, whether genders are mirrored, and the pair (x, y) of its query."""

    __slots__ = ("mirrored", "plan", "x", "y")

    def __init__(self, plan: StoryPlan, mirrored: bool, x: int, y: int) -> None:
        self.plan, self.mirrored, self.x, self.y = plan, mirrored, x, y


class BlockPlan:
    """Assigns an answer to every story of a block and plans each story on demand.

    Answers are balanced within the block. `asked` is the stream for memory questions.
    """

    def __init__(
        self,
        options: "Clutrr",
        block: Block,
        rules: RuleIndex,
        held_out: HoldOut,
        gendered: bool,
        asked: Stream,
    ) -> None:
        self.options, self.block, self.rules = options, block, rules
        self.gendered, self.asked = gendered, asked
        self.questions = options.questions
        size, numbers = options.group_size, block.numbers
        self.story_numbers = range(-(-numbers.start // size), -(-numbers.stop // size))
        """The stories whose first row is in the block; the last row may be in the next."""
        self.planner = self._planner(held_out)
        self.assignments = self._assign_answers()
        self.plans: dict[tuple[int, int], tuple[StoryPlan, int, int]] = {}

    def story_plan(self, index: int) -> PlannedStory:
        """Return the plan of one story."""
        k, number, predicate, male = self.assignments[index]
        if number == UNDETERMINED:
            return PlannedStory(self.planner.undetermined(k), False, 0, k)
        if (k, number) not in self.plans:
            self._plan(k, number, predicate)
        plan, x, y = self.plans[k, number]
        gender = plan.gender[y]
        return PlannedStory(plan, male if gender == UNSTATED_NUMBER else bool(gender) != male, x, y)

    def _planner(self, held_out: HoldOut) -> Planner:
        options, block = self.options, self.block
        stream_key = (block.generator, block.version, block.seed, block.split)
        group = block.index // _BLOCKS_PER_SCENE

        def chainer(number: int) -> Chainer:
            world, rules, people = options.world, options.rules, options.people
            return chainer_of(world, rules, people, options.shape, *stream_key, group, number)

        number = self.rules.number
        clauses: dict[tuple[int, int], list[IndexedClause]] = {}
        for answer, clause in sorted(held_out.clauses):
            indexed = tuple([number[name] for name in clause])
            clauses.setdefault((len(clause), number[answer]), []).append(indexed)
        if block.split == TRAIN:
            excluded = frozenset([c for some in clauses.values() for c in some])
            return planner_of(options, block, chainer, self.questions, excluded, {})
        return planner_of(options, block, chainer, self.questions, frozenset(), clauses)

    def _assign_answers(self) -> list[tuple[int, int, int, bool]]:
        """Return for each story: k, its number among those of this k, predicate, and is male.

        The number is UNDETERMINED where the answer is to be so.
        """
        stream = self.block.stream("cards")
        cycle = self.options.lengths(self.block.split).cycle
        ks = [cycle[n % len(cycle)] for n in self.story_numbers]
        answers = {
            k: iter(self._balanced_answers(k, ks.count(k), stream)) for k in dict.fromkeys(ks)
        }
        return [(k, *next(answers[k])) for k in ks]

    def _balanced_answers(self, k: int, count: int, stream: Stream) -> list[tuple[int, int, bool]]:
        """Return the assignments of the stories of one length, all answers equally often.

        Each plan is used twice, the second time with all genders mirrored: a world's axioms do not
        distinguish men and women, so the mirror image of a family is a family too.
        """
        undetermined = int(count * self.options.unknown_share)
        count -= undetermined
        plans = -(-count // 2) if self.gendered else count
        answers = self.planner.allowed_answers(k, possible_answers(self.options, k))
        if not answers:
            raise Infeasible(f"no story of {k} facts was found; ask for more people or a smaller k")
        tellable = self.planner.tellable_predicates(k, self.rules.body_predicates)
        cycles = {
            False: _shuffled_cycles(answers, stream),
            True: _shuffled_cycles(tellable, stream),
        }
        first = []
        for number in range(plans):
            male = self.gendered and stream.random() < 0.5
            first.append((number, next(cycles[self._is_memory(number)]), male))
        again = stream.sample(first, count - plans)
        if again[:1] == first[-1:]:
            again.reverse()  # no story is next to its mirror image
        assigned = [*first, *[(number, predicate, not male) for number, predicate, male in again]]
        for _ in range(undetermined):
            assigned.insert(stream.below(len(assigned) + 1), (UNDETERMINED, 0, False))
        return assigned

    def _is_memory(self, number: int) -> bool:
        """Return whether the story of this number asks for a stated fact."""
        task = self.options.task
        return task == "memory" or (task == "mixed" and number % 2 == 1)

    def _plan(self, k: int, number: int, predicate: int) -> None:
        """Plan a story, or all of its length where these may swap answers."""
        if self._is_memory(number):
            self.plans[k, number] = self._plan_memory(k, predicate)
        elif not self.options.max_side_facts or self.questions > 1:
            self.plans[k, number] = self.planner.plan(k, predicate), 0, k
        else:
            assigned = {n: p for length, n, p, _ in self.assignments if length == k}
            numbers = [n for n in sorted(assigned) if n != UNDETERMINED and not self._is_memory(n)]
            plans = self.planner.plans(k, [assigned[n] for n in numbers])
            for n, plan in zip(numbers, plans, strict=True):
                self.plans[k, n] = plan, 0, k

    def _plan_memory(self, k: int, predicate: int) -> tuple[StoryPlan, int, int]:
        """Return a plan whose chain states the predicate, and the two people it relates."""
        stream, rules = self.asked, self.rules
        heads = self.planner.answers_stating(k, predicate) or [
            head for *body, head in sorted(rules.compositions) if predicate in body
        ]
        for _ in range(_MAX_ATTEMPTS):
            plan = self.planner.plan(k, stream.choice(heads), single_query=True)
            stating = [x for x in range(k) if plan.facts[x][1] == predicate]
            if stating:
                x = stream.choice(stating)
                return plan, x, x + 1
        raise Infeasible(
            f"no {k}-fact story can state the relation {rules.predicates[predicate]!r}; "
            f"try a larger --k"
        )


def _shuffled_cycles(predicates: frozenset[int], stream: Stream) -> Iterator[int]:
    """Yield all of them in random order, again and again."""
    while True:
        cycle = sorted(predicates)
        stream.shuffle(cycle)
        yield from cycle

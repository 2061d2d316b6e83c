"""The plots of a block's stories: each is dealt an answer, then its plot is drawn."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ....block import Block
from ....errors import Infeasible
from ....kb.worlds.rules import Rules
from ....kb.worlds.scene import UNSTATED
from ....seed import Stream
from ....splits import TRAIN
from .chain import Chainer
from .feasibility import answers, chainer_of, plotter_of
from .holdout import HoldOut
from .planner import Clause, Plot, Plotter

if TYPE_CHECKING:
    from ..generator import Clutrr

_BLOCKS_PER_SCENE: Final = 4
_TRIES: Final = 400
_OPEN: Final = -1


class Plots:
    """For each story of the block its plot, and between which two of its people it asks.

    `asked` draws what is asked for where that is told.
    """

    def __init__(
        self,
        options: "Clutrr",
        block: Block,
        rules: Rules,
        held_out: HoldOut,
        gendered: bool,
        asked: Stream,
    ) -> None:
        self.options, self.block, self.rules = options, block, rules
        self.gendered, self.asked = gendered, asked
        self.questions = options.questions
        size, numbers = options.together, block.numbers
        self.begun = range(-(-numbers.start // size), -(-numbers.stop // size))
        """The stories whose first row is in the block; the last row may be in the next."""
        self.plotter = self._plotter(held_out)
        self.deal = self._deal()
        self.plots: dict[tuple[int, int], tuple[Plot, int, int]] = {}

    def of(self, number: int) -> tuple[Plot, bool, int, int]:
        """The plot of a story, whether it is told with men for women, and who is asked about."""
        k, of_its_length, predicate, male = self.deal[number]
        if of_its_length == _OPEN:
            return self.plotter.undetermined(k), False, 0, k
        if (k, of_its_length) not in self.plots:
            self._draw(k, of_its_length, predicate)
        plot, x, y = self.plots[k, of_its_length]
        its = plot.gender[y]
        return plot, male if its == UNSTATED else bool(its) != male, x, y

    def _plotter(self, held_out: HoldOut) -> Plotter:
        options, block = self.options, self.block
        whose = (block.generator, block.version, block.seed, block.split)
        group = block.index // _BLOCKS_PER_SCENE

        def chainer(number: int) -> Chainer:
            world, rules, people = options.world, options.rules, options.people
            return chainer_of(world, rules, people, options.shape, *whose, group, number)

        number = self.rules.number
        only: dict[tuple[int, int], list[Clause]] = {}
        for answer, clause in sorted(held_out.clauses):
            numbered = tuple([number[name] for name in clause])
            only.setdefault((len(clause), number[answer]), []).append(numbered)
        trains = block.split == TRAIN
        never = frozenset([c for some in only.values() for c in some if trains])
        return plotter_of(options, block, chainer, self.questions, never, {} if trains else only)

    def _deal(self) -> list[tuple[int, int, int, bool]]:
        """For each story of the block its k, and which answer it is to have.

        That is a plot of this length by number, a predicate, and whether of a man; the number is
        _OPEN where the answer is to be open.
        """
        stream = self.block.stream("cards")
        cycle = self.options.lengths(self.block.split).cycle
        ks = [cycle[n % len(cycle)] for n in self.begun]
        hands = {k: iter(self._hand(k, ks.count(k), stream)) for k in dict.fromkeys(ks)}
        return [(k, *next(hands[k])) for k in ks]

    def _hand(self, k: int, count: int, stream: Stream) -> list[tuple[int, int, bool]]:
        """What to answer in so many stories of one length, each answer as often as any other.

        Each plot is told twice, the second time with men for women and women for men: a world's
        axioms know no difference between them, so the mirror image of a family is a family too.
        """
        unknown = int(count * self.options.unknown_share)
        count -= unknown
        plots = -(-count // 2) if self.gendered else count
        concluded = self.plotter.answers(k, answers(self.options, k))
        if not concluded:
            raise Infeasible(f"no story of {k} facts was found; ask for more people or a smaller k")
        told = self.plotter.told(k, self.rules.premised)
        laps = {False: _laps(concluded, stream), True: _laps(told, stream)}
        first = []
        for number in range(plots):
            male = self.gendered and stream.random() < 0.5
            first.append((number, next(laps[self._is_memory(number)]), male))
        again = stream.sample(first, count - plots)
        if again[:1] == first[-1:]:
            again.reverse()  # no story stands beside its mirror image
        hand = [*first, *[(number, predicate, not male) for number, predicate, male in again]]
        for _ in range(unknown):
            hand.insert(stream.below(len(hand) + 1), (_OPEN, 0, False))
        return hand

    def _is_memory(self, number: int) -> bool:
        """Whether the plot of this number is asked for what it tells, not for what follows."""
        task = self.options.task
        return task == "memory" or (task == "mixed" and number % 2 == 1)

    def _draw(self, k: int, number: int, predicate: int) -> None:
        """Draw a plot, or all of its length where which has which answer is drawn, too."""
        if not self.options.most_beside or self.questions > 1 or self._is_memory(number):
            self.plots[k, number] = self._plot(k, number, predicate)
            return
        wanted = {n: p for length, n, p, _ in self.deal if length == k and n != _OPEN}
        numbers = [n for n in sorted(wanted) if not self._is_memory(n)]
        for n, plot in zip(
            numbers, self.plotter.plots(k, [wanted[n] for n in numbers]), strict=True
        ):
            self.plots[k, n] = plot, 0, k

    def _plot(self, k: int, number: int, predicate: int) -> tuple[Plot, int, int]:
        """The plot of this number, and between which two of its people the answer holds."""
        if not self._is_memory(number):
            return self.plotter.plot(k, predicate), 0, k
        stream, rules = self.asked, self.rules
        heads = self.plotter.heads(k, predicate) or [
            head for *body, head in sorted(rules.heads) if predicate in body
        ]
        for _ in range(_TRIES):
            plot = self.plotter.plot(k, stream.choice(heads), modest=True)
            telling = [x for x in range(k) if plot.facts[x][1] == predicate]
            if telling:
                x = stream.choice(telling)
                return plot, x, x + 1
        raise Infeasible(
            f"no story of {k} facts tells of {rules.predicates[predicate]!r}; ask for a larger k"
        )


def _laps(predicates: frozenset[int], stream: Stream) -> Iterator[int]:
    """All of them in random order, again and again."""
    while True:
        lap = sorted(predicates)
        stream.shuffle(lap)
        yield from lap

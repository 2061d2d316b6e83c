"""The rows of one block: plots are told, questions asked, and all that is known is put down."""

from typing import TYPE_CHECKING, Any, Final

from ...block import Block, row_id
from ...errors import Infeasible
from ...example import Example
from ...kb.worlds.world import find_world
from .asking.question import Asking
from .planning.block_plan import Plots
from .planning.feasibility import rules_of
from .planning.holdout import HoldOut, check_splits
from .planning.planner import Inquiry, Plot
from .realizing.explanation import explained
from .realizing.filler import Strangers
from .realizing.realizer import Story, Teller

if TYPE_CHECKING:
    from .generator import Clutrr


_TRIES: Final = 400


class Rows:
    """Makes the rows of a block in order, each purpose drawing from a stream of its own."""

    def __init__(self, options: "Clutrr", block: Block) -> None:
        self.options, self.block = options, block
        world = find_world(options.world)
        self.stories = world.told
        self.rules = rules_of(options.world, options.rules)
        held_out = options.held_out(block.seed)
        if held_out != HoldOut() or options.train_k:
            check_splits(block.splits)
        self.ids, self.first = block.ids, block.numbers.start
        self.words = [list(words) for words in world.words]
        self.questions, self.explain = options.questions, options.explain
        self.is_long = options.words > 0
        self.reasons, asked = block.stream("reasons"), block.stream("question")
        self.plots = Plots(options, block, self.rules, held_out, bool(world.genders), asked)
        strangers = Strangers(
            self.plots.plotter.chainer,
            options.kinds,
            list(options.noise_length),
            options.noise_at == "interior",
            block.stream("fill"),
        )
        self.teller = Teller(options, block, world, self.rules, held_out, strangers)
        self.asking = Asking(options, self.rules, asked)

    def example(self, n: int) -> Example:
        """Row n."""
        return self.row(n, *self.story(n - self.first), 0)

    def group(self, number: int) -> list[Example]:
        """The rows about a story, of those that begin in the block, one for each question."""
        story, x, y = self.story(number)
        first = (self.plots.begun.start + number) * self.questions
        return [self.row(first + n, story, x, y, n) for n in range(self.questions)]

    def story(self, number: int) -> tuple[Story, int, int]:
        """A story of those that begin in the block, and between whom it asks first."""
        plot, mirrored, x, y = self.plots.of(number)
        for _ in range(_TRIES):
            # An open relation may have a certain direction, or anything may be possible.
            if plot.inquiries[0].predicate >= 0 or not self.asking.settles(plot.facts, x, y):
                break
            plot, mirrored, x, y = self.plots.of(number)
        else:
            raise Infeasible(
                f"no story of {plot.k} facts that leaves the {self.options.answer} open was found; "
                f"ask for a larger k"
            )
        return self.teller.story(plot, mirrored, x, y), x, y

    def id_of(self, n: int) -> str:
        """The id of row n, be it one of the next block."""
        block = self.block
        if n < block.numbers.stop:
            return self.ids[n - self.first]
        return row_id(block.generator, block.version, block.seed, block.split, n)

    def row(self, n: int, story: Story, x: int, y: int, question: int) -> Example:
        """The question of this number, the first about x and y of the chain."""
        plot, names, gender = story.plot, story.names, story.gender
        inquiry = plot.inquiries[question]
        predicate = inquiry.predicate
        if question:
            x, y = inquiry.people[0], inquiry.people[-1]
        is_memory = question == 0 and y - x < plot.k
        if is_memory:
            predicate = plot.facts[x][1]
        metadata = self._metadata(story, inquiry, [names[x], names[y]], is_memory)
        if self.questions > 1:
            metadata["story"] = self.id_of(n - question)
        text, choices, target = self.asking.question(metadata, predicate, gender[y])
        return Example(self.id_of(n), " ".join([*story.texts, text]), choices, target, metadata)

    def _metadata(
        self, story: Story, inquiry: Inquiry, query: list[str], is_memory: bool
    ) -> dict[str, Any]:
        """All that is known about a row."""
        plot, names, gender, words = story.plot, story.names, story.gender, self.words
        k = plot.k
        steps = [] if is_memory else inquiry.steps
        told, states = story.told, story.states
        noise_facts: dict[str, list[list[list[str]]]] = {}
        end = plot.core
        for kind, people in plot.noise:
            start, end = end, end + len(people) - 1
            noise_facts.setdefault(kind, []).append(told[start:end])
        if self.is_long or inquiry is not plot.inquiries[0]:
            # Its own facts come first, and noise kind by kind: all are numbered anew.
            order = inquiry.order[: plot.core] + _by_kind(plot)
            told = [told[number] for number in order]
            place = [0] * len(told)
            for row_number, number in enumerate(order):
                place[number] = row_number
            states = [[place[number] for number in stated] for stated in states]
        # What is concluded is numbered after all that is told, perhaps more than was plotted.
        plotted, more = len(inquiry.order), len(told) - len(inquiry.order)
        proof: list[list[int]] = []
        for before, after, _, _, _ in steps:
            first = before if before < plotted else before + more
            proof.append([first, after if after < plotted else after + more])
        explanation: list[str] = []
        if self.explain:
            conclusions = [
                [names[x], words[head][gender[y]], names[y]] for _, _, x, head, y in steps
            ]
            explanation = explained(self.stories, told, proof, conclusions, self.reasons)
        return {
            "k": k,
            "noise": list(noise_facts),
            "clause": inquiry.clause,
            "facts": told[:k],
            "beside_facts": told[k : plot.core],
            "noise_facts": list(noise_facts.values()),
            "genders": story.genders,
            "query": query,
            "proof": proof,
            "concluded": [words[head][gender[y]] for _, _, _, head, y in steps],
            "explanation": explanation,
            "starts": story.starts,
            "states": states,
            "templates": story.templates,
            "proof_depth": inquiry.depth if steps else 0,
            "proofs": inquiry.proofs if steps else 1,
            "task": "memory" if is_memory else "reasoning",
            "asked": "",
            "relation": "",
            "verdict": "",
            "possible": [],
            "story": "",
            "group": "",
            "change": "",
        }


def _by_kind(plot: Plot) -> list[int]:
    """The numbers of the facts of the noise, kind by kind."""
    numbers: dict[str, list[int]] = {}
    end = plot.core
    for kind, people in plot.noise:
        start, end = end, end + len(people) - 1
        numbers.setdefault(kind, []).extend(range(start, end))
    return [number for some in numbers.values() for number in some]

"""The rows of one block: story plans are realized, questions written, and metadata collected."""

from typing import TYPE_CHECKING, Any, Final

from ...block import Block, row_id
from ...errors import Infeasible
from ...example import Example
from ...kb.worlds.world import find_world
from .asking.question import QuestionWriter
from .planning.block_plan import BlockPlan
from .planning.feasibility import rules_of
from .planning.holdout import HoldOut, check_splits
from .planning.planner import QueryPlan, StoryPlan
from .realizing.explanation import explain_proof
from .realizing.filler import NoiseFiller
from .realizing.realizer import RealizedStory, Realizer

if TYPE_CHECKING:
    from .generator import Clutrr


_MAX_ATTEMPTS: Final = 400


class RowBuilder:
    """Builds the rows of a block in order, with a random stream for each purpose."""

    def __init__(self, options: "Clutrr", block: Block) -> None:
        self.options, self.block = options, block
        world = find_world(options.world)
        self.stories = world.story_spec
        self.rules = rules_of(options.world, options.rules)
        held_out = options.held_out(block.seed)
        if held_out != HoldOut() or options.train_k:
            check_splits(block.splits)
        self.ids, self.first = block.ids, block.numbers.start
        self.words = [list(words) for words in world.words]
        self.questions, self.explain = options.questions, options.explain
        self.is_long = options.words > 0
        self.reasons, asked = block.stream("reasons"), block.stream("question")
        self.plan = BlockPlan(options, block, self.rules, held_out, bool(world.genders), asked)
        filler = NoiseFiller(
            self.plan.planner.chainer,
            options.kinds,
            list(options.noise_length),
            options.noise_at == "interior",
            block.stream("fill"),
        )
        self.realizer = Realizer(options, block, world, self.rules, held_out, filler)
        self.questioner = QuestionWriter(options, self.rules, asked)

    def example(self, n: int) -> Example:
        """Return row n."""
        return self.row(n, self.story(n - self.first), 0)

    def group(self, index: int) -> list[Example]:
        """Return the rows about one story of the block, one for each question."""
        story = self.story(index)
        first = (self.plan.story_numbers.start + index) * self.questions
        return [self.row(first + n, story, n) for n in range(self.questions)]

    def story(self, index: int) -> RealizedStory:
        """Return one story of the block in words."""
        for _ in range(_MAX_ATTEMPTS):
            planned = self.plan.story_plan(index)
            plan = planned.plan
            # An undetermined relation may still have a certain direction.
            if plan.queries[0].predicate >= 0 or not self.questioner.is_unsuitable(
                plan.facts, planned.x, planned.y
            ):
                return self.realizer.realize(planned)
        raise Infeasible(
            f"no story of {plan.k} facts that leaves the {self.options.answer} open was found; "
            f"ask for a larger k"
        )

    def id_of(self, n: int) -> str:
        """Return the id of row n, which may be in the next block."""
        block = self.block
        if n < block.numbers.stop:
            return self.ids[n - self.first]
        return row_id(block.generator, block.version, block.seed, block.split, n)

    def row(self, n: int, story: RealizedStory, question: int) -> Example:
        """Return row n with the question of this number; the first is about the story's x and y."""
        plan, names, x, y = story.plan, story.names, story.x, story.y
        query = plan.queries[question]
        predicate = query.predicate
        if question:
            x, y = query.people[0], query.people[-1]
        is_memory = question == 0 and y - x < plan.k
        if is_memory:
            predicate = plan.facts[x][1]
        metadata = self._metadata(story, query, [names[x], names[y]], is_memory)
        if self.questions > 1:
            metadata["story"] = self.id_of(n - question)
        text, choices, target = self.questioner.write(metadata, predicate, story.gender[y])
        return Example(self.id_of(n), " ".join([*story.texts, text]), choices, target, metadata)

    def _metadata(
        self, story: RealizedStory, query: QueryPlan, names_asked: list[str], is_memory: bool
    ) -> dict[str, Any]:
        plan, names, gender, words = story.plan, story.names, story.gender, self.words
        k = plan.k
        steps = [] if is_memory else query.steps
        facts, states = story.stated, story.states
        noise_facts: dict[str, list[list[list[str]]]] = {}
        end = plan.core_size
        for kind, people in plan.noise:
            start, end = end, end + len(people) - 1
            noise_facts.setdefault(kind, []).append(facts[start:end])
        if self.is_long or query is not plan.queries[0]:
            # The query's own facts come first, and noise kind by kind: all are renumbered.
            order = query.order[: plan.core_size] + _noise_by_kind(plan)
            facts = [facts[number] for number in order]
            place = [0] * len(facts)
            for row_number, number in enumerate(order):
                place[number] = row_number
            states = [[place[number] for number in stated] for stated in states]
        # Conclusions are numbered after all stated facts, of which filler may have added some.
        planned, added = len(query.order), len(facts) - len(query.order)
        proof: list[list[int]] = []
        for before, after, _, _, _ in steps:
            first = before if before < planned else before + added
            proof.append([first, after if after < planned else after + added])
        explanation: list[str] = []
        if self.explain:
            conclusions = [
                [names[x], words[head][gender[y]], names[y]] for _, _, x, head, y in steps
            ]
            explanation = explain_proof(self.stories, facts, proof, conclusions, self.reasons)
        return {
            "k": k,
            "noise": list(noise_facts),
            "clause": query.clause,
            "facts": facts[:k],
            "beside_facts": facts[k : plan.core_size],
            "noise_facts": list(noise_facts.values()),
            "genders": story.genders,
            "query": names_asked,
            "proof": proof,
            "concluded": [words[head][gender[y]] for _, _, _, head, y in steps],
            "explanation": explanation,
            "starts": story.starts,
            "states": states,
            "templates": story.templates,
            "proof_depth": query.depth if steps else 0,
            "proofs": query.proofs if steps else 1,
            "task": "memory" if is_memory else "reasoning",
            "asked": "",
            "relation": "",
            "verdict": "",
            "possible": [],
            "story": "",
            "group": "",
            "change": "",
        }


def _noise_by_kind(plan: StoryPlan) -> list[int]:
    """Return the numbers of the noise facts, kind by kind."""
    numbers: dict[str, list[int]] = {}
    end = plan.core_size
    for kind, people in plan.noise:
        start, end = end, end + len(people) - 1
        numbers.setdefault(kind, []).extend(range(start, end))
    return [number for some in numbers.values() for number in some]

"""The rows of one block: stories are planned and realized, questions written, metadata made."""

from typing import Final, NamedTuple

from ...block import Block
from ...example import Example
from .asking.derivation import DerivationWriter
from .asking.question import QuestionWriter
from .options import StoryOptions
from .planning.block_plan import BlockPlan
from .planning.feasibility import held_out
from .planning.holdout import HoldOut, check_splits
from .realizing.explanation import explain_proof
from .realizing.filler import NoiseFiller
from .realizing.realizer import Realizer
from .story import QueryPlan, Story, StoryPlan


class RowLabels(NamedTuple):
    """Metadata that connects rows: the first row of the story or group, and the perturbation."""

    story: str = ""
    group: str = ""
    perturbation: str = ""


_NO_LABELS: Final = RowLabels()


class RowBuilder:
    """Builds the rows of a block in order, with a random stream for each purpose."""

    def __init__(self, options: StoryOptions, block: Block) -> None:
        self.options, self.block = options, block
        held = held_out(options, block.generator, block.version, block.seed)
        if held != HoldOut() or options.train_k:
            check_splits(block.splits)
        self.world = options.story_world
        self.words = [list(words) for words in self.world.words]
        self.questions, self.explain = options.questions, options.explain
        self.reasons, asked = block.stream("reasons"), block.stream("question")
        self.plan = BlockPlan(options, block, held, asked)
        filler = None
        if options.words:
            filler = NoiseFiller(options, self.plan.planner.chainer, block.stream("fill"))
        self.realizer = Realizer(options, block, held, filler)
        self.questioner = QuestionWriter(options, asked)
        self.deriver = DerivationWriter(options, block.stream("errors"))

    def group(self, index: int) -> list[Example]:
        """Return the rows about one story of the block, one for each question."""
        story = self.story(index)
        first = (self.plan.story_numbers.start + index) * self.questions
        labels = RowLabels(story=self.block.id(first)) if self.questions > 1 else _NO_LABELS
        queries = story.plan.queries[: self.questions]
        return [self.row(first + n, story, query, labels) for n, query in enumerate(queries)]

    def story(self, index: int) -> Story:
        """Return one story of the block in words."""
        return self.realizer.realize(self.plan.story_plan(index))

    def row(self, n: int, story: Story, query: QueryPlan, labels: RowLabels) -> Example:
        """Return row n, which asks for one of the story's queries."""
        plan, stated, k = story.plan, story.stated, story.plan.k
        noise: dict[str, list[list[int]]] = {}
        for kind, (_, numbers) in plan.noise:
            noise.setdefault(kind, []).append(numbers)
        order = _listing_order(plan, query, noise)
        place = [0] * len(order)  # of each fact, its number in the row
        for row_number, number in enumerate(order):
            place[number] = row_number
        facts = [stated[number] for number in order]
        proof, conclusions = self._proof(story, query, place)
        explanation: list[str] = []
        if self.explain:
            genders = dict(story.genders)
            explanation = explain_proof(
                self.world, facts, proof, conclusions, genders, self.reasons
            )
        question = self.questioner.write(story, query)
        task = "memory" if query.is_memory else "reasoning"
        if self.options.verifies:
            task, is_first = "verify-steps", not labels.perturbation
            self.deriver.write(question, facts + conclusions, proof, is_first=is_first)
        texts = [*story.opening, *[segment.text for segment in story.segments], question.text]
        metadata = {
            "world": self.options.world,
            "language": self.options.language,
            "k": k,
            "noise": list(noise),
            "clause": query.clause,
            "facts": facts[:k],
            "side_facts": facts[k : plan.core_size],
            "noise_facts": [
                [[stated[number] for number in path] for path in paths] for paths in noise.values()
            ],
            "genders": story.genders,
            "query": [*question.query],
            "proof": proof,
            "concluded": [word for _, word, _ in conclusions],
            "explanation": explanation,
            "starts": story.starts(),
            "states": [[place[number] for number in segment.facts] for segment in story.segments],
            "templates": [segment.template for segment in story.segments],
            "scenes": story.scenes,
            "proof_depth": query.depth,
            "proofs": query.proofs,
            "task": task,
            "asked": question.asked,
            "relation": question.relation,
            "verdict": question.verdict,
            "possible": question.possible,
            "story": labels.story,
            "group": labels.group,
            "perturbation": labels.perturbation,
        }
        own, choices, target = self.world.answer_words, question.choices, question.target
        if own:
            choices = [own.get(choice, choice) for choice in choices]
            target = own.get(target, target)
        return Example(self.block.id(n), " ".join(texts), choices, target, metadata)

    def _proof(
        self, story: Story, query: QueryPlan, place: list[int]
    ) -> tuple[list[list[int]], list[list[str]]]:
        """Return the premises of each step, by their numbers in the row, and its conclusion."""
        proof: list[list[int]] = []
        conclusions: list[list[str]] = []
        for one, other, x, head, y in query.steps:
            first = place[one] if one >= 0 else len(place) + ~one
            proof.append([first, place[other] if other >= 0 else len(place) + ~other])
            word = self.words[head][story.plan.gender[y]]
            conclusions.append([story.names[x], word, story.names[y]])
        return proof, conclusions


def _listing_order(
    plan: StoryPlan, query: QueryPlan, noise: dict[str, list[list[int]]]
) -> list[int]:
    """Return the numbers of the facts as a row lists them: chain, side facts, noise by kind."""
    order = query.facts.copy()
    for number in range(plan.core_size):
        if number not in query.facts:
            order.append(number)
    for paths in noise.values():
        for path in paths:
            order += path
    return order

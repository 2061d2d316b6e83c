"""Groups of rows: the questions about a story, or a story and its perturbed siblings.

Groups follow one another without regard to blocks: each is made by the block in which it begins.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import orjson

from ....block import Block
from ....errors import CheckFailed, Infeasible
from ....example import Example
from ....kb.worlds.stories import DATED_PREFIX
from ....seed import Stream
from ..options import Perturbation, StoryOptions
from ..realizing.names import Deck
from ..rows import RowBuilder, RowLabels
from ..story import QueryPlan, Segment, Story

PERTURBATIONS: tuple[Perturbation, ...] = get_args(Perturbation)

_MAX_ATTEMPTS = 50
_MAX_BLOCKS = 64
_overlaps: dict[tuple[StoryOptions, Block], list[bytes]] = {}
"""For recent blocks, the rows of the last group that belong to the next block."""


def rows_of_block(options: StoryOptions, block: Block) -> Iterator[Example]:
    """Yield the rows of a block, first those of a group begun in the block before."""
    block = replace(block, variant=options.world)
    if block.numbers.start % options.group_size:
        before = replace(block, index=block.index - 1)
        if (options, before) not in _overlaps:
            for _ in _groups_begun(options, before):
                pass
        yield from map(Example.parse, _overlaps[options, before])
    yield from _groups_begun(options, block)


def _groups_begun(options: StoryOptions, block: Block) -> Iterator[Example]:
    """Yield the rows of the block that belong to groups which begin in it."""
    rows = RowBuilder(options, block)
    builder = SiblingBuilder(rows) if options.siblings else rows
    left = block.numbers.stop - rows.plan.story_numbers.start * options.group_size
    for index in range(len(rows.plan.story_numbers)):
        group = builder.group(index)
        if len(group) > left:
            while len(_overlaps) >= _MAX_BLOCKS:
                _overlaps.pop(next(iter(_overlaps)))
            _overlaps[options, block] = [orjson.dumps(row) for row in group[left:]]
        yield from group[:left]
        left -= len(group)


class SiblingBuilder:
    """Builds the groups of a block: each story, and then its perturbed siblings."""

    def __init__(self, rows: RowBuilder) -> None:
        self.rows, self.realizer = rows, rows.realizer
        self.options, self.block = rows.options, rows.block
        self.perturbations: tuple[Perturbation, ...] = rows.options.siblings
        self.deck = Deck(self.realizer.pool, self.block.stream("sibling-names"))
        self.words, self.order = (
            self.block.stream(f"sibling-{purpose}") for purpose in ("words", "order")
        )

    def group(self, index: int) -> list[Example]:
        """Return the rows of one group of the block."""
        noisy = self.rows.story(index)
        query = noisy.plan.queries[0]
        asked = {query.y, query.x} if "inverse" in self.perturbations else {query.y}
        hidden = {noisy.names[p] for p in asked} if self.realizer.shows_gender else set()
        self._prepare(noisy, hidden, index)
        story = self._without_noise(noisy) if "noise" in self.perturbations else noisy
        first = (self.rows.plan.story_numbers.start + index) * (1 + len(self.perturbations))
        examples: list[Example] = []
        for change in ("", *self.perturbations):
            other, asking = story, query
            if change == "words":
                other = self._other_words(story, hidden)
            elif change == "names":
                other = self._other_names(story)
            elif change == "order":
                other = self._other_order(story)
            elif change == "noise":
                other = noisy
            elif change == "inverse":
                asking = self._inverse(query)
            elif change == "gender":
                other = self._other_gender(story, hidden, index)
            labels = RowLabels(group=self.rows.id_of(first), change=change)
            examples.append(self.rows.row(first + len(examples), other, asking, labels))
        return examples

    def _prepare(self, story: Story, hidden: set[str], index: int) -> None:
        """Make sure that the story has an order, and frames that fit the other gender."""
        segments = story.segments
        if "gender" in self.perturbations:
            # Asides are about this gender.
            segments = [segment for segment in segments if segment.facts]
        core = _core(story, segments)
        if "order" in self.perturbations and len(core) < 2:
            single = [Segment("", [n], "") for n in range(story.plan.core_size)]
            noise = [segment for segment in segments if segment not in core]
            segments = self._reworded(story, single, hidden, set()) + noise
        if "gender" in self.perturbations and self.realizer.stitcher:
            refilled = self._refilled(story, segments, hidden, index)
            for _ in range(_MAX_ATTEMPTS):
                if refilled is not None:
                    break
                segments = self._reworded(story, segments, hidden, set())
                refilled = self._refilled(story, segments, hidden, index)
            if refilled is None:
                raise CheckFailed("no sentences show the genders that the answers need")
            segments = refilled
        story.segments = segments

    def _reworded(
        self, story: Story, segments: list[Segment], hidden: set[str], used: set[str]
    ) -> list[Segment]:
        """State the same segments in other words that show the hidden genders."""
        for _ in range(_MAX_ATTEMPTS):
            left, used_frames, new = hidden.copy(), used.copy(), list[Segment]()
            for _, numbers, template in segments:
                if template.startswith(DATED_PREFIX):
                    new.append(self.realizer.dated_segment(story, numbers[0], self.words))
                elif numbers:  # no aside
                    path = story.plan.path_along(numbers)
                    new += self.realizer.path_segments(story, path, self.words, left, used_frames)
            if "gender" in self.perturbations:
                new = [segment for segment in new if segment.facts]
            if not left or not self.realizer.must_show:
                return new
        raise CheckFailed(f"no sentences show the gender of {min(left)!r}")

    def _refilled(
        self, story: Story, segments: list[Segment], shown: set[str], index: int
    ) -> list[Segment] | None:
        """Fill the same templates again, by streams of their own; None where a gender is hidden."""
        assert self.realizer.stitcher
        block, hidden = self.block, shown.copy()
        stream_key = (block.generator, block.version, block.seed, block.split, block.index)
        new: list[Segment] = []
        for place, (_, numbers, template) in enumerate(segments):
            path = story.plan.path_along(numbers)
            names = [story.names[person] for person in path[0]]
            stream = Stream(*stream_key, "fill", index, place)
            typed = self.realizer.typed_path(story, path)
            line = self.realizer.stitcher.realize_with_frame(template, names, typed, stream, hidden)
            if line is None:
                new += self.realizer.path_segments(story, path, self.words, hidden, set())
            else:
                new.append(Segment(line.text, numbers, template))
        if hidden and self.realizer.must_show:
            return None
        return [segment for segment in new if segment.facts]

    def _without_noise(self, story: Story) -> Story:
        clean = Story(story.plan.without_noise(), story.names[: story.plan.core_size + 1])
        clean.stated = story.stated[: story.plan.core_size]
        clean.segments = _core(story, story.segments)
        self.realizer.introduce(clean)
        return clean

    def _other_words(self, story: Story, hidden: set[str]) -> Story:
        before = {text for text, numbers, _ in story.segments if numbers}
        used = {segment.template for segment in story.segments}
        best: list[Segment] = []
        for _ in range(_MAX_ATTEMPTS):
            best = self._reworded(story, story.segments, hidden, used)
            if not before & {text for text, _, _ in best}:
                break
        if before == {text for text, numbers, _ in best if numbers}:
            raise Infeasible("there are no other words for a story; use another --style")
        other = story.copy()
        other.segments = best
        return other

    def _sample_names(self, gender: list[int], core: int, taken: list[str]) -> list[str]:
        """Sample names for all that nobody had before, and that this split may use."""
        gender = [0] * len(gender) if self.options.anonymize else gender
        for _ in range(_MAX_ATTEMPTS * 2 * self.realizer.splits):
            names = self.deck.draw(gender, taken)
            if self.block.owns(" ".join(sorted(names[:core]))):
                return names
        raise Infeasible("names: too few for siblings with other names; give more names")

    def _other_names(self, story: Story) -> Story:
        plan = story.plan
        names = self._sample_names(plan.gender, plan.core_size + 1, story.names)
        new = dict(zip(story.names, names, strict=True))
        other = Story(plan, names)
        other.stated = [[new[x], word, new[y]] for x, word, y in story.stated]
        other.segments = [Segment(_renamed(text, new), ns, t) for text, ns, t in story.segments]
        self.realizer.introduce(other)
        return other

    def _other_order(self, story: Story) -> Story:
        other = story.copy()
        other.segments = story.segments.copy()
        while other.segments == story.segments:
            self.order.shuffle(other.segments)
        return other

    def _inverse(self, query: QueryPlan) -> QueryPlan:
        """Return the inverse of a query."""
        rules = self.rows.questioner.rules
        inverse = rules.inverse
        clause = tuple(inverse[rules.number[name]] for name in reversed(query.clause))
        names = [rules.predicates[predicate] for predicate in clause]
        answer = inverse[query.predicate]
        other = QueryPlan(query.y, query.x, answer, query.facts[::-1], names)
        other.steps = [(two, one, y, inverse[head], x) for one, two, x, head, y in query.steps]
        other.depth, other.proofs = query.depth, rules.count_proofs(clause).get(answer, 0)
        return other

    def _other_gender(self, story: Story, shown: set[str], index: int) -> Story:
        plan, questioner = story.plan.copy(mirrored=True), self.rows.questioner
        names = self._sample_names(plan.gender, plan.core_size + 1, story.names)
        new = dict(zip(story.names, names, strict=True))
        gender_of = dict(zip(names, plan.gender, strict=True))
        number_of, meanings = questioner.rules.number, questioner.world.meanings
        other = Story(plan, names)
        other.stated = stated = [
            [new[x], self.rows.words[number_of[meanings[word][0]]][gender_of[new[y]]], new[y]]
            for x, word, y in story.stated
        ]
        self.realizer.introduce(other)
        if self.realizer.stitcher:
            hidden = {new[name] for name in shown}
            segments = self._refilled(other, story.segments, hidden, index)
            other.segments = segments or self._reworded(other, story.segments, hidden, set())
        else:
            other.segments = [
                Segment(self._plain(template, stated[numbers[0]]), numbers, template)
                for _, numbers, template in story.segments
            ]
        return other

    def _plain(self, template: str, fact: list[str]) -> str:
        """Return a fact by one of the plain frames, or bare."""
        if self.options.style == "facts":
            return f"({', '.join(fact)})"
        x, word, y = fact
        text = self.rows.world.story_spec.plain[int(template.removeprefix("plain-"))]
        return text.format(x=x, y=y, word=word, a="an" if word[0] in "aeiou" else "a")


def _core(story: Story, segments: list[Segment]) -> list[Segment]:
    """Return the segments that mention neither noise nor anybody who is only in it."""
    noise_names = story.names[story.plan.core_size + 1 :]
    return [
        segment
        for segment in segments
        if all(number < story.plan.core_size for number in segment.facts)
        and not any(_mentions(segment.text, name) for name in noise_names)
    ]


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w@-]){re.escape(name)}(?![\w-])", text) is not None


def _renamed(text: str, names: dict[str, str]) -> str:
    longest = sorted(names, key=len, reverse=True)
    pattern = rf"(?<![\w@-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"
    return re.sub(pattern, lambda match: names[match[0]], text)

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
from ....kb.worlds.stories import DATED_PREFIX, agreeing
from ....seed import Stream
from ....templates.frame import CLOSING, OPENING
from ....templates.stitcher import StoryWords
from ..options import LANGUAGE_SIBLINGS, Perturbation, StoryOptions
from ..realizing.names import Deck
from ..rows import RowBuilder, RowLabels
from ..story import QueryPlan, Segment, Story, StoryPlan

PERTURBATIONS: tuple[Perturbation, ...] = tuple(
    change for change in get_args(Perturbation) if change not in {"error", *LANGUAGE_SIBLINGS}
)
"""Perturbations of English stories; that of a derivation is `error`."""

_MAX_ATTEMPTS = 50
_PRONOUNS = ("he", "she", "him", "his", "her", "hers", "himself", "herself")
_PUNCTUATION = '.,;:!?"()'
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
    builder: RowBuilder | SiblingBuilder | ParallelBuilder = rows
    if options.siblings:
        builder = ParallelBuilder(rows) if options.is_parallel else SiblingBuilder(rows)
    left = block.numbers.stop - rows.plan.story_numbers.start * options.group_size
    for index in range(len(rows.plan.story_numbers)):
        group = builder.group(index)
        if len(group) > left:
            while len(_overlaps) >= _MAX_BLOCKS:
                _overlaps.pop(next(iter(_overlaps)))
            _overlaps[options, block] = [orjson.dumps(row) for row in group[left:]]
        yield from group[:left]
        left -= len(group)


class ParallelBuilder:
    """Builds the groups of a block whose rows tell the same story in several languages."""

    def __init__(self, rows: RowBuilder) -> None:
        self.rows, options = rows, rows.options
        self.others: list[tuple[str, RowBuilder]] = []
        for language in options.siblings:
            other = options.model_copy(update={"language": language})
            self.others.append((language, RowBuilder(other, rows.block)))

    def group(self, index: int) -> list[Example]:
        """Return a story in each language; all are planned alike from the same streams."""
        first = (self.rows.plan.story_numbers.start + index) * (1 + len(self.others))
        examples: list[Example] = []
        for change, rows in (("", self.rows), *self.others):
            story = rows.story(index)
            labels = RowLabels(group=self.rows.block.id(first), perturbation=change)
            number = first + len(examples)
            examples.append(rows.row(number, story, story.plan.queries[0], labels))
        return examples


class SiblingBuilder:
    """Builds the groups of a block: each story, and then its perturbed siblings."""

    def __init__(self, rows: RowBuilder) -> None:
        self.rows, self.realizer = rows, rows.realizer
        self.options, self.block = rows.options, rows.block
        self.perturbations: tuple[Perturbation, ...] = rows.options.siblings
        groups = self.realizer.stories.name_groups
        self.deck = Deck(self.realizer.pool, self.block.stream("sibling-names"), groups)
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
            labels = RowLabels(group=self.rows.block.id(first), perturbation=change)
            examples.append(self.rows.row(first + len(examples), other, asking, labels))
        return examples

    def _prepare(self, story: Story, hidden: set[str], index: int) -> None:
        """Choose segments that have an order, other words and the same words for other genders."""
        segments = story.segments
        if "gender" in self.perturbations and self.realizer.stitcher:
            # Asides about a person are about this gender.
            frames = self.realizer.stitcher.bank.by_id
            segments = [part for part in segments if part.facts or not frames[part.template].path]
        core = _core(story, segments)
        if "order" in self.perturbations and sum(bool(segment.facts) for segment in core) < 2:
            single = [Segment("", [n], "") for n in range(story.plan.core_size)]
            place = [bool(segment.facts) for segment in segments].index(True)
            rest = [segment for segment in segments if not segment.facts or segment not in core]
            segments = rest[:place] + self._reworded(story, single, hidden) + rest[place:]
        story.segments = segments
        if not self.realizer.stitcher or not {"gender", "words"} & set(self.perturbations):
            return
        for _ in range(_MAX_ATTEMPTS):
            if self._has_siblings(story, hidden, index):
                return
            story.segments = self._reworded(story, segments, hidden)
        raise CheckFailed("no sentences were found that siblings can share")

    def _has_siblings(self, story: Story, hidden: set[str], index: int) -> bool:
        """Return whether the segments have other frames, and frames for other genders."""
        if "gender" in self.perturbations:
            filled = self._refilled(story, story.segments, hidden, index)
            if filled is None:
                return False
            story.segments = filled
            shared = self._without_noise(story) if "noise" in self.perturbations else story
            mirrored = Story(shared.plan.copy(mirrored=True), shared.names)
            others = self._refilled(mirrored, shared.segments, hidden, index)
            if others is None or not all(map(self._differ_by_gender, shared.segments, others)):
                return False
        return "words" not in self.perturbations or self._other_segments(story, hidden) is not None

    def _reworded(self, story: Story, segments: list[Segment], hidden: set[str]) -> list[Segment]:
        """State the same segments in other words that show the hidden genders."""
        for _ in range(_MAX_ATTEMPTS):
            words = StoryWords(hidden.copy(), set(), "".join(story.scenes))
            new: list[Segment] = []
            for segment in segments:
                if segment.template.startswith(DATED_PREFIX):
                    new.append(self.realizer.dated_segment(story, segment.facts[0], self.words))
                elif segment.facts:
                    path = story.plan.path_along(segment.facts)
                    new.append(self.realizer.segment(story, path, self.words, words))
                else:
                    new.append(segment)
            if not words.hidden:
                return new
        raise CheckFailed(f"no sentences show the gender of {min(words.hidden)!r}")

    def _refilled(
        self, story: Story, segments: list[Segment], shown: set[str], index: int
    ) -> list[Segment] | None:
        """Fill the same templates again, by streams of their own.

        None where a template does not fit, or a gender is hidden.
        """
        assert self.realizer.stitcher
        block, hidden = self.block, shown.copy()
        stream_key = (block.generator, block.version, block.seed, block.split, block.index)
        new: list[Segment] = []
        for segment in segments:
            _, numbers, template = segment
            if not numbers:
                new.append(segment)
                continue
            stream = Stream(*stream_key, "fill", index, template)
            left = shown.copy()  # so that a segment does not depend on those before it
            filled = self._filled(story, numbers, template, stream, left)
            if filled is None:
                return None
            hidden &= left
            new.append(filled)
        return None if hidden else new

    def _differ_by_gender(self, one: Segment, other: Segment) -> bool:
        """Return whether two segments differ in relation words, pronouns and articles at most."""
        words, others = one.text.split(), other.text.split()
        if len(words) != len(others):
            return False
        gendered = {*self.rows.world.meanings, *_PRONOUNS, "a", "an"}
        for pair in zip(words, others, strict=True):
            differing = [word.strip(_PUNCTUATION).removesuffix("'s").lower() for word in pair]
            if pair[0] != pair[1] and not gendered.issuperset(differing):
                return False
        return True

    def _filled(
        self, story: Story, numbers: list[int], template: str, stream: Stream, hidden: set[str]
    ) -> Segment | None:
        """State facts by a frame; None if it does not fit."""
        assert self.realizer.stitcher
        path = story.plan.path_along(numbers)
        names = [story.names[person] for person in path[0]]
        typed = self.realizer.typed_path(story, path)
        line = self.realizer.stitcher.realize_with_frame(template, names, typed, stream, hidden)
        return Segment(line.text, numbers, template) if line else None

    def _without_noise(self, story: Story) -> Story:
        clean = Story(story.plan.without_noise(), story.names[: story.plan.core_size + 1])
        clean.stated, clean.scenes = story.stated[: story.plan.core_size], story.scenes
        clean.segments = _core(story, story.segments)
        self.realizer.introduce(clean)
        return clean

    def _other_words(self, story: Story, hidden: set[str]) -> Story:
        if self.realizer.stitcher:
            new = self._other_segments(story, hidden)
        else:
            new = [self._other_plain(story, segment) for segment in story.segments]
        if new is None or any(map(_same_text, new, story.segments)):
            raise Infeasible("there are no other words for a story; use another --style")
        other = story.copy()
        other.segments = new
        return other

    def _other_plain(self, story: Story, segment: Segment) -> Segment:
        """State a fact by another plain sentence, if there is one."""
        path, new = story.plan.path_along(segment.facts), segment
        for _ in range(_MAX_ATTEMPTS):
            new = self.realizer.segment(story, path, self.words, StoryWords(set(), set()))
            if not _same_text(new, segment):
                break
        return new

    def _other_segments(self, story: Story, shown: set[str]) -> list[Segment] | None:
        """State the facts of each segment by another frame; None if there are none."""
        assert self.realizer.stitcher
        for _ in range(_MAX_ATTEMPTS):
            hidden, used = shown.copy(), {segment.template for segment in story.segments}
            new: list[Segment] = []
            for segment in story.segments:
                if segment.template.startswith(DATED_PREFIX):
                    new.append(self.realizer.dated_segment(story, segment.facts[0], self.words))
                elif not segment.facts:
                    new.append(segment)
                else:
                    path = story.plan.path_along(segment.facts)
                    typed = self.realizer.typed_path(story, path)
                    scene = "".join(story.scenes)
                    template = self.realizer.stitcher.other_frame(typed, scene, used, self.words)
                    if template is None:
                        return None
                    used.add(template)
                    filled = self._filled(story, segment.facts, template, self.words, hidden)
                    assert filled
                    new.append(filled)
            if not hidden:
                return new
        return None

    def _with_other_names(self, story: Story, plan: StoryPlan) -> tuple[Story, dict[str, str]]:
        """Return a plan with names that nobody had before, and these names by those before."""
        gender = [0] * len(plan.gender) if self.options.anonymize else plan.gender
        for _ in range(_MAX_ATTEMPTS * 2 * self.realizer.splits):
            names = self.deck.draw(gender, story.names)
            if self.block.owns(" ".join(sorted(names[: plan.core_size + 1]))):
                other = Story(plan, names)
                other.scenes = story.scenes
                return other, dict(zip(story.names, names, strict=True))
        raise Infeasible("names: too few for siblings with other names; give more names")

    def _other_names(self, story: Story) -> Story:
        other, new = self._with_other_names(story, story.plan)
        other.stated = [[new[x], word, new[y]] for x, word, y in story.stated]
        other.segments = [Segment(_renamed(text, new), ns, t) for text, ns, t in story.segments]
        self.realizer.introduce(other)
        return other

    def _other_order(self, story: Story) -> Story:
        other = story.copy()
        opening, story_proper, closing = self._parts(story.segments)
        shuffled = story_proper.copy()
        while shuffled == story_proper:
            self.order.shuffle(shuffled)
        other.segments = [*opening, *shuffled, *closing]
        return other

    def _parts(self, segments: list[Segment]) -> tuple[list[Segment], list[Segment], list[Segment]]:
        """Return the opening of the scene, the sentences after it, and the closing."""
        parts: dict[str, list[Segment]] = {OPENING: [], "": [], CLOSING: []}
        stitcher = self.realizer.stitcher
        for segment in segments:
            frame = stitcher.bank.by_id.get(segment.template) if stitcher else None
            parts[frame.part if frame else ""].append(segment)
        return parts[OPENING], parts[""], parts[CLOSING]

    def _inverse(self, query: QueryPlan) -> QueryPlan:
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
        other, new = self._with_other_names(story, plan)
        gender_of = dict(zip(other.names, plan.gender, strict=True))
        number_of, meanings = questioner.rules.number, questioner.world.meanings
        other.stated = stated = [
            [new[x], self.rows.words[number_of[meanings[word][0]]][gender_of[new[y]]], new[y]]
            for x, word, y in story.stated
        ]
        self.realizer.introduce(other)
        if self.realizer.stitcher:
            hidden = {new[name] for name in shown}
            segments = self._refilled(other, story.segments, hidden, index)
            assert segments, "as tried before"
            other.segments = segments
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
        text = agreeing(text, self.rows.world.meanings[word][1])
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


def _same_text(one: Segment, other: Segment) -> bool:
    return bool(one.facts) and one.text == other.text


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w@-]){re.escape(name)}(?![\w-])", text) is not None


def _renamed(text: str, names: dict[str, str]) -> str:
    longest = sorted(names, key=len, reverse=True)
    pattern = rf"(?<![\w@-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"
    return re.sub(pattern, lambda match: names[match[0]], text)

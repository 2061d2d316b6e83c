"""Sibling rows: a story repeated with one perturbation, and all else unchanged."""

import re
from typing import TYPE_CHECKING, get_args

from ....errors import CheckFailed, Infeasible
from ....example import Example
from ....kb.worlds.scene import swapped_genders
from ....kb.worlds.stories import DATED_PREFIX
from ....seed import Stream
from ....templates.stitcher import Line
from ..planning.planner import QueryPlan, StoryPlan
from ..realizing.names import Deck
from ..realizing.plain import realize_bare, realize_plain
from ..realizing.realizer import RealizedStory
from ..values import Perturbation

if TYPE_CHECKING:
    from ..rows import RowBuilder

PERTURBATIONS: tuple[Perturbation, ...] = get_args(Perturbation)

_MAX_ATTEMPTS = 50

Segment = tuple[str, list[int], str]
"""A text, the numbers of the facts it states, and its template."""


class SiblingBuilder:
    """Builds the groups of a block: each story, and then its perturbed siblings."""

    def __init__(self, rows: "RowBuilder") -> None:
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
        shown = {noisy.names[noisy.y]}
        if "inverse" in self.perturbations:
            shown.add(noisy.names[noisy.x])
        hidden = shown if self.realizer.shows_gender else set()
        self._prepare(noisy, hidden, index)
        story = self._without_noise(noisy) if "noise" in self.perturbations else noisy
        first = (self.rows.plan.story_numbers.start + index) * (1 + len(self.perturbations))
        examples = [self.rows.row(first, story, 0)]
        for perturbation in self.perturbations:
            if perturbation == "words":
                other = self._other_words(story, hidden)
            elif perturbation == "names":
                other = self._other_names(story)
            elif perturbation == "order":
                other = self._other_order(story)
            elif perturbation == "noise":
                other = noisy
            elif perturbation == "inverse":
                other = self._inverse(story)
            else:
                other = self._other_gender(story, hidden, index)
            question = int(perturbation == "inverse")
            examples.append(self.rows.row(first + len(examples), other, question))
        for example, change in zip(examples, ("", *self.perturbations), strict=True):
            example.metadata["group"], example.metadata["change"] = examples[0].id, change
        return examples

    def _prepare(self, story: RealizedStory, hidden: set[str], index: int) -> None:
        """Make sure that the story has an order, and frames that fit the other gender."""
        segments = _segments(story)
        if "gender" in self.perturbations:
            # Asides are about this gender.
            segments = [segment for segment in segments if segment[1]]
        core = _core(story, segments)
        if "order" in self.perturbations and len(core) < 2:
            single: list[Segment] = [("", [n], "") for n in range(story.plan.core_size)]
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
        self._set_text(story, segments)

    def _set_text(self, story: RealizedStory, segments: list[Segment]) -> RealizedStory:
        """Make these the story's segments; return the story."""
        opening = self.realizer.opening(story.genders)
        story.texts = opening + [text for text, _, _ in segments]
        story.states = [numbers for _, numbers, _ in segments]
        story.templates = [template for _, _, template in segments]
        start = len(opening) + sum(map(len, opening))
        story.starts = [start]
        for text, _, _ in segments:
            start += len(text) + 1
            story.starts.append(start)
        return story

    def _reworded(
        self, story: RealizedStory, segments: list[Segment], hidden: set[str], used: set[str]
    ) -> list[Segment]:
        """State the same segments in other words that show the hidden genders."""
        for _ in range(_MAX_ATTEMPTS):
            left, used_frames, new = hidden.copy(), used.copy(), list[Segment]()
            for _, numbers, template in segments:
                if not numbers:
                    continue  # an aside
                if template.startswith(DATED_PREFIX):
                    text, name = self.realizer.dated_sentence(story, numbers[0], self.words)
                    new.append((text, numbers, name))
                elif self.realizer.stitcher:
                    new += self._stitched(story, numbers, left, used_frames)
                else:
                    facts = [story.stated[n] for n in numbers]
                    left.clear()
                    if self.options.style == "facts":
                        lines = realize_bare(facts, 0)
                    else:
                        lines = realize_plain(self.rows.stories, facts, 0, self.words)
                    new += _numbered(lines, numbers)
            if "gender" in self.perturbations:
                new = [segment for segment in new if segment[1]]
            if not left or not self.realizer.must_show:
                return new
        raise CheckFailed(f"no sentences show the gender of {min(left)!r}")

    def _stitched(
        self, story: RealizedStory, numbers: list[int], hidden: set[str], used_frames: set[str]
    ) -> list[Segment]:
        assert self.realizer.stitcher
        people = _people(story.plan, numbers)
        names = [story.names[person] for person in people]
        path = self.realizer.typed_path(story, (people, numbers))
        lines = self.realizer.stitcher.realize_path(names, path, self.words, 0, hidden, used_frames)
        return _numbered(lines, numbers)

    def _refilled(
        self, story: RealizedStory, segments: list[Segment], shown: set[str], index: int
    ) -> list[Segment] | None:
        """Fill the same templates again, by streams of their own; None where a gender is hidden."""
        assert self.realizer.stitcher
        block, hidden = self.block, shown.copy()
        stream_key = (block.generator, block.version, block.seed, block.split, block.index)
        new: list[Segment] = []
        for place, (_, numbers, template) in enumerate(segments):
            people = _people(story.plan, numbers)
            names = [story.names[person] for person in people]
            stream = Stream(*stream_key, "fill", index, place)
            path = self.realizer.typed_path(story, (people, numbers))
            line = self.realizer.stitcher.realize_with_frame(template, names, path, stream, hidden)
            if line is None:
                new += self._stitched(story, numbers, hidden, set())
            else:
                new.append((line.text, numbers, template))
        if hidden and self.realizer.must_show:
            return None
        return [segment for segment in new if segment[1]]

    def _without_noise(self, story: RealizedStory) -> RealizedStory:
        plan = story.plan
        core_size, noise_size = plan.core_size, len(plan.facts) - plan.core_size
        first = plan.queries[0]

        def number(n: int) -> int:
            return n if n < plan.k else n - noise_size

        query = QueryPlan(first.people, list(range(core_size)), first.predicate, first.clause)
        steps = [(number(one), number(two), a, b, c) for one, two, a, b, c in first.steps]
        query.proved(steps, first.depth, first.proofs)
        people = core_size + 1
        clean_plan = StoryPlan(
            plan.gender[:people], plan.facts[:core_size], plan.k, core_size, [], [query]
        )
        clean = RealizedStory(
            clean_plan, story.gender[:people], story.names[:people], story.x, story.y
        )
        clean.stated, clean.genders = story.stated[:core_size], story.genders[:people]
        return self._set_text(clean, _core(story, _segments(story)))

    def _other_words(self, story: RealizedStory, hidden: set[str]) -> RealizedStory:
        before = {text for text, numbers, _ in _segments(story) if numbers}
        best: list[Segment] = []
        for _ in range(_MAX_ATTEMPTS):
            best = self._reworded(story, _segments(story), hidden, set(story.templates))
            if not before & {text for text, _, _ in best}:
                break
        if before == {text for text, numbers, _ in best if numbers}:
            raise Infeasible("there are no other words for a story; use another --style")
        return self._set_text(_copy(story), best)

    def _sample_names(self, gender: list[int], core: int, taken: list[str]) -> list[str]:
        """Sample names for all that nobody had before, and that this split may use."""
        gender = [0] * len(gender) if self.realizer.anonymous else gender
        for _ in range(_MAX_ATTEMPTS * 2 * self.realizer.splits):
            names = self.deck.draw(gender, taken)
            if self.block.owns(" ".join(sorted(names[:core]))):
                return names
        raise Infeasible("names: too few for siblings with other names; give more names")

    def _other_names(self, story: RealizedStory) -> RealizedStory:
        names = self._sample_names(story.gender, story.plan.core_size + 1, story.names)
        new = dict(zip(story.names, names, strict=True))
        other = _copy(story)
        other.names = names
        other.stated = [[new[x], word, new[y]] for x, word, y in story.stated]
        other.genders = [[new[name], gender] for name, gender in story.genders]
        segments = [(_renamed(text, new), ns, t) for text, ns, t in _segments(story)]
        return self._set_text(other, segments)

    def _other_order(self, story: RealizedStory) -> RealizedStory:
        segments = _segments(story)
        shuffled = segments.copy()
        while shuffled == segments:
            self.order.shuffle(shuffled)
        return self._set_text(_copy(story), shuffled)

    def _inverse(self, story: RealizedStory) -> RealizedStory:
        """Return the story with a second query, the inverse of the first."""
        plan, rules = story.plan, self.rows.rules
        first, inverse, k = plan.queries[0], rules.inverse, plan.k

        def place(number: int) -> int:
            return k - 1 - number if number < k else number

        clause = tuple(inverse[rules.number[name]] for name in reversed(first.clause))
        answer = inverse[first.predicate]
        second = QueryPlan(
            first.people[::-1],
            [*range(k - 1, -1, -1), *range(k, len(plan.facts))],
            answer,
            [rules.predicates[predicate] for predicate in clause],
        )
        steps = [
            (place(after), place(before), y, inverse[head], x)
            for before, after, x, head, y in first.steps
        ]
        second.proved(steps, first.depth, rules.count_proofs(clause).get(answer, 0))
        other = _copy(story)
        other.plan = plan.copy()
        other.plan.queries = [first, second]
        return other

    def _other_gender(self, story: RealizedStory, shown: set[str], index: int) -> RealizedStory:
        rows = self.rows
        gender = swapped_genders(story.gender)
        names = self._sample_names(gender, story.plan.core_size + 1, story.names)
        new = dict(zip(story.names, names, strict=True))
        gender_of = dict(zip(names, gender, strict=True))
        number_of, meanings = rows.rules.number, rows.questioner.world.meanings
        other = _copy(story)
        other.gender, other.names = gender, names
        other.genders = self.realizer.genders_of(names, gender)
        other.stated = stated = [
            [new[x], rows.words[number_of[meanings[word][0]]][gender_of[new[y]]], new[y]]
            for x, word, y in story.stated
        ]
        segments = _segments(story)
        if self.realizer.stitcher:
            hidden = {new[name] for name in shown}
            changed = self._refilled(other, segments, hidden, index)
            if changed is None:
                changed = self._reworded(other, segments, hidden, set())
        elif self.options.style == "facts":
            changed = [(f"({', '.join(stated[n[0]])})", n, template) for _, n, template in segments]
        else:
            changed = [(self._plain(t, stated[n[0]]), n, t) for _, n, t in segments]
        return self._set_text(other, changed)

    def _plain(self, template: str, fact: list[str]) -> str:
        """Return a fact by one of the plain frames."""
        x, word, y = fact
        text = self.rows.stories.plain[int(template.removeprefix("plain-"))]
        return text.format(x=x, y=y, word=word, a="an" if word[0] in "aeiou" else "a")


def _copy(story: RealizedStory) -> RealizedStory:
    copy = RealizedStory(story.plan, story.gender, story.names, story.x, story.y)
    for name in ("stated", "genders", "texts", "starts", "states", "templates"):
        setattr(copy, name, getattr(story, name))
    return copy


def _segments(story: RealizedStory) -> list[Segment]:
    texts = story.texts[len(story.texts) - len(story.states) :]
    return list(zip(texts, story.states, story.templates, strict=True))


def _numbered(lines: list[Line], numbers: list[int]) -> list[Segment]:
    return [(line.text, numbers[line.first : line.last + 1], line.template) for line in lines]


def _core(story: RealizedStory, segments: list[Segment]) -> list[Segment]:
    """Return the segments that mention neither noise nor anybody who is only in it."""
    noise_names = story.names[story.plan.core_size + 1 :]
    return [
        segment
        for segment in segments
        if all(number < story.plan.core_size for number in segment[1])
        and not any(_mentions(segment[0], name) for name in noise_names)
    ]


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w@-]){re.escape(name)}(?![\w-])", text) is not None


def _people(plan: StoryPlan, numbers: list[int]) -> list[int]:
    """Return the people along some facts, in their order."""
    (x, _, y), *rest = [plan.facts[n] for n in numbers]
    people = [y, x] if rest and x in (rest[0][0], rest[0][2]) else [x, y]
    for a, _, b in rest:
        people.append(b if a == people[-1] else a)
    return people


def _renamed(text: str, names: dict[str, str]) -> str:
    longest = sorted(names, key=len, reverse=True)
    pattern = rf"(?<![\w@-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"
    return re.sub(pattern, lambda match: names[match[0]], text)

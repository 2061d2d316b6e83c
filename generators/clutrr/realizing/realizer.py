"""Realization of story plans: people get names, facts get a direction and become sentences."""

from functools import cache
from typing import TYPE_CHECKING, Final

from ....block import Block
from ....errors import CheckFailed, Infeasible
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.scene import swapped_genders
from ....kb.worlds.stories import NamePool
from ....kb.worlds.world import World
from ....seed import Stream
from ....splits import TRAIN
from ....templates.bank import Bank
from ....templates.stitcher import Line, Stitcher
from ..planning.block_plan import PlannedStory
from ..planning.holdout import HoldOut
from ..planning.matching import IndexedFact
from ..planning.paths import FactPath, partition_into_paths
from ..planning.planner import StoryPlan
from ..values import SHIPPED
from .filler import FullNames, NoiseFiller, count_words, spread
from .names import Deck
from .opening import GENDERS, gender_sentence, preface
from .plain import insert_noise, realize_bare, realize_plain

if TYPE_CHECKING:
    from ..generator import Clutrr

_MAX_NAME_DRAWS: Final = 100
_MAX_FILL_ATTEMPTS: Final = 3
_MAX_UNREPEATED_FRAMES: Final = 300
"""In a long story, frames are not repeated until this many were used."""


@cache
def _stitcher(bank: Bank, hold_out: frozenset[str], only: frozenset[str] | None) -> Stitcher:
    return Stitcher(bank, hold_out=hold_out, only=only)


class RealizedStory:
    """A story plan in words, asked about the pair (x, y).

    `stated` has the facts as the text states them, `texts` all sentences, those of the opening
    included. For each segment of the story proper there are its start, the numbers of the facts
    that it states and its template; the last start is that of the question.
    """

    __slots__ = (
        *("gender", "genders", "names", "plan", "starts", "stated"),
        *("states", "templates", "texts", "x", "y"),
    )

    def __init__(
        self, plan: StoryPlan, gender: list[int], names: list[str], x: int, y: int
    ) -> None:
        self.plan, self.gender, self.names, self.x, self.y = plan, gender, names, x, y
        self.stated: list[list[str]] = []
        self.genders: list[list[str]] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.states: list[list[int]] = []
        self.templates: list[str] = []


class Realizer:
    """Turns the story plans of one block into text, with a stream for each purpose."""

    def __init__(
        self,
        options: "Clutrr",
        block: Block,
        world: World,
        rules: RuleIndex,
        held_out: HoldOut,
        filler: NoiseFiller,
    ) -> None:
        self.options, self.block, self.rules, self.filler = options, block, rules, filler
        self.stories = world.story_spec
        self.words = [list(words) for words in world.words]
        self.predicates = list(rules.predicates)
        self.chain_words, self.noise_words = block.stream("words"), block.stream("noise-words")
        self.line_order, self.path_order = block.stream("order"), block.stream("strands")
        self.directions = block.stream("turns")
        self.noise_directions = block.stream("noise-turns")
        self.fill_order, self.dates = block.stream("filled"), block.stream("dates")
        self.both_ways = options.direction == "random"
        self.may_be_one_way = min(rules.inverse) < 0
        self.stitcher = self._stitcher(held_out) if options.style == "text" else None
        self.pool = self._pool(held_out)
        self.deck = Deck(self.pool, block.stream("names"))
        self.noise_deck = Deck(self.pool, block.stream("noise-names"))
        self.gendered = bool(world.genders)
        self.genders: list[str | None] = [*GENDERS] if self.gendered else [None] * len(GENDERS)
        self.shows_gender = self.gendered and options.gender != "names"
        self.gives_gender = self.gendered and options.gender == "given"
        self.must_show = options.paraphrases == SHIPPED
        self.anonymous, self.order = options.anonymize, options.order
        self.has_inverse_siblings = "inverse" in options.siblings
        self.splits = len(block.splits)
        self.word_limit = options.words
        self.depth = -1.0 if options.depth is None else options.depth
        family = self.stories.family_names if options.full_names else ()
        self.full_names = FullNames(self.pool, family, block.stream("many-names"))
        self.preface = preface(options)
        if self.stories.opening:
            self.preface.append(self.stories.opening)
        if options.style == "facts":
            self.preface.append(self.stories.legend)

    def _stitcher(self, held_out: HoldOut) -> Stitcher:
        bank, held = self.options.bank(), held_out.templates
        if self.block.split == TRAIN or not held:
            return _stitcher(bank, held, None)
        return _stitcher(bank, frozenset(), held)

    def _pool(self, held_out: HoldOut) -> NamePool:
        pool, held = self.options.pool(), held_out.names
        if not held:
            return pool
        return pool.without(held) if self.block.split == TRAIN else pool.only(held)

    def realize(self, planned: PlannedStory) -> RealizedStory:
        """Return a story plan in words."""
        plan, x, y = planned.plan, planned.x, planned.y
        if self.word_limit:
            plan = plan.copy()
        gender = swapped_genders(plan.gender) if planned.mirrored and self.gendered else plan.gender
        names = self._sample_names(gender, plan.core_size + 1)
        story = RealizedStory(plan, gender, self.full_names.completed(names), x, y)
        asked = {y} if len(plan.queries) == 1 else {query.people[-1] for query in plan.queries}
        if self.has_inverse_siblings:
            asked.add(x)
        story.stated = self._stated_facts(story, 0, asked)
        story.genders = self.genders_of(story.names, gender)
        story.texts = self.opening(story.genders)
        self._add_text(story, {story.names[person] for person in asked})
        if self.word_limit:
            story.genders = self.genders_of(story.names, gender)
        return story

    def _stated_facts(self, story: RealizedStory, first: int, asked: set[int]) -> list[list[str]]:
        """Return the facts from the first on, each in a random direction."""
        names, gender, words, inverse = story.names, story.gender, self.words, self.rules.inverse
        facts, core_size = story.plan.facts, story.plan.core_size
        is_reversed: list[bool] = []
        for number in range(first, len(facts)):
            stream = self.directions if number < core_size else self.noise_directions
            reversible = self.both_ways and inverse[facts[number][1]] >= 0
            is_reversed.append(reversible and stream.random() < 0.5)
        if self.both_ways and self.stitcher is None and self.shows_gender and first == 0:
            _reverse_to_show_genders(facts[:core_size], is_reversed, asked)
        stated: list[list[str]] = []
        for number in range(first, len(facts)):
            x, predicate, y = facts[number]
            if is_reversed[number - first]:
                x, predicate, y = y, inverse[predicate], x
            stated.append([names[x], words[predicate][gender[y]], names[y]])
        return stated

    def genders_of(self, names: list[str], gender: list[int]) -> list[list[str]]:
        """Return [name, gender] of everyone; nothing in a world without genders."""
        if not self.gendered:
            return []
        return [[name, GENDERS[gender[n]]] for n, name in enumerate(names)]

    def opening(self, genders: list[list[str]]) -> list[str]:
        """Return the sentences before the story."""
        return [*self.preface, gender_sentence(genders)] if self.gives_gender else [*self.preface]

    def _sample_names(self, gender: list[int], core: int) -> list[str]:
        """Sample names; no other split has a story about the same people, noise aside."""
        if self.anonymous:
            # A placeholder is for any gender, so that it shows none.
            gender = [0] * len(gender)
        for _ in range(_MAX_NAME_DRAWS * self.splits):
            names = self.deck.draw(gender[:core], [])
            if self.splits == 1 or self.block.owns(" ".join(sorted(names))):
                break
        else:
            raise Infeasible(
                f"names: too few for {self.splits} splits to share none; give more names"
            )
        if len(gender) > core:
            names += self.noise_deck.draw(gender[core:], names)
        return names

    def _add_text(self, story: RealizedStory, shown: set[str]) -> None:
        """Add all sentences, so that they show the gender of some people."""
        plan = story.plan
        hidden = shown.copy() if self.shows_gender else set()
        used_frames: set[str] = set()
        fact_order: list[int] = []
        lines = self._realize_core(story, fact_order, hidden, used_frames)
        if hidden and self.must_show:
            raise CheckFailed(
                f"no sentence for {plan.queries[0].clause} shows the gender of {min(hidden)!r}"
            )
        if self.order == "shuffled":
            self.line_order.shuffle(lines)
        stream, first = self.noise_words, plan.core_size
        filling: list[Line] = []
        for _, people in plan.noise:
            end = first + len(people) - 1
            path = people, list(range(first, end))
            noise = self._realize_path(story, path, fact_order, stream, set(), used_frames)
            if self.word_limit:
                filling += noise
            else:
                insert_noise(lines, noise, self.order, stream)
            first = end
        if self.word_limit:
            room = self.word_limit - count_words(lines)
            self._fill(story, room, filling, fact_order, used_frames)
            if self.order == "shuffled":
                self.fill_order.shuffle(filling)
            lines = spread(lines, filling, self.depth, self.fill_order)
        start = len(story.texts)
        for text in story.texts:
            start += len(text)
        for line in lines:
            text = line.text
            story.starts.append(start)
            story.states.append(fact_order[line.first : line.last + 1])
            story.templates.append(line.template)
            story.texts.append(text)
            start += len(text) + 1
        story.starts.append(start)

    def _realize_core(
        self, story: RealizedStory, fact_order: list[int], hidden: set[str], used_frames: set[str]
    ) -> list[Line]:
        """Return the sentences without noise; in worlds with dates, one chain fact has times."""
        lines: list[Line] = []
        dated = -1 if self.stories.dated is None else self.dates.below(story.plan.k)
        for whole in self._core_paths(story.plan):
            for path in [whole] if dated < 0 else _split_around(whole, dated):
                if path[1] == [dated]:
                    text, template = self.dated_sentence(story, dated, self.dates)
                    lines.append(Line(text, len(fact_order), len(fact_order), template))
                    fact_order.append(dated)
                else:
                    lines += self._realize_path(
                        story, path, fact_order, self.chain_words, hidden, used_frames
                    )
        return lines

    def dated_sentence(self, story: RealizedStory, number: int, stream: Stream) -> tuple[str, str]:
        """Return a sentence that states a fact by times, and its template."""
        assert self.stories.dated is not None
        x, predicate, y = story.plan.facts[number]
        return self.stories.dated.render(
            story.names[x], self.predicates[predicate], story.names[y], stream
        )

    def _fill(
        self,
        story: RealizedStory,
        room: int,
        lines: list[Line],
        fact_order: list[int],
        used_frames: set[str],
    ) -> None:
        """Add filler to these lines and to the story, as long as there is room for more words."""
        plan, names, gender, stream = story.plan, story.names, story.gender, self.noise_words
        used_names, room = set(names), room - count_words(lines)
        for _ in range(_MAX_FILL_ATTEMPTS):
            self.filler.restart()
            while True:
                if len(used_frames) > _MAX_UNREPEATED_FRAMES:
                    used_frames.clear()
                first, person, stated = len(plan.facts), len(gender), len(fact_order)
                kind, new_gender, facts = self.filler.sample(person)
                new_names = self.full_names.draw(new_gender, used_names)
                gender += new_gender
                names += new_names
                people = [facts[0][0], *[y for _, _, y in facts]]
                plan.facts += facts
                story.stated += self._stated_facts(story, first, set())
                path = people, list(range(first, len(plan.facts)))
                noise = self._realize_path(story, path, fact_order, stream, set(), used_frames)
                words = count_words(noise)
                if words > room:
                    break
                plan.noise.append((kind, people))
                lines += noise
                room -= words
            # Too long: undo the last path.
            del gender[person:], names[person:]
            del plan.facts[first:], story.stated[first:], fact_order[stated:]
            used_names.difference_update(new_names)

    def _core_paths(self, plan: StoryPlan) -> list[FactPath]:
        """Return the paths that sentences follow: the chain or, with side facts, any partition."""
        stream, facts, inverse = self.path_order, plan.facts[: plan.core_size], self.rules.inverse
        chain = list(range(plan.k + 1)), list(range(plan.k))
        # Where a predicate has no inverse, nothing can be stated from its other end.
        one_way = self.may_be_one_way and any(inverse[p] < 0 for _, p, _ in facts)
        if one_way or plan.core_size == plan.k:
            if self.both_ways and not one_way and stream.random() < 0.5:
                chain[0].reverse()
                chain[1].reverse()
            return [chain, *[([x, y], [n]) for n, (x, _, y) in enumerate(facts) if n >= plan.k]]
        return partition_into_paths(facts, stream)

    def _realize_path(
        self,
        story: RealizedStory,
        path: FactPath,
        fact_order: list[int],
        stream: Stream,
        hidden: set[str],
        used_frames: set[str],
    ) -> list[Line]:
        """Return sentences for the facts of a path; append the facts to `fact_order`."""
        people, numbers = path
        first = len(fact_order)
        fact_order += numbers
        if self.stitcher is None:
            hidden.clear()  # the relation word shows the gender
            stated = [story.stated[number] for number in numbers]
            if self.options.style == "facts":
                return realize_bare(stated, first)
            return realize_plain(self.stories, stated, first, stream)
        names = [story.names[person] for person in people]
        return self.stitcher.realize_path(
            names, self.typed_path(story, path), stream, first, hidden, used_frames
        )

    def typed_path(self, story: RealizedStory, path: FactPath) -> tuple[str | None, ...]:
        """Return the genders and predicates along a path in turn, as the stitcher takes them."""
        people, numbers = path
        genders, gender, facts = self.genders, story.gender, story.plan.facts
        typed = [genders[gender[people[0]]]]
        for n in range(len(numbers)):
            x, predicate, _ = facts[numbers[n]]
            if x != people[n]:
                predicate = self.rules.inverse[predicate]
            typed.append(self.predicates[predicate])
            typed.append(genders[gender[people[n + 1]]])
        return tuple(typed)


def _split_around(path: FactPath, number: int) -> list[FactPath]:
    """Split a path before and after the fact of this number, if that is in it."""
    people, numbers = path
    if number not in numbers:
        return [path]
    place = numbers.index(number)
    parts = [
        (people[: place + 1], numbers[:place]),
        (people[place : place + 2], [number]),
        (people[place + 1 :], numbers[place + 1 :]),
    ]
    return [part for part in parts if part[1]]


def _reverse_to_show_genders(
    facts: list[IndexedFact], is_reversed: list[bool], asked: set[int]
) -> None:
    """Reverse facts until some fact has a word for each person asked, which shows the gender.

    In a tree, seen from a root outside, a fact leads to everyone.
    """
    described = [x if is_reversed[n] else y for n, (x, _, y) in enumerate(facts)]
    ahead = [person for person in sorted(asked) if person not in described]
    if not ahead:
        return
    root = min([person for x, _, y in facts for person in (x, y) if person not in asked])
    leads: dict[int, tuple[int, int]] = {}
    reached = [root]
    for person in reached:
        for number, (x, _, y) in enumerate(facts):
            other = y if person == x else x
            if person in (x, y) and other != root and other not in leads:
                leads[other] = number, person
                reached.append(other)
    while ahead:
        person = ahead.pop()
        number, before = leads[person]
        is_reversed[number] = facts[number][0] == person
        described[number] = person
        if before in asked and before not in described:
            ahead.append(before)

"""Plots in words: people are named, facts turned this way or that, and told."""

from functools import cache
from typing import TYPE_CHECKING, Final

from ....block import Block
from ....errors import CheckFailed, Infeasible
from ....kb.worlds.rules import Rules
from ....kb.worlds.scene import mirrored
from ....kb.worlds.stories import Pool
from ....kb.worlds.world import World
from ....seed import Stream
from ....splits import TRAIN
from ....templates.bank import Bank
from ....templates.stitcher import Line, Stitcher
from ..planning.holdout import HoldOut
from ..planning.matching import Link
from ..planning.paths import Strand, strands
from ..planning.planner import Plot
from ..values import SHIPPED
from .filler import Names, Strangers, spread, words_of
from .names import Deck
from .opening import GENDERS, cast_of, preface
from .plain import barely, mixed, plainly

if TYPE_CHECKING:
    from ..generator import Clutrr

_DRAWS: Final = 100
_TRIES_TO_FILL: Final = 3
_FRAMES_ON_END: Final = 300
"""In a long story, no frame comes again as long as there are so many others."""


@cache
def _stitcher(bank: Bank, hold_out: frozenset[str], only: frozenset[str] | None) -> Stitcher:
    return Stitcher(bank, hold_out=hold_out, only=only)


class Story:
    """A plot in words, or on the way there.

    `told` has its facts as they are told, `texts` what is said, the opening included. For each
    stretch of the story itself there are its start, the numbers of the facts that it states and its
    template; the last start is that of the question.
    """

    __slots__ = (
        "gender",
        "genders",
        "names",
        "plot",
        "starts",
        "states",
        "templates",
        "texts",
        "told",
    )

    def __init__(self, plot: Plot, gender: list[int], names: list[str]) -> None:
        self.plot, self.gender, self.names = plot, gender, names
        self.told: list[list[str]] = []
        self.genders: list[list[str]] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.states: list[list[int]] = []
        self.templates: list[str] = []


class Teller:
    """Tells the plots of one block, each purpose drawing from a stream of its own."""

    def __init__(
        self,
        options: "Clutrr",
        block: Block,
        world: World,
        rules: Rules,
        held_out: HoldOut,
        strangers: Strangers,
    ) -> None:
        self.options, self.block, self.rules, self.strangers = options, block, rules, strangers
        self.stories = world.told
        self.words = [list(words) for words in world.words]
        self.predicates = list(rules.predicates)
        self.chain_words, self.noise_words = block.stream("words"), block.stream("noise-words")
        self.line_order, self.strand_order = block.stream("order"), block.stream("strands")
        self.turns, self.noise_turns = block.stream("turns"), block.stream("noise-turns")
        self.filled, self.dates = block.stream("filled"), block.stream("dates")
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
        self.inverse_too = "inverse" in options.siblings
        self.splits = len(block.splits)
        self.long, self.depth = options.words, -1.0 if options.depth is None else options.depth
        family = self.stories.family_names if options.full_names else ()
        self.many_names = Names(self.pool, family, block.stream("many-names"))
        self.said_first = preface(options)
        if self.stories.opening:
            self.said_first.append(self.stories.opening)
        if options.style == "facts":
            self.said_first.append(self.stories.legend)

    def _stitcher(self, held_out: HoldOut) -> Stitcher:
        bank, held = self.options.bank(), held_out.templates
        if self.block.split == TRAIN or not held:
            return _stitcher(bank, held, None)
        return _stitcher(bank, frozenset(), held)

    def _pool(self, held_out: HoldOut) -> Pool:
        pool, held = self.options.pool(), held_out.names
        if not held:
            return pool
        return pool.without(held) if self.block.split == TRAIN else pool.only(held)

    def story(self, plot: Plot, turned: bool, x: int, y: int) -> Story:
        """The plot in words, with men for women if turned, to be asked how y is to x."""
        if self.long:
            plot = plot.copy()
        gender = mirrored(plot.gender) if turned and self.gendered else plot.gender
        names = self._named(gender, plot.core + 1)
        story = Story(plot, gender, self.many_names.completed(names))
        asked = {y} if len(plot.inquiries) == 1 else {last.people[-1] for last in plot.inquiries}
        if self.inverse_too:
            asked.add(x)
        story.told = self._facts(story, 0, asked)
        story.genders = self.genders_of(story.names, gender)
        story.texts = self.opening(story.genders)
        self._tell_all(story, {story.names[person] for person in asked})
        if self.long:
            story.genders = self.genders_of(story.names, gender)
        return story

    def _facts(self, story: Story, first: int, asked: set[int]) -> list[list[str]]:
        """The facts from the first on as they are told: this way round or, by chance, that way."""
        names, gender, words, inverse = story.names, story.gender, self.words, self.rules.inverse
        facts, core = story.plot.facts, story.plot.core
        turned: list[bool] = []
        for number in range(first, len(facts)):
            turns = self.turns if number < core else self.noise_turns
            turns_round = self.both_ways and inverse[facts[number][1]] >= 0
            turned.append(turns_round and turns.random() < 0.5)
        if self.both_ways and self.stitcher is None and self.shows_gender and first == 0:
            _describe(facts[:core], turned, asked)
        told: list[list[str]] = []
        for number in range(first, len(facts)):
            x, predicate, y = facts[number]
            if turned[number - first]:
                x, predicate, y = y, inverse[predicate], x
            told.append([names[x], words[predicate][gender[y]], names[y]])
        return told

    def genders_of(self, names: list[str], gender: list[int]) -> list[list[str]]:
        """[name, gender] of everyone."""
        if not self.gendered:
            return []
        return [[name, GENDERS[gender[n]]] for n, name in enumerate(names)]

    def opening(self, genders: list[list[str]]) -> list[str]:
        """What is said before the story."""
        return [*self.said_first, cast_of(genders)] if self.gives_gender else self.said_first.copy()

    def _named(self, gender: list[int], core: int) -> list[str]:
        """Names for all; no other split has a story about the same people, noise aside."""
        if self.anonymous:
            # A placeholder is for either gender, so that it shows none.
            gender = [0] * len(gender)
        for _ in range(_DRAWS * self.splits):
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

    def _tell_all(self, story: Story, shown: set[str]) -> None:
        """Tell everything so that it shows the gender of some people."""
        plot = story.plot
        hidden = shown.copy() if self.shows_gender else set()
        used: set[str] = set()
        spoken: list[int] = []
        lines = self._tell_core(story, spoken, hidden, used)
        if hidden and self.must_show:
            raise CheckFailed(
                f"no sentence for {plot.inquiries[0].clause} shows the gender of {min(hidden)!r}"
            )
        if self.order == "shuffled":
            self.line_order.shuffle(lines)
        stream, first = self.noise_words, plot.core
        beside: list[Line] = []
        for _, path in plot.noise:
            end = first + len(path) - 1
            strand = path, list(range(first, end))
            noise = self._tell(story, strand, spoken, stream, set(), used)
            if self.long:
                beside += noise
            else:
                mixed(lines, noise, self.order, stream)
            first = end
        if self.long:
            self._fill(story, self.long - words_of(lines), beside, spoken, used)
            if self.order == "shuffled":
                self.filled.shuffle(beside)
            lines = spread(lines, beside, self.depth, self.filled)
        start = len(story.texts)
        for text in story.texts:
            start += len(text)
        for line in lines:
            text = line.text
            story.starts.append(start)
            story.states.append(spoken[line.first : line.last + 1])
            story.templates.append(line.template)
            story.texts.append(text)
            start += len(text) + 1
        story.starts.append(start)

    def _tell_core(
        self, story: Story, spoken: list[int], hidden: set[str], used: set[str]
    ) -> list[Line]:
        """All but the noise; where the world has dates, one fact of the chain by times."""
        lines: list[Line] = []
        by_date = -1 if self.stories.dated is None else self.dates.below(story.plot.k)
        for whole in self._strands(story.plot):
            for strand in [whole] if by_date < 0 else _parted(whole, by_date):
                if strand[1] == [by_date]:
                    text, template = self.dated(story, by_date, self.dates)
                    lines.append(Line(text, len(spoken), len(spoken), template))
                    spoken.append(by_date)
                else:
                    lines += self._tell(story, strand, spoken, self.chain_words, hidden, used)
        return lines

    def dated(self, story: Story, number: int, stream: Stream) -> tuple[str, str]:
        """A fact told by times: the sentence, and its template."""
        assert self.stories.dated is not None
        x, predicate, y = story.plot.facts[number]
        return self.stories.dated(
            story.names[x], self.predicates[predicate], story.names[y], stream
        )

    def _fill(
        self, story: Story, room: int, lines: list[Line], spoken: list[int], used: set[str]
    ) -> None:
        """Tell of other families, beside the noise in these lines, as long as there is room."""
        plot, names, gender, stream = story.plot, story.names, story.gender, self.noise_words
        taken, room = set(names), room - words_of(lines)
        for _ in range(_TRIES_TO_FILL):
            self.strangers.leave()
            while True:
                if len(used) > _FRAMES_ON_END:
                    used.clear()
                first, person, said = len(plot.facts), len(gender), len(spoken)
                kind, strangers, facts = self.strangers.draw(person)
                new = self.many_names.draw(strangers, taken)
                gender += strangers
                names += new
                people = [facts[0][0], *[y for _, _, y in facts]]
                plot.facts += facts
                story.told += self._facts(story, first, set())
                strand = people, list(range(first, len(plot.facts)))
                noise = self._tell(story, strand, spoken, stream, set(), used)
                words = words_of(noise)
                if words > room:
                    break
                plot.noise.append((kind, people))
                lines += noise
                room -= words
            # Too long: as if it had never been drawn.
            del (
                gender[person:],
                names[person:],
                plot.facts[first:],
                story.told[first:],
                spoken[said:],
            )
            taken.difference_update(new)

    def _strands(self, plot: Plot) -> list[Strand]:
        """The paths that the core is told by: the chain, or where there is more, any of it."""
        stream, facts, inverse = self.strand_order, plot.facts[: plot.core], self.rules.inverse
        chain = list(range(plot.k + 1)), list(range(plot.k))
        # Where a predicate has no inverse, nothing can be told from its other end.
        one_way = self.may_be_one_way and any(inverse[p] < 0 for _, p, _ in facts)
        if one_way or plot.core == plot.k:
            if self.both_ways and not one_way and stream.random() < 0.5:
                chain[0].reverse()
                chain[1].reverse()
            return [chain, *[([x, y], [n]) for n, (x, _, y) in enumerate(facts) if n >= plot.k]]
        return strands(facts, stream)

    def _tell(
        self,
        story: Story,
        strand: Strand,
        spoken: list[int],
        stream: Stream,
        hidden: set[str],
        used: set[str],
    ) -> list[Line]:
        """The facts of a strand in words, numbered as they are spoken."""
        people, numbers = strand
        first = len(spoken)
        spoken += numbers
        if self.stitcher is None:
            hidden.clear()  # the word for a relation says the gender
            facts = [story.told[number] for number in numbers]
            if self.options.style == "facts":
                return barely(facts, first)
            return plainly(self.stories, facts, first, stream)
        genders, gender, links = self.genders, story.gender, story.plot.facts
        names, path = [story.names[people[0]]], [genders[gender[people[0]]]]
        for n in range(len(numbers)):
            x, predicate, _ = links[numbers[n]]
            if x != people[n]:
                predicate = self.rules.inverse[predicate]
            names.append(story.names[people[n + 1]])
            path.append(self.predicates[predicate])
            path.append(genders[gender[people[n + 1]]])
        return self.stitcher.along(names, tuple(path), stream, first, hidden, used)


def _parted(strand: Strand, number: int) -> list[Strand]:
    """A strand cut before and after the fact of this number, if that is in it."""
    people, numbers = strand
    if number not in numbers:
        return [strand]
    place = numbers.index(number)
    parts = [
        (people[: place + 1], numbers[:place]),
        (people[place : place + 2], [number]),
        (people[place + 1 :], numbers[place + 1 :]),
    ]
    return [part for part in parts if part[1]]


def _describe(facts: list[Link], turned: list[bool], asked: set[int]) -> None:
    """Turn facts round until some fact says what each of these is, and so the gender.

    Seen from somebody else of a tree, everyone has a fact that leads there.
    """
    described = [x if turned[n] else y for n, (x, _, y) in enumerate(facts)]
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
        turned[number] = facts[number][0] == person
        described[number] = person
        if before in asked and before not in described:
            ahead.append(before)

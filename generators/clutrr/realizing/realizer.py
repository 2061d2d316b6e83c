"""Realization of story plans: people get names, facts get a direction and become sentences."""

from functools import cache
from typing import Final, NamedTuple

from ....block import Block
from ....errors import CheckFailed, Infeasible
from ....kb.worlds.languages import LocalizedWorld, find_language
from ....kb.worlds.stories import NamePool
from ....seed import Stream
from ....splits import TRAIN
from ....templates.bank import Bank, find_bank
from ....templates.frame import CLOSING, OPENING, ScenePart
from ....templates.stitcher import Stitcher, StoryWords
from ..metadata import GENDERS
from ..options import StoryOptions
from ..planning.feasibility import rules_of
from ..planning.holdout import HoldOut
from ..story import FactPath, IndexedFact, Segment, Story, StoryPlan
from .cohesion import Referrer, connected_order
from .filler import FullNames, NoiseFiller, Paragraph, count_words
from .names import Deck
from .opening import gender_sentence, preface
from .plain import bare_segment, plain_segment

_MAX_NAME_DRAWS: Final = 100
_MAX_FILL_ATTEMPTS: Final = 3
_MAX_UNREPEATED_FRAMES: Final = 300
"""In a long story, frames are not repeated until this many were used."""
_MAX_PIECES_PER_SCENE: Final = 10
"""Segments with facts in a paragraph; stories with more have several scenes."""
_WORDS_PER_PARAGRAPH: Final = 180
"""Words in a paragraph of a long story."""
_OPENING_WORDS: Final = 40
"""Room for the opening with which a paragraph goes on after other sentences."""
_CLOSING_SHARE: Final = 0.3
"""Share of paragraphs that end with a closing of the scene."""


class _Piece(NamedTuple):
    """The part of a path that one segment states, and whether that is one fact, stated by times."""

    people: list[int]
    numbers: list[int]
    is_dated: bool


def _paragraph_at(paragraphs: list[Paragraph], share: float) -> Paragraph:
    """Return the paragraph that is filled after this share of the filler."""
    return paragraphs[min(int(share * len(paragraphs)), len(paragraphs) - 1)]


@cache
def _stitcher(bank: Bank, hold_out: frozenset[str], only: frozenset[str] | None) -> Stitcher:
    return Stitcher(bank, hold_out=hold_out, only=only)


@cache
def _referrer(bank: Bank, rules: str) -> Referrer | None:
    texts = find_language(bank.world.language).texts.references
    words = [list(words) for words in bank.world.words]
    return Referrer(bank, texts, rules_of(bank.world.name, rules).inverse, words) if texts else None


class Realizer:
    """Turns the story plans of one block into text, with a stream for each purpose."""

    def __init__(
        self, options: StoryOptions, block: Block, held_out: HoldOut, filler: NoiseFiller | None
    ) -> None:
        world, rules = options.story_world, rules_of(options.world, options.rules)
        self.options, self.block, self.filler = options, block, filler
        self.world = world
        self.stories, self.inverse = world.story_spec, rules.inverse
        self.words = [list(words) for words in world.words]
        self.predicates = list(rules.predicates)
        self.chain_words, self.noise_words = block.stream("words"), block.stream("noise-words")
        self.segment_order, self.path_order = block.stream("order"), block.stream("strands")
        self.directions = block.stream("turns")
        self.noise_directions = block.stream("noise-turns")
        self.fill_order, self.dates = block.stream("filled"), block.stream("dates")
        self.gendered = bool(world.genders)
        self.both_ways = options.direction == "random"
        self.may_be_one_way = min(rules.inverse) < 0
        self.stitcher = self._stitcher(held_out) if options.style == "text" else None
        self.splitter = self.stitcher
        """The stitcher that splits paths: that of the language in which the world is written, so
        that all languages say the same in the same order."""
        if self.stitcher and isinstance(world, LocalizedWorld):
            self.splitter = _stitcher(find_bank(options.world), frozenset(), None)
        self.splits_of_paths, self.scene_draws = block.stream("parts"), block.stream("scenes")
        self.references, self.referrer = block.stream("references"), self._referrer()
        self.pool = self._pool(held_out)
        self.deck = Deck(self.pool, block.stream("names"), self.stories.name_groups)
        self.noise_deck = Deck(self.pool, block.stream("noise-names"), self.stories.name_groups)
        self.genders: list[str | None] = [*GENDERS] if self.gendered else [None] * len(GENDERS)
        self.shows_gender = self.gendered and options.gender != "names"
        self.gives_gender = self.gendered and options.gender == "given"
        self.is_shuffled, self.is_bare = options.order == "shuffled", options.style == "facts"
        self.has_inverse_siblings = "inverse" in options.siblings
        self.splits = len(block.splits)
        self.word_limit = options.words
        self.depth = -1.0 if options.depth is None else options.depth
        family = self.stories.family_names if options.full_names else ()
        self.full_names = FullNames(self.pool, family, block.stream("many-names"))
        self.preface = preface(options)

    def _stitcher(self, held_out: HoldOut) -> Stitcher:
        bank, held = self.options.bank(), held_out.templates
        if self.block.split == TRAIN or not held:
            return _stitcher(bank, held, None)
        return _stitcher(bank, frozenset(), held)

    def _referrer(self) -> Referrer | None:
        """Return what refers across sentences; None where sentences must stand alone."""
        stitcher, alone = self.stitcher, self.options.siblings or not self.gendered
        if alone or stitcher is None or not stitcher.scenes:
            return None
        return _referrer(stitcher.bank, self.options.rules)

    def _pool(self, held_out: HoldOut) -> NamePool:
        pool, held = self.options.pool(), held_out.names
        if not held:
            return pool
        return pool.without(held) if self.block.split == TRAIN else pool.only(held)

    def realize(self, plan: StoryPlan) -> Story:
        """Return a story plan in words; filler of a long story is added to the plan."""
        names = self._sample_names(plan.gender, plan.core_size + 1)
        story = Story(plan, self.full_names.completed(names))
        asked = {query.y for query in plan.queries}
        if self.has_inverse_siblings:
            asked.add(plan.queries[0].x)
        story.stated = self._stated_facts(story, 0, asked)
        story.segments = self._segments(story, {story.names[person] for person in asked})
        if not story.scenes and self.stitcher and self.stitcher.scenes:
            frames = map(self.stitcher.bank.by_id.get, [part.template for part in story.segments])
            story.scenes = [each.scene for each in frames if each and each.part == OPENING]
        self.introduce(story)
        return story

    def introduce(self, story: Story) -> None:
        """Set everyone's gender and the sentences before the story."""
        gender = story.plan.gender
        if self.gendered:
            story.genders = [[name, GENDERS[gender[n]]] for n, name in enumerate(story.names)]
        story.opening = [*self.preface]
        if self.gives_gender:
            story.opening.append(gender_sentence(story.genders, self.options.language))

    def _stated_facts(self, story: Story, first: int, asked: set[int]) -> list[list[str]]:
        """Return the facts from the first on, each in a random direction."""
        plan, names, words, inverse = story.plan, story.names, self.words, self.inverse
        facts, core_size = plan.facts, plan.core_size
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
            stated.append([names[x], words[predicate][plan.gender[y]], names[y]])
        return stated

    def _sample_names(self, gender: list[int], core: int) -> list[str]:
        """Sample names; no other split has a story about the same people, noise aside."""
        if self.options.anonymize:
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

    def _segments(self, story: Story, shown: set[str]) -> list[Segment]:
        """Return all segments, so that they show the gender of some people."""
        plan = story.plan
        hidden = shown.copy() if self.shows_gender else set()
        words = StoryWords(hidden, set())
        dated = -1 if self.stories.dated is None else self.dates.below(plan.k)
        pieces = self._pieces(story, self._core_paths(plan), dated)
        noise = self._pieces(story, [path for _, path in plan.noise], -1)
        if self.word_limit:
            segments = self._long_story(story, pieces, noise, words)
        else:
            pieces = self._ordered(story, [*pieces, *noise])
            segments = self._paragraphs(story, pieces, words)
        if hidden:
            raise CheckFailed(
                f"no sentence for {plan.queries[0].clause} shows the gender of {min(hidden)!r}"
            )
        return segments

    def _pieces(self, story: Story, paths: list[FactPath], dated: int) -> list[_Piece]:
        """Return the parts of paths that a segment each states; a dated fact is stated by times."""
        pieces: list[_Piece] = []
        for whole in paths:
            for people, numbers in [whole] if dated < 0 else _split_around(whole, dated):
                sizes, is_dated = [1] * len(numbers), numbers == [dated]
                if self.splitter and not is_dated:
                    typed = self.typed_path(story, (people, numbers))
                    sizes = self.splitter.split(typed, self.splits_of_paths)
                start = 0
                for size in sizes:
                    end = start + size
                    pieces.append(_Piece(people[start : end + 1], numbers[start:end], is_dated))
                    start = end
        return self._merged(story, pieces) if self.splitter and self.gendered else pieces

    def _merged(self, story: Story, pieces: list[_Piece]) -> list[_Piece]:
        """Join single facts that say the same of one person, where a frame states both at once."""
        assert self.splitter
        merged: list[_Piece] = []
        places: dict[tuple[int, int, int], int] = {}
        for piece in pieces:
            keys = [] if len(piece.numbers) > 1 or piece.is_dated else self._said(story, piece)
            for person, predicate, gender in keys:
                place = places.get((person, predicate, gender), -1)
                if place >= 0 and len(merged[place].numbers) == 1:
                    ends = [sum(one.people) - person for one in (merged[place], piece)]
                    both = [ends[0], person, ends[1]], merged[place].numbers + piece.numbers
                    if self.splitter.can_state(self.typed_path(story, both)):
                        merged[place] = _Piece(*both, is_dated=False)
                        break
            else:
                places.update(dict.fromkeys(keys, len(merged)))
                merged.append(piece)
        return merged

    def _said(self, story: Story, piece: _Piece) -> list[tuple[int, int, int]]:
        """Return what a single fact says of each of its people: the relation of whom, by gender."""
        x, predicate, y = story.plan.facts[piece.numbers[0]]
        gender, inverse = story.plan.gender, self.inverse[predicate]
        return [(x, predicate, gender[y])] + ([(y, inverse, gender[x])] if inverse >= 0 else [])

    def _ordered(self, story: Story, pieces: list[_Piece]) -> list[_Piece]:
        """Return the pieces in an order that tells nothing of what they are for."""
        if self.is_shuffled:
            self.segment_order.shuffle(pieces)
            ordered = pieces
        else:
            order = connected_order([piece.people for piece in pieces], self.segment_order)
            ordered = [pieces[n] for n in order]
        if self.splitter is self.stitcher:
            return ordered
        return [part for piece in ordered for part in self._statable(story, piece)]

    def _statable(self, story: Story, piece: _Piece) -> list[_Piece]:
        """Return a piece, or its single facts where no frame of this language states it."""
        assert self.stitcher
        people, numbers, is_dated = piece
        if is_dated or self.stitcher.can_state(self.typed_path(story, (people, numbers))):
            return [piece]
        return [_Piece(people[n : n + 2], [fact], is_dated) for n, fact in enumerate(numbers)]

    def _sample_scenes(self, count: int) -> list[str]:
        """Sample a scene for each paragraph, all different as long as there are others."""
        scenes = self.stitcher.scenes if self.stitcher else []
        sampled: list[str] = []
        while scenes and len(sampled) < count:
            sampled += self.scene_draws.sample(scenes, min(len(scenes), count - len(sampled)))
        return sampled or [""] * count

    def _paragraphs(self, story: Story, pieces: list[_Piece], words: StoryWords) -> list[Segment]:
        """Return segments for these pieces in their order, a scene for every few of them."""
        count = 1 if self.options.siblings else -(-len(pieces) // _MAX_PIECES_PER_SCENE)
        segments: list[Segment] = []
        size, core = len(pieces), story.plan.core_size
        for n, scene in enumerate(self._sample_scenes(count)):
            words.scene = scene
            segments += self._scene_line(OPENING, words)
            before: Segment | None = None
            people: list[int] = []
            for piece in pieces[size * n // count : size * (n + 1) // count]:
                segment, *asides = self._realize(story, piece, self.chain_words, words)
                shared = [person for person in piece.people if person in people]
                # Without noise, no sentence may refer to it.
                is_noise = piece.numbers[0] >= core
                if self.referrer and before and shared and (is_noise or before.facts[0] < core):
                    segment = self.referrer.refer(story, segment, before, shared, self.references)
                before, people = (None, []) if asides else (segment, piece.people)
                segments += [segment, *asides]
            if scene and self.chain_words.random() < _CLOSING_SHARE:
                segments += self._scene_line(CLOSING, words)
        return segments

    def _scene_line(self, part: ScenePart, words: StoryWords) -> list[Segment]:
        """Begin or end a paragraph: return a line of its scene, if there are scenes."""
        if not (self.stitcher and words.scene):
            return []
        line = self.stitcher.scene_line(part, self.chain_words, words)
        return [Segment(line.text, [], line.template)]

    def _realize(
        self, story: Story, piece: _Piece, stream: Stream, words: StoryWords
    ) -> list[Segment]:
        """Return the segment that states a piece, perhaps with an aside after it."""
        if piece.is_dated:
            return [self.dated_segment(story, piece.numbers[0], self.dates)]
        is_core = piece.numbers[0] < story.plan.core_size
        used = words if is_core else StoryWords(set(), words.used, words.scene)
        segments = [self.segment(story, (piece.people, piece.numbers), stream, used)]
        if self.stitcher:
            person = piece.people[-1]
            gender = self.genders[story.plan.gender[person]]
            aside = self.stitcher.aside(story.names[person], gender, stream, words)
            if aside:
                segments.append(Segment(aside.text, [], aside.template))
        return segments

    def _long_story(
        self, story: Story, pieces: list[_Piece], noise: list[_Piece], words: StoryWords
    ) -> list[Segment]:
        """Return a story filled up to its number of words, in paragraphs of a scene each.

        The facts of the core are in any paragraphs, or together at a relative depth.
        """
        together = (
            self._paragraphs(story, self._ordered(story, pieces), words) if self.depth >= 0 else []
        )
        paragraphs: list[Paragraph] = []
        for scene in self._sample_scenes(max(1, self.word_limit // _WORDS_PER_PARAGRAPH)):
            words.scene = scene
            paragraphs.append(Paragraph(scene, self._scene_line(OPENING, words)))
        for piece in pieces if self.depth < 0 else []:
            paragraph = paragraphs[self.fill_order.below(len(paragraphs))]
            words.scene = paragraph.scene
            paragraph.add(piece.people, self._realize(story, piece, self.chain_words, words))
        room = self.word_limit - count_words(together) - _OPENING_WORDS * bool(together)
        for paragraph in paragraphs:
            room -= paragraph.words
        self._fill(story, paragraphs, noise, words, room)
        filling: list[Segment] = []
        scene_at: list[str] = []
        """By place in the filling, the scene that a paragraph there has to open again."""
        for paragraph in paragraphs:
            order = connected_order(paragraph.people, self.fill_order)
            if self.is_shuffled:
                self.fill_order.shuffle(order)
            filling += paragraph.segments(order)
            scene_at += ["", *[paragraph.scene] * (len(filling) - len(scene_at) - 1)]
        place = round(max(0.0, self.depth) * len(filling))
        words.scene = scene_at[place] if together and place < len(filling) else ""
        opening = self._scene_line(OPENING, words)
        return [*filling[:place], *together, *opening, *filling[place:]]

    def _fill(
        self,
        story: Story,
        paragraphs: list[Paragraph],
        noise: list[_Piece],
        words: StoryWords,
        room: int,
    ) -> None:
        """Add noise to the paragraphs, and filler to them and the story while there is room."""
        plan, names, filler, whole = story.plan, story.names, self.filler, max(1, room)
        assert filler is not None
        gender, used_names = plan.gender, set(names)
        for piece in noise:
            paragraph = _paragraph_at(paragraphs, 1 - room / whole)
            words.scene = paragraph.scene
            group = self._realize(story, piece, self.noise_words, words)
            room -= paragraph.add(piece.people, group)
        plan.filler_start = len(plan.facts)
        filler.start(plan)
        for _ in range(_MAX_FILL_ATTEMPTS):
            while True:
                if len(words.used) > _MAX_UNREPEATED_FRAMES:
                    words.used.clear()
                first, person = len(plan.facts), len(gender)
                kind, new_gender, facts = filler.sample(gender)
                new_names = self.full_names.draw(new_gender, used_names)
                gender += new_gender
                names += new_names
                plan.facts += facts
                story.stated += self._stated_facts(story, first, set())
                people = [facts[0][0], *[y for _, _, y in facts]]
                path = people, list(range(first, len(plan.facts)))
                paragraph = _paragraph_at(paragraphs, 1 - room / whole)
                pieces = self._pieces(story, [path], -1)
                words.scene = paragraph.scene
                groups = [self._realize(story, p, self.noise_words, words) for p in pieces]
                if sum([count_words(group) for group in groups]) > room:
                    break
                filler.accept()
                plan.noise.append((kind, path))
                for piece, group in zip(pieces, groups, strict=True):
                    room -= paragraph.add(piece.people, group)
            # Too long: undo the last path.
            filler.restart()
            del gender[person:], names[person:], plan.facts[first:], story.stated[first:]
            used_names.difference_update(new_names)

    def dated_segment(self, story: Story, number: int, stream: Stream) -> Segment:
        """Return a sentence that states a fact by times."""
        assert self.stories.dated is not None
        x, predicate, y = story.plan.facts[number]
        text, template = self.stories.dated.render(
            story.names[x], self.predicates[predicate], story.names[y], stream
        )
        return Segment(text, [number], template)

    def _core_paths(self, plan: StoryPlan) -> list[FactPath]:
        """Return the paths that sentences follow: the chain or, with side facts, any partition."""
        stream, facts, inverse = self.path_order, plan.facts[: plan.core_size], self.inverse
        chain = list(range(plan.k + 1)), list(range(plan.k))
        # Where a predicate has no inverse, nothing can be stated from its other end.
        one_way = self.may_be_one_way and any(inverse[p] < 0 for _, p, _ in facts)
        if one_way or plan.core_size == plan.k:
            if self.both_ways and not one_way and stream.random() < 0.5:
                chain[0].reverse()
                chain[1].reverse()
            return [chain, *[([x, y], [n]) for n, (x, _, y) in enumerate(facts) if n >= plan.k]]
        return partition_into_paths(facts, stream)

    def segment(self, story: Story, path: FactPath, stream: Stream, words: StoryWords) -> Segment:
        """Return a segment for the facts of a path that shows hidden genders, if possible."""
        people, numbers = path
        if self.stitcher is None:
            words.hidden.clear()  # the relation word shows the gender
            if self.is_bare:
                return bare_segment(story.stated, numbers[0])
            return plain_segment(self.world, story.stated, numbers[0], stream)
        names, typed = [story.names[person] for person in people], self.typed_path(story, path)
        line = self.stitcher.realize(names, typed, stream, words)
        return Segment(line.text, numbers, line.template)

    def typed_path(self, story: Story, path: FactPath) -> tuple[str | None, ...]:
        """Return the genders and predicates along a path in turn, as the stitcher takes them."""
        people, numbers = path
        genders, gender, facts = self.genders, story.plan.gender, story.plan.facts
        typed = [genders[gender[people[0]]]]
        for n in range(len(numbers)):
            x, predicate, _ = facts[numbers[n]]
            if x != people[n]:
                predicate = self.inverse[predicate]
            typed.append(self.predicates[predicate])
            typed.append(genders[gender[people[n + 1]]])
        return tuple(typed)


def partition_into_paths(facts: list[IndexedFact], stream: Stream) -> list[FactPath]:
    """Partition the facts of a tree into random paths, all facts treated alike."""
    facts_of: dict[int, list[int]] = {}
    for number, (x, _, y) in enumerate(facts):
        facts_of.setdefault(x, []).append(number)
        facts_of.setdefault(y, []).append(number)
    order = list(range(len(facts)))
    stream.shuffle(order)
    paths: list[FactPath] = []
    for first in order:
        x, _, y = facts[first]
        if first not in facts_of[x]:
            continue
        facts_of[x].remove(first)
        facts_of[y].remove(first)
        people, numbers = ([x, y] if stream.random() < 0.5 else [y, x]), [first]
        for _ in range(2):  # extend one end, then the other
            while facts_of[people[-1]]:
                person = people[-1]
                unused = facts_of[person]
                number = unused.pop(stream.below(len(unused)))
                x, _, y = facts[number]
                person = y if person == x else x
                facts_of[person].remove(number)
                people.append(person)
                numbers.append(number)
            people.reverse()
            numbers.reverse()
        paths.append((people, numbers))
    return paths


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

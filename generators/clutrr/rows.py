"""The rows of one block: plots are drawn, people named, facts told, questions asked."""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from ...block import Block, row_id
from ...errors import CheckFailed, Infeasible
from ...example import Example
from ...kb.rules import Rules
from ...kb.stories import Pool
from ...kb.world import find_world
from ...seed import Stream
from ...splits import TRAIN
from ...templates.bank import Bank
from ...templates.stitcher import Line, Stitcher
from .chain import Chainer, Tally, fit_for_stories
from .embedding import Link
from .explanation import explained
from .filling import Names, Strangers, spread, words_of
from .holdout import HoldOut, check_splits
from .people import SHIPPED, Deck
from .plot import Clause, Inquiry, Plot, Plotter
from .question import UNKNOWN, Asking
from .strands import Strand, strands
from .telling import barely, mixed, plainly

if TYPE_CHECKING:
    from .generator import Clutrr

_BLOCKS_PER_SCENE: Final = 4
_SCENES_TO_SEARCH: Final = 4
_TRIES: Final = 400
_DRAWS: Final = 100
_PLOTS: Final = 50
_FOLLOWED: Final = 20
_TRIES_TO_FILL: Final = 3
_FRAMES_ON_END: Final = 300
"""In a long story, no frame comes again as long as there are so many others."""
_OPEN: Final = -1


@cache
def rules_of(world: str, ruleset: str) -> Rules:
    """The rules of a world."""
    return fit_for_stories(Rules.of(find_world(world), ruleset))


@cache
def _stitcher(bank: Bank, hold_out: frozenset[str], only: frozenset[str] | None) -> Stitcher:
    return Stitcher(bank, hold_out=hold_out, only=only)


@lru_cache(maxsize=32)
def _chainer(
    world: str, rules: str, people: int, children: int, marriage: float, *whose: str | int
) -> Chainer:
    """Blocks in a row share their scenes, which take a while to make."""
    shape = {"children": children, "marriage": marriage}
    scene = find_world(world).scene(Stream(*whose, "scene"), people, **shape)
    return Chainer(rules_of(world, rules), scene)


def _searched(options: "Clutrr") -> list[Chainer]:
    """Scenes to find out in what there is."""
    shape = (options.people, options.children, options.marriage)
    return [
        _chainer(options.world, options.rules, *shape, "search", number)
        for number in range(_SCENES_TO_SEARCH)
    ]


def occurs(options: "Clutrr", answer: str, clause: tuple[str, ...]) -> bool:
    """Whether scenes have people along whom such a clause holds, and its answer with it."""
    rules = rules_of(options.world, options.rules)
    head, chain = rules.number[answer], tuple([rules.number[name] for name in clause])
    stream = Stream("occurs", *clause)
    for chainer in _searched(options):
        for _ in range(_FOLLOWED if chainer.path(chain, stream) else 0):
            if chainer.follow(chain, head, stream):
                return True
    return False


@lru_cache(maxsize=256)
def answers(options: "Clutrr", k: int) -> frozenset[int]:
    """The predicates that chains of k facts lead to; some are too far from everything."""
    concluded = rules_of(options.world, options.rules).concluded
    if options.questions > 1:
        plotter = _searcher(options, options.questions)
        return frozenset([p for p in concluded if _can_be_plotted(plotter, p, k)])
    stream, chainers = Stream("answers", k), _searched(options)
    return frozenset([p for p in concluded if _lead_to(chainers, p, k, stream)])


@lru_cache(maxsize=256)
def most_questions(options: "Clutrr", k: int) -> int:
    """How many questions stories of k facts can have, up to as many as are asked for."""
    concluded = sorted(rules_of(options.world, options.rules).concluded)
    for questions in range(options.questions, 0, -1):
        plotter = _searcher(options, questions)
        for predicate in concluded:
            if _can_be_plotted(plotter, predicate, k):
                return questions
    return 0


def _searcher(options: "Clutrr", questions: int) -> Plotter:
    chainers = _searched(options)
    block = Block("search", 0, 0, (TRAIN,), TRAIN, 0)
    return plotter_of(options, block, chainers.__getitem__, questions, frozenset(), {})


def _can_be_plotted(plotter: Plotter, predicate: int, k: int) -> bool:
    for number in range(_SCENES_TO_SEARCH):
        if plotter.plot_in(plotter.chainer(number), k, predicate, _PLOTS):
            return True
    return False


def plotter_of(
    options: "Clutrr",
    block: Block,
    chainer: Callable[[int], Chainer],
    questions: int,
    never: frozenset[Clause],
    only: dict[tuple[int, int], list[Clause]],
) -> Plotter:
    """What draws plots as the options say."""
    return Plotter(
        block,
        chainer,
        beside=options.most_beside,
        both_ways=options.direction == "random",
        questions=questions,
        kinds=[kind for kind in options.kinds for _ in range(options.noise_paths)],
        lengths=list(options.noise_length),
        interior=options.noise_at == "interior",
        never=never,
        only=only,
    )


def _lead_to(chainers: list[Chainer], predicate: int, k: int, stream: Stream) -> bool:
    for chainer in chainers:
        pairs, tally = chainer.pairs[predicate], Tally(chainer.rules)
        for _ in range(_TRIES if pairs else 0):
            x, y = stream.choice(pairs)
            if chainer.derive(x, y, k, 1 << x | 1 << y, stream, tally):
                return True
    return False


class _Story:
    """A plot in words, and about whom of its chain it asks first."""

    __slots__ = (
        "genders",
        "male",
        "names",
        "plot",
        "spans",
        "spoken",
        "templates",
        "texts",
        "told",
    )

    def __init__(self, plot: Plot, male: list[bool], names: list[str]) -> None:
        self.plot, self.male, self.names = plot, male, names
        self.told: list[list[str]] = []
        self.genders: list[list[str]] = []
        self.texts: list[str] = []
        self.spans: list[list[int]] = []
        self.spoken: list[list[int]] = []
        self.templates: list[str] = []


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
        size, end = options.together, block.numbers.stop
        self.begun = range(-(-self.first // size), -(-end // size))
        """The stories whose first row is in the block; the last row may be in the next."""
        self.words = [list(words) for words in world.words]
        self.chain_words, self.noise_words = block.stream("words"), block.stream("noise-words")
        self.line_order, self.asked = block.stream("order"), block.stream("question")
        self.strand_order, self.turns = block.stream("strands"), block.stream("turns")
        self.noise_turns, self.reasons = block.stream("noise-turns"), block.stream("reasons")
        self.both_ways = options.direction == "random"
        self.questions = options.questions
        self.plotter = self._plotter(held_out)
        self.stitcher = self._stitcher(held_out) if options.style == "text" else None
        pool = self._pool(held_out)
        self.deck = Deck(pool, block.stream("names"))
        self.noise_deck = Deck(pool, block.stream("noise-names"))
        self.gendered = bool(world.genders)
        self.genders: list[str | None] = [*_GENDERS] if self.gendered else [None, None]
        self.shows_gender = self.gendered and options.gender != "names"
        self.must_show = options.paraphrases == SHIPPED
        self.anonymous, self.order = options.anonymize, options.order
        self.splits = len(block.splits)
        self.kinds = list(options.kinds)
        self.asking = Asking(options, self.rules, self.asked)
        self.preface = preface(options)
        self.long, self.depth = options.words, -1.0 if options.depth is None else options.depth
        self.filled = block.stream("filled")
        family = self.stories.family_names if options.full_names else ()
        self.many_names = Names(pool, family, block.stream("many-names"))
        self.strangers = Strangers(
            self.plotter.chainer,
            options.kinds,
            list(options.noise_length),
            options.noise_at == "interior",
            block.stream("fill"),
        )
        self.deal = self._deal()
        self.plots: dict[tuple[int, int], tuple[Plot, int, int]] = {}

    def _plotter(self, held_out: HoldOut) -> Plotter:
        options, block = self.options, self.block
        whose = (block.generator, block.version, block.seed, block.split)
        group = block.index // _BLOCKS_PER_SCENE

        def chainer(number: int) -> Chainer:
            shape = (options.people, options.children, options.marriage)
            return _chainer(options.world, options.rules, *shape, *whose, group, number)

        number = self.rules.number
        only: dict[tuple[int, int], list[Clause]] = {}
        for answer, clause in sorted(held_out.clauses):
            numbered = tuple([number[name] for name in clause])
            only.setdefault((len(clause), number[answer]), []).append(numbered)
        trains = block.split == TRAIN
        never = frozenset([c for some in only.values() for c in some if trains])
        return plotter_of(options, block, chainer, self.questions, never, {} if trains else only)

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

    def example(self, n: int) -> Example:
        """Row n."""
        return self._row(n, *self._story(*self.deal[n - self.first]), 0)

    def group(self, number: int) -> list[Example]:
        """The rows about a story, of those that begin in the block, one for each question."""
        story, x, y = self._story(*self.deal[number])
        first = (self.begun.start + number) * self.questions
        return [self._row(first + n, story, x, y, n) for n in range(self.questions)]

    def id_of(self, n: int) -> str:
        """The id of row n, be it one of the next block."""
        block = self.block
        if n < block.numbers.stop:
            return self.ids[n - self.first]
        return row_id(block.generator, block.version, block.seed, block.split, n)

    def _story(self, k: int, number: int, predicate: int, male: bool) -> tuple[_Story, int, int]:
        if number == _OPEN:
            return self._told(self.plotter.undetermined(k), False, 0, k), 0, k
        if (k, number) not in self.plots:
            self._draw(k, number, predicate)
        plot, x, y = self.plots[k, number]
        return self._told(plot, plot.male[y] != male, x, y), x, y

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
            plot = self.plotter.plot(k, stream.choice(heads))
            telling = [x for x in range(k) if plot.facts[x][1] == predicate]
            if telling:
                x = stream.choice(telling)
                return plot, x, x + 1
        raise Infeasible(
            f"no story of {k} facts tells of {rules.predicates[predicate]!r}; ask for a larger k"
        )

    def _told(self, plot: Plot, mirrored: bool, x: int, y: int) -> _Story:
        """The plot in words, with men for women if mirrored, to be asked how y is to x."""
        if self.long:
            plot = plot.copy()
        male = [not is_male for is_male in plot.male] if mirrored else plot.male
        names = self._names(male, plot.core + 1)
        story = _Story(plot, male, self.many_names.completed(names))
        asked = {y} if len(plot.inquiries) == 1 else {last.people[-1] for last in plot.inquiries}
        if "inverse" in self.options.siblings:
            asked.add(x)
        story.told = self._facts(story, 0, asked)
        story.texts = self._opening(self._genders(story.names, male))
        self._tell_all(story, {story.names[person] for person in asked})
        story.genders = self._genders(story.names, male)
        return story

    def _facts(self, story: _Story, first: int, asked: set[int]) -> list[list[str]]:
        """The facts from the first on as they are told: this way round or, by chance, that way."""
        names, male, words, inverse = story.names, story.male, self.words, self.rules.inverse
        facts, core = story.plot.facts[first:], story.plot.core
        turned: list[bool] = []
        for number, (_, predicate, _) in enumerate(facts, first):
            turns = self.turns if number < core else self.noise_turns
            turned.append(self.both_ways and inverse[predicate] >= 0 and turns.random() < 0.5)
        if self.both_ways and self.stitcher is None and self.shows_gender and first == 0:
            _describe(facts[:core], turned, asked)
        told: list[list[str]] = []
        for (x, predicate, y), is_turned in zip(facts, turned, strict=True):
            if is_turned:
                told.append([names[y], words[inverse[predicate]][male[x]], names[x]])
            else:
                told.append([names[x], words[predicate][male[y]], names[y]])
        return told

    def _row(self, n: int, story: _Story, x: int, y: int, question: int) -> Example:
        """The question of this number, the first about x and y of the chain."""
        plot, names, male = story.plot, story.names, story.male
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
        text, choices, target = self.asking.question(metadata, predicate, male[y])
        return Example(self.id_of(n), " ".join([*story.texts, text]), choices, target, metadata)

    def _metadata(
        self, story: _Story, inquiry: Inquiry, query: list[str], is_memory: bool
    ) -> dict[str, Any]:
        """All that is known about a row."""
        plot, names, male, words = story.plot, story.names, story.male, self.words
        k = plot.k
        steps = [] if is_memory else inquiry.steps
        told, spoken = story.told, story.spoken
        if inquiry is not plot.inquiries[0]:
            # Its own facts come first: all are numbered anew.
            order = [*inquiry.order, *range(len(inquiry.order), len(told))]
            told = [told[number] for number in order]
            place = [0] * len(told)
            for row_number, number in enumerate(order):
                place[number] = row_number
            spoken = [[place[number] for number in numbers] for numbers in spoken]
        end = plot.core
        noise_facts: list[dict[str, Any]] = []
        for kind, people in plot.noise:
            start, end = end, end + len(people) - 1
            noise_facts.append({"type": kind, "facts": told[start:end]})
        # What is concluded is numbered after all that is told, perhaps more than was plotted.
        plotted, more = len(inquiry.order), len(told) - len(inquiry.order)
        proof = [
            {
                "conclusion": [names[x], words[head][male[y]], names[y]],
                "premises": [n if n < plotted else n + more for n in (before, after)],
            }
            for before, after, x, head, y in steps
        ]
        explanation: list[str] = []
        if self.options.explain:
            explanation = explained(self.stories, told, proof, self.reasons)
        return {
            "k": k,
            "noise": self.kinds if noise_facts else [],
            "clause": inquiry.clause,
            "facts": told[:k],
            "beside_facts": told[k : plot.core],
            "noise_facts": noise_facts,
            "genders": story.genders,
            "query": query,
            "proof": proof,
            "explanation": explanation,
            "sentences": [
                {"span": span, "facts": numbers}
                for span, numbers in zip(story.spans, spoken, strict=True)
            ],
            "templates": story.templates,
            "difficulty": {
                "proof_depth": inquiry.depth if steps else 0,
                "proofs": inquiry.proofs if steps else 1,
                "off_path_facts": len(told) - k,
            },
            "task": "memory" if is_memory else "reasoning",
            "asked": "",
            "relation": "",
            "verdict": "",
            "possible": [],
            "story": "",
            "group": "",
            "change": "",
        }

    def _genders(self, names: list[str], male: list[bool]) -> list[list[str]]:
        if not self.gendered:
            return []
        return [[name, _GENDERS[male[n]]] for n, name in enumerate(names)]

    def _opening(self, genders: list[list[str]]) -> list[str]:
        """What is said before the story."""
        texts = self.preface.copy()
        if self.stories.opening:
            texts.append(self.stories.opening)
        if self.options.style == "facts":
            texts.append(self.stories.legend)
        if self.options.gender == "given" and self.gendered:
            texts.append(cast_of(genders))
        return texts

    def _names(self, male: list[bool], core: int) -> list[str]:
        """Names for all; no other split has a story about the same people, noise aside."""
        if self.anonymous:
            # A placeholder is for either gender, so that it shows none.
            male = [False] * len(male)
        for _ in range(_DRAWS * self.splits):
            names = self.deck.draw(male[:core], [])
            if self.splits == 1 or self.block.owns(" ".join(sorted(names))):
                break
        else:
            raise Infeasible(
                f"names: too few for {self.splits} splits to share none; give more names"
            )
        if len(male) > core:
            names += self.noise_deck.draw(male[core:], names)
        return names

    def _tell_all(self, story: _Story, shown: set[str]) -> None:
        """Tell everything so that it shows the gender of some people."""
        plot = story.plot
        hidden = shown.copy() if self.shows_gender else set()
        used: set[str] = set()
        spoken: list[int] = []
        lines: list[Line] = []
        for strand in self._strands(plot):
            lines += self._tell(story, strand, spoken, self.chain_words, hidden, used)
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
            end = start + len(text)
            story.spans.append([start, end])
            story.spoken.append(spoken[line.first : line.last + 1])
            story.templates.append(line.template)
            story.texts.append(text)
            start = end + 1

    def _fill(
        self, story: _Story, room: int, lines: list[Line], spoken: list[int], used: set[str]
    ) -> None:
        """Tell of other families, beside the noise in these lines, as long as there is room."""
        plot, names, male, stream = story.plot, story.names, story.male, self.noise_words
        taken, room = set(names), room - words_of(lines)
        for _ in range(_TRIES_TO_FILL):
            self.strangers.leave()
            while True:
                if len(used) > _FRAMES_ON_END:
                    used.clear()
                first, person, said = len(plot.facts), len(male), len(spoken)
                kind, strangers, facts = self.strangers.draw(person)
                new = self.many_names.draw(strangers, taken)
                male += strangers
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
            del male[person:], names[person:], plot.facts[first:], story.told[first:], spoken[said:]
            taken.difference_update(new)

    def _strands(self, plot: Plot) -> list[Strand]:
        """The paths that the core is told by: the chain, or where there is more, any of it."""
        stream, facts, inverse = self.strand_order, plot.facts[: plot.core], self.rules.inverse
        chain = list(range(plot.k + 1)), list(range(plot.k))
        # Where a predicate has no inverse, nothing can be told from its other end.
        one_way = any(inverse[predicate] < 0 for _, predicate, _ in facts)
        if one_way or plot.core == plot.k:
            if self.both_ways and not one_way and stream.random() < 0.5:
                chain[0].reverse()
                chain[1].reverse()
            return [chain, *[([x, y], [n]) for n, (x, _, y) in enumerate(facts) if n >= plot.k]]
        return strands(facts, stream)

    def _tell(
        self,
        story: _Story,
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
        rules, genders, male = self.rules, self.genders, story.male
        clause = [genders[male[people[0]]]]
        for n, number in enumerate(numbers):
            x, predicate, _ = story.plot.facts[number]
            if x != people[n]:
                predicate = rules.inverse[predicate]
            clause.append(rules.predicates[predicate])
            clause.append(genders[male[people[n + 1]]])
        names = [story.names[person] for person in people]
        return self.stitcher.along(names, tuple(clause), stream, first, hidden, used)


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


_GENDERS: Final = ["female", "male"]


def _laps(predicates: frozenset[int], stream: Stream) -> Iterator[int]:
    """All of them in random order, again and again."""
    while True:
        lap = sorted(predicates)
        stream.shuffle(lap)
        yield from lap


def preface(options: "Clutrr") -> list[str]:
    """What holds in the world and nobody says in the story, and what may be answered."""
    if options.conventions == "none":
        return []
    world = find_world(options.world)
    said = world.conventions
    assert said
    text: str = said.brief if options.conventions == "brief" else said.full
    if options.answer == "who":
        return [text]  # the question says what to name
    words = sorted({word for words in world.words for word in words})
    if options.answer == "yes-no":
        words = ["yes", "no"]
    if options.unknown_share:
        words.append(UNKNOWN)
    return [text, f"The answer is one of these: {', '.join(words)}."]


def cast_of(genders: list[list[str]]) -> str:
    """A sentence that says who is male and who is female."""
    parts = []
    for gender in _GENDERS:
        names = sorted(name for name, its in genders if its == gender)
        if names:
            *others, last = names
            listed = f"{', '.join(others)} and {last} are" if others else f"{last} is"
            parts.append(f"{listed} {gender}")
    return f"{'; '.join(parts)}."

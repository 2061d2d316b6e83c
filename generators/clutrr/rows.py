"""The rows of one block: plots are drawn, people named, facts told, questions asked."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from ...block import Block
from ...errors import CheckFailed, Infeasible
from ...example import Example
from ...kb.rules import Rules
from ...kb.stories import Pool
from ...kb.world import find_world
from ...seed import Stream
from ...splits import TRAIN
from ...templates.bank import Bank
from ...templates.stitcher import Line, Stitcher
from .chain import Chainer, fit_for_stories
from .holdout import HoldOut, check_splits
from .people import SHIPPED, Deck
from .plot import Clause, Plot, Plotter
from .question import UNKNOWN, Asking
from .telling import barely, mixed, plainly

if TYPE_CHECKING:
    from .generator import Clutrr

_BLOCKS_PER_SCENE: Final = 4
_SCENES_TO_SEARCH: Final = 4
_TRIES: Final = 400
_DRAWS: Final = 100
_FOLLOWED: Final = 20
_OPEN: Final = -1
_OPEN_EVERY: Final = 5
"""Where answers may be open, one in so many is."""


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
    stream, chainers = Stream("answers", k), _searched(options)
    concluded = rules_of(options.world, options.rules).concluded
    return frozenset([p for p in concluded if _lead_to(chainers, p, k, stream)])


def _lead_to(chainers: list[Chainer], predicate: int, k: int, stream: Stream) -> bool:
    for chainer in chainers:
        pairs = chainer.pairs[predicate]
        for _ in range(_TRIES if pairs else 0):
            x, y = stream.choice(pairs)
            if chainer.derive(x, y, k, 1 << x | 1 << y, stream):
                return True
    return False


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
        self.chain_words, self.noise_words = block.stream("words"), block.stream("noise-words")
        self.line_order, self.asked = block.stream("order"), block.stream("question")
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
        return Plotter(
            block,
            chainer,
            kinds=[kind for kind in options.kinds for _ in range(options.noise_paths)],
            lengths=list(options.noise_length),
            interior=options.noise_at == "interior",
            never=frozenset([c for some in only.values() for c in some if trains]),
            only={} if trains else only,
        )

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
        """For each row of the block its k, and which answer it is to have.

        That is a plot of this length by number, a predicate, and whether of a man; the number is
        _OPEN where the answer is to be open.
        """
        stream = self.block.stream("cards")
        cycle = self.options.lengths(self.block.split).cycle
        ks = [cycle[n % len(cycle)] for n in self.block.numbers]
        hands = {k: iter(self._hand(k, ks.count(k), stream)) for k in dict.fromkeys(ks)}
        return [(k, *next(hands[k])) for k in ks]

    def _hand(self, k: int, count: int, stream: Stream) -> list[tuple[int, int, bool]]:
        """What to answer in so many rows of one length, each answer as often as any other.

        Each plot is told twice, the second time with men for women and women for men: a world's
        axioms know no difference between them, so the mirror image of a family is a family too.
        """
        unknown = count // _OPEN_EVERY if self.options.answer == UNKNOWN else 0
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
        k, number, predicate, male = self.deal[n - self.first]
        if number == _OPEN:
            return self._told(n, self.plotter.undetermined(k), False, 0, k)
        drawn = self.plots.pop((k, number), None)
        if drawn is None:
            # The second telling takes it out again.
            drawn = self.plots[k, number] = self._plot(k, number, predicate)
        plot, x, y = drawn
        return self._told(n, plot, plot.male[y] != male, x, y)

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

    def _told(self, n: int, plot: Plot, mirrored: bool, x: int, y: int) -> Example:
        """The plot in words, with men for women if mirrored, and the question how y is to x."""
        words = self.words
        male = [not is_male for is_male in plot.male] if mirrored else plot.male
        names = self._names(male, plot.k)
        told = [[names[a], words[p][male[b]], names[b]] for a, p, b in plot.facts]
        lines = self._lines(plot, names, male, told, names[y])
        genders = self._genders(names, male)
        texts = self._opening(genders)
        sentences = _sentences(lines, texts)
        templates = [line.template for line in lines]
        query = [names[x], names[y]]
        metadata = self._metadata(plot, told, genders, query, sentences, templates, y - x)
        predicate = -1
        if metadata["proof"]:
            predicate = plot.facts[-1][1]
        elif y - x == 1:
            predicate = plot.facts[x][1]
        text, choices, target = self.asking.question(metadata, predicate, male[y])
        texts.append(text)
        return Example(self.ids[n - self.first], " ".join(texts), choices, target, metadata)

    def _metadata(
        self,
        plot: Plot,
        told: list[list[str]],
        genders: list[list[str]],
        query: list[str],
        sentences: list[dict[str, Any]],
        templates: list[str],
        asked: int,
    ) -> dict[str, Any]:
        """All that is known about a story that asks about so many facts in a row."""
        k = end = plot.k
        steps = plot.steps if asked == k else []
        noise_facts: list[dict[str, Any]] = []
        for kind, people in plot.noise:
            start, end = end, end + len(people) - 1
            noise_facts.append({"type": kind, "facts": told[start:end]})
        return {
            "k": k,
            "noise": self.kinds,
            "clause": plot.clause,
            "facts": told[:k],
            "noise_facts": noise_facts,
            "genders": genders,
            "query": query,
            "proof": [
                {"conclusion": told[head], "premises": [before, after]}
                for head, before, after, _ in steps
            ],
            "sentences": sentences,
            "templates": templates,
            "difficulty": {
                "proof_depth": plot.depth if steps else 0,
                "proofs": plot.proofs if steps else 1,
                "off_path_facts": plot.told - k,
            },
            "task": "reasoning" if asked == k else "memory",
            "asked": "",
            "relation": "",
            "verdict": "",
            "possible": [],
        }

    def _genders(self, names: list[str], male: list[bool]) -> list[list[str]]:
        if not self.gendered:
            return []
        return [[name, _GENDERS[male[n]]] for n, name in enumerate(names)]

    def _opening(self, genders: list[list[str]]) -> list[str]:
        """What is said before the story."""
        texts = [self.stories.opening] if self.stories.opening else []
        if self.options.style == "facts":
            texts.append(self.stories.legend)
        if self.options.gender == "given" and self.gendered:
            texts.append(cast_of(genders))
        return texts

    def _names(self, male: list[bool], k: int) -> list[str]:
        """Names for all; along the chain, no other split has the same."""
        if self.anonymous:
            # A placeholder is for either gender, so that it shows none.
            male = [False] * len(male)
        for _ in range(_DRAWS * self.splits):
            names = self.deck.draw(male[: k + 1], [])
            if self.splits == 1 or self.block.owns(" ".join(names)):
                break
        else:
            raise Infeasible(
                f"names: too few for {self.splits} splits to share none; give more names"
            )
        if len(male) > k + 1:
            names += self.noise_deck.draw(male[k + 1 :], names)
        return names

    def _lines(
        self, plot: Plot, names: list[str], male: list[bool], told: list[list[str]], shown: str
    ) -> list[Line]:
        """What is told, in order, so that it shows the gender of one person."""
        hidden = {shown} if self.shows_gender else set()
        used: set[str] = set()
        path, first = list(range(plot.k + 1)), plot.k
        lines = self._tell(plot, path, 0, names, male, told, self.chain_words, hidden, used)
        if hidden and self.must_show:
            raise CheckFailed(f"no sentence for {plot.clause} shows the gender of {shown!r}")
        if self.order == "shuffled":
            self.line_order.shuffle(lines)
        stream = self.noise_words
        for _, path in plot.noise:
            noise = self._tell(plot, path, first, names, male, told, stream, set(), used)
            mixed(lines, noise, self.order, stream)
            first += len(path) - 1
        return lines

    def _tell(
        self,
        plot: Plot,
        path: list[int],
        first: int,
        names: list[str],
        male: list[bool],
        told: list[list[str]],
        stream: Stream,
        hidden: set[str],
        used: set[str],
    ) -> list[Line]:
        """The facts along a path of people in words, of which the first has this number."""
        end = first + len(path) - 1
        if self.stitcher is None:
            hidden.clear()  # the word for a relation says the gender
            facts = told[first:end]
            if self.options.style == "facts":
                return barely(facts, first)
            return plainly(self.stories, facts, first, stream)
        predicates, genders = self.rules.predicates, self.genders
        clause = [genders[male[path[0]]]]
        for number in range(first, end):
            _, predicate, y = plot.facts[number]
            clause.append(predicates[predicate])
            clause.append(genders[male[y]])
        people = [names[person] for person in path]
        return self.stitcher.along(people, tuple(clause), stream, first, hidden, used)


def _sentences(lines: list[Line], texts: list[str]) -> list[dict[str, Any]]:
    """What each line states and where it stands, put at the end of the texts."""
    start = len(texts)
    for text in texts:
        start += len(text)
    sentences: list[dict[str, Any]] = []
    for line in lines:
        text = line.text
        end = start + len(text)
        stated = list(range(line.first, line.last + 1))
        sentences.append({"span": [start, end], "facts": stated})
        texts.append(text)
        start = end + 1
    return sentences


_GENDERS: Final = ["female", "male"]


def _laps(predicates: frozenset[int], stream: Stream) -> Iterator[int]:
    """All of them in random order, again and again."""
    while True:
        lap = sorted(predicates)
        stream.shuffle(lap)
        yield from lap


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

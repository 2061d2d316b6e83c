"""The rows of one block: plots are drawn, people named, facts told, questions asked."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from ...block import Block
from ...errors import CheckFailed, Infeasible
from ...example import Example
from ...kb.rules import RuleTable
from ...kb.stories import Pool
from ...kb.world import find_world
from ...seed import Stream
from ...splits import TRAIN
from ...templates.bank import Bank
from ...templates.stitcher import Line, Stitcher
from .chain import Chainer, Rules
from .embedding import is_open
from .holdout import HoldOut, check_splits
from .people import SHIPPED, Deck
from .plot import Clauses, Noise, Plot, Plotter
from .question import UNKNOWN, Asking
from .telling import Barely, ByBank, Passage, Plainly, Teller, mixed

if TYPE_CHECKING:
    from .generator import Clutrr

_BLOCKS_PER_SCENE: Final = 4
_SCENES_TO_SEARCH: Final = 4
_TRIES: Final = 400
_DRAWS: Final = 100
_FOLLOWED: Final = 20
_OPEN_EVERY: Final = 5
"""Where answers may be open, one in so many is."""


class Card:
    """The answer a row is to have: a plot of its length by number, a predicate, a gender.

    It is to be remembered, or to be reasoned.
    """

    __slots__ = ("male", "memory", "number", "predicate")

    def __init__(self, number: int, predicate: int, male: bool, memory: bool) -> None:
        self.number, self.predicate, self.male, self.memory = number, predicate, male, memory

    def mirrored(self) -> "Card":
        """The same for the other gender."""
        return Card(self.number, self.predicate, not self.male, self.memory)


@cache
def rules_of(world: str, ruleset: str) -> Rules:
    """The rules of a world by number."""
    return Rules(RuleTable.of(find_world(world), ruleset))


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
        _chainer(options.world, options.rules, *shape, "search", at)
        for at in range(_SCENES_TO_SEARCH)
    ]


def occurs(options: "Clutrr", answer: str, clause: tuple[str, ...]) -> bool:
    """Whether scenes have people along whom such a clause holds, and its answer with it."""
    rules = rules_of(options.world, options.rules)
    head, *numbered = map(rules.predicates.index, (answer, *clause))
    body, stream = tuple(numbered), Stream("occurs", *clause)
    for chainer in _searched(options):
        for _ in range(_FOLLOWED if chainer.path(body, stream) else 0):
            if chainer.follow(body, head, stream):
                return True
    return False


@lru_cache(maxsize=32)
def reach(options: "Clutrr") -> "Reach":
    """What can be asked with these options; found out once."""
    return Reach(options)


class Reach:
    """The predicates that chains of a length lead to; some are too far from everything."""

    def __init__(self, options: "Clutrr") -> None:
        self._options = options
        self._known: dict[int, frozenset[int]] = {}

    def answers(self, k: int) -> frozenset[int]:
        """Those for chains of k facts."""
        if k not in self._known:
            stream = Stream("answers", k)
            rules = rules_of(self._options.world, self._options.rules)
            chainers = _searched(self._options)
            self._known[k] = frozenset(
                [p for p in rules.concluded if _lead_to(chainers, p, k, stream)]
            )
        return self._known[k]


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
        self.setting = world.told
        self.rules = rules_of(options.world, options.rules)
        held_out = options.held_out(block.seed)
        if held_out != HoldOut() or options.train_k:
            check_splits(block.splits)
        self.ids, self.first = block.ids, block.numbers.start
        self.words = [list(words) for words in world.words]
        self.chain_words, self.noise_words = block.stream("words"), block.stream("noise-words")
        self.line_order, self.asked = block.stream("order"), block.stream("question")
        self.plotter = self._plotter(held_out)
        self.teller = self._teller(held_out)
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
        self.reach = reach(options)
        self.deal = self._deal()
        self.plots: dict[tuple[int, int], tuple[Plot, int, int]] = {}

    def _plotter(self, held_out: HoldOut) -> Plotter:
        options, block = self.options, self.block
        whose = (block.generator, block.version, block.seed, block.split)
        group = block.index // _BLOCKS_PER_SCENE

        def chainer(number: int) -> Chainer:
            shape = (options.people, options.children, options.marriage)
            return _chainer(options.world, options.rules, *shape, *whose, group, number)

        kinds = tuple(kind for kind in options.kinds for _ in range(options.noise_paths))
        noise = Noise(kinds, list(options.noise_length), options.noise_at == "interior")
        return Plotter(block, chainer, noise, self._clauses(held_out))

    def _clauses(self, held_out: HoldOut) -> Clauses:
        number = {name: at for at, name in enumerate(self.rules.predicates)}
        only: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for answer, clause in sorted(held_out.clauses):
            numbered = tuple(number[name] for name in clause)
            only.setdefault((len(clause), number[answer]), []).append(numbered)
        if self.block.split == TRAIN:
            return Clauses(frozenset(chain.from_iterable(only.values())), {})
        return Clauses(frozenset(), only)

    def _teller(self, held_out: HoldOut) -> Teller:
        if self.options.style != "text":
            return Plainly(self.setting) if self.options.style == "plain" else Barely()
        bank, held = self.options.bank(), held_out.templates
        if self.block.split == TRAIN or not held:
            return ByBank(_stitcher(bank, held, None))
        return ByBank(_stitcher(bank, frozenset(), held))

    def _pool(self, held_out: HoldOut) -> Pool:
        pool, held = self.options.pool(), held_out.names
        if not held:
            return pool
        return pool.without(held) if self.block.split == TRAIN else pool.only(held)

    def _deal(self) -> list[tuple[int, Card | None]]:
        """For each row of the block its k and its card; none where the answer is to be open."""
        stream = self.block.stream("cards")
        cycle = self.options.lengths(self.block.split).cycle
        ks = [cycle[n % len(cycle)] for n in self.block.numbers]
        hands = {k: iter(self._hand(k, ks.count(k), stream)) for k in dict.fromkeys(ks)}
        return [(k, next(hands[k])) for k in ks]

    def _hand(self, k: int, count: int, stream: Stream) -> list[Card | None]:
        """Cards for so many rows of one length, all answers as often as one another.

        Each plot is told twice, the second time with men for women and women for men: a world's
        axioms know no difference between them, so the mirror image of a family is a family too.
        """
        unknown = count // _OPEN_EVERY if self.options.answer == UNKNOWN else 0
        count -= unknown
        plots = -(-count // 2) if self.gendered else count
        task, rules = self.options.task, self.rules
        concluded = self.plotter.clauses.answers(k, self.reach.answers(k))
        if not concluded:
            raise Infeasible(f"no story of {k} facts was found; ask for more people or a smaller k")
        told = self.plotter.clauses.told(k, rules.premised)
        laps = {False: _laps(concluded, stream), True: _laps(told, stream)}
        first = []
        for number in range(plots):
            memory = task == "memory" or (task == "mixed" and number % 2 == 1)
            male = self.gendered and stream.random() < 0.5
            first.append(Card(number, next(laps[memory]), male, memory))
        again = stream.sample(first, count - plots)
        if again[:1] == first[-1:]:
            again.reverse()  # no story stands beside its mirror image
        hand: list[Card | None] = [*first, *[card.mirrored() for card in again]]
        for _ in range(unknown):
            hand.insert(stream.below(len(hand) + 1), None)
        return hand

    def example(self, n: int) -> Example:
        """Row n."""
        k, card = self.deal[n - self.first]
        if card is None:
            return self._told(n, self.plotter.undetermined(k, is_open), False, 0, k)
        found = self.plots.pop((k, card.number), None)
        if found is None:
            # The second telling takes it out again.
            found = self.plots[k, card.number] = self._plot(k, card)
        plot, x, y = found
        return self._told(n, plot, plot.male[y] != card.male, x, y)

    def _plot(self, k: int, card: Card) -> tuple[Plot, int, int]:
        """A plot for the card, and between which two of its people its answer holds."""
        if not card.memory:
            return self.plotter.plot(k, card.predicate), 0, k
        stream, rules = self.asked, self.rules
        heads = self.plotter.clauses.heads(k, card.predicate) or [
            head for *body, head in sorted(rules.heads) if card.predicate in body
        ]
        for _ in range(_TRIES):
            plot = self.plotter.plot(k, stream.choice(heads))
            found = [at for at in range(k) if plot.facts[at][1] == card.predicate]
            if found:
                x = stream.choice(found)
                return plot, x, x + 1
        raise Infeasible(
            f"no story of {k} facts tells of {rules.predicates[card.predicate]!r}; "
            f"ask for a larger k"
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
        sentences = _sentences(lines, told, texts)
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
        genders: dict[str, str],
        query: list[str],
        sentences: list[dict[str, Any]],
        templates: list[str],
        asked: int,
    ) -> dict[str, Any]:
        """All that is known about a story that asks about so many facts in a row."""
        k = plot.k
        steps = plot.steps if asked == k else []
        return {
            "k": k,
            "noise": self.kinds,
            "clause": plot.clause,
            "facts": told[:k],
            "noise_facts": [
                {"type": path.kind, "facts": told[path.first : path.last + 1]}
                for path in plot.paths
                if path.kind
            ],
            "genders": genders,
            "query": query,
            "proof": [
                {"conclusion": told[head], "premises": [told[before], told[after]], "rule": rule}
                for head, before, after, rule in steps
            ],
            "sentences": sentences,
            "templates": templates,
            "difficulty": {
                "proof_depth": plot.depth if steps else 0,
                "proofs": plot.proofs if steps else 1,
                "off_path_facts": plot.told - k,
            },
        }

    def _genders(self, names: list[str], male: list[bool]) -> dict[str, str]:
        if not self.gendered:
            return {}
        return {name: _GENDERS[male[at]] for at, name in enumerate(names)}

    def _opening(self, genders: dict[str, str]) -> list[str]:
        """What is said before the story."""
        texts = [self.setting.opening] if self.setting.opening else []
        if self.options.style == "facts":
            texts.append(self.setting.legend)
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
        order, predicates, genders = self.order, self.rules.predicates, self.genders
        hidden = {shown} if self.shows_gender else set()
        lines: list[Line] = []
        used: set[str] = set()
        for path in plot.paths:
            first, end = path.first, path.last + 1
            clause = [genders[male[path.people[0]]]]
            for at in range(first, end):
                _, predicate, y = plot.facts[at]
                clause.append(predicates[predicate])
                clause.append(genders[male[y]])
            people = [names[person] for person in path.people]
            passage = Passage(people, tuple(clause), told[first:end], first)
            if path.kind:
                found = self.teller.tell(passage, self.noise_words, set(), used)
            else:
                found = self.teller.tell(passage, self.chain_words, hidden, used)
            if hidden and self.must_show:
                raise CheckFailed(f"no sentence for {plot.clause} shows the gender of {shown!r}")
            if path.kind:
                mixed(lines, found, order, self.noise_words)
            else:
                lines += found
                if order == "shuffled":
                    self.line_order.shuffle(lines)
        return lines


def _sentences(lines: list[Line], told: list[list[str]], texts: list[str]) -> list[dict[str, Any]]:
    """What each line states and where it stands, put at the end of the texts."""
    at = len(texts)
    for text in texts:
        at += len(text)
    found: list[dict[str, Any]] = []
    for line in lines:
        text = line.text
        end = at + len(text)
        stated = told[line.first : line.last + 1]
        found.append({"text": text, "span": [at, end], "facts": stated})
        texts.append(text)
        at = end + 1
    return found


_GENDERS: Final = ["female", "male"]


def _laps(predicates: frozenset[int], stream: Stream) -> Iterator[int]:
    """All of them in random order, again and again."""
    while True:
        lap = sorted(predicates)
        stream.shuffle(lap)
        yield from lap


def cast_of(genders: dict[str, str]) -> str:
    """A sentence that says who is male and who is female."""
    parts = []
    for gender in _GENDERS:
        names = sorted(name for name, its in genders.items() if its == gender)
        if names:
            *others, last = names
            listed = f"{', '.join(others)} and {last} are" if others else f"{last} is"
            parts.append(f"{listed} {gender}")
    return f"{'; '.join(parts)}."

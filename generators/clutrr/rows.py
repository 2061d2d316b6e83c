"""The rows of one block: plots are drawn, people named, facts told, questions asked."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ...block import Block
from ...errors import CheckFailed, Infeasible
from ...example import Example
from ...kb.rules import RuleTable
from ...seed import Stream
from ...splits import TRAIN
from ...templates.bank import Bank
from ...templates.stitcher import Stitcher
from .chain import Chainer, Rules
from .embedding import is_open
from .holdout import HoldOut, check_splits
from .people import Deck, Pool
from .plot import Clauses, Noise, Plot, Plotter
from .question import UNKNOWN, Asking
from .setting import SHIPPED, find_setting
from .telling import Line, Teller, barely, by_bank, mixed, plainly

if TYPE_CHECKING:
    from .generator import Clutrr

_BLOCKS_PER_SCENE = 4
_SCENES_TO_SEARCH = 4
_TRIES = 400
_DRAWS = 100
_FOLLOWED = 20
_OPEN_EVERY = 5
"""Where answers may be open, one in so many is."""


class Card(NamedTuple):
    """The answer a row is to have: a plot of its length by number, a predicate, a gender.

    It is to be remembered, or to be reasoned.
    """

    number: int
    predicate: int
    male: bool
    memory: bool


@cache
def rules_of(world: str, ruleset: str) -> Rules:
    """The rules of a world by number."""
    return Rules(RuleTable.of(find_setting(world).world, ruleset))


@cache
def _stitcher(bank: Bank, hold_out: frozenset[str], only: frozenset[str] | None) -> Stitcher:
    return Stitcher(bank, hold_out=hold_out, only=only)


@lru_cache(maxsize=32)
def _chainer(
    world: str, rules: str, people: int, children: int, marriage: float, *whose: str | int
) -> Chainer:
    """Blocks in a row share their scenes, which take a while to make."""
    scene = find_setting(world).scene(Stream(*whose, "scene"), people, children, marriage)
    return Chainer(rules_of(world, rules), scene)


def _searched(options: "Clutrr") -> Iterator[Chainer]:
    """Scenes to find out in what there is."""
    shape = (options.people, options.children, options.marriage)
    for at in range(_SCENES_TO_SEARCH):
        yield _chainer(options.world, options.rules, *shape, "search", at)


def occurs(options: "Clutrr", answer: str, clause: tuple[str, ...]) -> bool:
    """Whether scenes have people along whom such a clause holds, and its answer with it."""
    rules = rules_of(options.world, options.rules)
    head, *numbered = map(rules.predicates.index, (answer, *clause))
    stream = Stream("occurs", *clause)
    return any(
        chainer.follow(tuple(numbered), head, stream)
        for chainer in _searched(options)
        for _ in range(_FOLLOWED if chainer.path(tuple(numbered), stream) else 0)
    )


@lru_cache(maxsize=256)
def answers(options: "Clutrr", k: int) -> frozenset[int]:
    """The predicates that chains of k facts lead to; some are too far from everything."""
    stream = Stream("answers", k)
    return frozenset(
        predicate
        for predicate in rules_of(options.world, options.rules).concluded
        if any(_leads_to(chainer, predicate, k, stream) for chainer in _searched(options))
    )


def _leads_to(chainer: Chainer, predicate: int, k: int, stream: Stream) -> bool:
    pairs = chainer.pairs[predicate]
    tries = (stream.choice(pairs) for _ in range(_TRIES if pairs else 0))
    return any(chainer.derive(x, y, k, 1 << x | 1 << y, stream) for x, y in tries)


class Rows:
    """Makes the rows of a block in order, each purpose drawing from a stream of its own."""

    def __init__(self, options: "Clutrr", block: Block) -> None:
        self.options, self.block = options, block
        self.setting = find_setting(options.world)
        self.rules = rules_of(options.world, options.rules)
        held_out = options.held_out(block.seed)
        if held_out != HoldOut() or options.train_k:
            check_splits(block.splits)
        self.streams = {
            purpose: block.stream(purpose)
            for purpose in ("names", "noise-names", "words", "noise-words", "order", "question")
        }
        self.plotter = self._plotter(held_out)
        self.teller = self._teller(held_out)
        pool = self._pool(held_out)
        self.deck = Deck(pool, self.streams["names"])
        self.noise_deck = Deck(pool, self.streams["noise-names"])
        self.gendered = bool(self.setting.world.genders)
        self.genders: tuple[str | None, str | None] = _GENDERS if self.gendered else (None, None)
        self.kinds = list(options.kinds)
        self.asking = Asking(options, self.setting, self.rules, self.streams["question"])
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
            return plainly(self.setting.plain) if self.options.style == "plain" else barely
        bank, held = self.options.bank(), held_out.templates
        if self.block.split == TRAIN or not held:
            return by_bank(_stitcher(bank, held, None))
        return by_bank(_stitcher(bank, frozenset(), held))

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
        concluded = self.plotter.clauses.answers(k, answers(self.options, k))
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
        hand: list[Card | None] = [*first, *(card._replace(male=not card.male) for card in again)]
        for _ in range(unknown):
            hand.insert(stream.below(len(hand) + 1), None)
        return hand

    def example(self, n: int) -> Example:
        """Row n."""
        k, card = self.deal[n - self.block.numbers.start]
        if card is None:
            return self._told(n, self.plotter.undetermined(k, is_open), False, 0, k)
        found = self.plots.get((k, card.number))
        if found is None:
            found = self.plots[k, card.number] = self._plot(k, card)
        plot, x, y = found
        return self._told(n, plot, plot.male[y] != card.male, x, y)

    def _plot(self, k: int, card: Card) -> tuple[Plot, int, int]:
        """A plot for the card, and between which two of its people its answer holds."""
        if not card.memory:
            return self.plotter.plot(k, card.predicate), 0, k
        stream, rules = self.streams["question"], self.rules
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
        words, k, facts = self.setting.words, plot.k, plot.facts
        male = [not is_male for is_male in plot.male] if mirrored else plot.male
        names = self._names(male, k)
        told = [[names[a], words[p][male[b]], names[b]] for a, p, b in facts]
        genders = dict(zip(names, map(_GENDERS.__getitem__, male), strict=True))
        lines = self._lines(plot, names, male, told, names[y])
        steps = plot.steps if y - x == k else []
        texts = [self.setting.opening] if self.setting.opening else []
        if self.options.style == "facts":
            texts.append(self.setting.legend)
        if self.options.gender == "given" and self.gendered:
            texts.append(cast_of(genders))
        at = sum(map(len, texts)) + len(texts)
        sentences = []
        for line in lines:
            text = line[0]
            end = at + len(text)
            stated = told[line[1] : line[2] + 1]
            sentences.append({"text": text, "span": [at, end], "facts": stated})
            at = end + 1
            texts.append(text)
        metadata: dict[str, Any] = {
            "k": k,
            "noise": self.kinds,
            "clause": plot.clause,
            "facts": told[:k],
            "noise_facts": [
                {"type": kind, "facts": told[first : last + 1]}
                for kind, _, first, last in plot.paths[1:]
            ],
            "genders": genders if self.gendered else {},
            "query": [names[x], names[y]],
            "proof": [
                {"conclusion": told[head], "premises": [told[before], told[after]], "rule": rule}
                for head, before, after, rule in steps
            ],
            "sentences": sentences,
            "templates": [line[3] for line in lines],
            "difficulty": {
                "proof_depth": plot.depth if steps else 0,
                "proofs": plot.proofs if steps else 1,
                "off_path_facts": plot.told - k,
            },
        }
        relation = facts[-1] if steps else facts[x] if y - x == 1 else None
        question = self.asking.question(metadata, relation and relation[1], male[y])
        texts.append(question.text)
        return Example(
            self.block.id(n), " ".join(texts), question.choices, question.target, metadata
        )

    def _names(self, male: list[bool], k: int) -> list[str]:
        """Names for all; along the chain, no other split has the same."""
        if self.options.anonymize:
            # A placeholder is for either gender, so that it shows none.
            male = [False] * len(male)
        chain, splits = male[: k + 1], len(self.block.splits)
        for _ in range(_DRAWS * splits):
            names = self.deck.draw(chain)
            if self.block.owns(" ".join(names)):
                break
        else:
            raise Infeasible(f"names: too few for {splits} splits to share none; give more names")
        if len(male) > k + 1:
            names += self.noise_deck.draw(male[k + 1 :], names)
        return names

    def _lines(
        self, plot: Plot, names: list[str], male: list[bool], told: list[list[str]], shown: str
    ) -> list[Line]:
        """What is told, in order, so that it shows the gender of one person."""
        streams, order, predicates = self.streams, self.options.order, self.rules.predicates
        hidden = set() if self.options.gender == "names" or not self.gendered else {shown}
        lines: list[Line] = []
        used: set[str] = set()
        for kind, people, first, last in plot.paths:
            clause: list[str | None] = [self.genders[male[people[0]]]]
            for _, predicate, y in plot.facts[first : last + 1]:
                clause += predicates[predicate], self.genders[male[y]]
            stream = streams["noise-words" if kind else "words"]
            found = self.teller(
                [names[person] for person in people],
                tuple(clause),
                told[first : last + 1],
                first,
                stream,
                set() if kind else hidden,
                used,
            )
            if hidden and self.options.paraphrases == SHIPPED:
                raise CheckFailed(f"no sentence for {plot.clause} shows the gender of {shown!r}")
            if kind:
                mixed(lines, found, order, stream)
            else:
                lines = found
                if order == "shuffled":
                    streams["order"].shuffle(lines)
        return lines


_GENDERS = ("female", "male")


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

"""How a bank reads in stories: the forms of its facts, repeated names, pronouns, frames in use."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

from ..kb.worlds.fact import Fact
from .bank import Bank
from .forms import FORMS, Form, forms, stating
from .language import words_of
from .stitcher import Path, Stitcher


@dataclass(frozen=True)
class Stretch:
    """What a frame made of some facts in a story; `genders` are those of its people by name."""

    template: str
    text: str
    facts: Sequence[Fact]
    genders: dict[str, str]


@dataclass(frozen=True)
class Skew:
    """How much more often one frame is told than another that states the same facts."""

    ratio: float
    most: str
    least: str


@dataclass(frozen=True)
class Prose:
    """Figures of stories.

    `forms` are shares of facts, `echo` the share of stretches in which a sentence names somebody
    twice, `pronouns` those for subjects and objects in a hundred sentences, `fact_free` the share
    of sentences that state no fact. `told` are shares of facts by predicate, each fact counted for
    one half each way round, and `evenness` is 1 where all of them are alike.
    """

    stretches: int
    sentences: int
    facts: int
    forms: dict[Form, float]
    echo: float
    pronouns: float
    fact_free: float
    told: dict[str, float]
    evenness: float
    unused: int
    skew: Skew | None


def measure_prose(bank: Bank, stretches: Iterable[Stretch]) -> Prose:
    """The figures of these stretches, which frames of the bank have made."""
    counts: Counter[str] = Counter()
    told: Counter[Form] = Counter()
    predicates: Counter[str] = Counter()
    used: set[str] = set()
    paths: Counter[Path] = Counter()
    pronouns = _pronouns(bank)
    for stretch in stretches:
        frame = bank.by_id[stretch.template]
        used.add(frame.id)
        sentences = bank.language.split(stretch.text)
        people = {name for x, _, y in stretch.facts for name in (x, y)} | set(stretch.genders)
        counts["stretches"] += 1
        counts["sentences"] += len(sentences)
        counts["echo"] += any(_repeats(sentence, people) for sentence in sentences)
        counts["pronouns"] += sum(word in pronouns for word in words_of(stretch.text))
        counts["fact-free"] += stating(bank, frame).count(False)
        told.update(_told(bank, stretch))
        for _, word, _ in stretch.facts:
            name = bank.world.meanings[word][0]
            predicates.update((name, bank.world.inverse(name) or name))
        if stretch.facts:
            paths[_path(bank, stretch)] += 1
    facts = sum(told.values())
    shares = {name: predicates[name] / max(1, predicates.total()) for name in bank.world.predicates}
    return Prose(
        stretches=counts["stretches"],
        sentences=counts["sentences"],
        facts=facts,
        forms={form: told[form] / max(1, facts) for form in FORMS},
        echo=counts["echo"] / max(1, counts["stretches"]),
        pronouns=100 * counts["pronouns"] / max(1, counts["sentences"]),
        fact_free=counts["fact-free"] / max(1, counts["sentences"]),
        told=shares,
        evenness=evenness(shares.values()),
        unused=len(bank.frames) - len(used),
        skew=_skew(bank, paths),
    )


def _told(bank: Bank, stretch: Stretch) -> Iterator[Form]:
    """The forms of a stretch; where names stand for he and she, none is told across sentences."""
    cases = bank.language.pronouns.values()
    words = {word for pronoun in cases for word in pronoun.words.values()}
    named = words.isdisjoint(words_of(stretch.text))
    for form in forms(bank, bank.by_id[stretch.template]):
        yield "predicate" if form == "across" and named else form


def evenness(shares: Collection[float]) -> float:
    """How even they are: their entropy, of the most that it could be."""
    return sum(-share * log(share) for share in shares if share) / log(max(2, len(shares)))


def _pronouns(bank: Bank) -> set[str]:
    """Words for subjects and objects alone: `her` may as well stand for a possessor."""
    words = {case: set(pronoun.words.values()) for case, pronoun in bank.language.pronouns.items()}
    return (words.get("they", set()) | words.get("them", set())) - words.get("their", set())


def _repeats(sentence: str, people: set[str]) -> bool:
    names = "|".join(map(re.escape, sorted(people, key=len, reverse=True)))
    named = re.findall(rf"(?<![\w@-])(?:{names})(?![\w-])", sentence) if names else []
    return len(named) > len(set(named))


def _path(bank: Bank, stretch: Stretch) -> Path:
    """The facts as a path: each leads on from the one before, whichever way round it is put."""
    (x, _, y), *others = stretch.facts
    person = y if others and x in others[0][::2] else x
    path: list[str | None] = [stretch.genders.get(person)]
    for x, word, y in stretch.facts:
        predicate = bank.world.meanings[word][0]
        forwards = x == person
        person = y if forwards else x
        path.append(predicate if forwards else bank.world.inverse(predicate))
        path.append(stretch.genders.get(person))
    return tuple(path)


def _skew(bank: Bank, paths: Counter[Path]) -> Skew | None:
    """The worst there is, by what is to be expected: each path is told by any frame that may.

    Told ones are too few to be counted. Frames that state the same facts are compared.
    """
    stitcher = Stitcher(bank)
    expected: dict[str, float] = {}
    for path, times in paths.items():
        for template, chance in stitcher.chances(path).items():
            expected[template] = expected.get(template, 0.0) + times * chance
    groups: dict[tuple[frozenset[str], ...], list[str]] = {}
    for frame in bank.frames:
        if frame.id in expected:
            groups.setdefault(_either_way(bank, frame.predicates), []).append(frame.id)
    worst: Skew | None = None
    for group in groups.values():
        most, least = max(group, key=expected.__getitem__), min(group, key=expected.__getitem__)
        ratio = expected[most] / expected[least]
        if len(group) > 1 and (worst is None or ratio > worst.ratio):
            worst = Skew(ratio, most, least)
    return worst


def _either_way(bank: Bank, facts: tuple[frozenset[str], ...]) -> tuple[frozenset[str], ...]:
    """Facts along a path, whichever end it is read from."""
    back = tuple(
        frozenset(bank.world.inverse(name) or name for name in names) for names in reversed(facts)
    )
    return min(facts, back, key=lambda some: [sorted(names) for names in some])

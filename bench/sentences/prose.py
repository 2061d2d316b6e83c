"""Statistics of the prose of stories: forms of facts, repeated names, pronouns, use of frames."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

from forms import FORMS, Form, forms, sentences_state_facts

from relsmith.kb.worlds.fact import Fact
from relsmith.templates.bank import Bank
from relsmith.templates.language import words_of
from relsmith.templates.stitcher import GenderedPath, Stitcher


@dataclass(frozen=True)
class ProseSegment:
    """The realization of some facts by a frame in a story; `genders` are by name."""

    template: str
    text: str
    facts: Sequence[Fact]
    genders: dict[str, str]


@dataclass(frozen=True)
class Skew:
    """The largest ratio of the frequencies of two frames that state the same facts."""

    ratio: float
    most: str
    least: str


@dataclass(frozen=True)
class ProseStatistics:
    """Statistics of the prose of stories.

    `stretches` is the number of segments, `forms` has shares of facts, `echo` is the share of
    segments in which a sentence repeats a name, `pronouns` counts subject and object pronouns per
    100 sentences, `fact_free` is the share of sentences that state no fact. `told` has shares of
    facts by predicate, each fact counted half in each direction; `evenness` is 1 if all are equal.
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


def measure_prose(bank: Bank, segments: Iterable[ProseSegment]) -> ProseStatistics:
    """Return the statistics of segments that frames of the bank realized."""
    counts: Counter[str] = Counter()
    form_counts: Counter[Form] = Counter()
    predicates: Counter[str] = Counter()
    used: set[str] = set()
    paths: Counter[GenderedPath] = Counter()
    pronouns = _subject_and_object_pronouns(bank)
    for segment in segments:
        frame = bank.by_id[segment.template]
        used.add(frame.id)
        sentences = bank.language.sentences(segment.text)
        people = {name for x, _, y in segment.facts for name in (x, y)} | set(segment.genders)
        counts["stretches"] += 1
        counts["sentences"] += len(sentences)
        counts["echo"] += any(_repeats_name(sentence, people) for sentence in sentences)
        counts["pronouns"] += sum(word in pronouns for word in words_of(segment.text))
        counts["fact-free"] += sentences_state_facts(bank, frame).count(False)
        form_counts.update(_stated_forms(bank, segment))
        for _, word, _ in segment.facts:
            name = bank.world.meanings[word][0]
            predicates.update((name, bank.world.inverse(name) or name))
        if segment.facts:
            paths[_gendered_path(bank, segment)] += 1
    facts = form_counts.total()
    shares = {name: predicates[name] / max(1, predicates.total()) for name in bank.world.predicates}
    return ProseStatistics(
        stretches=counts["stretches"],
        sentences=counts["sentences"],
        facts=facts,
        forms={form: form_counts[form] / max(1, facts) for form in FORMS},
        echo=counts["echo"] / max(1, counts["stretches"]),
        pronouns=100 * counts["pronouns"] / max(1, counts["sentences"]),
        fact_free=counts["fact-free"] / max(1, counts["sentences"]),
        told=shares,
        evenness=evenness(shares.values()),
        unused=len(bank.frames) - len(used),
        skew=_skew(bank, paths),
    )


def _stated_forms(bank: Bank, segment: ProseSegment) -> Iterator[Form]:
    """Yield the forms of a segment; without pronouns, 'across' becomes 'predicate'."""
    cases = bank.language.pronouns.values()
    words = {word for pronoun in cases for word in pronoun.words.values()}
    named = words.isdisjoint(words_of(segment.text))
    for form in forms(bank, bank.by_id[segment.template]):
        yield "predicate" if form == "across" and named else form


def evenness(shares: Collection[float]) -> float:
    """Return the entropy of shares, divided by its maximum."""
    return sum(-share * log(share) for share in shares if share) / log(max(2, len(shares)))


def _subject_and_object_pronouns(bank: Bank) -> set[str]:
    """Return the pronouns that are no possessives; `her` may be one."""
    words = {case: set(pronoun.words.values()) for case, pronoun in bank.language.pronouns.items()}
    return (words.get("they", set()) | words.get("them", set())) - words.get("their", set())


def _repeats_name(sentence: str, people: set[str]) -> bool:
    names = "|".join(map(re.escape, sorted(people, key=len, reverse=True)))
    named = re.findall(rf"(?<![\w@-])(?:{names})(?![\w-])", sentence) if names else []
    return len(named) > len(set(named))


def _gendered_path(bank: Bank, segment: ProseSegment) -> GenderedPath:
    """Return the facts as a path; each may be stated in either direction."""
    (x, _, y), *others = segment.facts
    person = y if others and x in others[0][::2] else x
    path: list[str | None] = [segment.genders.get(person)]
    for x, word, y in segment.facts:
        predicate = bank.world.meanings[word][0]
        forwards = x == person
        person = y if forwards else x
        path.append(predicate if forwards else bank.world.inverse(predicate))
        path.append(segment.genders.get(person))
    return tuple(path)


def _skew(bank: Bank, paths: Counter[GenderedPath]) -> Skew | None:
    """Return the largest expected skew among frames that state the same facts.

    Expected frequencies are used because the observed ones are too small.
    """
    stitcher = Stitcher(bank)
    expected: dict[str, float] = {}
    for path, times in paths.items():
        drawn = stitcher.frame_choices(path)
        for template in drawn:
            expected[template] = expected.get(template, 0.0) + times / len(drawn)
    groups: dict[tuple[frozenset[str], ...], list[str]] = {}
    for frame in bank.frames:
        if frame.id in expected:
            groups.setdefault(_undirected(bank, frame.predicates), []).append(frame.id)
    worst: Skew | None = None
    for group in groups.values():
        most, least = max(group, key=expected.__getitem__), min(group, key=expected.__getitem__)
        ratio = expected[most] / expected[least]
        if len(group) > 1 and (worst is None or ratio > worst.ratio):
            worst = Skew(ratio, most, least)
    return worst


def _undirected(bank: Bank, facts: tuple[frozenset[str], ...]) -> tuple[frozenset[str], ...]:
    """Return the facts in the smaller of the two directions."""
    back = tuple(
        frozenset(bank.world.inverse(name) or name for name in names) for names in reversed(facts)
    )
    return min(facts, back, key=lambda some: [sorted(names) for names in some])

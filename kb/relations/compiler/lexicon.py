"""Relations out of WordNet: what words mean, how they are derived, who people were."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from ...wordnet import nltk_reader
from ..relation import Pair, Relation
from .vocabulary import KNOWN, SEEN, frequent, is_decent, zipf

_SOURCE = "WordNet"
_LICENCE = "WordNet License (Princeton University)"
_MOST = 500
_DEEP = 4

_KINDS = {
    "animals": "animal.n.01",
    "artifacts": "artifact.n.01",
    "food": "food.n.01 food.n.02",
    "plants": "plant.n.02",
    "people": "person.n.01",
}
# Said in WordNet of people; the United States are American.
_NATIONALITIES = (
    "American Australian Austrian Belgian Brazilian British Bulgarian Canadian Chilean Chinese "
    "Colombian Croatian Cuban Czech Danish Dutch Egyptian English Finnish French German Greek "
    "Hungarian Indian Iranian Irish Israeli Italian Jamaican Japanese Mexican Norwegian Pakistani "
    "Persian Polish Portuguese Prussian Roman Romanian Russian Scottish Serbian South-African "
    "Soviet Spanish Swedish Swiss Turkish Ukrainian Venezuelan Vietnamese Welsh"
).split()

_TITLES = "Baron Bishop Duke First King Lady Lord Pope President Prince Queen Saint Sir St.".split()


def lexicon() -> Iterator[Relation]:
    """The relations that need WordNet."""
    for kind, roots in _KINDS.items():
        yield _lexical(f"hypernyms - {kind}", "hypernyms", _hypernyms(roots.split()))
    yield _lexical("hyponyms", "hyponyms", _related(lambda sense: sense.hyponyms()))
    for part in ("part", "member", "substance"):
        pairs = _related(lambda sense, part=part: getattr(sense, f"{part}_meronyms")())  # type: ignore[misc]
        yield _lexical(f"meronyms - {part}", f"meronyms - {part}", pairs)
    yield _lexical("synonyms", "synonyms", _synonyms(), symmetric=True)
    for part, name in (("a", "adjectives"), ("n", "nouns"), ("v", "verbs")):
        yield _lexical(f"antonyms - {name}", "antonyms", _antonyms(part), symmetric=True)
    for name, head, tail, ending in (
        ("verb + er", "v", "n", "(er|or|ar)"),
        ("verb + ment", "v", "n", "ment"),
        ("verb + tion", "v", "n", "[st]ion"),
        ("verb + able", "v", "a", "[ai]ble"),
        ("adjective + ity", "a", "n", "ity"),
        ("noun + ist", "n", "n", "ist"),
        ("noun + al", "n", "a", "al"),
    ):
        yield Relation(
            name,
            "derivational",
            tuple(_derived(head, tail, re.compile(rf"[a-z]+{ending}"))),
            kind=name,
            types=({"v": "verb", "a": "adj", "n": "noun"}[head], "derived word"),
            source=_SOURCE,
            licence=_LICENCE,
        )
    yield _about_people("name - occupation", "occupation", _occupations())
    yield _about_people("name - nationality", "nationality", _nationality())


def _lexical(name: str, kind: str, pairs: Iterable[Pair], symmetric: bool = False) -> Relation:
    words = kind in ("synonyms", "antonyms")
    return Relation(
        name,
        "lexicographic",
        tuple(pairs),
        symmetric=symmetric,
        kind=kind,
        types=("word", "word") if words else ("noun", "noun"),
        source=_SOURCE,
        licence=_LICENCE,
    )


def _about_people(name: str, tail: str, pairs: Iterable[Pair]) -> Relation:
    return Relation(
        name,
        "encyclopedic",
        tuple(pairs),
        kind=name,
        types=("name", tail),
        source=_SOURCE,
        licence=_LICENCE,
    )


def _words(sense: Any, least: float = SEEN) -> list[str]:
    """The words of a sense that people know, as they are written."""
    words = (name.replace("_", " ") for name in sense.lemma_names())
    return [word for word in words if zipf(word) >= least and word.islower() and is_decent(word)]


@cache
def _senses(part: str) -> dict[str, Any]:
    """The most frequent sense of the words that people know."""
    wordnet = nltk_reader()
    by_word = {}
    for word in frequent():
        senses = [sense for sense in wordnet.synsets(word, part) if word in sense.lemma_names()]
        if senses and _is_mainly(word, part) and not senses[0].instance_hypernyms():
            by_word[word] = senses[0]
    return by_word


def _is_mainly(word: str, part: str) -> bool:
    """Whether the word is of that part of speech more often than of any other, by WordNet."""
    counts: dict[str, int] = {}
    for sense in nltk_reader().synsets(word):
        times = sum(lemma.count() for lemma in sense.lemmas() if lemma.name() == word)
        pos = "a" if sense.pos() == "s" else sense.pos()
        counts[pos] = counts.get(pos, 0) + times
    return counts.get(part, 0) == max(counts.values(), default=0)


def _hypernyms(roots: list[str]) -> Iterator[Pair]:
    wordnet = nltk_reader()
    ends = {wordnet.synset(root) for root in roots}
    count = 0
    for word, sense in _senses("n").items():
        above = _above(sense)
        if sense in ends or not ends & set(above) or count == _MOST:
            continue
        count += 1
        words = [name for general in above for name in _words(general, KNOWN) if name != word]
        yield from ((word, name) for name in dict.fromkeys(words))


def _above(sense: Any) -> list[Any]:
    """All more general senses, the nearest first, but for the most general of all."""
    general: list[Any] = []
    near = [sense]
    while near:
        near = [high for low in near for high in [*low.hypernyms()] if high not in general]
        general += dict.fromkeys(near)
    return [high for high in general if high.min_depth() >= _DEEP - 1]


def _related(relatives: Callable[[Any], Iterable[Any]]) -> Iterator[Pair]:
    count = 0
    for word, sense in _senses("n").items():
        words = [name for relative in relatives(sense) for name in _words(relative) if name != word]
        count += bool(words)
        if count > _MOST:
            return
        yield from ((word, name) for name in dict.fromkeys(words))


def _synonyms() -> Iterator[Pair]:
    """Words of one sense that is the most frequent of the head."""
    count = 0
    for part in ("a", "v", "n"):
        for word, sense in list(_senses(part).items())[:1500]:
            words = [name for name in _words(sense, KNOWN) if name != word and " " not in name]
            count += bool(words)
            if count > 2 * _MOST:
                return
            yield from ((word, name) for name in words)


def _antonyms(part: str) -> Iterator[Pair]:
    wordnet = nltk_reader()
    for word in frequent():
        senses = wordnet.synsets(word, part)
        lemmas = [lemma for sense in senses for lemma in sense.lemmas() if lemma.name() == word]
        words = [
            antonym.name().replace("_", " ") for lemma in lemmas for antonym in lemma.antonyms()
        ]
        names = (name for name in dict.fromkeys(words) if zipf(name) >= SEEN and name.islower())
        yield from ((word, name) for name in names if is_decent(name) and name != word)


def _derived(head: str, tail: str, ending: re.Pattern[str]) -> Iterator[Pair]:
    """Words that WordNet derives from one another and that look it."""
    wordnet = nltk_reader()
    wanted = ("a", "s") if tail == "a" else (tail,)
    count = 0
    for word in frequent():
        names: dict[str, None] = {}
        for sense in wordnet.synsets(word, head):
            for lemma in sense.lemmas():
                if lemma.name() == word:
                    for derived in lemma.derivationally_related_forms():
                        if derived.synset().pos() in wanted:
                            names[derived.name()] = None
        words = [name for name in names if _looks_derived(word, name, ending)]
        count += bool(words)
        if count > _MOST:
            return
        yield from ((word, name) for name in words)


def _looks_derived(word: str, name: str, ending: re.Pattern[str]) -> bool:
    stem = word[: max(3, len(word) - 2)]
    longer = len(name) > len(word) and name.startswith(stem) and zipf(name) >= SEEN
    return longer and ending.fullmatch(name) is not None and ending.fullmatch(word) is None


@cache
def _people() -> dict[str, list[Any]]:
    """Well-known people by first name and surname, with all that WordNet says of each."""
    wordnet = nltk_reader()
    people: dict[str, list[Any]] = {}
    every = wordnet.synset("person.n.01").closure(lambda sense: sense.hyponyms())
    for kind in every:
        for person in kind.instance_hyponyms():
            names = [name.replace("_", " ") for name in person.lemma_names()]
            for name in names:
                first, _, last = name.partition(" ")
                plain = last.isalpha() and first not in _TITLES
                if plain and min(zipf(first), zipf(last)) >= KNOWN:
                    senses = people.setdefault(name, [])
                    senses += [person] if person not in senses else []
                    break
    return dict(sorted(people.items()))


def _occupations() -> Iterator[Pair]:
    for name, senses in _people().items():
        words = [
            word
            for sense in senses
            for kind in sense.instance_hypernyms()
            for word in _words(kind)[:1]
        ]
        yield from ((name, word) for word in dict.fromkeys(words))


def _nationality() -> Iterator[Pair]:
    """By the first words of the definition; people who were born elsewhere are left out."""
    for name, senses in _people().items():
        said = [sense.definition().replace("United States", "American") for sense in senses]
        if any("born in" in text for text in said):
            continue
        starts = [text.replace("South African", "South-African").split()[:3] for text in said]
        words = [word for start in starts for word in start if word in _NATIONALITIES]
        yield from ((name, word.replace("-", " ")) for word in dict.fromkeys(words))

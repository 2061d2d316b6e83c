"""Making one row: the pair is read, its blanks are chosen, and its words are put together."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ...errors import InvalidInput
from ...example import Example
from ...seed import Stream
from . import selection
from .blanks import Blanker, Unit, phrases_of
from .corpus import Corpus, Group, Opened, Pair
from .forms import BETWEEN, question, shown
from .surprisal import fold, surprisals

if TYPE_CHECKING:
    from .generator import Cloze

_NEAR, _NEAR_BYTES = 8, 1 << 13
"""A group that follows so soon is come upon by reading on, others by going there."""


Edges = tuple[str, str, str]
"""The two tokens before a phrase, and the one after it."""


class Maker:
    """Makes rows of one seed, best in the order of the file."""

    def __init__(self, options: "Cloze", seed: int, file: Opened) -> None:
        self.options, self.seed = options, seed
        self.index, self.blanker = options._index, options._blanker
        self.counts = options._whitelist.novel
        self.reader = Reader(options._corpus, file)
        self.single = options.form in ("one", "choice")

    def example(self, name: str, row: int) -> Example:
        """The row of the index, under that name."""
        options = self.options
        place, member, _ = self.index[row]
        source, pair = self.reader.group(place).members[member]
        units = self.chosen(row)
        concrete = pair.concrete
        abstract, text, tokens = pair.abstract.text, concrete.text, concrete.tokens
        spans = concrete.spans(units)
        answers = [text[start:end] for start, end in spans]
        blanks = [[unit[0], unit[1], answer] for unit, answer in zip(units, answers, strict=True)]
        alternatives = self.reader.alternatives(self.blanker, units)
        cloze = shown(text, blanks, spans, options.form, options.lengths)
        return Example(
            name,
            f"Abstract: {abstract}\nConcrete: {cloze}\n{question(options.form, answers)}",
            self.choices(pair, units[0], answers[0], alternatives[0], source),
            BETWEEN.join(answers),
            {
                "source": source,
                "group": place,
                "abstract": abstract,
                "concrete": text,
                "tokens": "given" if concrete.given else "words",
                "blanks": blanks,
                "spans": spans,
                "answers": answers,
                "alternatives": alternatives,
                "counts": [self.novel(phrase) for _, _, phrase in units],
                "leak": leak(tokens, units) if options.visible else 0.0,
                "difficulty": self.difficulty(place, pair, units),
            },
        )

    def novel(self, phrase: str) -> list[int]:
        """How often each word of a phrase was new, by the whitelist."""
        if " " not in phrase:
            return [self.counts.get(phrase, 0)]
        return [self.counts.get(word, 0) for word in phrase.split(" ")]

    def chosen(self, row: int) -> list[Unit]:
        """What is blanked in the row."""
        options = self.options
        place, member, item = self.index[row]
        pair, units = self.reader.units(self.blanker, member)
        mask, most = self.index.mask(row), options.most
        allowed = units
        if mask != -1:
            allowed = [unit for at, unit in enumerate(units) if mask >> at & 1]
        if not self.single and (len(allowed) <= most or len(phrases_of(allowed)) <= most):
            return allowed
        if options.select == "longest" and options.visible and not self.single:
            return selection.longest_phrases(allowed, most)
        wanted = set(allowed)
        clusters = [
            cluster for cluster in self.blanker.clusters(pair, units) if cluster[0] in wanted
        ]
        clusters = self.ordered(clusters, pair, place)
        return [clusters[item][0]] if self.single else selection.first(clusters, most)

    def ordered(self, clusters: selection.Clusters, pair: Pair, place: int) -> selection.Clusters:
        """Clusters in the order in which they are blanked."""
        options = self.options
        if options.select == "longest":
            return selection.longest(clusters)
        score: selection.Score | None = None
        if options.select == "pmi":
            score = options._counts[fold(place)].pmis
        elif options.select == "surprisal":
            score = surprisals(options._model(place))
        elif options.select == "pos":
            score = selection.by_part_of_speech(options.tagger)
        return selection.ordered(clusters, score, pair, self.seed, place)

    def choices(
        self, pair: Pair, unit: Unit, answer: str, alternatives: list[str], source: int
    ) -> list[str]:
        """The answer among distractors; nothing in other forms than multiple choice."""
        options = self.options
        if options.form != "choice":
            return []
        stream = Stream("cloze", options.version, self.seed, "choices", source, unit[0])
        pool = list(options._distractors.of(pair, unit[2]))
        apart = [word for word in pool if word not in alternatives]
        pool = apart if len(apart) >= options.distractors else pool
        if answer[:1].isupper():
            pool = [word[:1].upper() + word[1:] for word in pool]
        choices = [answer, *stream.sample(pool, options.distractors)]
        stream.shuffle(choices)
        return choices

    def difficulty(
        self, place: int, pair: Pair, units: list[Unit]
    ) -> dict[str, list[float]] | None:
        """How surprising each answer is, where that is asked for."""
        if not self.options.difficulty:
            return None
        bits = self.options._model(place).bits(pair, units)
        return {
            "alone": [one.alone for one in bits],
            "with_abstract": [one.with_abstract for one in bits],
        }


def leak(tokens: list[str], units: list[Unit]) -> float:
    """The share of units all of whose words are shown outside the blanks."""
    rest = tokens[:]
    for start, end, _ in reversed(units):
        del rest[start:end]
    outside, leaks = set(rest), 0
    for start, end, _ in units:
        leaks += outside.issuperset(tokens[start:end])
    return round(leaks / len(units), 3) if leaks else 0.0


class Reader:
    """Groups by their place; in order, the file is read straight on."""

    def __init__(self, corpus: Corpus, file: Opened) -> None:
        self._corpus, self._file = corpus, file
        self._groups: Iterator[Group] = iter(())
        self._group = Group(-1, [])
        self._units: dict[int, list[Unit]] = {}
        self._contexts: dict[Edges, list[tuple[int, str]]] = {}
        self._member = 0

    def group(self, place: int) -> Group:
        """The group that starts at the place; what follows is about it."""
        if self._group.place != place:
            self._units.clear()
            self._contexts = {}
            self._group = self._find(place)
        return self._group

    def _find(self, place: int) -> Group:
        if 0 < place - self._group.place < _NEAR_BYTES:
            for group in islice(self._groups, _NEAR):
                if group.place == place:
                    return group
        self._groups = self._corpus.groups(place, file=self._file)
        found = next(self._groups, None)
        if found is None or found.place != place:
            raise InvalidInput(f"{self._corpus.name} was changed while it was read")
        return found

    def units(self, blanker: Blanker, member: int) -> tuple[Pair, list[Unit]]:
        """A member of the group, and what may be blanked in it."""
        self._member = member
        pair = self._group.members[member][1]
        if member not in self._units:
            self._units[member] = blanker.units(pair)
        return pair, self._units[member]

    def alternatives(self, blanker: Blanker, units: list[Unit]) -> list[list[str]]:
        """What other members of the group have in the same place."""
        members, member = self._group.members, self._member
        if len(members) == 1:
            return [[] for _ in units]
        if not self._contexts:
            self._contexts = self._all_contexts(blanker)
        contexts, tokens = self._contexts, _padded(members[member][1])
        found = []
        for start, end, _ in units:
            others = contexts[tokens[start], tokens[start + 1], tokens[end + 2]]
            if len(others) > 1:
                answer = " ".join(tokens[start + 2 : end + 2])
                theirs = {phrase for at, phrase in others if at != member}
                found.append(sorted(theirs - {answer}))
            else:
                found.append([])
        return found

    def _all_contexts(self, blanker: Blanker) -> dict[Edges, list[tuple[int, str]]]:
        """Every phrase of the group in small letters, by the tokens around it."""
        contexts: dict[Edges, list[tuple[int, str]]] = {}
        for member, (_, pair) in enumerate(self._group.members):
            if member not in self._units:
                self._units[member] = blanker.units(pair)
            tokens = _padded(pair)
            for start, end, _ in self._units[member]:
                edges = (tokens[start], tokens[start + 1], tokens[end + 2])
                phrase = " ".join(tokens[start + 2 : end + 2])
                contexts.setdefault(edges, []).append((member, phrase))
        return contexts


def _padded(pair: Pair) -> list[str]:
    return ["", "", *pair.concrete.lower, ""]

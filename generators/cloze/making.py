"""Making one row: the pair is read, its blanks are chosen, and its words are put together."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...errors import InvalidInput
from ...example import Example
from ...seed import Stream
from . import selection
from .blanks import Blanker, Unit, phrases_of
from .corpus import Corpus, Group, Opened, Pair
from .forms import BETWEEN, QUESTIONS, mark
from .surprisal import fold, surprisals

if TYPE_CHECKING:
    from .generator import Cloze

_NEAR, _NEAR_BYTES = 8, 1 << 13
"""A group that follows so soon is come upon by reading on, others by going there."""


class Maker:
    """Makes rows of one seed, best in the order of the file."""

    def __init__(self, options: "Cloze", seed: int, file: Opened) -> None:
        self.options, self.seed, self.most = options, seed, options.most
        self.index, self.blanker = options._index, options._blanker
        self.counts = options._whitelist.novel
        self.reader = Reader(options._corpus, file, straight=options.order == "file")
        self.single = options.form in ("one", "choice")
        self.bank, self.offers = options.form == "bank", options.form == "choice"
        self.lengths, self.visible = options.lengths, options.visible
        self.measured = options.difficulty
        self.number = 0 if self.single else 1
        self.asked = f"\n{QUESTIONS[options.form]}"
        self.plain = options.select == "longest" and options.visible and not self.single

    def example(self, name: str, row: int) -> Example:
        """The row of the index, under that name."""
        place, member, item, alone = self.index[row]
        pair = self.reader.group(place, alone)[member]
        units = self.chosen(place, member, item, self.index.mask(row))
        abstract, concrete = pair.abstract, pair.concrete
        text, tokens = concrete.text, concrete.tokens
        # One loop: this is where most of the time goes.
        parts, position, number = [f"Abstract: {abstract.text}\nConcrete: "], 0, self.number
        blanks: list[list[int]] = []
        spans, answers, counts = concrete.spans(units), [], []
        for n, (start, end, phrase) in enumerate(units):
            span = spans[n]
            first, last = span[0], span[1]
            answer = tokens[start] if end - start == 1 else text[first:last]
            blanks.append([start, end])
            answers.append(answer)
            counts.append(self.novel_counts(phrase, end - start))
            parts.append(text[position:first])
            parts.append(mark(number, end - start if self.lengths else 1))
            position = last
            number += self.number
        parts.append(text[position:])
        parts.append(self.question(answers))
        alternatives = [pair.alternatives(start, end) for start, end, _ in units]
        metadata = {
            "source": pair.place,
            "group": place,
            "abstract": abstract.text,
            "concrete": text,
            "tokens": "given" if concrete.given else "words",
            "blanks": blanks,
            "spans": spans,
            "answers": answers,
            "alternatives": alternatives,
            "counts": counts,
            "leak": leak(tokens, units) if self.visible else 0.0,
            "difficulty": self.difficulty(place, pair, units) if self.measured else None,
        }
        choices = self.choices(pair, units[0], answers[0]) if self.offers else []
        return Example(name, "".join(parts), choices, BETWEEN.join(answers), metadata)

    def novel_counts(self, phrase: str, words: int) -> list[int]:
        """How often each word of a phrase was new, by the whitelist."""
        if words == 1:
            return [self.counts.get(phrase, 0)]
        return [self.counts.get(word, 0) for word in phrase.split(" ")]

    def question(self, answers: list[str]) -> str:
        """What is asked; a word bank lists the answers by the alphabet, each once."""
        return f"{self.asked}{', '.join(sorted(set(answers)))}." if self.bank else self.asked

    def chosen(self, place: int, member: int, item: int, mask: int) -> list[Unit]:
        """What is blanked in the row."""
        units, most = self.reader.units(self.blanker, member), self.most
        if mask != -1:
            units = [unit for bit, unit in enumerate(units) if mask >> bit & 1]
        if self.plain:
            return selection.longest_phrases(units, most) if len(units) > most else units
        if not self.single and (len(units) <= most or len(phrases_of(units)) <= most):
            return units
        clusters = self.ordered(self.blanker.together(units), self.reader.pair(member), place)
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

    def choices(self, pair: Pair, unit: Unit, answer: str) -> list[str]:
        """The answer among distractors."""
        options = self.options
        stream = Stream("cloze", options.version, self.seed, "choices", pair.place, unit[0])
        pool = list(options._distractors.of(pair, unit))
        if answer[:1].isupper():
            pool = [word[:1].upper() + word[1:] for word in pool]
        choices = [answer, *stream.sample(pool, options.distractors)]
        stream.shuffle(choices)
        return choices

    def difficulty(
        self, place: int, pair: Pair, units: list[Unit]
    ) -> dict[str, list[float] | None]:
        """How surprising each answer is."""
        alone, with_abstract = self.options._model(place).bits(pair, units)
        return {"alone": alone, "with_abstract": with_abstract}


def leak(tokens: list[str], units: list[Unit]) -> float:
    """The share of units all of whose words are shown outside the blanks."""
    hidden, outside, after = set[str](), set[str](), 0
    for start, end, _ in units:
        for place in range(start, end):
            hidden.add(tokens[place])
    for start, end, _ in [*units, (len(tokens), 0, "")]:
        for place in range(after, start):
            if tokens[place] in hidden:
                outside.add(tokens[place])
        after = end
    if not outside:
        return 0.0
    leaks = [1 for start, end, _ in units if outside.issuperset(tokens[start:end])]
    return round(len(leaks) / len(units), 3)


class Reader:
    """Groups by their place; `straight` where they are asked for in the order of the file."""

    def __init__(self, corpus: Corpus, file: Opened, straight: bool) -> None:
        self._corpus, self._file, self._straight = corpus, file, straight
        self._groups: Iterator[Group] = iter(())
        self._group: Group = []
        self._place = -1

    def group(self, place: int, alone: bool) -> Group:
        """The group that starts at the place; what follows is about it."""
        if self._place != place:
            self._group = self._read_on(place) if self._straight else self._go_to(place, alone)
            self._place = place
        return self._group

    def _read_on(self, place: int) -> Group:
        if 0 < place - self._place < _NEAR_BYTES:
            for _ in range(_NEAR):
                group = next(self._groups, None)
                if group is None or group[0].place > place:
                    break
                if group[0].place == place:
                    return group
        self._groups = self._corpus.groups(place, file=self._file)
        return self._checked(place, next(self._groups, None))

    def _go_to(self, place: int, alone: bool) -> Group:
        if not alone:
            return self._checked(place, next(self._corpus.groups(place, file=self._file), None))
        pair = self._corpus.pair(place, self._file)
        return self._checked(place, [pair] if pair else None)

    def _checked(self, place: int, group: Group | None) -> Group:
        if group is None or group[0].place != place:
            raise InvalidInput(f"{self._corpus.name} was changed while it was read")
        return group

    def pair(self, member: int) -> Pair:
        """The pair of that number in the group read last."""
        return self._group[member]

    def units(self, blanker: Blanker, member: int) -> list[Unit]:
        """What may be blanked in a member of the group."""
        return blanker.units(self._group[member])

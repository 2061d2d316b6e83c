"""Rows: a pair is read, its blanks are chosen, and its text is put together."""

from ...example import Example
from ...seed import Stream
from . import selection
from .blanks import Unit, phrases_of
from .corpus import ClozePair, GroupReader, OpenFile
from .forms import QUESTIONS, SEPARATOR, blank_mark
from .options import ClozeOptions
from .surprisal import surprisals


class RowMaker:
    """Makes the rows of one seed, fastest in the order of the file."""

    def __init__(self, options: ClozeOptions, seed: int, file: OpenFile) -> None:
        self.options, self.seed, self.most = options, seed, options.most
        self.index, self.blank_finder = options._index, options._blanker
        self.counts = options._whitelist.novel
        self.reader = GroupReader(options._corpus, file, sequential=options.order == "file")
        self.single = options.form in ("one", "choice")
        self.bank, self.has_choices = options.form == "bank", options.form == "choice"
        self.lengths, self.visible = options.lengths, options.visible
        self.measured = options.difficulty
        self.number = 0 if self.single else 1
        self.question_text = f"\n{QUESTIONS[options.form]}"
        self.plain = options.select == "longest" and options.visible and not self.single

    def example(self, name: str, row: int) -> Example:
        """Return a row of the index, with this id."""
        place, member, item, alone = self.index[row]
        pair = self.reader.group(place, alone)[member]
        units = self.choose_units(place, member, item, self.index.mask(row))
        abstract, concrete = pair.abstract, pair.concrete
        text, tokens = concrete.text, concrete.tokens
        # One loop, since most of the time is spent here.
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
            parts.append(blank_mark(number, end - start if self.lengths else 1))
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
        choices = self.choices(pair, units[0], answers[0]) if self.has_choices else []
        return Example(name, "".join(parts), choices, SEPARATOR.join(answers), metadata)

    def novel_counts(self, phrase: str, words: int) -> list[int]:
        """Return how often each word of a phrase was new, by the whitelist."""
        if words == 1:
            return [self.counts.get(phrase, 0)]
        return [self.counts.get(word, 0) for word in phrase.split(" ")]

    def question(self, answers: list[str]) -> str:
        """Return the question; a word bank lists the answers alphabetically, each once."""
        return (
            f"{self.question_text}{', '.join(sorted(set(answers)))}."
            if self.bank
            else self.question_text
        )

    def choose_units(self, place: int, member: int, item: int, mask: int) -> list[Unit]:
        """Return the units to blank in the row."""
        units, most = self.blank_finder.units(self.reader.pair(member)), self.most
        if mask != -1:
            units = [unit for bit, unit in enumerate(units) if mask >> bit & 1]
        if self.plain:
            return selection.longest_phrases(units, most) if len(units) > most else units
        if not self.single and (len(units) <= most or len(phrases_of(units)) <= most):
            return units
        clusters = self.ordered(self.blank_finder.cluster(units), self.reader.pair(member), place)
        return [clusters[item][0]] if self.single else selection.take_fitting(clusters, most)

    def ordered(
        self, clusters: selection.Clusters, pair: ClozePair, place: int
    ) -> selection.Clusters:
        """Return clusters in the order in which they are blanked."""
        options = self.options
        if options.select == "longest":
            return selection.order_by_length(clusters)
        score: selection.Score | None = None
        if options.select == "surprisal":
            score = surprisals(options._model(place))
        elif options.select == "pos":
            score = selection.part_of_speech_score(options.tagger)
        return selection.order_by_score(clusters, score, pair, self.seed, place)

    def choices(self, pair: ClozePair, unit: Unit, answer: str) -> list[str]:
        """Return the answer among distractors."""
        options = self.options
        stream = Stream("cloze", options.version, self.seed, "choices", pair.place, unit[0])
        pool = options._wrong_choices(pair, unit)
        if answer[:1].isupper():
            pool = [word[:1].upper() + word[1:] for word in pool]
        choices = [answer, *stream.sample(pool, options.distractors)]
        stream.shuffle(choices)
        return choices

    def difficulty(
        self, place: int, pair: ClozePair, units: list[Unit]
    ) -> dict[str, list[float] | None]:
        """Return the surprisal of each answer."""
        alone, with_abstract = self.options._model(place).bits(pair, units)
        return {"alone": alone, "with_abstract": with_abstract}


def leak(tokens: list[str], units: list[Unit]) -> float:
    """Return the share of units all of whose words occur outside the blanks."""
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

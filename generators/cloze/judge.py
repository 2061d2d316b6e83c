"""The judge: parses a row, restores its text, and checks all of its metadata.

It shares no code with the modules that make rows, except for the definitions of the corpus, the
whitelist, and the forms of words.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, takewhile
from typing import Any

from ...example import Example
from ...kb.lexicon import english
from ...kb.lexicon.wordnet import nltk_reader
from .corpus import BuiltInCorpus, ClozePair, Mark, Units
from .novelty import word_forms
from .options import ClozeOptions

_WORD = re.compile(r"(?:[^\W_]|(?<=[^\W_])['\u2019-](?=[^\W_]))+|\S")
_NUMBERED = re.compile(r"\((\d+)\) (____(?: ____)*)")
_PLAIN = re.compile(r"()(____(?: ____)*)")
_ABSTRACT, _CONCRETE = "Abstract: ", "\nConcrete: "
_QUESTIONS = {
    "all": "\nWhich words are missing? Give them in order, separated by |.",
    "one": "\nWhich words are missing?",
    "bank": "\nWhich words are missing? Give them in order, separated by |, from these: {bank}.",
    "choice": "\nWhich of the choices is missing?",
}
_MAX_UNITS = 64


def judge_row(options: ClozeOptions, example: Example) -> list[str]:
    """Return what is wrong with the row."""
    return list(_ClozeCase(options, example).findings())


@dataclass(frozen=True)
class _ParsedPair:
    """The row's pair, tokenized by the judge."""

    abstract: list[str]
    concrete: list[str]
    gaps: list[str]
    marks: list[Mark]


def _tokenize(text: str, given: bool) -> tuple[list[str], list[tuple[int, int]]]:
    """Return tokens and their character spans."""
    if not given:
        matches = list(_WORD.finditer(text))
        return [match[0] for match in matches], [match.span() for match in matches]
    tokens, position, spans = text.split(" "), 0, []
    for token in tokens:
        spans.append((position, position + len(token)))
        position += len(token) + 1
    return tokens, spans


def _parse_pair(pair: ClozePair) -> _ParsedPair:
    text = pair.concrete.text
    tokens, spans = _tokenize(text, pair.concrete.given)
    gaps = [text[before[1] : after[0]] for before, after in pairwise(spans)]
    marks = [mark for place, mark in pair.marks.items() if mark.start == place]
    return _ParsedPair(_tokenize(pair.abstract.text, pair.abstract.given)[0], tokens, gaps, marks)


class _ClozeCase:
    def __init__(self, options: ClozeOptions, example: Example) -> None:
        self.options, self.example, self.claims = options, example, example.metadata
        self.whitelist = options._whitelist
        self.given = self.claims["tokens"] == "given"
        self.forms = word_forms(options.novelty)
        self.exact = options.novelty == "surface"

    def findings(self) -> Iterator[str]:
        """Yield everything that is wrong; nothing else if the text cannot be restored."""
        problems = [*self.check_source(), *self.check_restoration()]
        yield from problems
        if not problems:
            self.tokens, self.places = _tokenize(self.claims["concrete"], self.given)
            yield from self.check_spans()
            yield from self.check_answers()
            yield from self.check_numbers()
            yield from self.check_choices()

    def check_source(self) -> Iterator[str]:
        """Check that the texts are those of the corpus at the claimed place."""
        self.pair: _ParsedPair | None = None
        place, starts = self.claims["source"], self.options._group_starts
        start = starts[bisect_right(starts, place) - 1]
        if self.claims["group"] != start:
            yield f"the group of the pair at {place} starts at {start}, not {self.claims['group']}"
            return
        with self.options._corpus.open() as file:
            pair = self.options._corpus.pair(place, file)
        if pair is None:
            yield f"the corpus has no pair at {place}"
            return
        self.pair = _parse_pair(pair)
        claimed = self.claims["abstract"], self.claims["concrete"], self.given
        if (pair.abstract.text, pair.concrete.text, pair.concrete.given) != claimed:
            yield f"the corpus has another pair at {place}"

    def check_restoration(self) -> Iterator[str]:
        """Check that the shown text with the answers filled in is the concrete text."""
        text, answers = self.example.input, self.claims["answers"]
        bank = ", ".join(sorted(set(answers)))
        head = f"{_ABSTRACT}{self.claims['abstract']}{_CONCRETE}"
        tail = _QUESTIONS[self.options.form].format(bank=bank)
        if not text.startswith(head) or not text.endswith(tail):
            yield "the input is not the abstract, the text and the question"
            return
        cloze = text[len(head) : len(text) - len(tail)]
        blank = _NUMBERED if self.options.form in ("all", "bank") else _PLAIN
        blanks = list(blank.finditer(cloze))
        if len(blanks) != len(answers):
            yield f"{len(blanks)} blanks are shown for {len(answers)} answers"
            return
        for number, (shown, answer) in enumerate(zip(blanks, answers, strict=True), 1):
            if shown[1] not in ("", str(number)):
                yield f"blank {number} is numbered {shown[1]}"
            start, end = self.claims["blanks"][number - 1]
            if shown[2].count(" ") != (end - start - 1 if self.options.lengths else 0):
                yield f"blank {number} shows another number of words than {answer!r} has"
        filler = iter(answers)
        if blank.sub(lambda _: next(filler), cloze) != self.claims["concrete"]:
            yield "the answers do not restore the concrete text"
        if self.example.target != " | ".join(answers):
            yield f"target {self.example.target!r} is not the answers in order"

    def check_spans(self) -> Iterator[str]:
        """Check that the spans are those of the answers, in order and without overlap."""
        claims, last = self.claims, 0
        if not len(claims["blanks"]) == len(claims["spans"]) == len(claims["answers"]):
            yield "blanks, spans and answers differ in number"
            return
        for (start, end), span, answer in zip(
            claims["blanks"], claims["spans"], claims["answers"], strict=True
        ):
            if not last <= start < end <= len(self.tokens):
                yield f"blank {start} to {end} overlaps another or lies outside the text"
                return
            last = end
            if span != [self.places[start][0], self.places[end - 1][1]]:
                yield f"characters {span} are not tokens {start} to {end}"
            if answer != claims["concrete"][slice(*span)]:
                yield f"{answer!r} is not the text at {span}"

    def check_answers(self) -> Iterator[str]:
        """Check that answers are new, on the whitelist, whole phrases, and not shown elsewhere."""
        assert self.pair is not None
        blanks = [(start, end) for start, end in self.claims["blanks"]]
        units = self.units(self.pair)
        for start, end in blanks:
            if (start, end) not in units:
                words = " ".join(self.tokens[start:end])
                yield f"{words!r} is no phrase of new words on the whitelist, or not all of one"
        phrases = {" ".join(self.words(self.tokens[start:end])) for start, end in blanks}
        if len(phrases) > self.options.most:
            yield f"{len(phrases)} different answers, more than {self.options.most}"
        if self.options.form in ("one", "choice") and len(blanks) != 1:
            yield f"{len(blanks)} blanks where one is asked for"
        if not self.options.visible:
            shown = self.forms_of(self.outside(blanks))
            for phrase in sorted(phrases):
                if shown & self.forms_of(phrase.split(" ")):
                    yield f"{phrase!r} occurs elsewhere in the text"
        if self.is_official():
            yield from self.check_official(blanks, units)

    def is_official(self) -> bool:
        options = self.options
        return (options.phrases, options.select, options.visible, options.cap, options.form) == (
            "runs",
            "longest",
            True,
            1,
            "all",
        )

    def check_official(
        self, blanks: list[tuple[int, int]], units: list[tuple[int, int]]
    ) -> Iterator[str]:
        """Check the paper's choice: the first phrases by length and alphabet, descending."""
        phrases = {unit: " ".join(self.words(self.tokens[slice(*unit)])) for unit in units}
        by_rank = sorted(set(phrases.values()), key=lambda text: (len(text.split(" ")), text))
        wanted = by_rank[-self.options.most :]
        if blanks != [unit for unit in units if phrases[unit] in wanted]:
            yield "these are not the blanks of the KidsCook corpus"

    def check_numbers(self) -> Iterator[str]:
        """Check counts, leak, alternatives and difficulty."""
        claims = self.claims
        blanks = [(start, end) for start, end in claims["blanks"]]
        counts = [
            [self.whitelist.novel.get(word, 0) for word in self.words(self.tokens[start:end])]
            for start, end in blanks
        ]
        if claims["counts"] != counts:
            yield f"counts are {claims['counts']}, but the whitelist has {counts}"
        outside = set(self.outside(blanks))
        leaks = [all(word in outside for word in self.tokens[start:end]) for start, end in blanks]
        if claims["leak"] != round(sum(leaks) / len(leaks), 3):
            yield f"leak is {claims['leak']}, but {sum(leaks)} of {len(leaks)} answers are shown"
        alternatives = [self.alternatives(start, end) for start, end in blanks]
        if claims["alternatives"] != alternatives:
            yield f"alternatives are {claims['alternatives']}, but the corpus has {alternatives}"
        difficulty: Any = claims["difficulty"]
        if (difficulty is not None) != self.options.difficulty:
            yield "difficulty is present or missing against --difficulty"
        elif difficulty is not None:
            if (difficulty["with_abstract"] is None) != (self.options.lm is None):
                yield "difficulty.with_abstract is present or missing against --lm"
            for name, bits in difficulty.items():
                if bits is None:
                    continue
                if len(bits) != len(blanks) or min(bits) < 0:
                    yield f"difficulty.{name} does not have one value from 0 up for each answer"

    def alternatives(self, start: int, end: int) -> list[str]:
        """Return the alternatives for tokens start to end, if exactly these are marked."""
        assert self.pair is not None
        span = (start, end)
        return next((mark.alternatives for mark in self.pair.marks if mark[:2] == span), [])

    def check_choices(self) -> Iterator[str]:
        """Check the number of choices, and that each wrong one has the answer's form and is wrong.

        Wrong is what neither shares a sense with the answer, or has a sense right above or below
        one of it, nor is accepted for it anywhere in the corpus.
        """
        choices, answer = self.example.choices, self.claims["answers"][0].lower()
        if self.options.form != "choice":
            if choices:
                yield "there are choices, but --form is not choice"
            return
        if len(choices) != self.options.distractors + 1:
            yield f"{len(choices)} choices, not {self.options.distractors + 1}"
        texts = [*_tokenize(self.claims["abstract"], False)[0], *self.tokens]
        accepted = {word.lower() for word in self.claims["alternatives"][0]}
        accepted |= _interchangeable(self.options.units).get(answer, set())
        shown = set().union(*(english.bases(token) for token in texts))
        for choice in choices:
            if choice != self.example.target:
                for problem in self.choice_problems(choice.lower(), answer, accepted, shown):
                    yield f"choice {choice!r} {problem}"
                if choice[:1].isupper() != self.example.target[:1].isupper():
                    yield f"choice {choice!r} differs from the answer in its first letter's case"

    def choice_problems(
        self, choice: str, answer: str, accepted: set[str], shown: set[str]
    ) -> Iterator[str]:
        """Yield what is wrong with a wrong choice, in lower case."""
        words, last = choice.split(" "), answer.rsplit(" ", maxsplit=1)[-1]
        if choice in accepted:
            yield "is an accepted alternative"
        if len(words) != len(answer.split(" ")) or (
            english.inflection(words[-1]) != english.inflection(last)
        ):
            yield "differs from the answer in form"
        if (len(choice) == 1) != (len(answer) == 1) or not (
            _parts_of_speech(last) & _parts_of_speech(words[-1])
        ):
            yield "differs from the answer in part of speech"
        before = self.words(self.tokens)[: self.claims["blanks"][0][0]][-1:]
        if before in (["a"], ["an"]) and (before == ["an"]) != (choice[0] in "aeiou"):
            yield "does not fit the article before it"
        if any(not shown.isdisjoint(english.bases(word)) for word in words):
            yield "occurs in the text"
        if _senses(last) & _senses(words[-1]) or _is_above(choice, answer):
            yield "is a synonym of the answer, or a word for what is right above or below it"

    def words(self, tokens: list[str]) -> list[str]:
        """Return tokens as they are looked up in the whitelist."""
        return tokens if self.exact else [token.lower() for token in tokens]

    def forms_of(self, tokens: list[str]) -> set[str]:
        return {form for token in self.words(tokens) for form in self.forms(token)}

    def outside(self, blanks: list[tuple[int, int]]) -> list[str]:
        """Return the tokens that are shown."""
        hidden = {place for start, end in blanks for place in range(start, end)}
        return [token for place, token in enumerate(self.tokens) if place not in hidden]

    def units(self, pair: _ParsedPair) -> list[tuple[int, int]]:
        """Return every whole phrase of candidates."""
        abstract = self.forms_of(pair.abstract)
        tokens = self.words(pair.concrete)
        allowed = self.are_allowed(pair, tokens)
        new = [
            fit and not abstract & set(self.forms(token))
            for fit, token in zip(allowed, tokens, strict=True)
        ]
        joined = [
            False,
            *(self.is_joined(pair, new, place) for place in range(1, len(tokens))),
            False,
        ]
        starts = [place for place, is_new in enumerate(new) if is_new and not joined[place]]
        return [(place, self.end(joined, place)) for place in starts][:_MAX_UNITS]

    def are_allowed(self, pair: _ParsedPair, tokens: list[str]) -> list[bool]:
        """Return which tokens are on the whitelist, or marked if there is none."""
        if not self.options.whitelist:
            return [_mark_at(pair, place) is not None for place in range(len(tokens))]
        words = set(self.whitelist.novel)
        if self.options.phrases == "npmi":
            words |= {word for link in self.whitelist.links for word in link}
        return [token in words for token in tokens]

    @staticmethod
    def end(joined: list[bool], start: int) -> int:
        return start + 1 + len(list(takewhile(bool, joined[start + 1 :])))

    def is_joined(self, pair: _ParsedPair, new: list[bool], place: int) -> bool:
        """Return whether token `place` belongs to the one before it."""
        if not (new[place - 1] and new[place]) or pair.gaps[place - 1] != " ":
            return False
        if self.options.phrases == "npmi" and not self.options.whitelist:
            return _mark_at(pair, place - 1) is _mark_at(pair, place)
        link = (pair.concrete[place - 1].lower(), pair.concrete[place].lower())
        return self.options.phrases == "runs" or (
            self.options.phrases == "npmi" and link in self.whitelist.links
        )


@cache
def _senses(word: str) -> frozenset[Any]:
    return frozenset(nltk_reader().synsets(word.replace(" ", "_")))


def _parts_of_speech(word: str) -> set[str]:
    """Return the parts of speech in which WordNet has the word; a word it lacks may have any."""
    return {sense.pos().replace("s", "a") for sense in _senses(word)} or set("nvar")


def _is_above(choice: str, answer: str) -> bool:
    """Return whether the first sense of one is right above a sense of the other."""
    return any(
        sense in {high for low in _senses(narrow) for high in low.hypernyms()}
        for wide, narrow in ((choice, answer), (answer, choice))
        for sense in nltk_reader().synsets(wide.replace(" ", "_"))[:1]
    )


@cache
def _interchangeable(units: Units) -> dict[str, set[str]]:
    """Return for each answer of the built-in corpus what its marks accept instead."""
    accepted: dict[str, set[str]] = {}
    for pair in BuiltInCorpus(units).pairs():
        tokens = pair.concrete.tokens
        for mark in pair.marks.values():
            equal = {word.lower() for word in mark.alternatives}
            equal.add(" ".join(tokens[mark.start : mark.end]).lower())
            for word in equal:
                accepted.setdefault(word, set()).update(equal - {word})
    return accepted


def _mark_at(pair: _ParsedPair, place: int) -> Mark | None:
    return next((mark for mark in pair.marks if mark.start <= place < mark.end), None)

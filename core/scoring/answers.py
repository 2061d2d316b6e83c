"""Answer keys: extract the answer from free text and score it.

A generator returns the `AnswerKey` of each row. Answers are matched as whole words. A text that
negates, hedges or names two answers has no answer.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

from ..example import NONE, Example, members_of, set_target
from ..tables import Patterns, load_tables
from .claims import (
    HEDGES,
    NEGATORS,
    UNTRUE,
    WRONG,
    ClaimReader,
    Mention,
    Name,
    is_hedged,
    is_negated,
    is_reported,
    phrase,
    without_own_negators,
)
from .extraction import (
    AboutOthers,
    AnswerPassage,
    Denied,
    SeveralAnswers,
    Unreadable,
    passages,
)
from .tokens import ARTICLES, POSSESSIVES, is_word, normalized, tokenize

_P = Patterns(__package__, "patterns.yaml", "answers")
_NEAR_BEFORE = 3
"""Words before a blank by which it is found in an answer."""
_SHORT_QUESTION = 3
"""Tokens of a question such as `Is she?`."""
LETTERS = 26
"""The most choices that can be named by letters."""
UNKNOWN = "unknown"
_WORDS: dict[str, Any] = load_tables(__package__, "words.yaml")["answers"]
UNKNOWN_WORDS: list[str] = _WORDS["unknown"]
_FILLERS = frozenset(_WORDS["fillers"].split())


@dataclass(frozen=True)
class Score:
    """The score of an answer (1 or 0), the extracted answer (None if there is none), and why."""

    value: float
    answer: str | None
    why: str

    @property
    def verdict(self) -> Literal["right", "wrong", "unreadable"]:
        """Right, wrong, or unreadable if no answer was extracted."""
        if self.answer is None:
            return "unreadable"
        return "right" if self.value else "wrong"


@dataclass(frozen=True)
class AnswerKey(ABC):
    """The right answer to a row, and how to extract an answer from text.

    `kind` is the question type; `choices` are the possible answers of a question with choices.
    """

    right: str
    kind: str = "default"
    choices: tuple[str, ...] = ()

    @abstractmethod
    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the answer in the words of the row; Unreadable if there is none."""

    def score(self, text: str) -> Score:
        """Extract the answer from a text and compare it with the right one."""
        if self.right and text.strip() == self.right:  # such as "gas | wait", which takes back
            return Score(1.0, self.right, "right")
        try:
            answer = self.read(passages(text))
        except Unreadable as reason:
            return Score(0.0, None, str(reason))
        if not self.right:
            return Score(0.0, answer, "the row has no answer to score by")
        if answer == self.right:
            return Score(1.0, answer, "right")
        return Score(0.0, answer, f"expected {self.right}")


@dataclass(frozen=True)
class OneOf(AnswerKey):
    """Key for a question whose answer is one of several words.

    `words` maps every accepted word to the answer that it means; a word that means none of the
    choices is a wrong answer. `names` are the query people x and y, if the question is what y is
    to x; `others` are all names that occur.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    letters: bool = False
    names: tuple[str, str] | None = None
    others: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Adjectives that make the answer wrong, as `maternal` for a paternal grandmother."""

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the only answer of the marked passage, else of the first or the last passage."""
        passages = self._with_opening(passages)
        if "no" not in self.words:
            passages = _after_no(passages)
        first = passages[0]
        if passages[-1].text.endswith("?") and _P.asks.match(first.text):
            raise Unreadable("it asks instead of answering")
        if _P.unfinished.match(passages[-1].text):
            raise Unreadable("it ends before its answer")
        if len(passages) == 1:
            return self._extract(first.text)
        opening = self._bare_answer(first.text)
        said = self._last_claim(passages if opening is None else passages[1:], opening)
        if opening is None and said is None:
            raise Unreadable("no answer is named")
        if "wrong" not in self.words and any(
            _P.rejected.search(passage.text) for passage in passages[1:]
        ):
            raise Unreadable("it takes its answer back")
        if None not in (opening, said) and opening != said:
            raise Unreadable(f"several answers are given: {opening}, {said}")
        return opening or said or ""

    def _with_opening(self, passages: Sequence[AnswerPassage]) -> Sequence[AnswerPassage]:
        """Split the first passage after an answer that a colon or a dash ends."""
        first = passages[0].text
        opening = _P.opening_end.split(first, maxsplit=1)
        if len(opening) < 2 or self._bare_answer(opening[0]) is None:
            return passages
        return [*(AnswerPassage(part, marked=False) for part in opening), *passages[1:]]

    def _last_claim(self, passages: Sequence[AnswerPassage], opening: str | None) -> str | None:
        """Return the answer of the last passage that gives one.

        After an opening answer the rest explains it: only a conclusion, a bare answer or a claim
        that names both people of the query counts.
        """
        problem: Unreadable | None = None
        denied = set[str]()
        for passage in reversed(passages):
            tokens = tokenize(passage.text)
            mentions = self._reader.mentions(tokens)
            if not mentions and self._letter(passage.text) is None:
                continue
            if opening is None or _P.concludes.match(passage.text):
                try:
                    answer = self._extract(passage.text)
                except (AboutOthers, Denied) as reason:
                    problem = problem or reason
                    denied |= {mention.answer for mention in mentions}
                    continue
                if answer in denied and isinstance(problem, Denied):
                    raise problem
                return answer
            if (bare := self._bare_answer(passage.text)) is not None:
                return bare
            if full := self._claimed(tokens, self._asserted(tokens, mentions), least=3):
                return full.pop() if len(full) == 1 else "several"
        if problem and opening is None:
            raise problem
        return None

    def _bare_answer(self, text: str) -> str | None:
        """Return the answer if the text is nothing but an answer; else None."""
        text = _P.belief.sub("", text)
        if text.endswith("?"):
            return None
        letter = self._letter(text)
        if letter is not None:
            return letter
        words = [word for word in phrase(text) if word not in POSSESSIVES]
        if words[:1] in (["it"], ["that"], ["this"]) and words[1:2] == ["is"]:
            words = words[2:]
        return self._phrases.get(tuple(words))

    def _extract(self, text: str) -> str:
        letter = self._letter(text)
        if letter is not None:
            return letter
        if text.rstrip().endswith("?"):
            raise Unreadable("it asks instead of answering")
        if "no" not in self.words and (parts := _P.mid_turn.split(text))[1:]:
            text = parts[-1]
        concluded = _P.conclusion_sign.split(text)[-1]
        bare = self._bare_answer(concluded)
        if bare is not None and not self._names_only(text.removesuffix(concluded)):
            return bare
        before, _, after = text.rpartition(": ")
        bare = self._bare_answer(after)
        if bare is not None and _is_introduction(before, self._reader.names, self._query):
            return bare
        parts = [_P.because.split(text)[0], _P.so.split(text)[-1]]
        parts = [part for part in parts if part != text]
        try:
            return self._first_claim([*parts, _P.gloss.sub("", text), text])
        except SeveralAnswers:
            return self._first_claim([text.rpartition("; ")[2], text.partition(":")[0], text])

    def _first_claim(self, parts: Sequence[str]) -> str:
        """Return the answer of the first part that has one; else raise the last problem."""
        problem = Unreadable("no answer is named")
        for part in parts:
            tokens = tokenize(part)
            if mentions := self._reader.mentions(tokens):
                try:
                    return self._extract_claim(tokens, mentions)
                except Unreadable as reason:
                    problem = reason
        raise problem

    def _extract_claim(self, tokens: list[str], mentions: list[Mention]) -> str:
        """Return the only answer that is claimed of the query; Unreadable if there is none."""
        asserted = self._asserted(tokens, mentions)
        if not asserted:
            raise Denied("it says what it is not")
        meant = self._claimed(tokens, asserted)
        if not meant:
            raise AboutOthers("it is said of somebody else")
        if len(meant) > 1:
            raise SeveralAnswers(f"several answers are named: {', '.join(sorted(meant))}")
        if is_hedged(tokens, mentions):
            raise Unreadable("it does not commit itself")
        return meant.pop()

    def _asserted(self, tokens: list[str], mentions: list[Mention]) -> list[Mention]:
        """Return the mentions that are neither negated nor said by others."""
        outside = without_own_negators(tokens, mentions, UNKNOWN)
        about_people = self.names is not None or self.kind in ("yes-no", "true-false")
        return [
            mention
            for mention in mentions
            if not is_negated(outside, mention)
            and not (about_people and is_reported(tokens, mention))
        ]

    def _claimed(self, tokens: list[str], asserted: list[Mention], least: int = 1) -> set[str]:
        """Return the answers that are claimed of the query, by the claims that name it best."""
        if self._query is None:
            return {mention.answer for mention in asserted} if least == 1 else set()
        x, y = self._query
        claims = self._reader.claims(tokens, asserted)
        weights = [claim.weight(x, y) for claim in claims]
        best = max(weights, default=0)
        if best < least:
            return set()
        return {
            claim.mention.answer
            for claim, weight in zip(claims, weights, strict=True)
            if weight == best or (weight and claim.is_fragment)
        }

    def claims_query(self, tokens: list[str], least: int = 3) -> bool | None:
        """Return whether an answer is claimed of the query; None if neither claimed nor denied."""
        mentions = self._reader.mentions(tokens)
        asserted = self._asserted(tokens, mentions)
        if tokens[-1:] == ["?"] or (mentions and is_hedged(tokens, mentions)):
            return None
        if self._claimed(tokens, asserted, least):
            return True
        denied = [mention for mention in mentions if mention not in asserted]
        return False if self._claimed(tokens, denied, least) else None

    def _names_only(self, text: str) -> bool:
        """Return whether a text has words, all of them names."""
        words = [word for word in tokenize(text) if is_word(word)]
        names = {word for name in self._reader.names for word in name}
        return bool(words) and names.issuperset(words)

    def _letter(self, text: str) -> str | None:
        """Return the choice named by a letter, alone or with its words; None without a letter."""
        if not self.letters or not self.choices:
            return None
        match = _P.letter.fullmatch(_P.after_letter.split(text.strip(), maxsplit=1)[0])
        number = ord(match["letter"].upper()) - ord("A") if match else LETTERS
        if match is None or number >= len(self.choices):
            return self._ordinal(text)
        rest = phrase(match["rest"] or "")
        answer = self.choices[number]
        if rest and not (match["dot"] or match["bracket"]):
            return None  # an article, or a word of one letter
        if self._phrases.get(rest, answer) != answer or _P.letters.fullmatch(match["rest"] or ""):
            raise Unreadable(f"beside the letter of {answer} another answer stands")
        return answer

    def _ordinal(self, text: str) -> str | None:
        """Return the choice named by its number, as in `the second one`; None without one."""
        chosen = {
            _ORDINALS.index(match["word"].lower()) if match["word"] else int(match["number"])
            for match in _P.ordinal.finditer(text)
        }
        is_open = not HEDGES.isdisjoint(tokenize(text)) or " or " in text
        if is_open or len(chosen) != 1 or phrase(text) in self._phrases:
            return None  # the last is a choice such as "What first is to firstly, ..."
        number = chosen.pop()
        return self.choices[number - 1] if 0 < number <= len(self.choices) else None

    @cached_property
    def _phrases(self) -> dict[tuple[str, ...], str]:
        return {phrase(word): answer for word, answer in self.words.items()}

    @cached_property
    def _reader(self) -> ClaimReader:
        names = [tuple(tokenize(name)) for name in {*(self.names or ()), *self.others}]
        openings = (
            frozenset(_WORDS["opening_yes"] + _WORDS["opening_no"])
            if self.kind == "yes-no"
            else frozenset()
        )
        return ClaimReader(
            self._phrases,
            names,
            self._query,
            frozenset(self.excluded),
            frozenset(openings),
        )

    @cached_property
    def _query(self) -> tuple[Name, Name] | None:
        if self.names is None:
            return None
        x, y = self.names
        return tuple(tokenize(x)), tuple(tokenize(y))


def _is_introduction(text: str, names: Sequence[Name], query: tuple[Name, Name] | None) -> bool:
    """Return whether a text before a colon denies nothing and names nobody but the query."""
    tokens = tokenize(text)
    others = {word for name in names if name not in (query or ()) for word in name}
    return bool(tokens) and others.isdisjoint(tokens) and _DENYING.isdisjoint(tokens)


@dataclass(frozen=True)
class YesNo(OneOf):
    """Key for a yes-no question; `asked` claims the relation that the question is about."""

    asked: OneOf | None = None

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return yes, no or unknown; Unreadable if some passage contradicts it."""
        texts = [passage.text for passage in passages]
        claims = [self.asked.claims_query(tokenize(text), 2) for text in texts if self.asked]
        try:
            answer = super().read(passages)
        except Unreadable:
            full = {self.asked.claims_query(tokenize(text)) for text in texts if self.asked}
            if any(self._opening(text) for text in texts) or len(full - {None}) != 1:
                raise
            answer = "yes" if True in full else "no"
        openings = {self._opening(text) for text in texts} - {None, UNKNOWN}
        denies = any(_P.denial.search(" ".join(tokenize(text))) for text in texts[1:])
        if len(openings) > 1 or (answer == "no" and True in claims) or (answer == "yes" and denies):
            raise Unreadable("it says yes and no")
        if answer == "yes" and False in claims:
            raise Unreadable("it says yes and contradicts it")
        for question, text in pairwise(texts):
            is_asked = self.asked and self.asked._reader.mentions(tokenize(question))
            is_own = len(tokenize(question)) > _SHORT_QUESTION and not is_asked
            if question.endswith("?") and self._opening(text) and is_own:
                raise Unreadable("it answers a question of its own")
        return answer

    def _opening(self, text: str) -> str | None:
        """Return the answer that a passage begins with."""
        mentions = self._reader.mentions(tokenize(text))
        return mentions[0].answer if mentions and mentions[0].start == 0 else None

    def _extract(self, text: str) -> str:
        tokens = tokenize(text)
        claimed = self.asked.claims_query(tokens) if self.asked else None
        try:
            answer = super()._extract(text)
        except Unreadable:
            if claimed is None or self._reader.mentions(tokens):
                raise
            return "yes" if claimed else "no"
        denies = claimed is False or not NEGATORS.isdisjoint(tokens)
        if (answer == "yes" and denies) or (answer == "no" and claimed):
            raise Unreadable(f"it says {answer} and contradicts it")
        return answer


@dataclass(frozen=True)
class Members(AnswerKey):
    """Key for a question whose answer is a set of people, in any order, or `none`.

    `names` are all people who can be named, if known, except `asked`, whom the question is about.
    """

    names: tuple[str, ...] = ()
    asked: str = ""
    relation: str = ""
    others: frozenset[str] = frozenset()
    """Words for relations that are not asked for; people who have one of these are no answer."""

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the answers of all passages, or of the conclusion, the first or the last one."""
        listed = [part for passage in _after_no(passages) for part in _clauses(passage.text)]
        if len(listed) == 1:
            return self._extract_last_part(listed[0])
        problem = Unreadable("no answer is named")
        concluding = [text for text in listed if _P.concludes.match(text)][-1:]
        if any(_P.addition.match(text) for text in listed[1:]):
            raise Unreadable("it adds to its answer")
        for text in dict.fromkeys((*concluding, *_joined(listed), listed[0], listed[-1])):
            try:
                return self._extract_last_part(text)
            except Unreadable as reason:
                problem = reason
        raise problem

    def _extract_last_part(self, text: str) -> str:
        """Return the answers after the last colon or `so`, if nothing before it denies them."""
        for separator in (_P.so, _P.colon):
            *before, last = separator.split(text)
            said = set(tokenize(" ".join(before))) if separator is _P.colon else set[str]()
            if before and said.isdisjoint(NEGATORS | _EXCEPTIONS):
                with suppress(Unreadable):
                    return self._extract(last)
        return self._extract(text)

    def _extract(self, text: str) -> str:
        """Return the people named in a text as a target; Unreadable if there are none."""
        text = _P.parenthesis.sub("", text)
        text = _P.not_but.sub("", _P.reason.split(text)[0])
        if text.rstrip().endswith("?"):
            raise Unreadable("it asks instead of answering")
        words = " ".join(tokenize(text))
        if WRONG.search(words) or UNTRUE.search(words):
            raise Unreadable("it says what it is not")
        if normalized(text) in _WORDS["is_none"]:
            return NONE
        *before, last = _P.insertion.sub(" ", _P.apposition.sub("", text)).split(";")
        text = ";".join([*before, _P.description.sub("", last)])
        left, copula, right = _split_copula(text)
        if self._is_of_others(text):
            raise AboutOthers("it is said of somebody else")
        said = set(tokenize(right))
        if copula and self.relation not in " ".join(tokenize(right)) and said & self.others:
            raise Unreadable("another relation is named")
        if copula and self._named(left):
            if self._named(right) and not self._named(right.rpartition(":")[2]):
                raise Unreadable("it is not plain who is named")
            text = left if not self._named(right) else right.rpartition(":")[2]
        elif copula:
            text = right
        if normalized(text) in _WORDS["is_none"]:
            return NONE
        members = [self._member(part) for part in _P.parts.split(text)]
        found = sorted({member for member in members if member})
        if not found:
            raise Unreadable("no answer is named")
        if self.right and {normalized(m) for m in found} == {
            normalized(m) for m in members_of(self.right)
        }:
            return self.right
        return set_target(found)

    def _is_of_others(self, text: str) -> bool:
        """Return whether the relation is that of another person: `Zelda's nephews are ...`."""
        if not self.relation or not self.asked:
            return False
        others = [re.escape(name) for name in self.names if name != self.asked]
        relation = re.escape(self.relation) + r"s?\b"
        of_others = (
            rf"\b(?:(?:{'|'.join(others)})'s? {relation}|{relation} of (?:{'|'.join(others)}))\b"
        )
        return bool(others) and re.search(of_others, text, re.IGNORECASE) is not None

    def _named(self, text: str) -> bool:
        """Return whether the text names anybody but `asked`."""
        tokens, asked = tokenize(text), tuple(tokenize(self.asked))
        names = [name for name in map(tuple, map(tokenize, self.names)) if name != asked]
        if not self.names:
            return any(token not in _FILLERS and token[0].isalnum() for token in tokens)
        return any(
            tuple(tokens[place : place + len(name)]) == name
            for name in names
            for place in range(len(tokens))
        )

    def _member(self, part: str) -> str:
        """Return the name in a part of the list; empty if it has only filler words."""
        words = [token for token in tokenize(part) if token[0].isalnum() or token[0] == "@"]
        if any(word in NEGATORS or word in HEDGES or word in ("or", "either") for word in words):
            raise Unreadable("it does not commit itself")
        kept = [word for word in words if word not in _FILLERS and not word.isdigit()]
        if not kept:
            return ""
        if not self.names:
            return " ".join(kept)
        is_described = words[0] in POSSESSIVES or words[0] in ARTICLES
        is_described = is_described and "of" not in words
        for name in self.names:
            tokens = tokenize(name)
            is_last = is_described and kept[1:] == tokens and "'s" not in tokenize(part)
            if (tokens == kept or is_last) and name != self.asked:
                return name
        raise Unreadable(f"{part.strip()!r} is nobody to name")


def _clauses(text: str) -> list[str]:
    """Split a text at semicolons if a later part is a sentence."""
    parts = [part for part in text.split(";") if part.strip()]
    return parts if any(_split_copula(part)[1] for part in parts[1:]) else [text]


def _joined(texts: list[str]) -> list[str]:
    """Join sentences that say the same of several people, or lists of names without a verb."""
    split = [_split_copula(text) for text in texts]
    said = {normalized(_P.too.sub("", right)) for _, copula, right in split if copula}
    if len(said) == 1 and all(copula for _, copula, _ in split):
        return ["; ".join(left for left, *_ in split)]
    if any(copula for _, copula, _ in split[1:]):
        return []
    return ["; ".join(texts[1:] if split[0][1] else texts), "; ".join(texts)]


def _after_no(passages: Sequence[AnswerPassage]) -> Sequence[AnswerPassage]:
    """Return the passages from the last one on that begins with `no`, which denies the others."""
    turns = [n for n, passage in enumerate(passages) if _P.denial_start.match(passage.text)]
    return passages[turns[-1] :] if turns else passages


@dataclass(frozen=True)
class Blanks(AnswerKey):
    """Key for a cloze question: words for the blanks, in order, with alternatives for each.

    `pieces` are the parts of the text around the blanks, for answers that repeat it.
    """

    accepted: tuple[tuple[str, ...], ...] = ()
    pieces: tuple[str, ...] = ()
    between: str = " | "

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the right answer if all words are accepted, else the words as given."""
        texts = [passage.text for passage in passages]
        filled = self._filled(" ".join(texts))
        if filled is not None:
            return self._judged(filled)
        problem = Unreadable("no answer is named")
        barred = [text for text in texts if text.count("|") >= max(1, len(self.accepted) - 1)]
        candidates = ["\n".join(texts), texts[0], texts[-1]] if len(texts) > 1 else texts
        concluding = [text for text in texts[1:] if _P.concludes.match(text)]
        candidates = barred[-1:] + concluding[-1:] + candidates
        for text in candidates:
            if text.endswith("?") and not self.right.endswith("?"):
                problem = Unreadable("it asks instead of answering")
                continue
            parts = self._parts(text)
            if len(parts) == len(self.accepted):
                return self._judged(parts)
            problem = Unreadable(f"{len(parts)} words are given for {len(self.accepted)} blanks")
        raise problem

    def _filled(self, text: str) -> list[str] | None:
        """Return what stands in the blanks of an answer that repeats the text, or part of it."""
        words = list(filter(is_word, tokenize(text)))
        pieces = [list(filter(is_word, tokenize(piece))) for piece in self.pieces]
        if not pieces:
            return None
        return _filled_text(words, pieces) or _filled_places(" ".join(words), pieces)

    def _judged(self, parts: list[str]) -> str:
        said = [normalized(part) for part in parts]
        if any("____" in part or not part for part in said):
            raise Unreadable("a blank is left empty")
        if all(
            word in {normalized(other) for other in others}
            for word, others in zip(said, self.accepted, strict=True)
        ):
            return self.right
        return self.between.join(said)

    def _parts(self, text: str) -> list[str]:
        """Return the words for the blanks, in any list notation."""
        text = (
            _P.lead.sub("", _P.parenthesis.sub("", _P.because.split(text)[0]).strip(" ,")) or text
        )
        text = _P.that_is_missing.sub("", _P.contracted.sub(r"\1 is", text))
        quoted = _P.quoted.findall(text)
        if len(quoted) == len(self.accepted):
            return quoted
        before, copula, after = _split_copula(text)
        copula = "" if _P.number.search(before) else copula
        if copula and _P.about.search(before + copula):
            text = after
        elif copula and len(self.accepted) == 1 and _P.about.search(after):
            text = before
        if len(self.accepted) == 1:
            return [_P.number.sub("", _split_copula(_P.so.split(text)[-1])[2] or text)]
        splits = [
            [part for part in between.split(text) if re.search(r"\w", part)]
            for between in (_P.bar, _P.number, _P.lines, _P.parts, _P.slash, _P.arrow)
        ]
        fitting = [parts for parts in splits if len(parts) == len(self.accepted)]
        several = [parts for parts in splits if len(parts) > 1]
        return [
            _P.explained.split(_P.number.sub("", part))[0]
            for part in (fitting or several or splits)[0]
        ]


_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth")
_EXCEPTIONS = frozenset("except but excluded excluding impossible no none wrong".split())
_DENYING = NEGATORS | HEDGES | _EXCEPTIONS


def _split_copula(text: str) -> tuple[str, str, str]:
    """Return the text before the copula, the copula, and the text after it."""
    match = _P.copula.search(text)
    if match is None:
        return text, "", ""
    return text[: match.start()], match[0], text[match.end() :]


def one_of(
    right: str,
    choices: Iterable[str],
    words: Mapping[str, str] | None = None,
    *,
    kind: str = "default",
    letters: bool = True,
    names: tuple[str, str] | None = None,
    others: Iterable[str] = (),
    excluded: tuple[str, ...] = (),
) -> OneOf:
    """Return a key for one of the choices; `words` are synonyms for them."""
    chosen = tuple(choices)
    said = {word: word for word in chosen} | dict(words or {})
    letters = letters and len(chosen) <= LETTERS
    return OneOf(right, kind, chosen, said, letters, names, tuple(others), excluded)


def yes_no(right: str, choices: Sequence[str], asked: OneOf | None, *, letters: bool) -> YesNo:
    """Return a key for a yes-no question."""
    words = {word: word for word in choices} | words_for([UNKNOWN])
    for answer, truth in (("yes", "true"), ("no", "false")):
        lists = (f"is_{answer}", f"opening_{answer}", f"sentences_{answer}")
        words |= dict.fromkeys((truth, *(word for name in lists for word in _WORDS[name])), answer)
    return YesNo(right, "yes-no", tuple(choices), words, letters, asked=asked)


def truth(right: str, *, kind: str) -> OneOf:
    """Return a key for true or false."""
    return one_of(right, ("true", "false"), _TRUTH, kind=kind)


_TRUTH = {
    **dict.fromkeys(_WORDS["is_yes"] + _WORDS["is_true"], "true"),
    **dict.fromkeys(_WORDS["is_no"] + _WORDS["is_false"], "false"),
    **dict.fromkeys(UNKNOWN_WORDS, UNKNOWN),
}


def words_for(answers: Iterable[str]) -> dict[str, str]:
    """Return synonyms of yes, no, unknown and none, for those that are answers."""
    every = {"yes": "is_yes", "no": "is_no", UNKNOWN: "unknown", NONE: "is_none"}
    return {word: answer for answer in answers for word in _WORDS.get(every.get(answer, ""), ())}


def _filled_text(words: list[str], pieces: Sequence[list[str]]) -> list[str] | None:
    """Return what stands between the pieces in a text that has all of them; None if it has not.

    The first place of each piece is taken: if any places fit, these do.
    """
    first, *middle, last = pieces
    if words[: len(first)] != first and words[:1] == ["concrete"]:
        words = words[1:]
    end = len(words) - len(last)
    if words[: len(first)] != first or end < len(first) or words[end:] != last:
        return None
    filled, start = [], len(first)
    for piece in middle:
        places = range(start + 1, end - len(piece) + 1)
        place = next((n for n in places if words[n : n + len(piece)] == piece), None)
        if place is None:
            return None
        filled.append(" ".join(words[start:place]))
        start = place + len(piece)
    filled.append(" ".join(words[start:end]))
    return filled if all(filled) else None


def _filled_places(text: str, pieces: Sequence[Sequence[str]]) -> list[str] | None:
    """Return what stands between the words next to each blank; None if a blank is not found."""
    filled, place = [], 0
    for before, after in pairwise(pieces):
        if len(before) < _NEAR_BEFORE or len(after) < 2:
            return None
        near, first, second = map(re.escape, (" ".join(before[-_NEAR_BEFORE:]), *after[:2]))
        pattern = rf"\b{near} (\S+(?: \S+){{0,3}}?)(?= {first}(?: {second}\b|\Z)|\Z)"
        match = re.compile(pattern).search(text, place)
        if match is None:
            return None
        filled.append(match[1])
        place = match.end()
    return filled


def default_key(row: Example) -> AnswerKey:
    """Return a key for the choices; without choices, for the target, or for the set it is."""
    if row.choices:
        return one_of(row.target, row.choices, words_for(row.choices))
    if row.target == NONE or len(members_of(row.target)) > 1:
        return Members(row.target)
    return Blanks(row.target, accepted=((row.target,),))

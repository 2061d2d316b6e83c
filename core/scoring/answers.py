"""Answer keys: extract the answer from free text and score it.

A generator returns the `AnswerKey` of each row. Answers are matched as whole words. A text that
negates, hedges or names two answers has no answer.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ..example import NONE, Example, members_of, set_target
from .extraction import AnswerPassage, Unreadable, passages, plain

LETTERS = 26
"""The most choices that can be named by letters."""
UNKNOWN = "unknown"
UNKNOWN_WORDS = tuple(
    """unknown|undetermined|indeterminate|undeterminable|unclear|unspecified|not known|not clear
not certain|not specified|not stated|not given|not determinable|not told|left open|open
not enough information|insufficient information|not sufficient information|no way to know
no way to tell|no way of knowing|don't know|do not know|can't know|cannot know|can not know
can't tell|cannot tell|can't say|cannot say|cannot determine|can't determine|could not be determined
cannot be determined|can't be determined|can not be determined|cannot be known|can't be known
cannot be said|can't be said|cannot be told|can't be told|cannot be inferred|can't be inferred
cannot be concluded|cannot be established|cannot be deduced|cannot be decided|can't be decided
not possible to say|not possible to tell|not possible to know|not possible to determine
impossible to say|impossible to tell|impossible to know|impossible to determine
does not say|doesn't say|does not tell|doesn't tell|does not follow""".replace("\n", "|").split("|")
)
NONE_WORDS = (
    "none",
    "nobody",
    "no one",
    "no-one",
    "none of them",
    "no person",
    "not anyone",
    "not anybody",
)
YES_WORDS = ("yes", "yeah", "yep")
NO_WORDS = ("no", "nope", "nay")

_TOKEN = re.compile(r"@?\w+(?:-\w+)*n't|@?\w+(?:[-\u2011]\w+)*|'s\b(?!-)|[^\w\s]")
_NEGATORS = frozenset(
    "not never neither nor cannot without hardly rather-than isn't wasn't aren't can't won't "
    "couldn't wouldn't shouldn't doesn't don't didn't mustn't no-longer".split()
)
_HEDGES = frozenset("maybe perhaps possibly might may could conceivably potentially".split())
_PREFIX_WORDS = frozenset(
    "great step half foster adoptive adopted god grand ex former surrogate second third once twice "
    "non pseudo almost nearly partly partially quasi honorary in-law".split()
)
_SUFFIX_WORDS = (("in", "law"), ("in-law",), ("by", "marriage"), ("to", "be"))
_BRACKETS = frozenset("()[]{}-\"'")
"""Signs inside one word, as in (step)mother or mother (in-law)."""
_FOLLOWERS = frozenset(
    "of to in by is was are be and or because as since who whom whose which that for from with not "
    "but so then too indeed here there the a an he she it they i this these his her their if when "
    "where while given based due according through via than on at would must should rather instead "
    "also only either nor thus hence therefore according however has had have does do did can "
    "could may might will".split()
)
"""Words that may follow an answer; any other forms a compound, as in mother tongue."""
_SENTENCE_ANSWERS = frozenset({"yes", "no", "true", "false", "unknown", "nonsense", "none"})
"""Answers that are whole sentences, after which anything may follow."""
_BREAKS = frozenset(",;:.!?") | {"but", "however"}
_NEAR_TOKENS = 5
_FILLERS = frozenset(
    "a an the is are was were be it its that this these those they he she his her their him them "
    "my our your of to as both only just so thus hence therefore and also all in total namely who "
    "which people person persons names name answer answers follows follow from story word words "
    "missing blank blanks would should must".split()
)

_IGNORED = _FILLERS | _HEDGES
"""Words allowed beside the phrases of a list, as in "it may be"."""


@dataclass(frozen=True)
class Score:
    """The score of an answer (1 or 0), the extracted answer (None if there is none), and why."""

    value: float
    answer: str | None
    why: str


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

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the only answer of the marked passage, else of the first or the last passage."""
        first = passages[0]
        if len(passages) == 1:
            return self._extract(first.text)
        opening = self._bare_answer(first.text)
        for passage in reversed(passages if opening is None else passages[1:]):
            if not self._mentions(_tokens(passage.text)) and self._letter(passage.text) is None:
                continue
            if opening is not None and not _CONCLUDES.match(passage.text):
                other = self._bare_answer(passage.text)
                if other not in (None, opening):
                    raise Unreadable(f"several answers are given: {opening}, {other}")
                break
            said = self._extract(passage.text)
            if opening not in (None, said):
                raise Unreadable(f"several answers are given: {opening}, {said}")
            return said
        if opening is None:
            raise Unreadable("no answer is named")
        return opening

    def _bare_answer(self, text: str) -> str | None:
        """Return the answer if the text is nothing but an answer; else None."""
        letter = self._letter(text)
        if letter is not None:
            return letter
        words = [token for token in _tokens(text) if token not in _ARTICLES]
        return self._phrases.get(tuple(_trimmed(words)))

    def _extract(self, text: str) -> str:
        letter = self._letter(text)
        if letter is not None:
            return letter
        tokens = _tokens(text)
        if tokens and tokens[-1] == "?":
            raise Unreadable("it asks instead of answering")
        claim = _tokens(_BECAUSE.split(text)[0])
        tokens = claim if self._mentions(claim) else tokens
        mentions = self._mentions(tokens)
        if not mentions:
            raise Unreadable("no answer is named")
        outside = _without_own_negators(tokens, mentions)
        asserted = [mention for mention in mentions if not _is_negated(outside, mention)]
        if not asserted:
            raise Unreadable("it says what it is not")
        about = [self._is_about_query(tokens, mention) for mention in asserted]
        tied = {answer for (_, _, answer), so in zip(asserted, about, strict=True) if so}
        meant = tied or {answer for _, _, answer in asserted}
        if len(meant) > 1:
            raise Unreadable(f"several answers are named: {', '.join(sorted(meant))}")
        if _is_hedged(tokens, mentions):
            raise Unreadable("it does not commit itself")
        if all(so is False for so in about):
            raise Unreadable("it is said of somebody else")
        return meant.pop()

    def _letter(self, text: str) -> str | None:
        """Return the choice named by a letter, alone or with its words; None without a letter."""
        if not self.letters or not self.choices:
            return None
        match = _LETTER.fullmatch(text.strip())
        if match is None:
            return None
        number = ord(match["letter"].upper()) - ord("A")
        rest = tuple(_trimmed([t for t in _tokens(match["rest"] or "") if t not in _ARTICLES]))
        if number >= len(self.choices):
            return None
        answer = self.choices[number]
        if rest and not (match["dot"] or match["bracket"]):
            return None  # an article, or a word of one letter
        if self._phrases.get(rest, answer) != answer or _LETTERS.fullmatch(match["rest"] or ""):
            raise Unreadable(f"beside the letter of {answer} another answer stands")
        return answer

    @cached_property
    def _phrases(self) -> dict[tuple[str, ...], str]:
        return {tuple(_trimmed(_tokens(word))): answer for word, answer in self.words.items()}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._phrases), default=0)

    def _mentions(self, tokens: list[str]) -> list[tuple[int, int, str]]:
        """Return (start, end, answer) of every answer in the tokens, the longest at each place."""
        mentions = []
        place = 0
        while place < len(tokens):
            for size in range(min(self._longest, len(tokens) - place), 0, -1):
                answer = self._phrases.get(tuple(tokens[place : place + size]))
                if answer is not None and _is_answer(tokens, place, place + size):
                    end = place + size
                    mentions.append(
                        (place, end, _with_compound(tokens, place, end, answer, self._followers))
                    )
                    place = end - 1
                    break
            place += 1
        return mentions

    def _is_about_query(self, tokens: list[str], mention: tuple[int, int, str]) -> bool | None:
        """Return whether the mention says what y is to x; False if of others, None if of nobody."""
        if self.names is None:
            return None
        x, y = (tuple(_tokens(name)) for name in self.names)
        start, end, _ = mention
        left, right = _skip(tokens, start, -1), _skip(tokens, end, 1)
        owner = _start_of(tokens, left, (*x, "'s"))
        if owner is None and _begins(tokens, right, x) and _subject_precedes(tokens, start, y):
            return True
        if owner is not None and (
            _subject_precedes(tokens, owner, y) or _subject_follows(tokens, end, y)
        ):
            return True
        for other in self._all_names:
            owns = _start_of(tokens, left, (*other, "'s")) is not None
            if other != x and (owns or (right > end and _begins(tokens, right, other))):
                return False
            if other != y and _subject_precedes(tokens, start if owner is None else owner, other):
                return False
        return None

    @cached_property
    def _followers(self) -> frozenset[str]:
        """Words that may follow an answer, including names."""
        return _FOLLOWERS | {name[0] for name in self._all_names}

    @cached_property
    def _all_names(self) -> list[tuple[str, ...]]:
        return [tuple(_tokens(name)) for name in {*(self.names or ()), *self.others}]


@dataclass(frozen=True)
class _MultipleAnswers(AnswerKey):
    """Key for a question with several answers."""

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the answers of the marked passage, else of all, the first or the last passage."""
        if len(passages) == 1:
            return self._extract(passages[0].text)
        problem = Unreadable("no answer is named")
        listed = [passage.text for passage in passages]
        for text in ("; ".join(listed), listed[0], listed[-1]):
            try:
                return self._extract(text)
            except Unreadable as reason:
                problem = reason
        raise problem

    @abstractmethod
    def _extract(self, text: str) -> str:
        """Return the answers in a text as a target; Unreadable if there are none."""


@dataclass(frozen=True)
class Members(_MultipleAnswers):
    """Key for a question whose answer is a set of people, in any order, or `none`.

    `names` are all people who can be named, if known, except `asked`, whom the question is about.
    """

    names: tuple[str, ...] = ()
    asked: str = ""

    def _extract(self, text: str) -> str:
        text = _REASON.split(text)[0]
        if text.rstrip().endswith("?"):
            raise Unreadable("it asks instead of answering")
        words = " ".join(_tokens(text))
        if _WRONG.search(words) or _UNTRUE.search(words):
            raise Unreadable("it says what it is not")
        if _normalized(text) in NONE_WORDS:
            return NONE
        left, copula, right = _split_copula(text)
        if copula and self._named(left):
            if self._named(right):
                raise Unreadable("it is not plain who is named")
            text = left
        elif copula:
            text = right
        if _normalized(text) in NONE_WORDS:
            return NONE
        members = [self._member(part) for part in _PARTS.split(text)]
        found = sorted({member for member in members if member})
        if not found:
            raise Unreadable("no answer is named")
        if self.right and {_normalized(m) for m in found} == {
            _normalized(m) for m in members_of(self.right)
        }:
            return self.right
        return set_target(found)

    def _named(self, text: str) -> bool:
        """Return whether the text names anybody but `asked`."""
        tokens, asked = _tokens(text), tuple(_tokens(self.asked))
        names = [name for name in map(tuple, map(_tokens, self.names)) if name != asked]
        if not self.names:
            return any(token not in _FILLERS and token[0].isalnum() for token in tokens)
        return any(
            tuple(tokens[place : place + len(name)]) == name
            for name in names
            for place in range(len(tokens))
        )

    def _member(self, part: str) -> str:
        """Return the name in a part of the list; empty if it has only filler words."""
        words = [token for token in _tokens(part) if token[0].isalnum() or token[0] == "@"]
        if any(word in _NEGATORS or word in _HEDGES or word in ("or", "either") for word in words):
            raise Unreadable("it does not commit itself")
        kept = [word for word in words if word not in _FILLERS and not word.isdigit()]
        if not kept:
            return ""
        if not self.names:
            return " ".join(kept)
        for name in self.names:
            if _tokens(name) == kept and name != self.asked:
                return name
        raise Unreadable(f"{part.strip()!r} is nobody to name")


@dataclass(frozen=True)
class Several(_MultipleAnswers):
    """Key for a question whose answer is a set of phrases, in any order.

    `words` maps every accepted phrase to the choice that it means. Phrases may contain `and`, so
    the longest phrases are matched first, and few other words are allowed.
    """

    words: Mapping[str, str] = field(default_factory=dict)

    def _extract(self, text: str) -> str:
        tokens = _tokens(text)
        if tokens[-1:] == ["?"]:
            raise Unreadable("it asks instead of answering")
        said, place = set(), 0
        while place < len(tokens):
            length = next(
                (n for n in self._lengths if tuple(tokens[place : place + n]) in self._phrases), 0
            )
            if length:
                said.add(self._phrases[tuple(tokens[place : place + length])])
            elif tokens[place] in _NEGATORS or tokens[place] in ("or", "either", "no"):
                raise Unreadable("it does not commit itself")
            elif tokens[place][0].isalpha() and tokens[place] not in _IGNORED:
                raise Unreadable(f"{tokens[place]!r} is no part of an answer")
            place += max(1, length)
        if not said:
            raise Unreadable("no answer is named")
        return set_target(said)

    @cached_property
    def _phrases(self) -> dict[tuple[str, ...], str]:
        return {tuple(_tokens(phrase)): meant for phrase, meant in self.words.items()}

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(phrase) for phrase in self._phrases}, reverse=True)


@dataclass(frozen=True)
class Blanks(AnswerKey):
    """Key for a cloze question: words for the blanks, in order, with alternatives for each.

    `pattern` matches the whole text with a group for each blank, for answers that repeat it.
    """

    accepted: tuple[tuple[str, ...], ...] = ()
    pattern: str = ""
    between: str = " | "

    def read(self, passages: Sequence[AnswerPassage]) -> str:
        """Return the right answer if all words are accepted, else the words as given."""
        texts = [passage.text for passage in passages]
        filled = self._filled(" ".join(texts))
        if filled is not None:
            return self._judged(filled)
        problem = Unreadable("no answer is named")
        candidates = ["\n".join(texts), texts[0], texts[-1]] if len(texts) > 1 else texts
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
        if not self.pattern:
            return None
        match = re.fullmatch(self.pattern, " ".join(filter(_is_word, _tokens(text))))
        return list(match.groups()) if match else None

    def _judged(self, parts: list[str]) -> str:
        said = [_normalized(part) for part in parts]
        if any("____" in part or not part for part in said):
            raise Unreadable("a blank is left empty")
        if all(
            word in {_normalized(other) for other in others}
            for word, others in zip(said, self.accepted, strict=True)
        ):
            return self.right
        return self.between.join(said)

    def _parts(self, text: str) -> list[str]:
        """Return the words for the blanks, in any list notation."""
        _, copula, after = _split_copula(text)
        if copula and _ABOUT.search(text[: len(text) - len(after)]):
            text = after
        if len(self.accepted) == 1:
            return [_NUMBER.sub("", text)]
        for between in (_BAR, _NUMBER, _LINES, _PARTS):
            parts = [part for part in between.split(text) if re.search(r"\w", part)]
            if len(parts) > 1:
                break
        return [_NUMBER.sub("", part) for part in parts]


_LETTER = re.compile(
    r"(?i:(?:option|choice|letter)\s+)?(?:(?P<bracket>[(\[])\s*)?(?P<letter>[A-Za-z])"
    r"(?(bracket)\s*[)\]])(?P<dot>\s*[.):,]|\s+-|(?=\s*\Z))?(?P<rest>.*)",
    re.DOTALL,
)
_LETTERS = re.compile(r"\W*(?:and|or)?\W*[A-Z]\W*")
_ARTICLES = frozenset({"a", "an", "the"})
_LEADING = _ARTICLES | frozenset("my your his her its our their some".split())
_CONCLUDES = re.compile(
    r"\s*(?:so|thus|therefore|hence|in conclusion|finally|or|no|wait|actually|but)\b", re.IGNORECASE
)
_BECAUSE = re.compile(r"\b(?:because|since|given that|due to|as he|as she)\b", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|since|as|given that|who|whose|for)\b|[(]", re.IGNORECASE)
_PARTS = re.compile(r"[;,\n&]|\band\b|\bas well as\b", re.IGNORECASE)
_COPULA = re.compile(r"\b(?:is|are|was|were|would be|must be)\b|[:=]", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:word|words|blank|blanks|answer|answers|missing|gap|gaps|it)\b", re.IGNORECASE
)
_BAR = re.compile(r"\|")
_LINES = re.compile(r"\n")
_NUMBER = re.compile(r"(?:^|\s)[(\[]?\d{1,2}[)\].:]+\s*")


@lru_cache(maxsize=4096)
def _tokenized(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(plain(text).replace("_", " ").casefold()))


def _tokens(text: str) -> list[str]:
    return list(_tokenized(text))


def _trimmed(tokens: list[str]) -> list[str]:
    """Return the tokens without signs at both ends."""
    start, end = 0, len(tokens)
    while start < end and not (tokens[start][0].isalnum() or tokens[start][0] == "@"):
        start += 1
    while start < end and not tokens[end - 1][-1].isalnum():
        end -= 1
    return tokens[start:end]


def _normalized(text: str) -> str:
    """Return the text in lower case, without leading articles, outer signs and double spaces."""
    words = _trimmed(_tokens(text))
    while words and words[0] in _LEADING:
        words = words[1:]
    return " ".join(words)


def _is_answer(tokens: list[str], start: int, end: int) -> bool:
    """Return whether a word is an answer there: `no` alone is, `no way` is not."""
    if tokens[start:end] not in (["no"], ["open"]):
        return True
    if end == len(tokens) or not tokens[end][0].isalnum():
        return True
    return start == 0 and tokens[end] in _AFTER_NO


_AFTER_NO = frozenset("because since as she he they it that this the".split())


def _with_compound(
    tokens: list[str], start: int, end: int, answer: str, followers: frozenset[str]
) -> str:
    """Return the answer, or the compound that it forms with the words around it."""
    if tokens[end : end + 1] == ["'s"]:
        return f"{answer}'s"
    before = next((token for token in reversed(tokens[:start]) if token not in _BRACKETS), "")
    if before in _PREFIX_WORDS:
        return f"{before} {answer}"
    rest = [token for token in tokens[end : end + 6] if token not in _BRACKETS]
    for after in _SUFFIX_WORDS:
        if tuple(rest[: len(after)]) == after:
            return f"{answer} {' '.join(after)}"
    if end < len(tokens) and answer not in _SENTENCE_ANSWERS:
        follower = tokens[end]
        if follower[0].isalpha() and follower not in followers and not follower.endswith("n't"):
            return f"{answer} {follower}"
    return answer


def _without_own_negators(tokens: list[str], mentions: list[tuple[int, int, str]]) -> list[str]:
    """Return the tokens without negators that are part of an answer, as in `not taller than`.

    Negators of `unknown` are kept, because they also negate other answers.
    """
    kept = tokens.copy()
    for start, end, answer in mentions:
        if answer != UNKNOWN:
            kept[start:end] = ["" if token in _NEGATORS else token for token in kept[start:end]]
    return kept


def _is_negated(tokens: list[str], mention: tuple[int, int, str]) -> bool:
    """Return whether a mention is negated shortly before it in its clause, or rejected after."""
    start, end, _ = mention
    if tokens[start - 1 : start] == ["no"] or _UNTRUE.search(" ".join(tokens[:start])):
        return True
    if _WRONG.match(" ".join(tokens[end : end + _NEAR_TOKENS])):
        return True
    for place in range(start - 1, max(start - 1 - _NEAR_TOKENS, -1), -1):
        if tokens[place] in _BREAKS:
            return False
        pair = tokens[place : place + 2]
        if tokens[place] in _NEGATORS or pair in (
            ["rather", "than"],
            ["instead", "of"],
            ["no", "longer"],
            ["anything", "but"],
            ["far", "from"],
            ["other", "than"],
            ["similar", "to"],
        ):
            return True
    return False


_UNTRUE = re.compile(
    r"\b(?:(?:not|never|hardly|\w+n't) (?:\w+ )?(?:true|case|correct|right|possible|likely)"
    r"|false|untrue|wrong|incorrect|impossible|unlikely|doubt|doubtful|deny) that\b"
    r"|\b(?:any\w*|every\w*|all) (?:but|except)(?: (?:a|an|the|her|his|their))?$"
)
_WRONG = re.compile(
    r"(?:(?:is|was|would|be|seems|must|can) ){1,2}"
    r"(?:wrong|incorrect|false|untrue|impossible|excluded|ruled out|out of the question"
    r"|not (?:right|correct|true|possible|it|the))\b"
    r"|(?:isn't|wasn't|cannot be|can't be|couldn't be) (?:right|correct|true|possible|it|the)\b"
)


def _is_hedged(tokens: list[str], mentions: list[tuple[int, int, str]]) -> bool:
    """Return whether the text hedges or leaves another answer open."""
    first, last = mentions[0][0], mentions[-1][1]
    if any(token in _HEDGES for token in tokens):
        return True
    starts, ends = {start for start, _, _ in mentions}, {end for _, end, _ in mentions}
    for place, token in enumerate(tokens):
        if token in ("or", "/") and (
            place not in ends or _skip(tokens, place + 1, 1) not in starts
        ):
            near = first - _NEAR_TOKENS <= place <= last + _NEAR_TOKENS
            if near:
                return True
    return "either" in tokens


def _skip(tokens: list[str], place: int, step: int) -> int:
    """Return the place beyond adjectives and quotes (left) or `of`, `to`, `the` (right)."""
    skipped = _SKIPPED_LEFT if step < 0 else _SKIPPED_RIGHT
    while 0 <= place + min(step, 0) < len(tokens) and tokens[place + min(step, 0)] in skipped:
        place += step
    return place


_SKIPPED_LEFT = frozenset(
    "older younger elder eldest youngest oldest big little twin maternal paternal biological late "
    "only own dear beloved full".split()
) | set("\"'")
_SKIPPED_RIGHT = frozenset({"of", "to", "the", '"', "'"})


def _start_of(tokens: list[str], place: int, words: tuple[str, ...]) -> int | None:
    """Return where these words start if they end at the place; else None."""
    start = place - len(words)
    return start if start >= 0 and tuple(tokens[start:place]) == words else None


def _begins(tokens: list[str], place: int, words: tuple[str, ...]) -> bool:
    return tuple(tokens[place : place + len(words)]) == words


def _subject_precedes(tokens: list[str], place: int, subject: tuple[str, ...]) -> bool:
    """Return whether `SUBJECT is ...` precedes the place."""
    while place and (tokens[place - 1] in _BETWEEN or tokens[place - 1] in _SKIPPED_LEFT):
        place -= 1
        if tokens[place] in _COPULAS:
            return _start_of(tokens, _skip(tokens, place, -1), subject) is not None
    return False


_COPULAS = frozenset({"is", "was", "be", "=", "lies", "stands"})
_BETWEEN = (
    frozenset("a an the his her their its would must therefore then thus also indeed".split())
    | _COPULAS
)


def _subject_follows(tokens: list[str], place: int, subject: tuple[str, ...]) -> bool:
    """Return whether `... is SUBJECT` follows."""
    if place < len(tokens) and tokens[place] in _COPULAS | {",", ":"}:
        return _begins(tokens, _skip(tokens, place + 1, 1), subject)
    return False


def _split_copula(text: str) -> tuple[str, str, str]:
    """Return the text before the copula, the copula, and the text after it."""
    match = _COPULA.search(text)
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
) -> OneOf:
    """Return a key for one of the choices; `words` are synonyms for them."""
    chosen = tuple(choices)
    said = {word: word for word in chosen} | dict(words or {})
    letters = letters and len(chosen) <= LETTERS
    return OneOf(right, kind, chosen, said, letters, names, tuple(others))


def truth(right: str, *, kind: str) -> OneOf:
    """Return a key for true or false."""
    return one_of(right, ("true", "false"), _TRUTH, kind=kind)


_TRUTH = {
    **dict.fromkeys((*YES_WORDS, "right", "correct", "valid", "holds"), "true"),
    **dict.fromkeys(
        (
            *NO_WORDS,
            "wrong",
            "incorrect",
            "invalid",
            "untrue",
            "not true",
            "not right",
            "not correct",
        ),
        "false",
    ),
    **dict.fromkeys(UNKNOWN_WORDS, UNKNOWN),
}


def words_for(answers: Iterable[str]) -> dict[str, str]:
    """Return synonyms of yes, no, unknown and none, for those that are answers."""
    every = {"yes": YES_WORDS, "no": NO_WORDS, UNKNOWN: UNKNOWN_WORDS, NONE: NONE_WORDS}
    return {word: answer for answer in answers for word in every.get(answer, ())}


def text_pattern(pieces: Sequence[str]) -> str:
    """Return a regular expression for the words of a text with blanks between the pieces."""
    words = [" ".join(filter(_is_word, _tokens(piece))) for piece in pieces]
    return r"(?:concrete )?" + r" ?(.+?) ?".join(map(re.escape, words))


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "@"


def default_key(row: Example) -> AnswerKey:
    """Return a key for the choices; without choices, for the target, or for the set it is."""
    if row.choices:
        return one_of(row.target, row.choices, words_for(row.choices))
    if row.target == NONE or len(members_of(row.target)) > 1:
        return Members(row.target)
    return Blanks(row.target, accepted=((row.target,),))

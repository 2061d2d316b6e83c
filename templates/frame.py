"""Frames: sentences with slots, taken apart once and put together for given genders."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .bank import Language

Genders = tuple[str | None, ...]

# For each fact: the noun forwards, backwards, and both once more with an article.
NOUNS_PER_FACT = 4


@dataclass(frozen=True)
class Words:
    """Text that stands there as it is."""

    text: str


@dataclass(frozen=True)
class Name:
    """`{a}`: a person's name."""

    slot: str


@dataclass(frozen=True)
class Pronoun:
    """`{a.their}`: a pronoun for a person, or the name where a pronoun could be misread."""

    slot: str
    case: str


@dataclass(frozen=True)
class Noun:
    """`{a>b}`: what b is to a, by b's gender; `{an a>b}` with an article."""

    holder: str
    slot: str
    article: bool


@dataclass(frozen=True)
class Choice:
    """`{a:boy|girl}`: one word for each gender of a."""

    slot: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Filler:
    """`{food}`: a word or phrase from a list; `{an food}` with an article."""

    words: str
    article: bool


@dataclass(frozen=True)
class Option:
    """`[, {when}]`: words that may as well be left out."""

    tokens: "tuple[Token, ...]"


Token = Words | Name | Pronoun | Noun | Choice | Filler | Option

_PIECE = re.compile(r"\{([^{}\[\]]*)\}|(\[)|(\])|([^{}\[\]]+)|(.)", re.DOTALL)
_SLOTS = (
    (re.compile(r"([a-z])"), lambda m: Name(m[1])),
    (re.compile(r"([a-z])\.([a-z]+)"), lambda m: Pronoun(m[1], m[2])),
    (re.compile(r"(an )?([a-z])>([a-z])"), lambda m: Noun(m[2], m[3], bool(m[1]))),
    (re.compile(r"([a-z]):([^{}]+)"), lambda m: Choice(m[1], tuple(m[2].split("|")))),
    (re.compile(r"(an )?([a-z][a-z-]+)"), lambda m: Filler(m[2], bool(m[1]))),
)


def tokens(text: str) -> tuple[Token, ...]:
    """Take a frame's text apart, or raise ValueError that says what is wrong with it."""
    found: list[Token] = []
    optional: list[Token] | None = None
    for piece in _PIECE.finditer(text):
        inside, opens, closes, words, odd = piece.groups()
        here = found if optional is None else optional
        if words is not None:
            here.append(Words(words))
        elif opens and optional is None:
            optional = []
        elif closes and optional is not None:
            found.append(Option(tuple(optional)))
            optional = None
        elif inside is not None:
            here.append(_slot(inside))
        else:
            raise ValueError(f"{odd or opens or closes!r} has no partner in {text!r}")
    if optional is not None:
        raise ValueError(f"'[' is never closed in {text!r}")
    return tuple(found)


def _slot(inside: str) -> Token:
    for pattern, make in _SLOTS:
        match = pattern.fullmatch(inside)
        if match:
            return make(match)
    raise ValueError(
        f"{{{inside}}} is no slot; write {{a}}, {{a.they}}, {{a>b}}, {{a:x|y}} or {{list}}"
    )


class Sentence(NamedTuple):
    """A sentence for given genders, flat, so that telling it is quick.

    What fills the holes of `pattern` is picked from people, nouns and fillers in a row;
    `names` holds for each name the number of its hole and of fixed characters before it.
    """

    pattern: str
    pick: Callable[[Sequence[str]], tuple[str, ...]]
    names: tuple[tuple[int, int], ...]
    facts: tuple[int, ...]


class Variant(NamedTuple):
    """A frame for given genders and options: the numbers of its fillers, and its sentences.

    `pattern` and `pick` make all of its sentences at once.
    """

    fillers: tuple[int, ...]
    sentences: tuple[Sentence, ...]
    pattern: str
    pick: Callable[[Sequence[str]], tuple[str, ...]]


class Compiled(NamedTuple):
    """A frame for given genders: a variant for each choice of its options.

    `shows` has those along the path whose gender the text shows, and once more counted from
    the end.
    """

    variants: tuple[Variant, ...]
    shows: tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True, eq=False)
class Frame:
    """A hand-written text that states one to three facts along a path of people.

    `path` holds its slots in the order of the path, `predicates` for each step the
    predicates it can state, `genders` the gender a slot must have. Such a gender is taken to
    show in the words, but for the slots in `unshown`.
    """

    id: str
    theme: str
    text: str
    path: tuple[str, ...]
    predicates: tuple[frozenset[str], ...]
    genders: Mapping[str, str]
    tokens: tuple[Token, ...]
    language: "Language"
    unshown: frozenset[str] = frozenset()
    _compiled: dict[Genders, Compiled | None] = field(default_factory=dict, repr=False)

    @cached_property
    def demands(self) -> Genders:
        """The gender each slot of the path must have; None where any will do."""
        return tuple(self.genders.get(slot) for slot in self.path)

    @cached_property
    def fussy(self) -> bool:
        """Whether some genders may not do: some are demanded, or a pronoun has no way round."""
        return any(self.demands) or any(
            isinstance(token, Pronoun) and self.language.pronouns[token.case].instead is None
            for token in flat(self.tokens)
        )

    def fits(self, genders: Genders) -> bool:
        """Whether people of these genders can be put in."""
        agree = all(
            want is None or want == got for want, got in zip(self.demands, genders, strict=True)
        )
        return agree and (not self.fussy or self.compiled(genders) is not None)

    def compiled(self, genders: Genders) -> Compiled | None:
        """The frame for people of these genders; None where a pronoun could be misread."""
        if genders not in self._compiled:
            self._compiled[genders] = _Compiler(self, genders).compiled()
        return self._compiled[genders]

    def reveals(self, genders: Genders) -> frozenset[str]:
        """The slots whose gender the text shows, by a noun, a pronoun or a choice of words."""
        made = self.compiled(genders)
        return frozenset(self.path[n] for n in made.shows[0]) if made else frozenset()


def flat(parts: Sequence[Token]) -> Iterator[Token]:
    """All tokens, those within options too."""
    for token in parts:
        if isinstance(token, Option):
            yield from flat(token.tokens)
        else:
            yield token


class _Misread(Exception):
    """A pronoun has two possible antecedents and no name can stand in for it."""


class _Compiler:
    """Puts a frame together for given genders."""

    def __init__(self, frame: Frame, genders: Genders) -> None:
        self.frame = frame
        self.language = frame.language
        self.at = {slot: n for n, slot in enumerate(frame.path)}
        self.gender = dict(zip(frame.path, genders, strict=True))

    def compiled(self) -> Compiled | None:
        options = sum(isinstance(token, Option) for token in self.frame.tokens)
        try:
            variants = tuple(self._variant(choice) for choice in range(1 << options))
        except _Misread:
            return None
        shown, last = self._shown(), len(self.frame.path) - 1
        return Compiled(variants, (shown, frozenset(last - n for n in shown)))

    def _variant(self, choice: int) -> Variant:
        """The text with the chosen options, people and nouns by number."""
        sentences: list[list[Token | int | str]] = [[]]
        named: set[str] = set()
        for token in self._chosen(choice):
            # Sentences end in words as written; what a slot gives never ends one.
            if isinstance(token, Words):
                *ended, rest = self.language.split(token.text)
                for words in ended:
                    sentences[-1].append(words)
                    sentences.append([])
                if rest:
                    sentences[-1].append(rest)
                continue
            resolved = self._resolve(token, named)
            for piece in resolved if isinstance(resolved, tuple) else (resolved,):
                if piece != "":
                    sentences[-1].append(piece)
        while sentences and not sentences[-1]:
            sentences.pop()
        return self._flat(sentences)

    def _chosen(self, choice: int) -> Iterator[Token]:
        option = 0
        for token in self.frame.tokens:
            if isinstance(token, Option):
                if choice >> option & 1:
                    yield from token.tokens
                option += 1
            else:
                yield token

    def _resolve(self, token: Token, named: set[str]) -> Token | int | str | tuple[int | str, ...]:
        if isinstance(token, Name):
            named.add(token.slot)
            return self.at[token.slot]
        if isinstance(token, Noun):
            return self._noun(token)
        if isinstance(token, Choice):
            genders = self.language.genders
            return token.words[genders.index(self.gender[token.slot] or "")]
        if isinstance(token, Pronoun):
            return self._pronoun(token, named)
        return token

    def _noun(self, noun: Noun) -> int:
        holder, person = self.at[noun.holder], self.at[noun.slot]
        first = len(self.frame.path) + NOUNS_PER_FACT * min(holder, person)
        return first + (holder > person) + 2 * noun.article

    def _pronoun(self, token: Pronoun, named: set[str]) -> int | str | tuple[int | str, ...]:
        pronoun = self.language.pronouns[token.case]
        gender = self.gender[token.slot]
        if sum(self.gender[slot] == gender for slot in named) == 1:
            return pronoun.words[gender or ""]
        if pronoun.instead is None:
            raise _Misread
        before, after = pronoun.instead.split("{}")
        return (before, self.at[token.slot], after)

    def _stated(self, sentences: list[list[Token | int | str]]) -> list[tuple[int, ...]]:
        """In which sentence each fact is stated: where its noun stands, or both people do."""
        people = len(self.frame.path)
        stated: list[list[int]] = [[] for _ in sentences]
        for fact in range(people - 1):
            first = people + NOUNS_PER_FACT * fact
            nouns = set(range(first, first + NOUNS_PER_FACT))
            both = {fact, fact + 1}
            at = next((n for n, pieces in enumerate(sentences) if nouns & _numbers(pieces)), None)
            if at is None:
                at = next((n for n, p in enumerate(sentences) if both <= _numbers(p)), None)
            stated[len(sentences) - 1 if at is None else at].append(fact)
        return [tuple(facts) for facts in stated]

    def _flat(self, sentences: list[list[Token | int | str]]) -> Variant:
        people = len(self.frame.path)
        first_filler = people + NOUNS_PER_FACT * (people - 1)
        fillers: list[int] = []
        done: list[Sentence] = []
        every: list[int] = []
        for pieces, facts in zip(sentences, self._stated(sentences), strict=True):
            pattern: list[str] = []
            codes: list[int] = []
            names: list[tuple[int, int]] = []
            size = 0
            for n, piece in enumerate(pieces):
                if isinstance(piece, str):
                    pattern.append((capital(piece) if n == 0 else piece).replace("%", "%%"))
                    size += len(piece)
                    continue
                pattern.append("%s")
                if not isinstance(piece, int):
                    assert isinstance(piece, Filler)
                    codes.append(first_filler + len(fillers))
                    used = self.language.filler(piece.words, article=piece.article, first=n == 0)
                    fillers.append(used)
                    continue
                if piece < people:
                    names.append((len(codes), size))
                codes.append(piece)
            done.append(Sentence("".join(pattern), _picker(codes), tuple(names), facts))
            every += codes
        whole = " ".join(sentence.pattern for sentence in done)
        return Variant(tuple(fillers), tuple(done), whole, _picker(every))

    def _shown(self) -> frozenset[int]:
        if not self.language.genders:
            return frozenset()
        shown: set[str] = set()
        named: set[str] = set()
        for token in self.frame.tokens:
            if isinstance(token, Noun | Choice):
                shown.add(token.slot)
            elif isinstance(token, Name):
                named.add(token.slot)
            elif isinstance(token, Pronoun) and isinstance(self._pronoun(token, named), str):
                shown.add(token.slot)
        shown |= {slot for slot in self.frame.path if slot in self.frame.genders}
        return frozenset(self.at[slot] for slot in shown - self.frame.unshown)


def _picker(codes: list[int]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    if len(codes) > 1:
        return itemgetter(*codes)
    return lambda values: tuple(values[code] for code in codes)


def _numbers(pieces: list[Token | int | str]) -> set[int]:
    return {piece for piece in pieces if isinstance(piece, int)}


def capital(text: str) -> str:
    """The text with its first letter large, behind quotation marks if need be."""
    for n, letter in enumerate(text):
        if letter.isalpha():
            return text[:n] + letter.upper() + text[n + 1 :]
        if letter.isdigit():
            break
    return text

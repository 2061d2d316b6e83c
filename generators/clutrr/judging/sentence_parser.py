"""Reading a sentence back with nothing but the bank's data: who is said to be what to whom.

Written for the judge: it shares no code with the stitcher, only the texts of the frames.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Final

from ....kb.worlds.fact import Fact
from ....kb.worlds.world import World
from ....templates.bank import Bank

_SLOT: Final = re.compile(r"\{([^{}]*)\}|\[|\]|[^{}\[\]]+")
_WORD: Final = re.compile(r"[\w@-]+")
_APART: Final = frozenset(["", *" .,;:!?'\"()"])
"""What mostly stands beside a name; whatever is no part of a word may."""
_ARTICLES: Final = ("a ", "an ")
_FEW_LETTERS: Final = 4


class Cast:
    """The people of a story, and the words of their names."""

    __slots__ = ("by_word", "genders", "words")

    def __init__(self, people: Iterable[str], genders: dict[str, str]) -> None:
        self.genders = genders
        self.by_word: dict[str, list[str]] = {}
        """By its first word, each name, the longest first."""
        self.words: set[str] = set()
        """All words of all names, in small letters."""
        for name in people:
            words: list[str] = [name] if name.isalpha() else _WORD.findall(name)
            for word in words:
                self.words.add(word.lower())
            self.by_word.setdefault(words[0], []).append(name)
        for some in self.by_word.values():
            if len(some) > 1:
                some.sort(key=len, reverse=True)

    def named(self, text: str) -> list[str]:
        """Those whom a text names, as often as it does."""
        people: list[str] = []
        place = 0
        while word := _WORD.search(text, place):
            place = word.end()
            for name in self.by_word.get(word[0], ()):
                end: int = word.start() + len(name)
                if text.startswith(name, word.start()) and _ends(text, end):
                    people.append(name)
                    place = end
                    break
        return people


def _ends(text: str, place: int) -> bool:
    """Whether a name that goes up to a place ends there."""
    return text[place : place + 1] in _APART or not _WORD.match(text, place)


def _begins(text: str, place: int) -> bool:
    """Whether a name from a place on begins there."""
    return place == 0 or text[place - 1] in _APART or not _WORD.match(text, place - 1)


class _Piece:
    """What may stand at some place of a text: a text as it is, a person, or one of some words.

    Where it may name somebody instead, that stands between `before` and `after`. A piece that may
    be left out says where the text goes on without it.
    """

    __slots__ = (
        *("after", "before", "letters", "may_name", "of"),
        *("pronouns", "slot", "text", "without"),
    )

    def __init__(self) -> None:
        self.text = ""
        self.slot = -1
        self.without = -1
        self.of: dict[str, list[str]] = {}
        """The words, the longest first, by so many of their first letters."""
        self.letters = 0
        self.may_name = False
        self.before = ""
        self.after = ""
        self.pronouns: dict[str, list[tuple[int, str]]] = {}
        """For a text or word that has pronouns, where they stand and of which gender each is."""


class _Noun:
    """A piece that says what the one in a slot is to the one or two in others.

    Each pair is a step of the frame's path, by its number, or from -1 down one taken backwards.
    """

    __slots__ = ("piece", "slot", "steps")

    def __init__(self, piece: int, holders: list[int], slot: int, path: list[int]) -> None:
        self.piece, self.slot = piece, slot
        along = list(pairwise(path))
        back = [(y, x) for x, y in along]
        self.steps: list[int] = []
        for holder in holders:
            pair = (holder, slot)
            self.steps.append(along.index(pair) if pair in along else -1 - back.index(pair))


class _Gendered:
    """A piece that says of which gender the one in a slot is, or may name them instead."""

    __slots__ = ("meant", "piece", "slot")

    def __init__(self, piece: int, slot: int, meant: dict[str, str]) -> None:
        self.piece, self.slot, self.meant = piece, slot, meant


class _Reader:
    """A frame in pieces. People go by the numbers of their slots, words by those of their pieces.

    Not a regular expression: to compile one for every frame takes longer than to read with it.
    """

    __slots__ = (
        *("demands", "gendered", "may_state", "nouns", "path"),
        *("pieces", "slots", "spoken", "turned", "words"),
    )

    def __init__(self, world: World) -> None:
        self.turned = _turned(world)
        self.pieces: list[_Piece] = []
        self.slots: list[str] = []
        self.path: list[int] = []
        self.may_state: list[set[str]] = []
        self.demands: list[tuple[int, str]] = []
        self.nouns: list[_Noun] = []
        self.gendered: list[_Gendered] = []
        self.spoken: list[int] = []
        """The pieces in which there may be pronouns."""
        self.words: set[str] = set()
        """Every word that it may say, in small letters."""

    def slot(self, name: str) -> int:
        """The number of a slot."""
        if name not in self.slots:
            self.slots.append(name)
        return self.slots.index(name)


class _Reading:
    """A text read by a frame: where each piece begins and ends, and who stands in which slot."""

    __slots__ = ("_candidates", "_lower", "_pieces", "ends", "named", "people", "starts", "text")

    def __init__(self, reader: _Reader, text: str, candidates: list[str]) -> None:
        self._pieces, self.text, self._candidates = reader.pieces, text, candidates
        self._lower = _lower(text)
        self.starts: list[int] = [-1] * len(reader.pieces)
        self.ends: list[int] = [-1] * len(reader.pieces)
        self.named: list[str] = [""] * len(reader.pieces)
        self.people: list[str] = [""] * len(reader.slots)

    def said(self, number: int) -> str:
        """The word of a piece; nothing where it was left out or names somebody instead."""
        start = self.starts[number]
        return "" if start < 0 or self.named[number] else self._lower[start : self.ends[number]]

    def fits(self, number: int, place: int) -> bool:
        """Whether the pieces from this number on are what the text has from a place on."""
        lower, pieces = self._lower, self._pieces
        while number < len(pieces):
            piece = pieces[number]
            if piece.text:
                end = place + len(piece.text)
                if lower[place:end] != piece.text:
                    return False
            elif piece.slot >= 0:
                name = self._name(place)
                known = self.people[piece.slot]
                if not name or (known and known != name):
                    return False
                self.people[piece.slot] = self.named[number] = name
                end = place + len(name)
            elif piece.of:
                return self._fits_word(piece, number, place)
            else:
                if self._goes_on(number, place, place):
                    return True
                for left_out in range(number, piece.without):
                    self.starts[left_out] = -1
                    self.named[left_out] = ""
                number = piece.without
                continue
            self.starts[number], self.ends[number] = place, end
            place = end
            number += 1
        return place == len(lower)

    def _goes_on(self, number: int, start: int, end: int) -> bool:
        """Whether all fits if this piece stands here; who was met in vain is forgotten."""
        people = self.people.copy()
        self.starts[number], self.ends[number] = start, end
        if self.fits(number + 1, end):
            return True
        self.people = people
        return False

    def _fits_word(self, piece: _Piece, number: int, place: int) -> bool:
        lower = self._lower
        self.named[number] = ""
        for word in piece.of.get(lower[place : place + piece.letters], _NOTHING):
            end = place + len(word)
            if lower[place:end] == word and self._goes_on(number, place, end):
                return True
        start = place + len(piece.before)
        if not piece.may_name or lower[place:start] != piece.before:
            return False
        name = self._name(start)
        start += len(name)
        end = start + len(piece.after)
        if not name or lower[start:end] != piece.after:
            return False
        self.named[number] = name
        return self._goes_on(number, place, end)

    def _name(self, place: int) -> str:
        """Who is named at a place, or nothing."""
        text = self.text
        for name in self._candidates:
            end = place + len(name)
            if text[place:end] == name and _ends(text, end):
                return name if _begins(text, place) else ""
        return ""


_NOTHING: Final[list[str]] = []
_NO_STEPS: Final[list[int]] = []
_NO_PRONOUNS: Final[list[tuple[int, str]]] = []


def _lower(text: str) -> str:
    """The text in small letters, each in its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join([small if len(small := letter.lower()) == 1 else letter for letter in text])
    return lower


@cache
def _reader(bank: Bank, frame_id: str) -> _Reader:
    reader, optional, frame = _Reader(bank.world), _Piece(), bank.by_id[frame_id]
    reader.path = [reader.slot(slot) for slot in frame.path]
    for piece in _SLOT.finditer(frame.text):
        if piece[0] == "[":
            optional = _Piece()
            reader.pieces.append(optional)
        elif piece[0] == "]":
            optional.without = len(reader.pieces)
        elif piece[1] is None:
            _one_of(bank, reader, [piece[0]])
        else:
            _read_slot(bank, reader, piece[1])
    for predicates in frame.predicates:
        words = {word for word, (name, _) in bank.world.meanings.items() if name in predicates}
        reader.may_state.append(words)
    reader.demands = [(reader.slot(slot), gender) for slot, gender in frame.genders.items()]
    return reader


def _read_slot(bank: Bank, reader: _Reader, inside: str) -> None:
    if re.fullmatch("[a-z]", inside):
        piece = _Piece()
        piece.slot = reader.slot(inside)
        reader.pieces.append(piece)
    elif match := re.fullmatch(r"([a-z])\.([a-z]+)", inside):
        slot, pronoun = reader.slot(match[1]), bank.language.pronouns[match[2]]
        meant = {word.lower(): gender for gender, word in pronoun.words.items()}
        reader.gendered.append(_Gendered(len(reader.pieces), slot, meant))
        piece = _one_of(bank, reader, meant)
        if pronoun.instead:
            piece.may_name = True
            piece.before, piece.after = pronoun.instead.lower().split("{}")
    elif match := re.fullmatch(r"(an )?([a-z])(?:\+([a-z]))?>([a-z])", inside):
        article, holder, also, relative = match.groups()
        if article:
            _one_of(bank, reader, _ARTICLES)
        holders = [reader.slot(slot) for slot in (holder, also) if slot]
        slot = reader.slot(relative)
        reader.nouns.append(_Noun(len(reader.pieces), holders, slot, reader.path))
        _one_of(bank, reader, bank.world.meanings)
    elif match := re.fullmatch(r"([a-z]):([^{}]+)", inside):
        words = match[2].lower().split("|")
        meant = dict(zip(words, bank.language.genders, strict=True))
        reader.gendered.append(_Gendered(len(reader.pieces), reader.slot(match[1]), meant))
        _one_of(bank, reader, words)
    else:
        fills = inside.removeprefix("an ")
        if fills != inside and bank.head.articles:
            _one_of(bank, reader, _ARTICLES)
        _one_of(bank, reader, bank.language.lists[fills])


def _one_of(bank: Bank, reader: _Reader, words: Iterable[str]) -> _Piece:
    """Add a piece that is one of these words; a single one is a text."""
    piece = _Piece()
    lower = sorted({_lower(word) for word in words}, key=len, reverse=True)
    if len(lower) == 1:
        piece.text = lower[0]
    else:
        piece.letters = min(_FEW_LETTERS, len(lower[-1]))
        for word in sorted(lower, key=len, reverse=True):
            piece.of.setdefault(word[: piece.letters], []).append(word)
    gender_of, pronouns = _pronouns(bank)
    for word in lower:
        reader.words.update(_WORD.findall(word))
        found = [(spoken.start(), gender_of[spoken[0]]) for spoken in pronouns.finditer(word)]
        if found:
            piece.pronouns[word] = found
    if piece.pronouns:
        reader.spoken.append(len(reader.pieces))
    reader.pieces.append(piece)
    return piece


@cache
def _pronouns(bank: Bank) -> tuple[dict[str, str], "re.Pattern[str]"]:
    """The gender of every pronoun of a bank, and where they stand in a text."""
    gender_of = {
        word.lower(): gender
        for pronoun in bank.language.pronouns.values()
        for gender, word in pronoun.words.items()
    }
    words = "|".join(map(re.escape, sorted(gender_of, key=len, reverse=True)))
    return gender_of, re.compile(rf"\b(?:{words})\b" if gender_of else r"(?!)")


@cache
def _turned(world: World) -> dict[str, dict[str, str]]:
    """For each word what says the same from the other end, by the gender of the one there."""
    turned: dict[str, dict[str, str]] = {}
    for word, (name, _) in world.meanings.items():
        inverse = world.inverse(name) or ""
        turned[word] = {}
        for kind in (world.genders or ("",)) if inverse else ():
            turned[word][kind] = world.predicates[inverse].word(kind or None)
    return turned


def misread(
    bank: Bank,
    template: str,
    text: str,
    facts: list[Fact],
    genders: dict[str, str],
    everyone: Iterable[str] = (),
) -> str | None:
    """What is wrong with a text that a frame made: it must say these facts of these people.

    Where it states none, it may speak of anyone of the story.
    """
    people = {name: None for x, _, y in facts for name in (x, y)} | dict.fromkeys(everyone)
    return misstated(bank, template, text, facts, Cast(people, genders))


def misstated(bank: Bank, template: str, text: str, facts: list[Fact], cast: Cast) -> str | None:
    """The same of a text of a story with a known cast."""
    reader, candidates = _reader(bank, template), _candidates(facts)
    reading = _Reading(reader, text, candidates if facts else cast.named(text))
    if not reading.fits(0, 0):
        return "is not what its template says"
    # Where a word of the frame is somebody's name, it must not stand for one.
    if not cast.words.isdisjoint(reader.words) and cast.named(text) != [
        name for name in reading.named if name
    ]:
        return "names somebody where it should not"
    if len(set(reading.people)) < len(reading.people) or len(reading.people) < len(candidates):
        return "names one person where another should stand"
    genders = [cast.genders.get(person, "") for person in reading.people]
    return (
        _misnamed(reader, reading, genders)
        or _untold(reader, reading, facts, genders)
        or _unclear(reader, reading, genders)
    )


def _candidates(facts: list[Fact]) -> list[str]:
    """Those of whom facts tell, the longest name first."""
    names: list[str] = []
    for x, _, y in facts:
        if x not in names:
            names.append(x)
        if y not in names:
            names.append(y)
    names.sort(key=len, reverse=True)
    return names


def _misnamed(reader: _Reader, reading: _Reading, genders: list[str]) -> str | None:
    """A word for another gender, or a name that is another's."""
    for word in reader.gendered:
        name, said = reading.named[word.piece], reading.said(word.piece)
        if name and name != reading.people[word.slot]:
            return f"names {name!r} instead of {reading.people[word.slot]!r}"
        if said and word.meant[said] != genders[word.slot]:
            return f"says {said!r} of {reading.people[word.slot]!r}"
    for slot, gender in reader.demands:
        if genders[slot] != gender:
            return f"is for another gender than that of {reading.people[slot]!r}"
    return None


def _untold(
    reader: _Reader, reading: _Reading, facts: list[Fact], genders: list[str]
) -> str | None:
    """A step of the path that no fact is told of, or a noun that is none of these facts."""
    people, path, turned = reading.people, reader.path, reader.turned
    if len(facts) != len(reader.may_state):
        return f"states {len(reader.may_state)} facts"
    there: list[str] = []
    back: list[str] = []
    for step, may_state in enumerate(reader.may_state):
        x, y = people[path[step]], people[path[step + 1]]
        along = against = ""
        for a, word, b in facts:
            if a == x and b == y:
                along, against = word, turned[word].get(genders[path[step]], "")
            elif a == y and b == x:
                along, against = turned[word].get(genders[path[step + 1]], ""), word
        if along not in may_state:
            return f"states no fact between {x!r} and {y!r} by its template"
        there.append(along)
        back.append(against)
    for noun in reader.nouns:
        said = reading.said(noun.piece)
        for step in noun.steps if said else _NO_STEPS:
            if said != (there[step] if step >= 0 else back[-1 - step]):
                return f"says {said!r} of {people[noun.slot]!r}"
    return None


def _unclear(reader: _Reader, reading: _Reading, genders: list[str]) -> str | None:
    """A pronoun that could mean two people, or nobody, of those spoken of before it."""
    if not reader.spoken:
        return None
    first = [len(reading.text)] * len(genders)
    for number, name in enumerate(reading.named):
        if name:
            slot = reading.people.index(name)
            first[slot] = min(first[slot], reading.starts[number])
    for noun in reader.nouns:
        if 0 <= reading.starts[noun.piece] < first[noun.slot]:
            first[noun.slot] = reading.starts[noun.piece]
    for number in reader.spoken:
        start = reading.starts[number]
        if start < 0 or reading.named[number]:
            continue
        said = reader.pieces[number].text or reading.said(number)
        for offset, gender in reader.pieces[number].pronouns.get(said, _NO_PRONOUNS):
            meant = 0
            for slot, place in enumerate(first):
                meant += place < start + offset and _may_be(genders[slot], gender)
            if meant != 1:
                return f"says {said!r}, which could mean {meant or 'nobody'} of those before it"
    return None


def _may_be(gender: str, meant: str) -> bool:
    """Whether a pronoun for one gender may mean somebody of another: where either is not stated."""
    return gender == meant or "unstated" in (gender, meant)

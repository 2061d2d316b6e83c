"""Reading a sentence back with nothing but the bank's data: who is said to be what to whom.

Written for the judge: it shares no code with the stitcher, only the texts of the frames.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from ...kb.fact import Fact
from ...kb.world import World
from ...templates.bank import Bank
from ...templates.frame import Frame
from .mentions import hidden, names_of

_PERSON = re.compile(r"<(\d+)>")
_SLOT = re.compile(r"\{([^{}]*)\}|\[|\]|[^{}\[\]]+")


class _Piece:
    """What may stand at some place of a text: words as they are, a person, or one of some words.

    Where it may name somebody instead, that stands between `before` and `after`. A piece that may
    be left out says where the text goes on without it.
    """

    __slots__ = (
        "after",
        "before",
        "group",
        "lengths",
        "may_name",
        "slot",
        "text",
        "without",
        "words",
    )

    def __init__(self) -> None:
        self.text = ""
        self.slot = ""
        self.before = ""
        self.after = ""
        self.may_name = False
        self.group = -1
        self.words: frozenset[str] = frozenset()
        self.lengths: list[int] = []
        self.without = -1


class _Reader:
    """A frame in pieces, for texts in small letters in which people are written <0>, <1>, ...

    Not a regular expression: to compile one for every frame takes longer than to read with it.
    """

    __slots__ = ("gendered", "groups", "nouns", "pieces", "renamed")

    def __init__(self) -> None:
        self.pieces: list[_Piece] = []
        self.groups = 0
        self.nouns: list[tuple[int, tuple[str, ...], str]] = []
        self.gendered: list[tuple[int, str, dict[str, str]]] = []
        self.renamed: list[tuple[int, str]] = []

    def one_of(self, words: Collection[str]) -> _Piece:
        """Add one of these words, as a group."""
        piece = _Piece()
        piece.words = frozenset([word.lower() for word in words])
        piece.lengths = sorted({len(word) for word in piece.words}, reverse=True)
        piece.group = self.groups
        self.groups += 1
        self.pieces.append(piece)
        return piece


class _Reading:
    """A text read by a frame: who stands for whom, by number, and what each group says, where."""

    __slots__ = ("_pieces", "_text", "people", "said", "starts")

    def __init__(self, reader: _Reader, text: str) -> None:
        self._pieces, self._text = reader.pieces, text
        self.people: dict[str, int] = {}
        self.said: list[str] = [""] * reader.groups
        self.starts: list[int] = [-1] * reader.groups

    def fits(self, number: int, place: int) -> bool:
        """Whether the pieces from this number on are what the text has from a place on."""
        text, pieces = self._text, self._pieces
        while number < len(pieces):
            piece = pieces[number]
            number += 1
            if piece.text:
                if not text.startswith(piece.text, place):
                    return False
                place += len(piece.text)
            elif piece.group >= 0:
                return self._fits_group(piece, number, place)
            elif piece.without >= 0:
                if self._goes_on(number, place):
                    return True
                number = piece.without
            else:
                end = _end_of_person(text, place)
                if end < 0:
                    return False
                person = int(text[place + 1 : end - 1])
                if self.people.setdefault(piece.slot, person) != person:
                    return False
                place = end
        return place == len(text)

    def _goes_on(self, number: int, place: int) -> bool:
        """The same where something else can be tried: who was met in vain is forgotten."""
        known = len(self.people)
        if self.fits(number, place):
            return True
        while len(self.people) > known:
            self.people.popitem()
        return False

    def _fits_group(self, piece: _Piece, number: int, place: int) -> bool:
        group, text = piece.group, self._text
        for length in piece.lengths:
            word = text[place : place + length]
            if word in piece.words and self._goes_on(number, place + length):
                self.said[group], self.starts[group] = word, place
                return True
        start = place + len(piece.before)
        end = _end_of_person(text, start) if piece.may_name else -1
        if end < 0 or not text.startswith(piece.before, place):
            return False
        if text.startswith(piece.after, end) and self._goes_on(number, end + len(piece.after)):
            self.said[group], self.starts[group] = text[start + 1 : end - 1], place
            return True
        return False


def _end_of_person(text: str, place: int) -> int:
    """Where <0> or the like ends that starts at a place, or -1."""
    if not text.startswith("<", place):
        return -1
    end = text.find(">", place)
    return end + 1 if end > place + 1 and text[place + 1 : end].isdigit() else -1


@cache
def _reader(bank: Bank, frame_id: str) -> _Reader:
    reader, optional = _Reader(), _Piece()
    for piece in _SLOT.finditer(bank.by_id[frame_id].text):
        if piece[0] == "[":
            optional = _Piece()
            reader.pieces.append(optional)
        elif piece[0] == "]":
            optional.without = len(reader.pieces)
        else:
            _read_piece(bank, reader, piece[0], piece[1])
    return reader


def _read_piece(bank: Bank, reader: _Reader, text: str, inside: str | None) -> None:
    if inside is None:
        piece = _Piece()
        piece.text = text.lower()
        reader.pieces.append(piece)
    elif re.fullmatch("[a-z]", inside):
        piece = _Piece()
        piece.slot = inside
        reader.pieces.append(piece)
    elif match := re.fullmatch(r"([a-z])\.([a-z]+)", inside):
        slot, case = match.groups()
        pronoun = bank.language.pronouns[case]
        meant = {word.lower(): gender for gender, word in pronoun.words.items()}
        piece = reader.one_of(meant)
        if pronoun.instead:
            piece.may_name = True
            piece.before, piece.after = pronoun.instead.lower().split("{}")
            reader.renamed.append((piece.group, slot))
        reader.gendered.append((piece.group, slot, meant))
    elif match := re.fullmatch(r"(an )?([a-z])(?:\+([a-z]))?>([a-z])", inside):
        article, holder, also, slot = match.groups()
        if article:
            reader.one_of(_ARTICLES)
        holders = (holder, also) if also else (holder,)
        reader.nouns.append((reader.one_of(bank.world.meanings).group, holders, slot))
    elif match := re.fullmatch(r"([a-z]):([^{}]+)", inside):
        slot, words = match[1], match[2].lower().split("|")
        meant = dict(zip(words, bank.language.genders, strict=True))
        reader.gendered.append((reader.one_of(words).group, slot, meant))
    else:
        fills = inside.removeprefix("an ")
        if fills != inside and bank.head.articles:
            reader.one_of(_ARTICLES)
        reader.one_of(bank.language.lists[fills])


_ARTICLES = ("a ", "an ")


def misread(
    bank: Bank,
    template: str,
    text: str,
    facts: Sequence[Fact],
    genders: Mapping[str, str],
    everyone: Collection[str] = (),
) -> str | None:
    """What is wrong with a text that a frame made: it must say these facts of these people.

    Where it states none, it may speak of anyone of the story.
    """
    names = dict.fromkeys(name for x, _, y in facts for name in (x, y)) or everyone
    return misstated(bank, template, *hidden(text, names_of(names)), facts, genders)


def misstated(
    bank: Bank,
    template: str,
    shape: str,
    names: Sequence[str],
    facts: Sequence[Fact],
    genders: Mapping[str, str],
) -> str | None:
    """The same of a text in which those whom it names are hidden."""
    reader, shape = _reader(bank, template), shape.lower()
    reading = _Reading(reader, shape)
    if not reading.fits(0, 0):
        return "is not what its template says"
    said = reading.said
    people = {slot: names[person] for slot, person in reading.people.items()}
    if facts and len(set(people.values())) < len({name for x, _, y in facts for name in (x, y)}):
        return "names one person where another should stand"
    for group, slot in reader.renamed:
        if said[group].isdigit() and names[int(said[group])] != people[slot]:
            return f"names {names[int(said[group])]!r} instead of {people[slot]!r}"
    holds = _either_way(bank.world, facts, genders)
    spoken_of: list[tuple[int, str]] = []
    for group, holders, slot in reader.nouns:
        for holder in holders:
            if said[group] and holds.get((people[holder], people[slot])) != said[group]:
                return f"says {said[group]!r} of {people[slot]!r} to {people[holder]!r}"
        spoken_of.append((reading.starts[group], people[slot]))
    for group, slot, meant in reader.gendered:
        if said[group] in meant and meant[said[group]] != genders[people[slot]]:
            return f"says {said[group]!r} of {people[slot]!r}"
    for person in _PERSON.finditer(shape):
        spoken_of.append((person.start(), names[int(person[1])]))
    return _unclear(bank, shape, spoken_of, genders) or _misplaced(
        bank.world, bank.by_id[template], people, facts, holds, genders
    )


def _unclear(
    bank: Bank, text: str, spoken_of: list[tuple[int, str]], genders: Mapping[str, str]
) -> str | None:
    """A pronoun that could mean two people, or nobody, of those spoken of before it."""
    gender_of, pronouns = _pronouns(bank)
    for pronoun in pronouns.finditer(text) if gender_of else ():
        gender = gender_of[pronoun[0].lower()]
        meant = {
            name
            for start, name in spoken_of
            if start < pronoun.start() and genders.get(name) == gender
        }
        if len(meant) != 1:
            return f"says {pronoun[0]!r}, which could mean {sorted(meant) or 'nobody'}"
    return None


@cache
def _pronouns(bank: Bank) -> tuple[dict[str, str], "re.Pattern[str]"]:
    """The gender of every pronoun of a bank, and where they stand in a text."""
    gender_of = {
        word.lower(): gender
        for pronoun in bank.head.pronouns.values()
        for gender, word in pronoun.words.items()
    }
    words = "|".join(map(re.escape, sorted(gender_of, key=len, reverse=True)))
    return gender_of, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def _either_way(
    world: World, facts: Sequence[Fact], genders: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """The word from each of two people to the other."""
    words: dict[tuple[str, str], str] = {}
    for x, word, y in facts:
        inverse = world.inverse(world.meanings[word][0])
        words[x, y] = word
        if inverse:
            words[y, x] = world.predicates[inverse].word(genders.get(x))
    return words


def _misplaced(
    world: World,
    frame: Frame,
    people: Mapping[str, str],
    facts: Sequence[Fact],
    holds: Mapping[tuple[str, str], str],
    genders: Mapping[str, str],
) -> str | None:
    path = [people.get(slot) for slot in frame.path]
    for x, y, may_state in zip(path, path[1:], frame.predicates, strict=False):
        word = holds.get((x or "", y or ""))
        if word is None or world.meanings[word][0] not in may_state:
            return f"states no fact between {x!r} and {y!r} by its template"
    for slot, gender in frame.genders.items():
        if genders.get(people[slot]) != gender:
            return f"is for another gender than that of {people[slot]!r}"
    return None if len(facts) == len(frame.predicates) else f"states {len(frame.predicates)} facts"

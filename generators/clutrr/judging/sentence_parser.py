"""Parser of sentences by their frames, which checks that they state given facts.

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
from ....templates.language import Determiner

_SLOT: Final = re.compile(r"\{([^{}]*)\}|\[|\]|[^{}\[\]]+")
_WORD: Final = re.compile(r"[\w@-]+")
_SEPARATORS: Final = frozenset(["", *" .,;:!?'\"()"])
"""Common characters next to a name; any that is no part of a word may be there."""
_BEGINNING: Final = re.compile(r"(?:\A|[.!?:]\W*\s)[^\w]*\Z")
"""What is before the first word of a sentence."""
_MAX_KEY_LETTERS: Final = 4


class StoryCast:
    """The people of a story, and the words of their names."""

    def __init__(self, people: Iterable[str], genders: dict[str, str]) -> None:
        self.genders = genders
        self.by_word: dict[str, list[str]] = {}
        """Names by their first word, the longest first."""
        self.words: set[str] = set()
        """All words of all names, in lower case."""
        for name in people:
            words: list[str] = [name] if name.isalpha() else _WORD.findall(name)
            for word in words:
                self.words.add(word.lower())
            self.by_word.setdefault(words[0], []).append(name)
        for some in self.by_word.values():
            if len(some) > 1:
                some.sort(key=len, reverse=True)

    def mentioned(self, text: str) -> list[str]:
        """Return the names that a text mentions, in order, with repetitions."""
        people: list[str] = []
        place = 0
        while word := _WORD.search(text, place):
            place = word.end()
            for name in self.by_word.get(word[0], ()):
                end: int = word.start() + len(name)
                if text.startswith(name, word.start()) and _is_end(text, end):
                    people.append(name)
                    place = end
                    break
        return people


def _is_end(text: str, place: int) -> bool:
    return text[place : place + 1] in _SEPARATORS or not _WORD.match(text, place)


def _is_start(text: str, place: int) -> bool:
    return place == 0 or text[place - 1] in _SEPARATORS or not _WORD.match(text, place - 1)


class _FramePiece:
    """A piece of a frame: a fixed text, a person, one of some words, or an optional part.

    Where a word may be replaced by a name, that is between `before` and `after`. For an optional
    part, `without` is the piece that follows it.
    """

    def __init__(self) -> None:
        self.text = ""
        self.slot = -1
        self.without = -1
        self.of: dict[str, list[str]] = {}
        """The words, the longest first, by their first `letters` letters."""
        self.letters = 0
        self.may_name = False
        self.before = ""
        self.after = ""
        self.written: set[str] = set()
        """The words with their capitals."""
        self.pronouns: dict[str, list[tuple[int, str]]] = {}
        """For a text or word that has pronouns, their offsets and genders."""


class _RelationNoun:
    """A piece that says what the person in a slot is to the one or two in others.

    `words` has the relation word by its form in the text. Each such pair is a step of the frame's
    path, by its number, or from -1 down a reversed one.
    """

    def __init__(
        self, piece: int, holders: list[int], slot: int, path: list[int], words: dict[str, str]
    ) -> None:
        self.piece, self.slot, self.words = piece, slot, words
        along = list(pairwise(path))
        back = [(y, x) for x, y in along]
        self.steps: list[int] = []
        for holder in holders:
            pair = (holder, slot)
            self.steps.append(along.index(pair) if pair in along else -1 - back.index(pair))


class _FrameGrammar:
    """A frame in pieces. People have the numbers of their slots, words those of their pieces.

    Not a regular expression: compiling one for every frame takes longer than parsing with it.
    """

    def __init__(self, world: World) -> None:
        self.inverse_words = _inverse_words(world)
        self.pieces: list[_FramePiece] = []
        self.slots: list[str] = []
        self.path: list[int] = []
        self.may_state: list[set[str]] = []
        self.demands: list[tuple[int, str]] = []
        self.nouns: list[_RelationNoun] = []
        self.gendered: list[tuple[int, int, dict[str, str]]] = []
        """Pieces that show the gender of the person in a slot, or name them instead."""
        self.agreements: list[tuple[int, tuple[int, int], dict[tuple[str, str], str]]] = []
        """Pieces before a relation noun, with words by the genders of the holder and relative."""
        self.references: list[tuple[int, int, bool]] = []
        """Pieces that refer to a slot, and whether they do so in the same way for all genders; in
        languages with determiners only."""
        self.with_pronouns: list[int] = []
        """The pieces that may have pronouns."""
        self.words: set[str] = set()
        """All words of the frame, in lower case."""

    def slot(self, name: str) -> int:
        """Return the number of a slot; add it if it is new."""
        if name not in self.slots:
            self.slots.append(name)
        return self.slots.index(name)


class _Parse:
    """A parse of a text by a frame: the span of each piece, and the person in each slot."""

    def __init__(self, grammar: _FrameGrammar, text: str, candidates: list[str]) -> None:
        self._pieces, self.text, self._candidates = grammar.pieces, text, candidates
        self._lower = _lower(text)
        self.starts: list[int] = [-1] * len(grammar.pieces)
        self.ends: list[int] = [-1] * len(grammar.pieces)
        self.named: list[str] = [""] * len(grammar.pieces)
        self.people: list[str] = [""] * len(grammar.slots)

    def word(self, number: int) -> str:
        """Return the word of a piece; empty where it was left out or names somebody instead."""
        start = self.starts[number]
        return "" if start < 0 or self.named[number] else self._lower[start : self.ends[number]]

    def matches(self, number: int, place: int) -> bool:
        """Return whether the text from a place on matches the pieces from this number on."""
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
                return self._matches_word(piece, number, place)
            else:
                if self._continues(number, place, place):
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

    def _continues(self, number: int, start: int, end: int) -> bool:
        """Return whether all matches if this piece is here; undo slots filled in vain."""
        people = self.people.copy()
        self.starts[number], self.ends[number] = start, end
        if self.matches(number + 1, end):
            return True
        self.people = people
        return False

    def _matches_word(self, piece: _FramePiece, number: int, place: int) -> bool:
        lower = self._lower
        self.named[number] = ""
        for word in piece.of.get(lower[place : place + piece.letters], _NO_WORDS):
            end = place + len(word)
            if lower[place:end] == word and self._continues(number, place, end):
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
        return self._continues(number, place, end)

    def _name(self, place: int) -> str:
        text = self.text
        for name in self._candidates:
            end = place + len(name)
            if text[place:end] == name and _is_end(text, end):
                return name if _is_start(text, place) else ""
        return ""


_NO_WORDS: Final[list[str]] = []
_NO_STEPS: Final[list[int]] = []
_NO_PRONOUNS: Final[list[tuple[int, str]]] = []


def _lower(text: str) -> str:
    """Return the text in lower case, without changing its length."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join([small if len(small := letter.lower()) == 1 else letter for letter in text])
    return lower


@cache
def _grammar(bank: Bank, frame_id: str) -> _FrameGrammar:
    grammar, optional, frame = _FrameGrammar(bank.world), _FramePiece(), bank.by_id[frame_id]
    grammar.path = [grammar.slot(slot) for slot in frame.path]
    for piece in _SLOT.finditer(frame.text):
        if piece[0] == "[":
            optional = _FramePiece()
            grammar.pieces.append(optional)
        elif piece[0] == "]":
            optional.without = len(grammar.pieces)
        elif piece[1] is None:
            _add_words(bank, grammar, [piece[0]])
        else:
            _add_slot(bank, grammar, piece[1])
    for predicates in frame.predicates:
        words = {word for word, (name, _) in bank.world.meanings.items() if name in predicates}
        grammar.may_state.append(words)
    grammar.demands = [(grammar.slot(slot), gender) for slot, gender in frame.genders.items()]
    return grammar


def _add_slot(bank: Bank, grammar: _FrameGrammar, inside: str) -> None:
    articles = [f"{rule.word} " for rule in bank.header.articles]
    if re.fullmatch("[a-z]", inside):
        piece = _FramePiece()
        piece.slot = grammar.slot(inside)
        grammar.pieces.append(piece)
    elif match := re.fullmatch(r"([a-z])\.([a-z]+)", inside):
        slot, pronoun = grammar.slot(match[1]), bank.language.pronouns[match[2]]
        gender_of = {word.lower(): gender for gender, word in pronoun.words.items()}
        is_neutral = len(gender_of) < len(pronoun.words)
        if not is_neutral:
            grammar.gendered.append((len(grammar.pieces), slot, gender_of))
        if bank.header.determiners:
            grammar.references.append((len(grammar.pieces), slot, is_neutral))
        piece = _add_words(bank, grammar, pronoun.words.values())
        if pronoun.instead:
            piece.may_name = True
            piece.before, piece.after = pronoun.instead.lower().split("{}")
    elif match := re.fullmatch(r"(?:([a-z]+) )?([a-z])(?:\+([a-z]))?>([a-z])", inside):
        name, holder, also, relative = match.groups()
        holders = [grammar.slot(slot) for slot in (holder, also) if slot]
        slot, determiner = grammar.slot(relative), bank.header.determiners.get(name)
        if determiner:
            _add_determiner(bank, grammar, determiner, (holders[0], slot))
        elif name:
            _add_words(bank, grammar, articles)
        inflected = bank.header.forms.get(determiner.form, {}) if determiner else {}
        forms = [inflected.get(word, word) for word in bank.world.meanings]
        words = {_lower(form): word for form, word in zip(forms, bank.world.meanings, strict=True)}
        noun = _RelationNoun(len(grammar.pieces), holders, slot, grammar.path, words)
        grammar.nouns.append(noun)
        _add_words(bank, grammar, forms)
    elif match := re.fullmatch(r"([a-z]):([^{}]+)", inside):
        spoken = match[2].split("|")
        gender_of = dict(zip(map(_lower, spoken), bank.language.genders, strict=True))
        grammar.gendered.append((len(grammar.pieces), grammar.slot(match[1]), gender_of))
        _add_words(bank, grammar, spoken)
    else:
        fills = inside.removeprefix("an ")
        if fills != inside and bank.header.articles:
            _add_words(bank, grammar, articles)
        _add_words(bank, grammar, bank.language.lists[fills])


def _add_determiner(
    bank: Bank, grammar: _FrameGrammar, determiner: Determiner, slots: tuple[int, int]
) -> None:
    """Add a word that agrees with the relative, and with the holder if it is a possessive."""
    words = {
        (own, gender): _lower(word)
        for own in bank.world.genders
        for gender, word in (determiner.holder.get(own) or determiner.words).items()
    }
    place = len(grammar.pieces)
    grammar.agreements.append((place, slots, words))
    if determiner.holder:
        by_holder = [tuple(spoken.values()) for spoken in determiner.holder.values()]
        grammar.references.append((place, slots[0], len(set(by_holder)) == 1))
    _add_words(bank, grammar, words.values())
    _add_words(bank, grammar, [" "])


def _add_words(bank: Bank, grammar: _FrameGrammar, words: Iterable[str]) -> _FramePiece:
    """Add a piece that is one of these words; a single one is a fixed text."""
    piece, words = _FramePiece(), [*words]
    piece.written = {*words}
    lower = sorted({_lower(word) for word in words}, key=len, reverse=True)
    if len(lower) == 1:
        piece.text = lower[0]
    else:
        piece.letters = min(_MAX_KEY_LETTERS, len(lower[-1]))
        for word in lower:
            piece.of.setdefault(word[: piece.letters], []).append(word)
    gender_of, pronouns = _pronouns(bank)
    for word in lower:
        grammar.words.update(_WORD.findall(word))
        found = [(spoken.start(), gender_of[spoken[0]]) for spoken in pronouns.finditer(word)]
        if found:
            piece.pronouns[word] = found
    if piece.pronouns:
        grammar.with_pronouns.append(len(grammar.pieces))
    grammar.pieces.append(piece)
    return piece


@cache
def _pronouns(bank: Bank) -> tuple[dict[str, str], "re.Pattern[str]"]:
    """Return the gender of every pronoun of a bank, and a pattern that finds them."""
    gender_of = {
        word.lower(): gender
        for pronoun in bank.language.pronouns.values()
        for gender, word in pronoun.words.items()
    }
    if bank.header.determiners:  # elsewhere such words are articles, too
        gender_of = {}
    words = "|".join(map(re.escape, sorted(gender_of, key=len, reverse=True)))
    return gender_of, re.compile(rf"\b(?:{words})\b" if gender_of else r"(?!)")


@cache
def _inverse_words(world: World) -> dict[str, dict[str, str]]:
    """Return for each word its inverse words, by gender."""
    inverse_words: dict[str, dict[str, str]] = {}
    for word, (name, _) in world.meanings.items():
        inverse = world.inverse(name) or ""
        inverse_words[word] = {}
        for kind in (world.genders or ("",)) if inverse else ():
            inverse_words[word][kind] = world.predicates[inverse].word(kind or None)
    return inverse_words


def check_sentence(
    bank: Bank, template: str, text: str, facts: list[Fact], cast: StoryCast
) -> str | None:
    """Return what is wrong with a sentence of a frame that must state these facts, or None."""
    grammar, candidates = _grammar(bank, template), _candidates(facts)
    parse = _Parse(grammar, text, candidates if facts else cast.mentioned(text))
    if not parse.matches(0, 0):
        return "is not what its template says"
    # Where a word of the frame is somebody's name, it must not be taken for one.
    named = [name for name in parse.named if name]
    if not cast.words.isdisjoint(grammar.words) and cast.mentioned(text) != named:
        return "names somebody where it should not"
    if len(set(parse.people)) < len(parse.people) or len(parse.people) < len(candidates):
        return "names the wrong person"
    genders = [cast.genders.get(person, "") for person in parse.people]
    return (
        _case_error(grammar, parse)
        or _gender_error(grammar, parse, genders)
        or _fact_error(grammar, parse, facts, genders)
        or _pronoun_error(grammar, parse, genders)
    )


def _candidates(facts: list[Fact]) -> list[str]:
    """Return the people of some facts, the longest name first."""
    names = dict.fromkeys([name for x, _, y in facts for name in (x, y)])
    return sorted(names, key=len, reverse=True)


def _case_error(grammar: _FrameGrammar, parse: _Parse) -> str | None:
    """Return a finding on a word with another capital, except at the beginning of a sentence."""
    for number, piece in enumerate(grammar.pieces):
        start, end = parse.starts[number], parse.ends[number]
        said = parse.text[start:end]
        if start < 0 or parse.named[number] or not piece.written or said in piece.written:
            continue
        written = min(word for word in piece.written if _lower(word) == parse.word(number))
        first = next((n for n, letter in enumerate(written) if letter.isalpha()), 0)
        is_capitalized = said == written[:first] + said[first].upper() + written[first + 1 :]
        if not (is_capitalized and _BEGINNING.search(parse.text[:start])):
            return f"writes {said!r}, not {written!r}"
    return None


def _gender_error(grammar: _FrameGrammar, parse: _Parse, genders: list[str]) -> str | None:
    """Return a finding on a word for another gender, or on a wrong name."""
    for piece, slot, gender_of in grammar.gendered:
        name, said = parse.named[piece], parse.word(piece)
        if name and name != parse.people[slot]:
            return f"names {name!r} instead of {parse.people[slot]!r}"
        if said and gender_of[said] != genders[slot]:
            return f"says {said!r} of {parse.people[slot]!r}"
    for piece, (holder, relative), words in grammar.agreements:
        said = parse.word(piece)
        if said != words.get((genders[holder], genders[relative])):
            return f"says {said!r} before the relation of {parse.people[relative]!r}"
    for slot, gender in grammar.demands:
        if genders[slot] != gender:
            return f"is for another gender than that of {parse.people[slot]!r}"
    return None


def _fact_error(
    grammar: _FrameGrammar, parse: _Parse, facts: list[Fact], genders: list[str]
) -> str | None:
    """Return a finding on a step of the path without a fact, or on a wrong noun."""
    people, path, inverse_words = parse.people, grammar.path, grammar.inverse_words
    if len(facts) != len(grammar.may_state):
        return f"states {len(grammar.may_state)} facts"
    there: list[str] = []
    back: list[str] = []
    for step, may_state in enumerate(grammar.may_state):
        x, y = people[path[step]], people[path[step + 1]]
        along = against = ""
        for a, word, b in facts:
            if a == x and b == y:
                along, against = word, inverse_words[word].get(genders[path[step]], "")
            elif a == y and b == x:
                along, against = inverse_words[word].get(genders[path[step + 1]], ""), word
        if along not in may_state:
            return f"states no fact between {x!r} and {y!r} by its template"
        there.append(along)
        back.append(against)
    for noun in grammar.nouns:
        said = parse.word(noun.piece)
        for step in noun.steps if said else _NO_STEPS:
            if noun.words[said] != (there[step] if step >= 0 else back[-1 - step]):
                return f"says {said!r} of {people[noun.slot]!r}"
    return None


def _pronoun_error(grammar: _FrameGrammar, parse: _Parse, genders: list[str]) -> str | None:
    """Return a finding on a pronoun that could refer to two people before it, or to nobody."""
    if not grammar.with_pronouns and not grammar.references:
        return None
    first = [len(parse.text)] * len(genders)
    for number, name in enumerate(parse.named):
        if name:
            slot = parse.people.index(name)
            first[slot] = min(first[slot], parse.starts[number])
    for noun in grammar.nouns:
        if 0 <= parse.starts[noun.piece] < first[noun.slot]:
            first[noun.slot] = parse.starts[noun.piece]
    for number, slot, is_neutral in grammar.references:
        start = parse.starts[number]
        meant = [
            other
            for other, place in enumerate(first)
            if place < start and (is_neutral or _agrees(genders[other], genders[slot]))
        ]
        if start >= 0 and meant != [slot]:
            said = parse.word(number)
            return f"says {said!r}, which could mean {len(meant) or 'nobody'} of those before it"
    for number in grammar.with_pronouns:
        start = parse.starts[number]
        if start < 0 or parse.named[number]:
            continue
        said = grammar.pieces[number].text or parse.word(number)
        for offset, gender in grammar.pieces[number].pronouns.get(said, _NO_PRONOUNS):
            referents = 0
            for slot, place in enumerate(first):
                referents += place < start + offset and _agrees(genders[slot], gender)
            if referents != 1:
                return f"says {said!r}, which could mean {referents or 'nobody'} of those before it"
    return None


def _agrees(gender: str, pronoun: str) -> bool:
    """Return whether a pronoun may refer to somebody: same gender, or one is not stated."""
    return gender == pronoun or "unstated" in (gender, pronoun)

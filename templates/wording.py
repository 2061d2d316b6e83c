"""A frame put together for people of given genders: words with holes, ready to be filled."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..kb.worlds.world import UNSTATED
from ..seed import Stream
from .language import Language
from .tokens import Choice, Filler, Name, Noun, Option, Pronoun, Token, Words, capital

Genders = tuple[str | None, ...]

# For each fact: the noun forwards, backwards, and both once more with an article.
NOUNS_PER_FACT = 4

# Words as they stand, or the number of what fills a hole: people, nouns and fillers in a row.
_Piece = str | int


class Wording:
    """A frame for given genders and options: a text with holes, and the number of what fills each.

    `fillers` has the numbers of the lists that fill its lexical slots, `shows` those along the
    path whose gender the text shows, and once more counted from the end.

    There are thousands of them, and any may be next: one string and one of bytes are nearer at hand
    than lists of words would be.
    """

    __slots__ = ("_codes", "_first_filler", "_people", "_text", "fillers", "shows")

    def __init__(
        self, pieces: list[_Piece], people: int, fillers: list[int], shows: list[frozenset[int]]
    ) -> None:
        parts = [p.replace("%", "%%") if isinstance(p, str) else "%s" for p in pieces]
        self._text = "".join(parts)
        self._codes = bytes([piece for piece in pieces if isinstance(piece, int)])
        self._people, self._first_filler = people, _first_filler(people)
        self.fillers, self.shows = fillers, shows

    def fill(self, values: list[str]) -> str:
        """The text with people, nouns and fillers, given in a row."""
        return self._text % tuple([values[code] for code in self._codes])

    def tell(
        self,
        people: list[str],
        first: int,
        step: int,
        nouns: list[str],
        fillers: list[tuple[str, ...]],
        stream: Stream,
    ) -> str:
        """The text with people from the first on, step by step, and fillers drawn from the lists.

        The same as `fill`, without a list of all that may be filled in.
        """
        codes = self._codes
        values: list[str] = []
        for n in range(len(codes)):
            code = codes[n]
            if code < self._people:
                values.append(people[first + step * code])
            elif code < self._first_filler:
                values.append(nouns[code - self._people])
            else:
                some = fillers[self.fillers[code - self._first_filler]]
                values.append(some[int(stream.random() * len(some))])
        return self._text % tuple(values)


def _first_filler(people: int) -> int:
    """The number of the first filler, after people and nouns."""
    return people + NOUNS_PER_FACT * max(0, people - 1)


def worded(
    choices: "list[Chosen]",
    path: tuple[str, ...],
    genders: Genders,
    shown: Collection[str],
    unshown: Collection[str],
    language: Language,
) -> list[Wording]:
    """Tokens put together for people of these genders, with every choice of the options.

    There is none where a pronoun could be misread. The gender of the slots in `shown` is taken to
    show anyway, but for those in `unshown`.
    """
    maker = _Maker(path, genders, language)
    clear: list[list[bool]] = []
    for _, skeleton in choices:
        clears = _clear(skeleton, maker.gender)
        if clears is None:
            return []
        clear.append(clears)
    seen: set[str] = set()
    if language.genders:
        seen = (maker.shown(choices[0][0], clear[0]) | set(shown)) - set(unshown)
    places = [n for n, slot in enumerate(path) if slot in seen]
    shows = [frozenset(places), frozenset([len(path) - 1 - n for n in places])]
    return [maker.wording(choice[0], clear[n], shows) for n, choice in enumerate(choices)]


def suited(
    choices: "list[Chosen]", path: tuple[str, ...], possible: Iterable[Genders]
) -> frozenset[Genders]:
    """Those genders of the people along the path for whom no pronoun could be misread."""
    # Where nothing could be misread of people who are all alike, nothing ever could.
    alike: dict[str, str | None] = dict.fromkeys(path, UNSTATED)
    if all(_clear(skeleton, alike) is not None for _, skeleton in choices):
        return frozenset(possible)
    suits: list[Genders] = []
    for genders in possible:
        gender = dict(zip(path, genders, strict=True))
        if all(_clear(skeleton, gender) is not None for _, skeleton in choices):
            suits.append(genders)
    return frozenset(suits)


# What matters for pronouns: a person is named, spoken of by a noun, by a pronoun that a name can
# stand in for, by one that none can or by one that is for stated genders only, or a sentence ends.
_NAMED, _SPOKEN_OF, _PRONOUN, _BARE_PRONOUN, _STATED_PRONOUN, _END = range(6)
_Skeleton = list[tuple[int, str]]


def _skeleton(tokens: Sequence[Token], language: Language) -> _Skeleton:
    skeleton: _Skeleton = []
    for token in tokens:
        if isinstance(token, Name):
            skeleton.append((_NAMED, token.slot))
        elif isinstance(token, Noun):
            skeleton.append((_SPOKEN_OF, token.slot))
        elif isinstance(token, Pronoun):
            pronoun = language.pronouns[token.case]
            kind = _BARE_PRONOUN if pronoun.instead is None else _PRONOUN
            if UNSTATED in language.genders and UNSTATED not in pronoun.words:
                kind = _STATED_PRONOUN
            skeleton.append((kind, token.slot))
        elif isinstance(token, Words) and len(language.parts(token.text)) > 1:
            skeleton.append((_END, ""))
    return skeleton


def _clear(skeleton: _Skeleton, gender: Mapping[str, str | None]) -> list[bool] | None:
    """For each pronoun whether it is clear, so that no name must stand in for it.

    It is if nobody else who may be of its gender has been named or spoken of before. None, if some
    pronoun is not and a name would not do either: where the name stands in that sentence already,
    or is yet to be told.
    """
    spoken_of: list[str] = []
    named: list[str] = []
    here: list[str] = []
    clear: list[bool] = []
    for kind, slot in skeleton:
        if kind == _END:
            here.clear()
            continue
        if kind == _NAMED:
            named.append(slot)
            here.append(slot)
        elif kind != _SPOKEN_OF:
            its = gender[slot]
            is_clear = [_alike(gender[other], its) for other in spoken_of].count(True) == 1
            if kind == _STATED_PRONOUN and its == UNSTATED:
                is_clear = False
            if not is_clear:
                if kind == _BARE_PRONOUN or slot in here or slot not in named:
                    return None
                here.append(slot)
            clear.append(is_clear)
        if slot not in spoken_of:
            spoken_of.append(slot)
    return clear


def _alike(one: str | None, other: str | None) -> bool:
    """Whether two people may be of one gender, for all that is known."""
    return one == other or UNSTATED in (one, other)


Chosen = tuple[list[Token], _Skeleton]
"""The tokens of a frame with some of its options, and what matters of them for pronouns."""


def choices(tokens: Sequence[Token], language: Language) -> list[Chosen]:
    """The tokens with every choice of the options, none of them first."""
    options = sum([isinstance(token, Option) for token in tokens])
    every = [_chosen(tokens, choice) for choice in range(1 << options)]
    return [(chosen, _skeleton(chosen, language)) for chosen in every]


def _chosen(tokens: Sequence[Token], choice: int) -> list[Token]:
    """The tokens with those options that this number has a bit for."""
    chosen: list[Token] = []
    option = 0
    for token in tokens:
        if isinstance(token, Option):
            if choice >> option & 1:
                chosen += token.tokens
            option += 1
        else:
            chosen.append(token)
    return chosen


class _Maker:
    """Puts tokens together for given genders."""

    def __init__(self, path: tuple[str, ...], genders: Genders, language: Language) -> None:
        self.language = language
        self.place = {slot: n for n, slot in enumerate(path)}
        self.gender = dict(zip(path, genders, strict=True))
        self.people = len(path)

    def wording(
        self, tokens: list[Token], clear: list[bool], shows: list[frozenset[int]]
    ) -> Wording:
        """The text, with people, nouns and fillers by number."""
        pieces: list[_Piece] = []
        fillers: list[int] = []
        pronouns = 0
        opens = True
        for token in tokens:
            if isinstance(token, Words):
                # Sentences end in words as written; what a slot gives never ends one.
                for n, words in enumerate(self.language.parts(token.text)):
                    if n:
                        pieces.append(" ")
                        opens = True
                    if words:
                        pieces.append(capital(words) if opens else words)
                        opens = False
                continue
            if isinstance(token, Name):
                pieces.append(self.place[token.slot])
            elif isinstance(token, Noun):
                pieces.append(self._noun(token))
            elif isinstance(token, Choice):
                gender = self.language.genders.index(self.gender[token.slot] or "")
                pieces.append(capital(token.words[gender]) if opens else token.words[gender])
            elif isinstance(token, Pronoun):
                pieces += self._pronoun(token, clear[pronouns], opens)
                pronouns += 1
            elif isinstance(token, Filler):
                pieces.append(_first_filler(self.people) + len(fillers))
                fillers.append(
                    self.language.filler(token.words, article=token.article, first=opens)
                )
            opens = False
        if pieces and pieces[-1] == " ":
            pieces.pop()
        return Wording(pieces, self.people, fillers, shows)

    def shown(self, tokens: list[Token], clear: list[bool]) -> set[str]:
        """The slots whose gender a noun, a pronoun or a choice of words shows."""
        shown: set[str] = set()
        pronouns = 0
        for token in tokens:
            if isinstance(token, Noun | Choice):
                shown.add(token.slot)
            elif isinstance(token, Pronoun):
                if clear[pronouns]:
                    shown.add(token.slot)
                pronouns += 1
        return shown

    def _noun(self, noun: Noun) -> int:
        holder, person = self.place[noun.holder], self.place[noun.slot]
        first = self.people + NOUNS_PER_FACT * min(holder, person)
        return first + (1 if holder > person else 0) + (2 if noun.article else 0)

    def _pronoun(self, token: Pronoun, clear: bool, opens: bool) -> list[_Piece]:
        """The pronoun, or the name where it could be misread; a large letter opens a sentence."""
        pronoun = self.language.pronouns[token.case]
        if clear or pronoun.instead is None:
            word = pronoun.words[self.gender[token.slot] or ""]
            return [capital(word) if opens else word]
        before, after = pronoun.instead.split("{}")
        pieces: list[_Piece] = [capital(before) if opens else before] if before else []
        pieces.append(self.place[token.slot])
        return [*pieces, after] if after else pieces

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

_ONE_PIECE = "[a-z-]+"
_PERSON = re.compile(r"<(\d+)>")
_SLOT = re.compile(r"\{([^{}]*)\}|\[|\]|[^{}\[\]]+")


class _Reader:
    """A frame as a pattern over a text in which people are written <0>, <1>, ...

    A loose one lets any words stand for a noun or a fill, and looks at them after the match: it is
    made in a fraction of the time.
    """

    def __init__(self, loose: bool) -> None:
        self.loose = loose
        self.pattern = ""
        self.people: dict[str, str] = {}
        self.nouns: list[tuple[str, tuple[str, ...], str]] = []
        self.gendered: list[tuple[str, str, dict[str, str]]] = []
        self.renamed: list[tuple[str, str]] = []
        self.listed: list[tuple[str, frozenset[str]]] = []
        self.groups = 0

    def group(self, inside: str) -> str:
        self.groups += 1
        self.pattern += f"(?P<g{self.groups}>{inside})"
        return f"g{self.groups}"

    def person(self, slot: str) -> None:
        if slot in self.people:
            self.pattern += f"<(?P={self.people[slot]})>"
        else:
            self.pattern += "<"
            self.people[slot] = self.group(r"\d+")
            self.pattern += ">"

    def one_of(self, words: Collection[str]) -> str:
        """A group of one of these words."""
        if self.loose:
            one_piece = all(re.fullmatch(_ONE_PIECE, word) for word in words)
            group = self.group(_ONE_PIECE if one_piece else ".+?")
            self.listed.append((group, frozenset([word.lower() for word in words])))
            return group
        return self.group("|".join(map(re.escape, sorted(words, key=len, reverse=True))))

    def is_apt(self, match: "re.Match[str]") -> bool:
        """Whether the words of a loose match are such as may stand there."""
        for group, words in self.listed:
            said = match[group]
            if said is not None and said.lower() not in words:
                return False
        return True


@cache
def _reader(bank: Bank, frame_id: str, loose: bool) -> tuple[_Reader, "re.Pattern[str]"]:
    frame, reader = bank.by_id[frame_id], _Reader(loose)
    for piece in _SLOT.finditer(frame.text):
        _read_piece(bank, reader, piece[0], piece[1])
    return reader, re.compile(reader.pattern, re.IGNORECASE | re.DOTALL)


def _read_piece(bank: Bank, reader: _Reader, text: str, inside: str | None) -> None:
    if text == "[":
        reader.pattern += "(?:"
    elif text == "]":
        reader.pattern += ")?"
    elif inside is None:
        reader.pattern += re.escape(text)
    elif re.fullmatch("[a-z]", inside):
        reader.person(inside)
    elif match := re.fullmatch(r"([a-z])\.([a-z]+)", inside):
        slot, case = match.groups()
        pronoun = bank.language.pronouns[case]
        meant = {word: gender for gender, word in pronoun.words.items()}
        either = list(meant)
        if pronoun.instead:
            group = f"n{len(reader.renamed)}"
            either.append(pronoun.instead.replace("{}", rf"<(?P<{group}>\d+)>"))
            reader.renamed.append((group, slot))
        reader.gendered.append((reader.group("|".join(either)), slot, meant))
    elif match := re.fullmatch(r"(an )?([a-z])(?:\+([a-z]))?>([a-z])", inside):
        article, holder, also, slot = match.groups()
        reader.pattern += "(?:an? )" if article else ""
        holders = (holder, also) if also else (holder,)
        reader.nouns.append((reader.one_of(bank.world.meanings), holders, slot))
    elif match := re.fullmatch(r"([a-z]):([^{}]+)", inside):
        slot, words = match[1], match[2].split("|")
        meant = dict(zip((word.lower() for word in words), bank.language.genders, strict=True))
        reader.gendered.append((reader.group("|".join(map(re.escape, words))), slot, meant))
    else:
        fills = inside.removeprefix("an ")
        reader.pattern += "(?:an? )" if fills != inside and bank.head.articles else ""
        reader.one_of(bank.language.lists[fills])


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
    reader, pattern = _reader(bank, template, True)
    match = pattern.fullmatch(shape)
    if match is not None and not reader.is_apt(match):
        reader, pattern = _reader(bank, template, False)
        match = pattern.fullmatch(shape)
    if match is None:
        return "is not what its template says"
    people = {slot: names[int(match[group])] for slot, group in reader.people.items()}
    if facts and len(set(people.values())) < len({name for x, _, y in facts for name in (x, y)}):
        return "names one person where another should stand"
    for group, slot in reader.renamed:
        if match[group] and names[int(match[group])] != people[slot]:
            return f"names {names[int(match[group])]!r} instead of {people[slot]!r}"
    holds = _either_way(bank.world, facts, genders)
    for group, holders, slot in reader.nouns:
        said = match[group]
        for holder in holders:
            if said and holds.get((people[holder], people[slot])) != said.lower():
                return f"says {said!r} of {people[slot]!r} to {people[holder]!r}"
    for group, slot, meant in reader.gendered:
        said = (match[group] or "").lower()
        if said in meant and meant[said] != genders[people[slot]]:
            return f"says {said!r} of {people[slot]!r}"
    spoken_of = [(match.start(group), people[slot]) for group, _, slot in reader.nouns]
    spoken_of += [(name.start(), names[int(name[1])]) for name in _PERSON.finditer(shape)]
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

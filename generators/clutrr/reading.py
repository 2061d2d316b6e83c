"""Reading a sentence back with nothing but the bank's data: who is said to be what to whom.

Written for the judge: it shares no code with the stitcher, only the texts of the frames.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ...kb.fact import Fact
from ...kb.world import World
from ...templates.bank import Bank
from ...templates.frame import Frame

_PERSON = re.compile(r"<(\d+)>")
_SLOT = re.compile(r"\{([^{}]*)\}|\[|\]|[^{}\[\]]+")


@dataclass
class _Reader:
    """A frame as a pattern over a text in which people are written <0>, <1>, ..."""

    pattern: str = ""
    people: dict[str, str] = field(default_factory=dict)
    nouns: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list)
    gendered: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    groups: int = 0

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


@cache
def _reader(bank: Bank, frame_id: str) -> tuple[_Reader, "re.Pattern[str]"]:
    frame, reader = bank.by_id[frame_id], _Reader()
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
        nouns = sorted(bank.world.meanings, key=len, reverse=True)
        holders = (holder, also) if also else (holder,)
        reader.nouns.append((reader.group("|".join(map(re.escape, nouns))), holders, slot))
    elif match := re.fullmatch(r"([a-z]):([^{}]+)", inside):
        slot, words = match[1], match[2].split("|")
        meant = dict(zip((word.lower() for word in words), bank.language.genders, strict=True))
        reader.gendered.append((reader.group("|".join(map(re.escape, words))), slot, meant))
    else:
        words = inside.removeprefix("an ")
        fills = sorted(bank.language.lists[words], key=len, reverse=True)
        reader.pattern += "(?:an? )" if words != inside and bank.head.articles else ""
        reader.pattern += f"(?:{'|'.join(map(re.escape, fills))})"


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
    world = bank.world
    names = list(dict.fromkeys(name for x, _, y in facts for name in (x, y)) or everyone)
    number = {name: n for n, name in enumerate(names)}
    longest = sorted(names, key=len, reverse=True)
    finder = re.compile(rf"(?<![\w@-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")
    reader, pattern = _reader(bank, template)
    text = finder.sub(lambda name: f"<{number[name[0]]}>", text)
    match = pattern.fullmatch(text)
    if match is None:
        return "is not what its template says"
    people = {slot: names[int(match[group])] for slot, group in reader.people.items()}
    if facts and len(set(people.values())) < len(names):
        return "names one person where another should stand"
    for group, slot in reader.renamed:
        if match[group] and names[int(match[group])] != people[slot]:
            return f"names {names[int(match[group])]!r} instead of {people[slot]!r}"
    holds = dict(_either_way(world, facts, genders))
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
    spoken_of += [(name.start(), names[int(name[1])]) for name in _PERSON.finditer(text)]
    return _unclear(bank, text, spoken_of, genders) or _misplaced(
        world, bank.by_id[template], people, facts, genders
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
) -> list[tuple[tuple[str, str], str]]:
    """The word from each of two people to the other."""
    words = []
    for x, word, y in facts:
        inverse = world.inverse(world.meanings[word][0])
        words.append(((x, y), word))
        if inverse:
            words.append(((y, x), world.predicates[inverse].word(genders.get(x))))
    return words


def _misplaced(
    world: World,
    frame: Frame,
    people: Mapping[str, str],
    facts: Sequence[Fact],
    genders: Mapping[str, str],
) -> str | None:
    holds = dict(_either_way(world, facts, genders))
    path = [people.get(slot) for slot in frame.path]
    for x, y, may_state in zip(path, path[1:], frame.predicates, strict=False):
        word = holds.get((x or "", y or ""))
        if word is None or world.meanings[word][0] not in may_state:
            return f"states no fact between {x!r} and {y!r} by its template"
    for slot, gender in frame.genders.items():
        if genders.get(people[slot]) != gender:
            return f"is for another gender than that of {people[slot]!r}"
    return None if len(facts) == len(frame.predicates) else f"states {len(frame.predicates)} facts"

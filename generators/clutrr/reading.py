"""Reading a sentence back with nothing but the bank's data: who is said to be what to whom.

Written for the judge: it shares no code with the stitcher, only the texts of the frames.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from ...kb.fact import Fact
from ...kb.world import World
from ...templates.bank import Bank
from ...templates.frame import Frame
from .mentions import hidden, names_of

_ONE_PIECE = "[a-z-]+"
_SLOT = re.compile(r"\{([^{}]*)\}|\[|\]|[^{}\[\]]+")


class _Reader:
    """A frame as a pattern over a text in which people are written <0>, <1>, ..."""

    def __init__(self) -> None:
        self.pattern = ""
        self.people: dict[str, str] = {}
        self.nouns: list[tuple[str, str, str]] = []
        self.gendered: list[tuple[str, str, dict[str, str]]] = []
        self.renamed: list[tuple[str, str]] = []
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
    elif match := re.fullmatch(r"(an )?([a-z])>([a-z])", inside):
        article, holder, slot = match.groups()
        reader.pattern += "(?:an? )?" if article else ""
        nouns = sorted(bank.world.meanings, key=len, reverse=True)
        # Words of one piece are looked at after the match: to compile them all takes long.
        of_one_piece = all(re.fullmatch(_ONE_PIECE, noun) for noun in nouns)
        inside = _ONE_PIECE if of_one_piece else "|".join(map(re.escape, nouns))
        reader.nouns.append((reader.group(inside), holder, slot))
    elif match := re.fullmatch(r"([a-z]):([^{}]+)", inside):
        slot, words = match[1], match[2].split("|")
        meant = dict(zip((word.lower() for word in words), bank.language.genders, strict=True))
        reader.gendered.append((reader.group("|".join(map(re.escape, words))), slot, meant))
    else:
        reader.pattern += ".+?"


def misread(
    bank: Bank, template: str, text: str, facts: Sequence[Fact], genders: Mapping[str, str]
) -> str | None:
    """What is wrong with a text that a frame made: it must say these facts of these people."""
    names = names_of(dict.fromkeys(name for x, _, y in facts for name in (x, y)))
    return misstated(bank, template, *hidden(text, names), facts, genders)


def misstated(
    bank: Bank,
    template: str,
    shape: str,
    names: Sequence[str],
    facts: Sequence[Fact],
    genders: Mapping[str, str],
) -> str | None:
    """The same of a text in which those who are named are hidden."""
    world = bank.world
    reader, pattern = _reader(bank, template)
    match = pattern.fullmatch(shape)
    if match is None:
        return "is not what its template says"
    people = {slot: names[int(match[group])] for slot, group in reader.people.items()}
    if len(set(people.values())) < len({name for x, _, y in facts for name in (x, y)}):
        return "names one person where another should stand"
    for group, slot in reader.renamed:
        if match[group] and names[int(match[group])] != people[slot]:
            return f"names {names[int(match[group])]!r} instead of {people[slot]!r}"
    holds = _either_way(world, facts, genders)
    for group, holder, slot in reader.nouns:
        said = match[group]
        if said and holds.get((people[holder], people[slot])) != said.lower():
            return f"says {said!r} of {people[slot]!r} to {people[holder]!r}"
    for group, slot, meant in reader.gendered:
        said = (match[group] or "").lower()
        if said in meant and meant[said] != genders[people[slot]]:
            return f"says {said!r} of {people[slot]!r}"
    return _misplaced(world, bank.by_id[template], people, facts, holds, genders)


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
    return None if len(facts) == len(path) - 1 else f"states {len(path) - 1} facts"

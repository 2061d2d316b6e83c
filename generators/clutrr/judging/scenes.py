"""Checks of scenes, and of mentions that only the sentence before makes clear.

Written for the judge: it shares no code with the realizer.
"""

import re
from collections.abc import Iterator
from typing import Final

from ....kb.worlds.fact import Fact
from ....kb.worlds.languages import find_language
from ....templates.bank import Bank
from ....templates.frame import CLOSING, OPENING
from .case import StoryCase

_ANY: Final = ("female", "male")
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def check_scenes(case: StoryCase) -> Iterator[str]:
    """Yield segments that are not in the scene of their paragraph, and wrong names of scenes."""
    bank = case.options.bank() if case.options.style == "text" else None
    scenes: list[str] = []
    closed = True
    for (text, _), template in zip(case.segments, case.metadata["templates"], strict=False):
        frame = bank.by_id.get(template) if bank and bank.scenes else None
        if frame is None:
            continue
        if frame.part == OPENING:
            scenes.append(frame.scene)
        elif closed and not scenes:
            yield "the story does not begin with the opening of a scene"
            return
        elif closed:
            yield f"{text!r} is after the closing of its scene"
        elif frame.scene not in ("", scenes[-1]):
            yield f"{text!r} is of the scene {frame.scene!r}, and not of {scenes[-1]!r}"
        closed = frame.part == CLOSING
    if case.metadata["scenes"] != scenes:
        yield f"the scenes are {scenes}, not {case.metadata['scenes']}"


def named_readings(
    case: StoryCase, bank: Bank, text: str, before: tuple[str, list[Fact]], facts: list[Fact]
) -> list[str]:
    """Return the text of some facts with a name for one pronoun or description, in each reading.

    It must mean the only person of its gender in the segment before, for whom no bystander can be
    taken, and within the text the only one in both segments; or this person's relative, so called
    there, is meant.
    """
    people = {name for x, _, y in before[1] for name in (x, y)}
    genders = {name: case.genders.get(name, "") for name in people}
    here = {name: case.genders.get(name, "") for x, _, y in facts for name in (x, y)}
    said = set(_WORD.findall(before[0].lower()))
    cases = find_language(bank.world.language).texts.references
    if not cases or "unstated" in genders.values() or said & set(bank.header.bystanders):
        return []
    readings: list[str] = []
    for kind, after in (("subject", ""), ("object", ""), ("possessive", cases["ending"])):
        pronoun = bank.header.pronouns.get(cases[kind])
        for gender, word in pronoun.words.items() if pronoun else ():
            meant = [name for name in people if genders[name] == gender]
            if len(meant) != 1:
                continue
            others = {g for g in genders.values() if g != gender}
            rivals = [n for n, g in here.items() if g in (gender, "unstated") and n != meant[0]]
            for found in re.finditer(rf"\b{word}\b", text, re.IGNORECASE):
                start, rest = text[: found.start()], text[found.end() :]
                clear = not (start and rivals) and not _is_ambiguous(bank, start, {*_ANY})
                if clear and not _is_ambiguous(bank, rest, others):
                    readings.append(f"{start}{meant[0]}{after}{rest}")
                if after and not start:
                    readings += _relatives(case, bank, rest[1:], meant[0], before)
    return readings


def _relatives(
    case: StoryCase, bank: Bank, rest: str, holder: str, before: tuple[str, list[Fact]]
) -> list[str]:
    """Return the text with the name of the holder's relative of whom it speaks first."""
    earlier, facts = before
    readings: list[str] = []
    for word in case.world.meanings:
        if not re.match(rf"{re.escape(word)}(?=[ '])", rest) or word not in earlier:
            continue
        here = _so_related(case, facts, holder, word)
        if len(here) == 1 and _so_related(case, case.facts, holder, word) == here:
            (name,) = here
            others = {case.genders[o] for x, _, y in facts for o in (x, y) if o != name}
            if not _is_ambiguous(bank, rest, others):
                readings.append(name + rest[len(word) :])
    return readings


def _so_related(case: StoryCase, facts: list[Fact], holder: str, word: str) -> set[str]:
    """Return those whom one of the facts, in either direction, calls this of the holder."""
    related = {y for x, said, y in facts if (x, said) == (holder, word)}
    for x, said, y in facts:
        inverse = case.world.inverse(case.world.meanings[said][0])
        relation = case.world.predicates[inverse] if y == holder and inverse else None
        if relation and relation.word(case.genders.get(x)) == word:
            related.add(x)
    return related


def _is_ambiguous(bank: Bank, rest: str, genders: set[str]) -> bool:
    """Return whether a pronoun in a text may mean somebody of one of these genders."""
    words = set(_WORD.findall(rest.lower()))
    return any(
        pronoun.words.get(gender) in words
        for pronoun in bank.header.pronouns.values()
        for gender in genders
    )

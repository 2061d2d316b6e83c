"""Checks that the English frames of a scene go together: tense, season, counts and references."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ..kb.lexicon import english
from .bank import Bank
from .frame import Frame
from .language import words_of

_QUOTED: Final = re.compile(r'"[^"]*"')
_PRESENT: Final = re.compile(r"(?<![\w>.{])(is|are|has|does|isn't|doesn't|hasn't)(?![\w}])")
_SEASONS: Final = {
    "spring": "April blossom daffodils snowdrops lambs",
    "summer": "June July August sunburn heatwave haymaking",
    "autumn": "September October November conkers",
    "winter": "December January February Advent snow snowed snowing sledge sledges icicles",
}
_SEASON_OF: Final = {word: season for season, some in _SEASONS.items() for word in some.split()}
_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "five": 5}
_COUNT: Final = re.compile(
    r"\b(two|three|four|five)(?: \w+)? (?:\w+s|people): ([^.!?]+)", re.IGNORECASE
)
_ASIDE: Final = re.compile(r",?(?: which is)? \{[a-z]>[a-z]\} (?:the )?\{[a-z]\}")
_NEXT_PRONOUN: Final = re.compile(r"[.!?] \{([a-z])\.(?:they|their)\}")
_NOUN: Final = re.compile(r"\b(?:the|an?|his|her|their|its|one|another|every) ([a-z]{4,})\b")
"""A word after an article, mostly a noun."""

Mistakes = Iterator[tuple[str, str]]


def coherence_mistakes(bank: Bank, frame: Frame) -> Mistakes:
    """Yield (kind, message) for what does not fit the other sentences of a story."""
    told = _QUOTED.sub('""', frame.text)
    season = bank.scenes[frame.scene].season if frame.scene in bank.scenes else "any"
    if bank.scenes and (present := _PRESENT.search(told)):
        yield "tense", f"{present[0]!r}; stories with scenes are told in the past"
    for word in re.findall(r"\w+", told) if bank.scenes else ():
        if _SEASON_OF.get(word, season) != season:
            yield "season", f"{word!r} in the season {season!r}"
    for count in _COUNT.finditer(frame.text):
        items = [item for item in re.split(r"[,;]| and ", _ASIDE.sub("", count[2])) if item.strip()]
        if len(items) != _NUMBERS[count[1].lower()]:
            yield "count", f"{count[1]!r}, but {len(items)} follow"
    yield from _repeated_nouns(bank, frame)
    yield from _doubtful_pronouns(bank, frame)
    for place in range(1, len(frame.predicates)):
        one, other = frame.predicates[place - 1 : place + 1]
        same = {bank.world.inverse(name) for name in one} == other and len(other) == 1
        before, _, after = frame.required_genders[place - 1 : place + 2]
        if same and before and before == after and frame.repeated_relations >> place & 1:
            yield "same relation", "two people have the same noun; say it once, in the plural"


def _repeated_nouns(bank: Bank, frame: Frame) -> Mistakes:
    """Yield nouns that a sentence of a scene has twice."""
    for sentence in bank.language.sentences(frame.text) if frame.scene else ():
        for noun, count in Counter(_NOUN.findall(sentence)).items():
            if count > 1 and noun not in english.words("stop"):
                yield "repeated noun", f"{noun!r} occurs {count} times in a sentence"


def _doubtful_pronouns(bank: Bank, frame: Frame) -> Mistakes:
    """Yield pronouns that begin a sentence after one in which somebody else comes last."""
    for found in _NEXT_PRONOUN.finditer(frame.text) if frame.scene else ():
        before = bank.language.sentences(frame.text[: found.start() + 1])[-1]
        last = before.rpartition("{" + found[1])[2]
        others = set(words_of(re.sub(r"\{[^}]*\}", "", last))) & set(bank.header.bystanders)
        if others:
            yield "doubtful reference", f"{found[0][2:]!r} could mean the {min(others)}"

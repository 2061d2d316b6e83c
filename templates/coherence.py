"""Checks that the frames of a scene go together: tense, season, counts and references.

What they look for is in `lint.yaml` of a language; other languages are not checked.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal

from ..errors import InvalidBank
from ..kb.document import parse_document
from ..kb.lexicon import english
from ..kb.worlds.languages import find_language
from ..storage.text import read
from .bank import Bank
from .frame import Frame
from .language import BankModel, words_of

_QUOTED: Final = re.compile(r'"[^"]*"')


class LintFile(BankModel):
    """`lint.yaml`: words and regular expressions for checks of frames."""

    format: Literal[1]
    definite: tuple[str, ...]
    seasons: dict[str, str]
    numbers: dict[str, int]
    patterns: dict[str, re.Pattern[str]]


@cache
def lint_texts(code: str) -> LintFile | None:
    """Return what checks of frames in a language look for; None if it has none."""
    file = find_language(code).folder / "lint.yaml"
    if not file.is_file():
        return None
    return parse_document(read(file), f"{code}/lint.yaml", LintFile, InvalidBank)[0]


Mistakes = Iterator[tuple[str, str]]


def coherence_mistakes(bank: Bank, frame: Frame) -> Mistakes:
    """Yield (kind, message) for what does not fit the other sentences of a story."""
    texts = lint_texts(bank.world.language)
    if texts is None:
        return
    patterns = texts.patterns
    season_of = {word: season for season, some in texts.seasons.items() for word in some.split()}
    told = _QUOTED.sub('""', frame.text)
    season = bank.scenes[frame.scene].season if frame.scene in bank.scenes else "any"
    if bank.scenes and (present := patterns["present"].search(told)):
        yield "tense", f"{present[0]!r}; stories with scenes are told in the past"
    for word in re.findall(r"\w+", told) if bank.scenes else ():
        if season_of.get(word, season) != season:
            yield "season", f"{word!r} in the season {season!r}"
    for count in patterns["count"].finditer(frame.text):
        items = patterns["separator"].split(patterns["aside"].sub("", count[2]))
        items = [*filter(str.strip, items)]
        if len(items) != texts.numbers[count[1].lower()]:
            yield "count", f"{count[1]!r}, but {len(items)} follow"
    yield from _repeated_nouns(bank, frame, patterns["noun"])
    yield from _doubtful_pronouns(bank, frame, patterns["next-pronoun"])
    for place in range(1, len(frame.predicates)):
        one, other = frame.predicates[place - 1 : place + 1]
        same = {bank.world.inverse(name) for name in one} == other and len(other) == 1
        before, _, after = frame.required_genders[place - 1 : place + 2]
        if same and before and before == after and frame.repeated_relations >> place & 1:
            yield "same relation", "two people have the same noun; say it once, in the plural"


def _repeated_nouns(bank: Bank, frame: Frame, nouns: re.Pattern[str]) -> Mistakes:
    """Yield nouns that a sentence of a scene has twice."""
    for sentence in bank.language.sentences(frame.text) if frame.scene else ():
        for noun, count in Counter(nouns.findall(sentence)).items():
            if count > 1 and noun not in english.words("stop"):
                yield "repeated noun", f"{noun!r} occurs {count} times in a sentence"


def _doubtful_pronouns(bank: Bank, frame: Frame, pronouns: re.Pattern[str]) -> Mistakes:
    """Yield pronouns that begin a sentence after one in which somebody else comes last."""
    for found in pronouns.finditer(frame.text) if frame.scene else ():
        before = bank.language.sentences(frame.text[: found.start() + 1])[-1]
        last = before.rpartition("{" + found[1])[2]
        others = set(words_of(re.sub(r"\{[^}]*\}", "", last))) & set(bank.header.bystanders)
        if others:
            yield "doubtful reference", f"{found[0][2:]!r} could mean the {min(others)}"

"""Checks that the frames of a scene go together: tense, season, counts and references.

What they look for is in `language.yaml`; languages without it are not checked.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ..kb.lexicon import english
from ..kb.worlds.languages import find_language
from .bank import Bank
from .frame import Frame
from .language import words_of

_QUOTED: Final = re.compile(r'"[^"]*"')

Mistakes = Iterator[tuple[str, str]]


def coherence_mistakes(bank: Bank, frame: Frame) -> Mistakes:
    """Yield (kind, message) for what does not fit the other sentences of a story."""
    texts = find_language(bank.world.language).texts.lint
    if not texts:
        return
    patterns, seasons = texts["patterns"], texts["seasons"]
    season_of = {word: name for name, words in seasons.items() for word in words.split()}
    told = _QUOTED.sub('""', frame.text)
    season = bank.scenes[frame.scene].season if frame.scene in bank.scenes else "any"
    if bank.scenes and (present := re.search(patterns["present"], told)):
        yield "tense", f"{present[0]!r}; stories with scenes are told in the past"
    for word in re.findall(r"\w+", told) if bank.scenes else ():
        if season_of.get(word, season) != season:
            yield "season", f"{word!r} in the season {season!r}"
    for count in re.finditer(patterns["count"], frame.text):
        items = re.split(patterns["separator"], re.sub(patterns["aside"], "", count[2]))
        items = [*filter(str.strip, items)]
        if str(len(items)) != texts["numbers"][count[1].lower()]:
            yield "count", f"{count[1]!r}, but {len(items)} follow"
    yield from _repeated_nouns(bank, frame, patterns["noun"])
    yield from _doubtful_pronouns(bank, frame, patterns["next_pronoun"])
    for place in range(1, len(frame.predicates)):
        one, other = frame.predicates[place - 1 : place + 1]
        same = {bank.world.inverse(name) for name in one} == other and len(other) == 1
        before, _, after = frame.required_genders[place - 1 : place + 2]
        if same and before and before == after and frame.repeated_relations >> place & 1:
            yield "same relation", "two people have the same noun; say it once, in the plural"


def _repeated_nouns(bank: Bank, frame: Frame, nouns: str) -> Mistakes:
    for sentence in bank.language.sentences(frame.text) if frame.scene else ():
        for noun, count in Counter(re.findall(nouns, sentence)).items():
            if count > 1 and noun not in english.words("stop"):
                yield "repeated noun", f"{noun!r} occurs {count} times in a sentence"


def _doubtful_pronouns(bank: Bank, frame: Frame, pronouns: str) -> Mistakes:
    """Yield pronouns that begin a sentence after one in which somebody else comes last."""
    for found in re.finditer(pronouns, frame.text) if frame.scene else ():
        before = bank.language.sentences(frame.text[: found.start() + 1])[-1]
        last = before.rpartition("{" + found[1])[2]
        others = set(words_of(re.sub(r"\{[^}]*\}", "", last))) & set(bank.header.bystanders)
        if others:
            yield "doubtful reference", f"{found[0][2:]!r} could mean the {min(others)}"

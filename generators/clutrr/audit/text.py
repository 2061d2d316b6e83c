"""Facts from sentences, by the reader of chains of thought; a sentence is understood or refused."""

import re
from collections.abc import Mapping
from typing import Final

from ....kb.worlds.fact import Fact
from ....kb.worlds.kinship_extended import neutral_words
from ....kb.worlds.world import World
from ....scoring.extraction import sentence_spans
from ..asking.answers import relation_words
from ..metadata import UNKNOWN
from ..reasoning.reader import StepReader
from .case import NO_GENDER, NO_RELATION_WORD, NOT_UNDERSTOOD, UnreadableRow

NAME: Final = r"[^\W\d_][\w'-]*"
"""A name of one word."""
_NAMES = re.compile(r"\b[A-Z][\w-]*(?:'[A-Z]\w*)?(?: [A-Z][\w-]*)*")
_SMALL: Final = frozenset(
    "is was are were the a an of and to has have had called named one who also both 's '".split()
)
"""Words that change nothing about who is what to whom."""
_STARTS: Final = frozenset("The A An One He She It They His Her Their".split())
_ASKED = re.compile(
    rf"(?:What|Who|How|What relation) is ({NAME})(?: related)? to ({NAME})\?(?!.*\?)"
)


def asked_pair(question: str) -> tuple[str, str] | None:
    """Return x and y of a question what y is to x; None if it asks something else."""
    match = _ASKED.match(question)
    return (match[2], match[1]) if match else None


def relation_word(world: World, said: str, gender: str = "") -> str:
    """Return the word of a world for a relation; one like `parent` needs the gender of y."""
    said = " ".join(said.casefold().replace("_", "-").split())
    meant = relation_words(world)[0].get(said, UNKNOWN)
    if meant in world.meanings:
        return meant
    neutral = {word: name for name, word in neutral_words().items()} if world.genders else {}
    predicate = neutral.get(said, "")
    if predicate not in world.predicates:
        raise UnreadableRow(NO_RELATION_WORD, f"{said} is no word of {world.name}")
    if gender not in world.genders:
        raise UnreadableRow(NO_GENDER, f"of a {said}")
    return world.predicates[predicate].word(gender)


def read_facts(text: str, world: World, genders: Mapping[str, str]) -> list[Fact]:
    """Return the facts of a text; UnreadableRow if any sentence is not understood as a whole."""
    facts: list[Fact] = []
    for start, end in sentence_spans(text):
        if sentence := text[start:end].strip():
            facts += _read_sentence(sentence, world, genders)
    return facts


def _read_sentence(sentence: str, world: World, genders: Mapping[str, str]) -> list[Fact]:
    unclear = UnreadableRow(NOT_UNDERSTOOD, sentence)
    names = [" ".join(_named(found)) for found in _NAMES.findall(sentence)]
    reader = StepReader(world, [name for name in names if name], {"": "", **genders})
    clause, claims = reader.vocabulary.parse(sentence), reader.claims(sentence)
    related = {name for claim in claims for name in (claim.x, claim.y)}
    if not claims or len(claims) < len(clause.mentions) or related != {*filter(None, names)}:
        raise unclear
    covered = {place for first, end, *_ in clause.mentions for place in range(first, end)}
    for first, (end, _) in clause.names.items():
        covered.update(range(first, end))
    others = {token for place, token in enumerate(clause.tokens) if place not in covered}
    if {token for token in others if token[0].isalnum()} - _SMALL:
        raise unclear
    if any(claim.notation for claim in claims):
        raise unclear
    for mention in clause.mentions:
        is_neutral = "?" in mention.answer
        if is_neutral and any(claim.y not in genders for claim in claims):
            raise UnreadableRow(NO_GENDER, sentence)
    return [(claim.x, claim.relation, claim.y) for claim in claims]


def _named(found: str) -> list[str]:
    words = found.split()
    return words[1:] if words[0] in _STARTS else words

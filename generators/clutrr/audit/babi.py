"""Files in the format of bAbI: numbered lines, with questions about directions or kinship."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from ....errors import InvalidInput
from ....kb.worlds.fact import Fact
from ....kb.worlds.world import find_world
from ....tables import load_tables
from . import stepgame
from .case import (
    NO_QUESTION,
    NOT_UNDERSTOOD,
    Case,
    Reading,
    Row,
    UnreadableRow,
    check_named,
    readings,
)
from .records import lines
from .settings import Settings
from .text import asked_pair, read_facts, relation_word

_LINE = re.compile(r"(\d+) (.*)")
_THING = r"(?:[Tt]he )?([a-z]+(?: [a-z]+)?)"
_TABLES: Final[dict[str, Any]] = load_tables(__package__, "babi.yaml")
_TURNS: Final[dict[str, str]] = _TABLES["turns"]
_CORNERS: Final[dict[str, list[str]]] = _TABLES["corners"]
_SIDE = f"({'|'.join(_TURNS)})"
_PLACED = re.compile(rf"{_THING} is {_SIDE} {_THING}\.")
_IS_PLACED = re.compile(rf"Is {_THING} {_SIDE} {_THING}\?")
_WHAT_IS = re.compile(rf"What is {_SIDE} {_THING}\?")
_WHAT_OF = re.compile(rf"What is {_THING} {_SIDE}\?")
_IS_KIN = re.compile(r"Is (\S+) (.*)\?")
_WHO_IS = re.compile(r"Who is (.*)\?")


def fits(path: Path, first: object) -> bool:
    """Return whether the first line has the number 1."""
    return isinstance(first, str) and first.startswith("1 ")


def rows(path: Path, settings: Settings) -> Iterator[tuple[float, Row]]:
    """Yield the questions of a file, each with the sentences before it in its story."""
    settings.check()
    story: list[str] = []
    for where, share, line in lines(path):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise InvalidInput(f"{where}: the line has no number; give a file in bAbI's format")
        if int(match[1]) == 1:
            story = []
        said, *answer = (part.strip() for part in match[2].split("\t"))
        if answer:
            yield share, _row([*story], said, answer[0], settings)
        else:
            story.append(said)


def _row(story: Sequence[str], question: str, answer: str, settings: Settings) -> Row:
    if stepgame.is_question(question):
        return stepgame.row(story, question, answer)
    read = _placed if story and _PLACED.fullmatch(story[0]) else partial(_kin, settings)
    text = " ".join([*story, question])
    return Row(text, answer, "", lambda: read(story, question, answer).outcome())


def _placed(story: Sequence[str], question: str, answer: str) -> Case:
    world = find_world("spatial")
    facts: list[Fact] = []
    for sentence in story:
        match = _PLACED.fullmatch(sentence)
        if match is None:
            raise UnreadableRow(NOT_UNDERSTOOD, sentence)
        facts.append((match[3], _TURNS[match[2]], match[1]))
    words: Sequence[str] = ()
    if match := _IS_PLACED.fullmatch(question):
        word, query = _TURNS[match[2]], (match[3], match[1])
        words = _CORNERS[word]
        if answer not in ("yes", "no"):
            raise UnreadableRow(NO_QUESTION, f"{question} {answer}")
    elif match := _WHAT_IS.fullmatch(question):
        word, query = _TURNS[match[1]], (match[2], answer)
    elif match := _WHAT_OF.fullmatch(question):
        word, query = _TURNS[match[2]], (answer, match[1])
    else:
        raise UnreadableRow(NO_QUESTION, question)
    check_named(query, {name for x, _, y in facts for name in (x, y)})
    reading = Reading(world.judge, facts, frozenset([word, *words]))
    return Case(query, [reading], is_denied=bool(words) and answer == "no")


def _kin(settings: Settings, story: Sequence[str], question: str, answer: str) -> Case:
    world = settings.find_world("kinship")
    facts = read_facts(" ".join(story), world, {})
    genders = {y: gender for _, word, y in facts if (gender := world.meanings[word][1])}
    is_denied = answer == "no"
    if query := asked_pair(question):
        word = relation_word(world, answer, genders.get(query[1], ""))
    else:
        if match := _IS_KIN.fullmatch(question):
            if answer not in ("yes", "no"):
                raise UnreadableRow(NO_QUESTION, f"{question} {answer}")
            claim = f"{match[1]} is {match[2]}."
        elif match := _WHO_IS.fullmatch(question):
            claim, is_denied = f"{answer} is {match[1]}.", False
        else:
            raise UnreadableRow(NO_QUESTION, question)
        claimed = read_facts(claim, world, genders)
        if len(claimed) != 1:
            raise UnreadableRow(NO_QUESTION, question)
        ((x, word, y),) = claimed
        query = x, y
    check_named(query, {name for x, _, y in facts for name in (x, y)})
    return Case(query, readings(world, facts, word), world, genders, is_denied)

"""Rows of the task family_relationships of reasoning-gym: JSON, or made by the package."""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from ....errors import InvalidOption, MissingExtra
from ....kb.worlds.fact import Fact
from ....kb.worlds.world import World
from ....tables import load_tables
from .case import (
    NO_GENDER,
    NO_QUESTION,
    NOT_UNDERSTOOD,
    Case,
    Outcome,
    Row,
    UnreadableRow,
    check_named,
    readings,
)
from .records import column, records, texts
from .settings import Settings
from .text import NAME, asked_pair, relation_word

_TASK: Final = "family_relationships"
_GENDERS: Final = {
    name: gender
    for gender, names in load_tables(__package__, "reasoning_gym.yaml").items()
    for name in names.split()
}
"""Genders of the first names of the task, whose stories state no gender otherwise."""
_SPOUSES: Final = {"male": "female", "female": "male"}

_MARRIED = re.compile(rf"({NAME}) is married to ({NAME})\.")
_CHILDREN = re.compile(
    rf"They have (?:a child called ({NAME})|children called ((?:{NAME}, )*{NAME} and {NAME}))\."
)
_SENTENCE = re.compile(r"[^.]+\.(?: |$)")


def fits(path: Path, first: object) -> bool:
    """Return whether the first row is one of the task."""
    question = column(first, "question")
    is_task = column(first, "metadata.source_dataset") == _TASK
    return is_task or (isinstance(question, str) and bool(_MARRIED.match(question)))


def rows(path: Path | None, settings: Settings) -> Iterator[tuple[float, Row]]:
    """Yield the rows of a file; without one, rows that the installed package makes."""
    world = settings.find_world("kinship")
    if path is None:
        yield from _made(world, settings.values)
        return
    settings.check()
    for _, share, record in records(path):
        yield share, _row(record, world)


def _made(world: World, values: Mapping[str, str]) -> Iterator[tuple[float, Row]]:
    module = _load()
    known = {field.name: field for field in fields(module.FamilyRelationshipsConfig)}
    names = [name for name in known if not name.endswith("_names")]
    Settings(values=values).check(*names)
    try:
        numbers = {name: int(value) for name, value in values.items()}
        config = module.FamilyRelationshipsConfig(**{"seed": 0, **numbers})
        dataset = module.FamilyRelationshipsDataset(config)
    except (ValueError, AssertionError) as error:
        raise InvalidOption(f"--set: {' '.join(str(error).split())}; give other numbers") from None
    for number in range(config.size):
        yield (number + 1) / config.size, _row(dataset[number], world)


def _load() -> Any:
    """Import the task without the other tasks of the package, which need many others."""
    spec = find_spec("reasoning_gym")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("reasoning-gym is not installed; pip install reasoning-gym")
    before = set(sys.modules)
    (folder,) = spec.submodule_search_locations
    try:
        for name, part in (("reasoning_gym", folder), ("reasoning_gym.graphs", f"{folder}/graphs")):
            if name not in sys.modules:
                package = sys.modules[name] = ModuleType(name)
                package.__path__ = [part]
        return import_module(f"reasoning_gym.graphs.{_TASK}")
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise MissingExtra(
            f"cannot import {_TASK} of reasoning-gym: {reason}; pip install reasoning-gym"
        ) from None
    finally:
        for name in {name for name in sys.modules if name.startswith("reasoning_gym")} - before:
            del sys.modules[name]


def _row(record: Any, world: World) -> Row:
    text, answer = texts(record, "question", "answer")
    size = column(record, "metadata.family_size")
    group = f"family size {size}" if isinstance(size, int) else ""
    return Row(text, answer, group, partial(_judge, text, answer, world))


def _judge(text: str, answer: str, world: World) -> Outcome:
    story, _, question = text.rpartition("\n\n")
    pair = asked_pair(question)
    if pair is None:
        raise UnreadableRow(NO_QUESTION, question)
    families = list(_families(story))
    people = {name for parents, children in families for name in (*parents, *children)}
    check_named(pair, people)
    genders = {name: _GENDERS[name] for name in people if name in _GENDERS}
    for (first, second), _ in families:
        for one, other in ((first, second), (second, first)):
            if one in genders:
                genders.setdefault(other, _SPOUSES[genders[one]])
        if genders.get(first) == genders.get(second):
            raise UnreadableRow(NO_GENDER, f"of {first} or {second}, who are married")
    if unknown := sorted(people - genders.keys()):
        raise UnreadableRow(NO_GENDER, f"of {unknown[0]}")
    facts: list[Fact] = []
    for (first, second), children in families:
        facts.append((first, "husband" if genders[second] == "male" else "wife", second))
        for child in children:
            word = "son" if genders[child] == "male" else "daughter"
            facts += [(first, word, child), (second, word, child)]
    word = relation_word(world, answer, genders[pair[1]])
    return Case(pair, readings(world, facts, word), world, genders).outcome()


def _families(story: str) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Yield each couple with its children."""
    couple: tuple[str, str] | None = None
    children: list[str] = []
    for sentence in map(str.strip, _SENTENCE.findall(story)):
        if match := _MARRIED.fullmatch(sentence):
            if couple:
                yield couple, children
            couple, children = (match[1], match[2]), []
        elif couple and not children and (match := _CHILDREN.fullmatch(sentence)):
            children = re.split(", | and ", match[1] or match[2])
        else:
            raise UnreadableRow(NOT_UNDERSTOOD, sentence)
    if "".join(_SENTENCE.findall(story)) != story or not couple:
        raise UnreadableRow(NOT_UNDERSTOOD, story)
    yield couple, children

"""JSON of any kind, with a mapping in YAML that says which columns hold what."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from ....errors import InvalidInput, InvalidOption
from ....kb.document import parse_document
from ....kb.worlds.fact import Fact
from ....kb.worlds.world import World
from ....storage import text
from .case import NO_COLUMNS, Case, Outcome, Row, UnreadableRow, check_named, readings
from .records import column, records, texts
from .settings import Settings
from .text import read_facts, relation_word


class MappingFile(BaseModel):
    """Columns of a file; a name with dots leads into objects, as in metadata.query."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1]
    world: str = "kinship"
    facts: str = ""
    """A list of facts, each of three."""
    order: tuple[Literal["x", "relation", "y"], ...] = ("x", "relation", "y")
    """Order of the elements of a fact, which says that y is the relation of x."""
    text: str = ""
    """A text with the facts, instead of `facts`."""
    query: str | tuple[str, str]
    """A column with the pair x and y, or one column for each: the answer is what y is to x."""
    answer: str
    genders: str = ""
    """An object of genders by name."""
    group: str = ""
    words: dict[str, str] = {}
    """Words of the world, by those of the file."""

    @model_validator(mode="after")
    def _has_facts(self) -> "MappingFile":
        if bool(self.facts) == bool(self.text):
            raise ValueError("facts: give either facts or text")
        if sorted(self.order) != ["relation", "x", "y"]:
            raise ValueError("order: name x, relation and y, each once")
        return self


def rows(path: Path, settings: Settings) -> Iterator[tuple[float, Row]]:
    """Yield the rows of a JSON file."""
    settings.check()
    if settings.mapping is None:
        raise InvalidOption("--format: mapped needs --mapping FILE.yaml, which names the columns")
    file = settings.mapping
    mapping, lines = parse_document(
        text.read(file, "give a YAML file", "--mapping"), str(file), MappingFile, InvalidInput
    )
    world = settings.find_world(mapping.world)
    for theirs, ours in mapping.words.items():
        if ours not in world.meanings:
            line = lines.line_of(("words", theirs))
            raise InvalidInput(f"{file}:{line}: words: {ours!r} is no word of {world.name}")
    for _, share, record in records(path):
        group = column(record, mapping.group) if mapping.group else None
        yield (
            share,
            Row(
                str(column(record, mapping.text or mapping.facts)),
                str(column(record, mapping.answer)),
                "" if group is None else f"{mapping.group} = {group}",
                partial(_judge, record, mapping, world),
            ),
        )


def _judge(record: Any, mapping: MappingFile, world: World) -> Outcome:
    genders = column(record, mapping.genders) if mapping.genders else {}
    if not isinstance(genders, dict) or not {*map(str, genders.values())} <= {*world.genders}:
        raise UnreadableRow(NO_COLUMNS, mapping.genders)
    if mapping.text:
        (story,) = texts(record, mapping.text)
        facts = read_facts(story, world, genders)
    else:
        facts = _facts(record, mapping, world, genders)
    columns = mapping.query
    pair = (
        column(record, columns)
        if isinstance(columns, str)
        else [column(record, name) for name in columns]
    )
    if not (isinstance(pair, list) and len(pair) == 2 and _are_texts(pair)):
        raise UnreadableRow(NO_COLUMNS, str(columns))
    x, y = pair
    check_named((x, y), {name for a, _, b in facts for name in (a, b)})
    implied = {b: gender for _, said, b in facts if (gender := world.meanings[said][1])} | genders
    word = _word(column(record, mapping.answer), mapping, world, implied.get(y, ""))
    return Case((x, y), readings(world, facts, word), world, genders).outcome()


def _facts(record: Any, mapping: MappingFile, world: World, genders: dict[str, str]) -> list[Fact]:
    value = column(record, mapping.facts)
    if not isinstance(value, list):
        raise UnreadableRow(NO_COLUMNS, mapping.facts)
    facts = []
    for triple in value:
        if not (isinstance(triple, list) and len(triple) == 3 and _are_texts(triple)):
            raise UnreadableRow(NO_COLUMNS, f"{mapping.facts}: {triple}")
        said = dict(zip(mapping.order, triple, strict=True))
        x, y = said["x"], said["y"]
        facts.append((x, _word(said["relation"], mapping, world, genders.get(y, "")), y))
    return facts


def _word(said: Any, mapping: MappingFile, world: World, gender: str) -> str:
    if not isinstance(said, str):
        raise UnreadableRow(NO_COLUMNS, f"{said} is no relation")
    return relation_word(world, mapping.words.get(said, said), gender)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) and value != "" for value in values)

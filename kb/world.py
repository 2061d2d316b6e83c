"""Rule worlds as data: the schema of a world file, and a loader that names every mistake."""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ..errors import BrokenPlugin, InvalidWorld, NotFound
from ..registry import WORLDS

Where = tuple[str | int, ...]


class Mistake(NamedTuple):
    """One thing wrong in a world file."""

    line: int
    field: str
    what: str


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _known(info: ValidationInfo, section: str) -> tuple[str, ...]:
    assert info.context is not None, "worlds are made by parse_world"
    return tuple(info.context[section])


def _unknown(name: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
    return f"{name!r} is not a predicate of this world; {hint}"


def _declared(name: str, info: ValidationInfo) -> str:
    known = _known(info, "predicates")
    if name not in known:
        raise ValueError(_unknown(name, known))
    return name


PredicateName = Annotated[str, AfterValidator(_declared)]
Text = Annotated[str, Field(min_length=1)]


class Predicate(_Part):
    """A relation: (x, r, y) says that y is the r of x."""

    words: str | dict[str, str]
    inverse: PredicateName | None = None
    symmetric: StrictBool = False
    functional: StrictBool = False

    @field_validator("words", mode="before")
    @classmethod
    def _one_word_per_gender(cls, words: Any, info: ValidationInfo) -> Any:
        genders = _known(info, "genders")
        texts = list(words.values()) if isinstance(words, dict) else [words]
        if not all(isinstance(text, str) and text for text in texts):
            raise ValueError("a word must be text")
        if not genders and isinstance(words, dict):
            raise ValueError("this world lists no genders; write one plain word")
        if genders and (isinstance(words, str) or set(words) != set(genders)):
            raise ValueError(f"give one word for each of {', '.join(genders)}")
        return words

    @model_validator(mode="after")
    def _symmetric_is_its_own_inverse(self) -> Self:
        if self.symmetric and self.inverse is not None:
            raise ValueError("a symmetric predicate is its own inverse; leave out 'inverse'")
        return self

    def word(self, gender: str | None = None) -> str:
        """The surface word, in a gendered world that for a second argument of this gender."""
        if isinstance(self.words, str):
            return self.words
        if gender not in self.words:
            raise NotFound(f"no word for gender {gender!r}; choose from {', '.join(self.words)}")
        return self.words[gender]


class Rule(_Part):
    """head(X, Y) <- body[0](X, Z), body[1](Z, Y), for distinct X, Y, Z."""

    head: PredicateName
    body: tuple[PredicateName, PredicateName]
    source: Text

    def __str__(self) -> str:
        return f"{self.body[0]} . {self.body[1]} -> {self.head}"


class RuleSet(_Part):
    """Composition rules that are used together."""

    summary: Text
    rules: tuple[Rule, ...]


class World(_Part):
    """Predicates, named rule sets over them, and the name of the semantics that judges both."""

    format: Literal[1]
    name: Text
    summary: Text
    semantics: Text
    genders: tuple[Text, ...] = ()
    default: Text
    predicates: dict[str, Predicate] = Field(min_length=1)
    rulesets: dict[str, RuleSet] = Field(min_length=1)

    @field_validator("default")
    @classmethod
    def _default_exists(cls, default: str, info: ValidationInfo) -> str:
        known = _known(info, "rulesets")
        if default not in known:
            raise ValueError(f"no rule set {default!r}; known: {', '.join(known)}")
        return default

    def ruleset(self, name: str | None = None) -> RuleSet:
        """The rule set of this name, or the default one."""
        name = self.default if name is None else name
        if name not in self.rulesets:
            known = ", ".join(self.rulesets)
            raise NotFound(f"world {self.name!r} has no rule set {name!r}; choose from {known}")
        return self.rulesets[name]

    def inverse(self, predicate: str) -> str | None:
        """The predicate that holds from y to x where this one holds from x to y."""
        if predicate not in self.predicates:
            raise NotFound(_unknown(predicate, tuple(self.predicates)))
        entry = self.predicates[predicate]
        return predicate if entry.symmetric else entry.inverse


def find_world(name: str) -> World:
    """The world registered under this name in the entry point group relsmith.worlds."""
    world = WORLDS.get(name)
    if not isinstance(world, World):
        raise BrokenPlugin(f"the world {name!r} is {world!r}, no relsmith.kb.world.World; mend it")
    return world


def load_world(path: Path) -> World:
    """Read a world file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotFound(f"cannot read the world file {str(path)!r}: {error}") from error
    return parse_world(text, str(path))


def parse_world(text: str, file: str) -> World:
    """Make a world of a file's text, or raise one error that lists all its mistakes."""
    mistakes: list[Mistake] = []
    world = _parse(text, mistakes)
    if world is None or mistakes:
        lines = sorted(set(mistakes))
        raise InvalidWorld("\n".join(f"{file}:{m.line}: {m.field}: {m.what}" for m in lines))
    return world


def _parse(text: str, mistakes: list[Mistake]) -> World | None:
    try:
        # An alias could make the file contain itself; worlds are short enough without.
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                line = 1 + (event.start_mark.line if event.start_mark else 0)
                mistakes.append(Mistake(line, f"*{event.anchor}", "write out the alias"))
        root = None if mistakes else yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        mistakes.append(Mistake(mark.line + 1 if mark else 1, "YAML", what))
    if mistakes:
        return None
    if not isinstance(root, yaml.MappingNode):
        mistakes.append(Mistake(1, "world", "expected 'field: value' lines at the top level"))
        return None
    lines: dict[Where, int] = {}
    data = _plain(root, (), lines, mistakes)
    context = {
        section: [name for name, _ in _items(data, section) if isinstance(name, str)]
        for section in ("predicates", "rulesets")
    }
    context["genders"] = [g for _, g in _items(data, "genders") if isinstance(g, str)]
    found = [*_disagreeing_inverses(data), *_repeated_rules(data)]
    try:
        world = World.model_validate(data, context=context)
    except ValidationError as error:
        world = None
        found += [(tuple(e["loc"]), _message(e["type"], e["msg"])) for e in error.errors()]
    for where, what in found:
        nearest = next(where[:n] for n in range(len(where), -1, -1) if where[:n] in lines)
        mistakes.append(Mistake(lines[nearest], _field(where), what))
    return world


def _plain(node: yaml.Node, where: Where, lines: dict[Where, int], mistakes: list[Mistake]) -> Any:
    """Turn YAML nodes into Python values, noting the line of each."""
    lines.setdefault(where, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*where, n), lines, mistakes) for n, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        try:
            return yaml.SafeLoader("").construct_object(node)
        except Exception:  # whatever the conversion of a tagged scalar happens to raise
            what = f"{node.value!r} is no {node.tag}; put it in quotes"
            mistakes.append(Mistake(node.start_mark.line + 1, _field(where), what))
            return None
    values = {}
    for key_node, value_node in node.value:
        key, line = key_node.value, key_node.start_mark.line + 1
        field = _field((*where, key))
        if key_node.tag != "tag:yaml.org,2002:str":
            mistakes.append(Mistake(line, field, "the key must be text; put it in quotes"))
        elif key in values:
            first = lines[*where, key]
            mistakes.append(Mistake(line, field, f"already given in line {first}; keep one"))
        else:
            lines[*where, key] = line
            values[key] = _plain(value_node, (*where, key), lines, mistakes)
    return values


def _field(where: Where) -> str:
    parts = [str(part) for part in where]
    return ".".join(part if part.isprintable() else repr(part) for part in parts) or "world"


def _items(data: Any, *path: str | int) -> list[tuple[Any, Any]]:
    """The entries of a mapping or list at a path, none where the file has another shape."""
    for part in path:
        data = dict(_items(data)).get(part)
    if isinstance(data, dict):
        return list(data.items())
    return list(enumerate(data)) if isinstance(data, list) else []


def _disagreeing_inverses(data: Any) -> Iterator[tuple[Where, str]]:
    inverses = {
        name: dict(_items(data, "predicates", name)).get("inverse")
        for name, _ in _items(data, "predicates")
    }
    for name, inverse in inverses.items():
        if isinstance(inverse, str) and inverse in inverses and inverses[inverse] != name:
            yield (
                ("predicates", name, "inverse"),
                f"{inverse!r} has the inverse {inverses[inverse]!r}; make it {name!r}",
            )


def _repeated_rules(data: Any) -> Iterator[tuple[Where, str]]:
    for ruleset, _ in _items(data, "rulesets"):
        seen: dict[str, int] = {}
        for number, rule in _items(data, "rulesets", ruleset, "rules"):
            key = str([dict(_items(rule)).get(part) for part in ("head", "body")])
            if key in seen:
                where: Where = ("rulesets", ruleset, "rules", number)
                yield where, f"the same rule as number {seen[key]}; delete one"
            seen.setdefault(key, number)


def _message(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "no such field; delete it or mend its name"
    if kind == "missing":
        return "missing; add it"
    return message.removeprefix("Value error, ")

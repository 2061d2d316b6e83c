"""YAML files with a schema: a reader that names every mistake by file, line and field."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from ..errors import RelsmithError
from ..options import explanation
from ..storage.text import DEEPEST

Where = tuple[str | int, ...]
Complaint = tuple[Where, str]
M = TypeVar("M", bound=BaseModel)


class Mistake(NamedTuple):
    """One thing wrong in a file."""

    line: int
    field: str
    what: str


class Lines(dict[Where, int]):
    """The line of every value of a file."""

    def of(self, where: Where) -> int:
        """The line of a value, or of the nearest one around it."""
        return self[next(where[:n] for n in range(len(where), -1, -1) if where[:n] in self)]


def _no_context(data: Any) -> dict[str, Any]:
    return {}


def parse_document(
    text: str,
    file: str,
    model: type[M],
    error: type[RelsmithError],
    *,
    context: Callable[[Any], dict[str, Any]] = _no_context,
    checks: Iterable[Callable[[Any], Iterable[Complaint]]] = (),
) -> tuple[M, Lines]:
    """Make a model of a file's text, or raise one error that lists all its mistakes.

    The context for validation is computed from the plain data; checks look at that data too,
    so that what they find is told together with what the schema finds.
    """
    mistakes: list[Mistake] = []
    noun = model.__name__.removesuffix("File").lower()
    lines = Lines()
    document = None
    root = _composed(text, noun, mistakes)
    if root is not None:
        data = _plain(root, (), lines, mistakes, noun)
        complaints = [complaint for check in checks for complaint in check(data)]
        try:
            document = model.model_validate(data, context=context(data))
        except ValidationError as invalid:
            complaints += [
                (detail["loc"], explanation(detail, model)) for detail in invalid.errors()
            ]
        for where, what in complaints:
            mistakes.append(Mistake(lines.of(where), field_name(where, noun), what))
    if document is None or mistakes:
        raise error(listing(file, mistakes))
    return document, lines


def listing(file: str, mistakes: Iterable[Mistake]) -> str:
    """Mistakes as lines, in the order of the file."""
    return "\n".join(f"{file}:{m.line}: {m.field}: {m.what}" for m in sorted(set(mistakes)))


def field_name(where: Where, noun: str) -> str:
    """How a place in a file is written; the noun stands for the whole file."""
    parts = [str(part) for part in where]
    return ".".join(part if part.isprintable() else repr(part) for part in parts) or noun


def items(data: Any, *path: str | int) -> list[tuple[Any, Any]]:
    """The entries of a mapping or list at a path, none where the file has another shape."""
    for part in path:
        data = dict(items(data)).get(part)
    if isinstance(data, dict):
        return list(data.items())
    return list(enumerate(data)) if isinstance(data, list) else []


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as quick
_MOST_CHARACTERS = 1 << 22
_LONGEST_NUMBER = 100


def _composed(text: str, noun: str, mistakes: list[Mistake]) -> yaml.MappingNode | None:
    root = None
    try:
        mistakes += _unfit(text)
        root = None if mistakes else yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        what = what.replace("unexpected ", "a misplaced ")
        mistakes.append(Mistake(mark.line + 1 if mark else 1, "YAML", what))
    if mistakes:
        return None
    if not isinstance(root, yaml.MappingNode):
        mistakes.append(Mistake(1, noun, "expected 'field: value' lines at the top level"))
        return None
    return root


def _unfit(text: str) -> Iterator[Mistake]:
    """What is YAML, but would take too long to read, or never end."""
    if len(text) > _MOST_CHARACTERS:
        yield Mistake(1, "YAML", f"more than {_MOST_CHARACTERS:,} characters; cut the file in two")
        return
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = 1 + (event.start_mark.line if event.start_mark else 0)
        # An alias could make the file contain itself; our files are short enough without.
        if isinstance(event, yaml.AliasEvent):
            yield Mistake(line, f"*{event.anchor}", "write out the alias")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            yield Mistake(line, "YAML", f"nested more than {DEEPEST} deep; write it flat")
            return


def _plain(node: yaml.Node, where: Where, lines: Lines, mistakes: list[Mistake], noun: str) -> Any:
    """Turn YAML nodes into Python values, noting the line of each."""
    lines.setdefault(where, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [
            _plain(item, (*where, n), lines, mistakes, noun) for n, item in enumerate(node.value)
        ]
    if not isinstance(node, yaml.MappingNode):
        if node.tag == "tag:yaml.org,2002:str":
            return node.value
        try:
            if len(node.value) > _LONGEST_NUMBER:
                raise ValueError
            return yaml.SafeLoader("").construct_object(node)
        except Exception:  # whatever the conversion of a tagged scalar happens to raise
            what = f"{node.value[:_LONGEST_NUMBER]!r} is no {node.tag}; put it in quotes"
            mistakes.append(Mistake(node.start_mark.line + 1, field_name(where, noun), what))
            return None
    values = {}
    for key_node, value_node in node.value:
        key, line = key_node.value, key_node.start_mark.line + 1
        field = field_name((*where, key), noun)
        if not isinstance(key, str) or key_node.tag != "tag:yaml.org,2002:str":
            mistakes.append(Mistake(line, field, "the key must be text; put it in quotes"))
        elif key in values:
            first = lines[*where, key]
            mistakes.append(Mistake(line, field, f"already given in line {first}; keep one"))
        else:
            lines[*where, key] = line
            values[key] = _plain(value_node, (*where, key), lines, mistakes, noun)
    return values

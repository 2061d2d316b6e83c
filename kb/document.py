"""Parser of YAML files with a schema; errors name every mistake by file, line and field."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from ..errors import RelsmithError
from ..options import validation_message
from ..storage.text import MAX_DEPTH

FieldPath = tuple[str | int, ...]
Complaint = tuple[FieldPath, str]
M = TypeVar("M", bound=BaseModel)


class Mistake(NamedTuple):
    """A mistake in a file."""

    line: int
    field: str
    what: str


class LineNumbers(dict[FieldPath, int]):
    """Line numbers of the values of a file."""

    def line_of(self, where: FieldPath) -> int:
        """Return the line of a value, or of the nearest value that contains it."""
        return self[next(where[:n] for n in range(len(where), -1, -1) if where[:n] in self)]


def parse_document(
    text: str,
    file: str,
    model: type[M],
    error: type[RelsmithError],
    *,
    context: Callable[[Any], dict[str, Any]] = lambda data: {},
    checks: Iterable[Callable[[Any], Iterable[Complaint]]] = (),
) -> tuple[M, LineNumbers]:
    """Validate the text of a file; one error lists all mistakes.

    `context` computes the validation context from the plain data. `checks` inspect that data too,
    and their complaints are listed together with those of the schema.
    """
    mistakes: list[Mistake] = []
    noun = model.__name__.removesuffix("File").lower()
    lines = LineNumbers()
    document = None
    root = _compose(text, noun, mistakes)
    if root is not None:
        data = _plain(root, (), lines, mistakes, noun)
        complaints = [complaint for check in checks for complaint in check(data)]
        try:
            document = model.model_validate(data, context=context(data))
        except ValidationError as invalid:
            complaints += [
                (detail["loc"], validation_message(detail, model)) for detail in invalid.errors()
            ]
        for where, what in complaints:
            mistakes.append(Mistake(lines.line_of(where), field_name(where, noun), what))
    if document is None or mistakes:
        raise error(format_mistakes(file, mistakes))
    return document, lines


def format_mistakes(file: str, mistakes: Iterable[Mistake]) -> str:
    """Format mistakes as lines, in the order of the file."""
    return "\n".join(f"{file}:{m.line}: {m.field}: {m.what}" for m in sorted(set(mistakes)))


def field_name(where: FieldPath, noun: str) -> str:
    """Format a path in a file; `noun` is the name of the whole file."""
    parts = [str(part) for part in where]
    return ".".join(part if part.isprintable() else repr(part) for part in parts) or noun


def items(data: Any, *path: str | int) -> list[tuple[Any, Any]]:
    """Return the entries of a mapping or list at a path, none if the file has another shape."""
    for part in path:
        data = dict(items(data)).get(part)
    if isinstance(data, dict):
        return list(data.items())
    return list(enumerate(data)) if isinstance(data, list) else []


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
_MAX_CHARACTERS = 1 << 22
_MAX_SCALAR_LENGTH = 100


def _compose(text: str, noun: str, mistakes: list[Mistake]) -> yaml.MappingNode | None:
    root = None
    try:
        mistakes += _refused(text)
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


def _refused(text: str) -> Iterator[Mistake]:
    """Yield mistakes for valid YAML that would take too long to read, or never end."""
    if len(text) > _MAX_CHARACTERS:
        yield Mistake(1, "YAML", f"more than {_MAX_CHARACTERS:,} characters; cut the file in two")
        return
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = 1 + (event.start_mark.line if event.start_mark else 0)
        # An alias could make the file contain itself.
        if isinstance(event, yaml.AliasEvent):
            yield Mistake(line, f"*{event.anchor}", "write out the alias")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            yield Mistake(line, "YAML", f"nested more than {MAX_DEPTH} deep; write it flat")
            return


def _plain(
    node: yaml.Node, where: FieldPath, lines: LineNumbers, mistakes: list[Mistake], noun: str
) -> Any:
    """Convert YAML nodes to Python values, and record the line of each."""
    lines.setdefault(where, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [
            _plain(item, (*where, n), lines, mistakes, noun) for n, item in enumerate(node.value)
        ]
    if not isinstance(node, yaml.MappingNode):
        if node.tag == "tag:yaml.org,2002:str":
            return node.value
        try:
            if len(node.value) > _MAX_SCALAR_LENGTH:
                raise ValueError
            return yaml.SafeLoader("").construct_object(node)
        except Exception:  # converting a tagged scalar may raise anything
            what = f"{node.value[:_MAX_SCALAR_LENGTH]!r} is no {node.tag}; put it in quotes"
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

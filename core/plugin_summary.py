"""Read the summaries of built-in plugins from their source, without importing them.

Importing every generator, model, exporter and world takes seconds; `gen list` prints one line about
each. Plugins of other distributions are imported, because only that shows whether they work.
"""

import ast
import re
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Final


def docstring_summary(point: EntryPoint) -> str:
    """Return the first line of the docstring of a class or function."""
    return _definition(point).split('"""', 2)[1].partition("\n")[0]


def generator_version(point: EntryPoint) -> int:
    """Return the version of a generator class."""
    found = re.search(r"^    version: ClassVar\[int\] = (\d+)$", _definition(point), re.MULTILINE)
    assert found, f"{point.value} has no line 'version: ClassVar[int] = ...'"
    return int(found[1])


def exporter_summary(point: EntryPoint) -> str:
    """Return the second argument of the call that makes an exporter."""
    (statement,) = ast.parse(_definition(point)).body
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    return str(ast.literal_eval(statement.value.args[1]))


def world_summary(point: EntryPoint) -> str:
    """Return the summary in the header of a world's file, `NAME.yaml` in the world's package."""
    header = _source(point).with_name(f"{point.name}.yaml").read_text(encoding="utf-8")
    found = re.search(r"^summary: (.+)$", header, re.MULTILINE)
    assert found, f"{point.name}.yaml has no line 'summary: ...'"
    return found[1].strip()


def _definition(point: EntryPoint) -> str:
    """Return the top-level statement that defines the entry point's object."""
    lines = _source(point).read_text(encoding="utf-8").splitlines(keepends=True)
    starts = tuple(f"{before}{point.attr}{after}" for before, after in _STARTS)
    first = next(n for n, line in enumerate(lines) if line.startswith(starts))
    last = next(
        (n for n in range(first + 1, len(lines)) if not lines[n].startswith(_CONTINUATIONS)),
        len(lines),
    )
    return "".join(lines[first:last])


_STARTS: Final = (("class ", "("), ("class ", ":"), ("def ", "("), ("", " = "))
_CONTINUATIONS: Final = (" ", ")", "\n")


def _source(point: EntryPoint) -> Path:
    """Return the source file of an entry point's module; only `relsmith` itself is imported."""
    package, *rest = point.module.split(".")[1:]
    spec = find_spec(f"relsmith.{package}")
    assert spec is not None and spec.origin is not None
    origin = Path(spec.origin)
    if not spec.submodule_search_locations:  # a module of core, perhaps compiled
        return origin.with_name(f"{package}.py")
    module = origin.parent.joinpath(*rest)
    return module / "__init__.py" if module.is_dir() else module.with_suffix(".py")

"""Read what a plugin of ours says about itself from its source, without importing it.

Importing every generator, model, exporter and world takes seconds; `gen list` prints one line about
each. Plugins of other distributions are imported instead, because importing them is the only way to
find out whether they work.
"""

import ast
import re
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path


def docstring_summary(point: EntryPoint) -> str:
    """Return the first line of the docstring of a class or function."""
    statement = _statement(point)
    assert isinstance(statement, ast.ClassDef | ast.FunctionDef)
    return (ast.get_docstring(statement) or "").partition("\n")[0]


def class_constant(point: EntryPoint, name: str) -> object:
    """Return the value of an annotated class variable that is set to a literal."""
    statement = _statement(point)
    assert isinstance(statement, ast.ClassDef)
    for line in statement.body:
        if isinstance(line, ast.AnnAssign) and ast.unparse(line.target) == name and line.value:
            return ast.literal_eval(line.value)
    raise AttributeError(f"{point.value} sets no {name!r}")


def call_argument(point: EntryPoint, position: int) -> object:
    """Return a literal positional argument of the call that makes a module-level object."""
    statement = _statement(point)
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    return ast.literal_eval(statement.value.args[position])


def world_summary(point: EntryPoint) -> str:
    """Return the summary in the header of a world's file, `NAME.yaml` in the world's package."""
    header = _source(point).with_name(f"{point.name}.yaml").read_text(encoding="utf-8")
    found = re.search(r"^summary: (.+)$", header, re.MULTILINE)
    assert found, f"{point.name}.yaml has no line 'summary: ...'"
    return found[1].strip()


def _statement(point: EntryPoint) -> ast.stmt:
    """Parse the top-level statement that defines the entry point's object, and only that."""
    text = _source(point).read_text(encoding="utf-8")
    name = re.escape(point.attr)
    first_line = rf"^(?:class {name}\b|def {name}\b|{name}\b.*=).*\n"
    found = re.search(first_line + r"(?:(?:[ )].*)?\n)*", text, re.MULTILINE)
    assert found, f"{point.value} is not defined at the top level of its module"
    (statement,) = ast.parse(found[0]).body
    return statement


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

"""The rules of docs/architecture.md: import directions, packages, and lazy imports."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import networkx
import pytest

MAY_IMPORT = {
    "core": set(),
    "kb": {"core"},
    "templates": {"core", "kb"},
    "generators": {"core", "kb", "templates"},
    "evaluation": {"core", "kb"},
    "worlds": {"core", "kb", "templates", "generators"},
    "web": {"core", "kb", "templates", "generators"},
    "cli": {"core", "kb", "templates", "generators", "evaluation", "worlds", "web"},
}
HEAVY = ("torch", "spacy", "nltk", "pandas", "matplotlib", "datasets", "sklearn", "transformers")
HEAVY += ("starlette", "uvicorn", "jinja2")


def _sources(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.py")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def _imports(path: Path, folder: str, root: Path) -> list[tuple[ast.stmt, str]]:
    """Return the absolute names of everything a module imports."""
    return list(_imports_of(ast.walk(_tree(path)), path, folder, root))


def _imports_of(
    nodes: Iterable[ast.AST], path: Path, folder: str, root: Path
) -> Iterator[tuple[ast.stmt, str]]:
    inside = path.relative_to(root / folder).parent.parts
    package = ["relsmith", *([] if folder == "core" else [folder]), *inside]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node, f"{module}.{alias.name}") for alias in node.names)


def _room(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] != "relsmith":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else "core"


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_point_one_way(folder: str, root: Path) -> None:
    for path in _sources(root / folder):
        for node, name in _imports(path, folder, root):
            room = _room(name)
            assert room in {None, folder} | MAY_IMPORT[folder], (
                f"{path.relative_to(root)}:{node.lineno}: {folder} may not import {name}"
            )


def _modules(root: Path) -> dict[str, tuple[Path, str]]:
    """Return every module by its import name, with its folder."""
    found = {}
    for folder in MAY_IMPORT:
        for path in _sources(root / folder):
            inside = path.relative_to(root / folder).with_suffix("").parts
            parts = ["relsmith", *([] if folder == "core" else [folder]), *inside]
            found[".".join(parts).removesuffix(".__init__")] = path, folder
    return found


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the tree without TYPE_CHECKING blocks, which never run."""
    yield node
    checked = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
    for child in node.orelse if checked else ast.iter_child_nodes(node):
        yield from _run(child)


def _import_graph(root: Path, *, for_types: bool) -> "networkx.DiGraph[str]":
    """Return the imports of each module, at the top or in functions; `for_types`: those too."""
    modules = _modules(root)
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for module, (path, folder) in modules.items():
        nodes = ast.walk(_tree(path)) if for_types else _run(_tree(path))
        for _, name in _imports_of(nodes, path, folder, root):
            imported = name if name in modules else name.rpartition(".")[0]
            if imported in modules and imported != module:
                graph.add_edge(module, imported)
    return graph


TYPES_IMPORTED_IN_CIRCLES: set[str] = set()
"""Packages whose modules still import each other under TYPE_CHECKING; add none."""


@pytest.mark.parametrize("for_types", [False, True])
def test_no_module_imports_itself_through_others(for_types: bool, root: Path) -> None:
    graph = _import_graph(root, for_types=for_types)
    assert graph.number_of_edges() > 500, "the reader of imports sees too few"
    allowed = TYPES_IMPORTED_IN_CIRCLES if for_types else set()
    circles = []
    for tangle in networkx.strongly_connected_components(graph):
        known = {name for name in tangle if name.rpartition(".")[0] in allowed}
        if len(tangle) > 1 and tangle != known:
            edges = networkx.find_cycle(graph.subgraph(sorted(tangle)))
            circles.append(" -> ".join([*(start for start, _ in edges), edges[0][0]]))
    assert not circles, "\n".join(["modules import each other:", *sorted(circles)])


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_no_folder_is_imported_by_its_own_name(folder: str, root: Path) -> None:
    for path in _sources(root / folder):
        for node, name in _imports(path, folder, root):
            assert name.split(".")[0] not in MAY_IMPORT, f"{path}:{node.lineno}: {name}"


@pytest.mark.parametrize("folder", [name for name in MAY_IMPORT if name != "evaluation"])
def test_torch_is_imported_only_under_evaluation(folder: str, root: Path) -> None:
    for path in _sources(root / folder):
        for node, name in _imports(path, folder, root):
            assert name.split(".")[0] not in {"torch", "transformers"}, f"{path}:{node.lineno}"


def test_every_package_is_listed(root: Path) -> None:
    setuptools = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {folder: package for package, folder in setuptools["package-dir"].items()}
    found = {
        ".".join([folders[folder], *path.parent.relative_to(root / folder).parts])
        for folder in MAY_IMPORT
        for path in (root / folder).rglob("__init__.py")
        if "skeletons" not in path.parts  # packages of others, to be copied
    }
    assert found == set(setuptools["packages"])


@pytest.mark.parametrize(
    "code",
    [
        "import relsmith; [getattr(relsmith, name) for name in relsmith.__all__]",
        "import sys; from relsmith.cli.main import main; sys.argv = ['gen', '--help']; main()",
        "import sys; from relsmith.cli.main import main; sys.argv = ['gen', 'list']; main()",
    ],
)
def test_nothing_heavy_is_imported(code: str) -> None:
    lines = f"""
import atexit, sys
atexit.register(lambda: print('loaded', sorted(set({HEAVY!r}) & set(sys.modules))))
{code}
"""
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "loaded []"


def test_nothing_that_only_posix_has_is_imported() -> None:
    """Modules that Windows lacks are not needed there."""
    lines = """
import sys
sys.modules |= dict.fromkeys(["fcntl", "resource", "grp", "pwd", "termios"])
from pathlib import Path
import relsmith.cli.main, relsmith.kb.triples.build, relsmith.kb.lexicon.wordnet, relsmith.testing
from relsmith.storage import files
import filelock
"""
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_help_imports_no_generator() -> None:
    lines = """
import atexit, sys
atexit.register(lambda: print('loaded', 'relsmith_comparatives' in sys.modules))
from relsmith.cli.main import main
sys.argv = ['gen', '--help']
main()
"""
    run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert "comparatives" in run.stdout
    assert run.stdout.splitlines()[-1] == "loaded False"

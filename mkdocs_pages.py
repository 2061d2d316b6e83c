"""Pages that `make site` adds to docs/: those outside the folder, and `relsmith` in one folder.

On the site the README is the first page and examples/ one page; links between them are
rewritten. The folders at the root are the package only by setuptools' mapping, which the parser of
docstrings does not know, so it gets a copy.
"""

import ast
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/plugin/README.md": "plugin.md",
    "examples": "examples.md",
}
LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]+)")


@event_priority(100)  # before the parser of docstrings looks for the folder
def on_config(config: Any) -> None:
    """Copy the package in the layout of its imports."""
    home = ROOT / "build" / "api"
    shutil.rmtree(home, ignore_errors=True)
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    for package, folder in tool["setuptools"]["package-dir"].items():
        shutil.copytree(ROOT / folder, home / package.replace(".", "/"), dirs_exist_ok=True)


def on_files(files: Files, config: Any) -> None:
    """Add the pages outside docs/."""
    for source, page in PAGES.items():
        text = examples() if source == "examples" else (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=text))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite links between files of the repository as links between pages."""
    here = {target: source for source, target in PAGES.items()}.get(page.file.src_uri)
    home = ROOT / here if here else ROOT / "docs" / page.file.src_uri
    folder = home.parent if home.suffix else home

    def turned(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve()
        name = target.relative_to(ROOT).as_posix()
        name = f"{name}/README.md" if f"{name}/README.md" in PAGES else name
        if name in PAGES:
            return _relative(PAGES[name], page)
        if target.is_relative_to(ROOT / "examples"):
            return _relative("examples.md", page) + "#" + re.sub(r"\W", "", target.name)
        if target.is_relative_to(ROOT / "docs"):
            return _relative(target.relative_to(ROOT / "docs").as_posix(), page)
        return link[1]

    return LINK.sub(turned, markdown)


def _relative(target: str, page: Any) -> str:
    return "../" * page.file.src_uri.count("/") + target


def examples() -> str:
    """Return the scripts of examples/ and the suite as one page."""
    parts = ["# Examples\n\nShort scripts for common jobs, from `examples/`; tests run them.\n"]
    for path in sorted((ROOT / "examples").glob("*.py")):
        source = path.read_text("utf-8")
        about = (ast.get_docstring(ast.parse(source), clean=False) or "").strip()
        code = source.partition('"""\n\n')[2]
        parts.append(f"## {path.name}\n\n{about}\n\n```python\n{code}```\n")
    suite = (ROOT / "examples" / "suite.yaml").read_text("utf-8")
    parts.append(f"## suite.yaml\n\n```yaml\n{suite}```\n")
    return "\n".join(parts)

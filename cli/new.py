"""`gen new`: write a working plugin package as a starting point."""

import re
import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import AlreadyExists, InvalidOption
from ..registry import GENERATORS, RESERVED_NAMES, WORLDS
from ..storage.files import is_occupied, recover, replacing
from . import output

_SKELETONS = Path(__file__).with_name("skeletons")


def new(
    kind: Annotated[
        Literal["generator", "world"], typer.Argument(metavar="KIND", help="generator or world.")
    ],
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the plugin, such as my-thing2.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Output folder.", show_default="relsmith-NAME")
    ] = None,
) -> None:
    """Write a plugin package with a working generator or world, as a starting point.

    It installs and passes its tests; docs/plugins.md and docs/worlds.md explain its parts.
    """
    _check_name(name)
    out = out or Path(f"relsmith-{name}")
    recover(out)
    if is_occupied(out):  # there is no --force
        raise AlreadyExists(f"{out} already exists; choose another --out")
    with replacing(out) as successor:
        _fill(_SKELETONS / kind, successor, name)
    folder = shlex.quote(str(out))
    output.echo(f"{out}: written; next:")
    output.echo(f"pip install -e {folder} pytest")
    output.echo(f"python -m pytest {folder}")
    output.echo(f"gen show {name}" if kind == "generator" else f"gen show clutrr --world {name}")


def _check_name(name: str) -> None:
    if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise InvalidOption(
            f"NAME: expected lower-case letters, digits and single -, a letter first, "
            f"but got {name!r}"
        )
    if name in RESERVED_NAMES:
        raise InvalidOption(f"NAME: {name!r} is a command of gen; choose another name")
    for registry in (GENERATORS, WORLDS):
        if name in registry.entries:
            owner = registry.entries[name].distribution
            raise InvalidOption(
                f"NAME: {name!r} is a {registry.noun} of {owner}; choose another name"
            )


def _fill(skeleton: Path, folder: Path, name: str) -> None:
    """Copy the skeleton, with its name replaced in all texts and paths."""
    words = {
        "example-name": name,
        "example_name": name.replace("-", "_"),
        "ExampleName": "".join(map(str.capitalize, name.split("-"))),
    }

    def named(text: str) -> str:
        return re.sub("|".join(words), lambda word: words[word[0]], text)

    for source in sorted(skeleton.rglob("*")):
        if source.is_file() and source.suffix != ".pyc":
            target = folder / named(source.relative_to(skeleton).as_posix())
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(named(source.read_text("utf-8")), "utf-8")

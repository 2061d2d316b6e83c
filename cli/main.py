"""`gen`: all commands put together, and the one place where errors become words."""

import os
import re
import sys
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import Interrupted, NotFound, RelsmithError, hint, nearest, reason
from ..registry import GENERATORS
from . import output
from .signals import INTERRUPTED, check_stopped

_GENERATORS_PANEL = "Generators (gen list says what each makes)"


class Lazy(TyperCommand):
    """A command that is put together when it is run, so that help imports no generator."""

    def __init__(self, name: str, load: Callable[[str], TyperCommand], **attributes: Any) -> None:
        super().__init__(name=name, **attributes)
        self._load = load

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:
        """Hand over to the real command."""
        assert self.name
        return self._load(self.name).make_context(info_name, args, *rest, **extra)


class Generators(TyperGroup):
    """Our commands, and one more for each generator that is installed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name ours, then the generators."""
        return [*self.commands, *(name for name in GENERATORS.entries if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find one of ours, or a generator's."""
        if cmd_name in self.commands or cmd_name not in GENERATORS.entries:
            return self.commands.get(cmd_name)
        return Lazy(
            cmd_name,
            self.load,
            short_help=f"from {GENERATORS.entries[cmd_name].distribution}",
            rich_help_panel=_GENERATORS_PANEL,
        )

    def load(self, name: str) -> TyperCommand:
        """Make `gen NAME`."""
        from . import flags, write

        return flags.generator_command(GENERATORS.get(name), write.write)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Where nothing of that name is found, say what there is."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise NotFound(self.nothing_called(args[0]))
        return super().resolve_command(ctx, args)

    def nothing_called(self, name: str) -> str:
        """Say that a name is unknown."""
        names = [*self.commands, *GENERATORS.entries]
        return (
            f"no command or generator is called {name!r}; {nearest(name, names)}generators: "
            f"{', '.join(GENERATORS.entries)}; gen --help lists the commands"
        )


class Show(Generators):
    """What can be shown: a generator by its name, a dataset by its folder."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Take a name with a folder separator, or of no generator, for a folder."""
        if os.sep in cmd_name or (cmd_name not in GENERATORS.entries and Path(cmd_name).is_dir()):
            return Lazy(cmd_name, self.load)
        return super().get_command(ctx, cmd_name)

    def load(self, name: str) -> TyperCommand:
        """Make `gen show NAME` or `gen show DIR`."""
        from . import flags, show

        if os.sep not in name and name in GENERATORS.entries:
            return flags.generator_command(GENERATORS.get(name), show.show_generator)
        return flags.folder_command(name, show.show_dataset)

    def nothing_called(self, name: str) -> str:
        """Say that a name is unknown."""
        return f"no generator and no folder is called {name!r}; {GENERATORS.hint(name)}"


_COMMANDS = {
    "list": "describe:list_plugins",
    "describe": "describe:describe",
    "new": "new:new",
    "run": "run:run",
    "verify": "check:verify",
    "stats": "check:stats",
    "diff": "check:diff",
    "view": "view:view",
    "export": "export:export",
    "prompt": "prompt:prompt",
    "eval": "evaluate:evaluate",
    "score": "evaluate:score",
    "clutrr-audit": "audit:clutrr_audit",
    "cloze-whitelist": "cloze:cloze_whitelist",
    "relinf-questionnaires": "relinf:questionnaires",
    "relinf-agreement": "relinf:agreement",
    "show": "main:show_app",
    "world": "world:app",
    "templates": "templates:app",
    "relations": "relations:app",
    "triples": "triples:app",
    "annotate": "annotate:app",
    "report": "reports:app",
}
"""Our commands in the order of `gen --help`, each with the module and the name of its function, or
of its Typer app. A module is imported when its command is run."""


class _LazyCommands(MutableMapping[str, Any]):
    """Commands by name, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, attribute = _COMMANDS[name].split(":")
            self._made[name] = _command(
                name, getattr(import_module(f".{module}", __package__), attribute)
            )
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)

    def __contains__(self, name: object) -> bool:
        return name in _COMMANDS


class Commands(Generators):
    """The commands of `gen`."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _LazyCommands()


def _command(name: str, function: Any) -> Any:
    """Turn a function, or a Typer app with commands of its own, into a command."""
    parent = typer.Typer(rich_markup_mode="markdown")
    parent.callback()(lambda: None)  # one command alone would take the place of its parent
    if isinstance(function, typer.Typer):
        parent.add_typer(function, name=name)
    else:
        parent.command(name)(function)
    made: Any = typer.main.get_command(parent)
    return made.commands[name]


app = typer.Typer(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)
show_app = typer.Typer(
    cls=Show,
    rich_markup_mode="markdown",
    help="Show a few rows: of a generator by its NAME, or of a dataset by its DIR.",
)


@app.callback(invoke_without_command=True)
def gen(
    ctx: typer.Context,
    debug: Annotated[
        bool, typer.Option("--debug", metavar="", help="On an error, show where it arose.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", metavar="", help="Print the version, compiled or not.")
    ] = False,
) -> None:
    """Make diagnostic datasets for relational language understanding.

    `gen NAME` writes a dataset with the generator NAME; `gen NAME --help` lists its options.
    """
    if version:
        from importlib import metadata, util

        hot = util.find_spec("relsmith.seed")
        how = "plain Python" if hot and str(hot.origin).endswith(".py") else "compiled"
        output.echo(f"relsmith {metadata.version('relsmith')} ({how})")
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> None:
    """Run `gen`; errors are one line, unless `--debug` stands anywhere."""
    words = [word for word in sys.argv[1:] if word != "--debug"]
    debug = len(words) < len(sys.argv[1:])
    output.prepare()
    try:
        code = typer.main.get_command(app).main(words, "gen", standalone_mode=False)
        if code == Interrupted.exit_code:
            output.fail(INTERRUPTED)
        sys.stdout.flush()
    except Exception as error:
        if debug:
            raise
        check_stopped(error)
        if isinstance(error, OSError):
            output.give_up_stdout()
        output.fail(_in_words(error))
        code = getattr(error, "exit_code", 2 if isinstance(error, OSError) else 1)
    sys.exit(code)


def _usage(error: Any) -> str:
    """What the parser of the command line has to say, in the voice of all other complaints."""
    said = error.message.removeprefix("Value error, ")
    if extra := re.match(r"Got unexpected extra argument(?:\(s\)|s)? \((.*)\)", said, re.DOTALL):
        return f"{extra[1]!r} is too much; leave it out"
    if hasattr(error, "option_name"):
        return _option(error.option_name, said, getattr(error, "possibilities", None) or ())
    if unknown := re.match("No such command '(.*?)'", said):
        group = error.ctx
        choices = hint(unknown[1], group.command.commands)
        return f"{group.command_path} has no command {unknown[1]!r}; {choices}"
    parameter = getattr(error, "param", None)
    if parameter is None:
        return str(said)
    name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar
    return f"{name}: {_value(said) if said else 'missing; add it'}"


def _option(name: str, said: str, possibilities: Sequence[str]) -> str:
    if "requires an argument" in said:
        return f"{name}: needs a value"
    if "does not take a value" in said:
        return f"{name}: takes no value"
    near = nearest(name, [option for option in possibilities if option.startswith("--")])
    return f"there is no option {name}; {near}".rstrip("; ")


def _value(said: str) -> str:
    refused = re.fullmatch(r"'(.*)' is not one of (.*?)\.?", said)
    if refused is None:
        return said
    value, choices = refused.groups()
    guess = nearest(value, re.findall("'([^']*)'", choices))
    return f"expected one of {choices}, but got {value!r}; {guess}".rstrip("; ")


def _in_words(error: Exception) -> str:
    if isinstance(error, RelsmithError):
        return str(error)
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        where = f"; see {context.command_path} --help" if context else ""
        return _usage(error).rstrip(".") + where
    if isinstance(error, OSError):  # what files we write say is in their own words
        where = error.filename or "standard output"
        return f"cannot use {where}: {reason(error)}; name another, or make room"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"unexpected {what}; --debug shows where it arose"

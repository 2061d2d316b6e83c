"""`gen`: all commands, and the place where errors become messages."""

import os
import re
import sys
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import Interrupted, NotFound, RelsmithError, did_you_mean, hint, reason
from ..registry import GENERATORS
from . import output
from .parameters import switch
from .signals import INTERRUPTED, check_stopped

_GENERATORS_PANEL = "Generators (gen list describes them)"


class _FlagsDefaultToFalse:
    """Set flags that are not given to False. Typer would import pydantic to convert None."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            descriptor = getattr(param, "type_descriptor", None)
            if descriptor and descriptor.annotation is bool and param.default is None:
                param.default = False
        return params


class Command(_FlagsDefaultToFalse, TyperCommand):
    """A command of `gen`."""


class LazyCommand(TyperCommand):
    """A command that is built when it is run, so that help imports no generator."""

    def __init__(self, name: str, load: Callable[[str], TyperCommand], **attributes: Any) -> None:
        super().__init__(name=name, **attributes)
        self._load = load

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:
        """Build the real command and delegate to it."""
        assert self.name
        return self._load(self.name).make_context(info_name, args, *rest, **extra)


class GeneratorGroup(_FlagsDefaultToFalse, TyperGroup):
    """The built-in commands, and one for each installed generator."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List built-in commands, then generators."""
        return [*self.commands, *(name for name in GENERATORS.entries if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a built-in command or that of a generator; None if there is none."""
        if cmd_name in self.commands or cmd_name not in GENERATORS.entries:
            return self.commands.get(cmd_name)
        return LazyCommand(
            cmd_name,
            self.load,
            short_help=f"from {GENERATORS.entries[cmd_name].distribution}",
            rich_help_panel=_GENERATORS_PANEL,
        )

    def load(self, name: str) -> TyperCommand:
        """Build `gen NAME`."""
        from . import flags, write

        return flags.generator_command(GENERATORS.get(name), write.write)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Raise NotFound with all names if there is no such command."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise NotFound(self.not_found_message(args[0]))
        return super().resolve_command(ctx, args)

    def not_found_message(self, name: str) -> str:
        """Return the message for an unknown name."""
        names = [*self.commands, *GENERATORS.entries]
        return (
            f"no command or generator is called {name!r}; {did_you_mean(name, names)}generators: "
            f"{', '.join(GENERATORS.entries)}; gen --help lists the commands"
        )


class ShowGroup(GeneratorGroup):
    """`gen show`: a generator by name or a dataset by folder."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Treat names with a path separator, or of no generator, as folders."""
        is_folder = cmd_name != "" and Path(cmd_name).is_dir()
        if os.sep in cmd_name or (is_folder and cmd_name not in GENERATORS.entries):
            return LazyCommand(cmd_name, self.load)
        return super().get_command(ctx, cmd_name)

    def load(self, name: str) -> TyperCommand:
        """Build `gen show NAME` or `gen show DIR`."""
        from . import flags, show

        if os.sep not in name and name in GENERATORS.entries:
            return flags.generator_command(GENERATORS.get(name), show.show_generator)
        return flags.folder_command(name, show.show_dataset)

    def not_found_message(self, name: str) -> str:
        """Return the message for an unknown name."""
        folders = [place.parent.name for place in Path().glob("*/manifest.json")]
        return f"no generator and no folder is called {name!r}; " + hint(
            name, [*folders, *GENERATORS.entries]
        )


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
    "audit": "audit:audit",
    "cloze-whitelist": "cloze:cloze_whitelist",
    "show": "main:show_app",
    "world": "world:app",
    "templates": "templates:app",
    "relations": "relations:app",
    "triples": "triples:app",
    "annotate": "annotate:app",
    "exam": "exam:app",
    "report": "reports:app",
}
"""Built-in commands in the order of `gen --help`, each with the module and name of its function or
Typer app. A module is imported when its command is run."""


class _LazyCommands(MutableMapping[str, Any]):
    """Commands by name, each built on first access."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            module, attribute = _COMMANDS[name].split(":")
            self._built[name] = _command(
                name, getattr(import_module(f".{module}", __package__), attribute)
            )
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)

    def __contains__(self, name: object) -> bool:
        return name in _COMMANDS


class Commands(GeneratorGroup):
    """The commands of `gen`."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _LazyCommands()


def _command(name: str, function: Any) -> Any:
    """Turn a function or a Typer app into a command."""
    parent = typer.Typer(rich_markup_mode="markdown")
    parent.callback()(lambda: None)  # without it, a single command replaces its parent
    if isinstance(function, typer.Typer):
        parent.add_typer(function, name=name)
    else:
        parent.command(name, cls=Command)(function)
    group: Any = typer.main.get_command(parent)
    return group.commands[name]


app = typer.Typer(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)
show_app = typer.Typer(
    cls=ShowGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Show a few rows of a generator (NAME) or a dataset (DIR).",
)


@app.callback(invoke_without_command=True)
def gen(
    ctx: typer.Context,
    debug: Annotated[bool, switch("--debug", "On an error, show the traceback.")] = False,
    version: Annotated[
        bool, switch("--version", "Print the version, and whether it is compiled.")
    ] = False,
) -> None:
    """Generate diagnostic datasets for relational language understanding.

    `gen NAME` writes a dataset with the generator NAME; `gen NAME --help` lists its options.
    """
    if version:
        from importlib import metadata, util

        spec = util.find_spec("relsmith.seed")
        how = "plain Python" if spec and str(spec.origin).endswith(".py") else "compiled"
        output.echo(f"relsmith {metadata.version('relsmith')} ({how})")
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> None:
    """Run `gen`; errors are one line, unless `--debug` is given anywhere."""
    words = [word for word in sys.argv[1:] if word != "--debug"]
    debug = len(words) < len(sys.argv[1:])
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
            output.discard_stdout()
        if not _is_printed_help(error):
            output.fail(_error_message(error))
        code = getattr(error, "exit_code", 2 if isinstance(error, OSError) else 1)
    sys.exit(code)


def _is_printed_help(error: Exception) -> bool:
    """Return whether the parser ends a group without a command, after printing its help."""
    return getattr(error, "message", None) == "" and not hasattr(error, "param")


def _usage_message(error: Any) -> str:
    """Return an error of the command-line parser in the style of our messages."""
    message = error.message.removeprefix("Value error, ")
    if extra := re.match(r"Got unexpected extra argument(?:\(s\)|s)? \((.*)\)", message, re.DOTALL):
        return f"unexpected argument {extra[1]!r}; leave it out"
    if hasattr(error, "option_name"):
        return _option_message(
            error.option_name, message, getattr(error, "possibilities", None) or ()
        )
    if unknown := re.match("No such command '(.*?)'", message):
        group = error.ctx
        choices = hint(unknown[1], group.command.commands)
        return f"{group.command_path} has no command {unknown[1]!r}; {choices}"
    parameter = getattr(error, "param", None)
    if parameter is None:
        return str(message)
    name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar
    return f"{name}: {_value_message(message) if message else 'missing; add it'}"


def _option_message(name: str, message: str, possibilities: Sequence[str]) -> str:
    if "requires an argument" in message:
        return f"{name}: needs a value"
    if "does not take a value" in message:
        return f"{name}: takes no value"
    near = did_you_mean(name, [option for option in possibilities if option.startswith("--")])
    return f"there is no option {name}; {near}".rstrip("; ")


def _value_message(message: str) -> str:
    refused = re.fullmatch(r"'(.*)' is not one of (.*?)\.?", message)
    if refused is None:
        return message
    value, choices = refused.groups()
    guess = did_you_mean(value, re.findall("'([^']*)'", choices))
    return f"expected one of {choices}, but got {value!r}; {guess}".rstrip("; ")


def _error_message(error: Exception) -> str:
    if isinstance(error, RelsmithError):
        return str(error)
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        where = f"; see {context.command_path} --help" if context else ""
        return _usage_message(error).rstrip(".") + where
    if isinstance(error, OSError):  # not from our own writing, which raises CannotWrite
        where = error.filename or "standard output"
        return f"cannot use {where}: {reason(error)}; choose another, or free space"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"unexpected {what}; --debug shows the traceback"

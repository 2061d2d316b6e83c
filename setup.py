"""Compiles the slow modules when a wheel is built; everything else is in pyproject.toml.

An editable install stays plain Python: a compiled module would hide the source being edited.
If a module cannot be compiled, or RELSMITH_PURE is set, none is: the wheel is slower, and
writes the same bytes.
"""

import os
import shutil
import sys
import tomllib
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Tests check types strictly. Here, the installed packages must not change the outcome.
MYPY_FLAGS = [
    "--config-file=",
    f"--cache-dir={os.devnull}",
    "--no-site-packages",
    "--ignore-missing-imports",
    "--follow-imports=silent",
]

# The same floating-point sums on every processor; direct calls between our own functions.
POSIX_FLAGS = ["-ffp-contract=off", "-fvisibility=hidden", "-fno-semantic-interposition"]


class NotCompiled(Exception):
    """A module could not be compiled."""


class BuildAll(build_ext):
    """Compiles every module, or reports that it cannot."""

    def run(self) -> None:
        """Run the C compiler."""
        try:
            super().run()
        except Exception as error:
            raise NotCompiled("the C compiler failed") from error


def extensions(folder: Path) -> list[Extension]:
    """Translate the modules named in pyproject.toml to C files in the folder."""
    tool = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]
    for package, home in tool["setuptools"]["package-dir"].items():
        shutil.copytree(home, folder / package.replace(".", "/"), dirs_exist_ok=True)
    names = [f"{module.replace('.', '/')}.py" for module in tool["relsmith"]["compiled"]]
    try:
        from mypyc.build import mypycify

        with chdir(folder):  # tracebacks name the sources by these paths
            made = mypycify(
                [*MYPY_FLAGS, *names],
                opt_level="3",
                debug_level="0",
                group_name="relsmith",
                target_dir=str(folder / "c"),
            )
    except (Exception, SystemExit) as error:
        raise NotCompiled(f"mypyc failed, {error!r}") from error
    for extension in made:  # a compiler newer than mypyc may give more warnings
        flags = extension.extra_compile_args
        extension.extra_compile_args = [flag for flag in flags if flag != "-Werror"]
        if os.name == "posix":
            extension.extra_compile_args += POSIX_FLAGS
    return made


def build(compiled: bool) -> None:
    """Build a wheel from an empty folder, without files of earlier builds."""
    with TemporaryDirectory() as folder:
        setup(
            ext_modules=extensions(Path(folder, "sources")) if compiled else [],
            cmdclass={"build_ext": BuildAll},
            options={"build": {"build_base": folder}},
        )


if "bdist_wheel" not in sys.argv:
    setup()
elif os.environ.get("RELSMITH_PURE"):
    build(compiled=False)
else:
    try:
        build(compiled=True)
    except NotCompiled as reason:
        sys.stderr.write(f"warning: {reason}; relsmith is built as plain Python, which is slower\n")
        build(compiled=False)

"""The built wheel and a plugin, installed in a new environment.

A compiled wheel takes minutes to build. `make` builds it once, in `.venv/wheel`; these tests take
it from there, and build one only where there is none or where a source is newer.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from relsmith.errors import install_command

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "kb", "templates", "generators", "evaluation", "worlds", "web", "cli")


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that one test worker makes and all use."""
    # Each worker of pytest-xdist has a folder of its own in the one that they share.
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    folder = (factory.getbasetemp() if alone else factory.getbasetemp().parent) / name
    done = folder.with_suffix(".done")
    with FileLock(folder.with_suffix(".lock")):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a worker that failed
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def copy_of(root: Path, folder: Path) -> Path:
    """Return a copy of the files in git, without built or ignored files."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in listed:
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
    return folder


@pytest.fixture(scope="module", autouse=True)
def _fresh_path() -> Iterator[None]:
    """Hide the compiled package of the full tier from the environments that these tests make."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONPATH", raising=False)
        yield


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "checkout", lambda folder: copy_of(ROOT, folder))


def wheel_of(
    source: Path, out: Path, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "build", *words, "--outdir", out, source],
        env=os.environ | environment,
        check=True,
        capture_output=True,
        text=True,
    )


def packed(wheels: Path) -> set[str]:
    """Return the files of a wheel, without its metadata."""
    (wheel,) = wheels.glob("relsmith-*.whl")
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def sources(checkout: Path) -> dict[str, Path]:
    """Return the expected files of a wheel, with their paths in the checkout."""
    found = {}
    for folder in PACKAGES:
        home = Path("relsmith") if folder == "core" else Path("relsmith", folder)
        for path in (checkout / folder).rglob("*"):
            if path.is_file():
                found[str(home / path.relative_to(checkout / folder))] = path.relative_to(checkout)
    return found


def is_current(wheels: Path, checkout: Path) -> bool:
    """Return whether a folder has an up-to-date wheel of these sources."""
    found = list(wheels.glob("relsmith-*.whl"))
    due = sources(checkout)
    if len(found) != 1 or not set(due) <= packed(wheels):
        return False
    paths = ["setup.py", "pyproject.toml", "README.md", *due.values()]
    return found[0].stat().st_mtime >= max((ROOT / path).stat().st_mtime for path in paths)


@pytest.fixture(scope="module")
def wheels(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the compiled wheel; the one of `make` if it is up to date."""
    made = ROOT / ".venv" / "wheel"
    if is_current(made, checkout):
        return made
    return made_once(
        tmp_path_factory, "wheels", lambda folder: wheel_of(checkout, folder, "--wheel")
    )


@pytest.fixture(scope="module")
def fresh(checkout: Path, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bin folder of an environment with relsmith and the plugin."""

    def make(folder: Path) -> None:
        wheel_of(checkout / "examples" / "plugin", folder / "plugin")
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        pip = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "-q"]
        pinned = ["-c", checkout / "constraints.txt"]
        built = [*wheels.glob("relsmith-*.whl"), *(folder / "plugin").glob("*.whl")]
        subprocess.run([*pip, *pinned, *built], check=True, capture_output=True)

    return made_once(tmp_path_factory, "fresh", make) / "venv" / "bin"


def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(
    checkout: Path, wheels: Path
) -> None:
    tool = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]
    compiled = ["relsmith__mypyc", *tool["relsmith"]["compiled"]]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    libraries = {name.replace(".", "/") + suffix for name in compiled}
    assert packed(wheels) == set(sources(checkout)) | libraries


def test_the_wheel_writes_the_bytes_of_the_checkout(
    checkout: Path, wheels: Path, tmp_path: Path
) -> None:
    # Beside this environment, which has the extras.
    (wheel,) = wheels.glob("relsmith-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "wheel")
    written = []
    for found_in, suffix in (("", ".py"), (str(tmp_path / "wheel"), ".so")):
        out = tmp_path / suffix
        run = subprocess.run(
            [sys.executable, checkout / "tests" / "write_everything.py", out],
            env=os.environ | {"PYTHONPATH": found_in},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (run.stdout, run.stderr) == (suffix, "")
        files = [path for path in out.rglob("*") if path.is_file()]
        written.append({str(path.relative_to(out)): path.read_bytes() for path in files})
    plain, compiled = written
    assert set(compiled) == set(plain) > {"0-comparatives/manifest.json"}
    assert [name for name in sorted(plain) if plain[name] != compiled[name]] == []


@pytest.fixture
def own_copy(checkout: Path, tmp_path: Path) -> Path:
    """Return a private checkout to build and install in."""
    return shutil.copytree(checkout, tmp_path / "checkout")


def test_a_wheel_is_compiled_as_a_whole_or_not_at_all(own_copy: Path, tmp_path: Path) -> None:
    # A few modules fail in the same way as all, and faster.
    settings = own_copy / "pyproject.toml"
    few = [f"relsmith.{name}" for name in ("seed", "templates.stitcher", "templates.tokens")]
    text, lists = re.subn(
        r"(?ms)^compiled = \[.*?^\]", f"compiled = {few}".replace("'", '"'), settings.read_text()
    )
    assert lists == 1
    settings.write_text(text)
    # A compiler that compiles all files but one.
    compiler = tmp_path / "cc"
    compiler.write_text(
        "#!/bin/sh\n"
        'case "$*" in */stitcher.c*) exit 1;; esac\n'
        'while [ "$1" != -o ]; do shift; done\n'
        'touch "$2"\n'
    )
    compiler.chmod(0o755)
    out = tmp_path / "wheels"
    run = wheel_of(own_copy, out, "--wheel", CC=str(compiler))
    assert packed(out) == set(sources(own_copy))
    assert list(out.glob("relsmith-*-py3-none-any.whl"))
    (said,) = (line for line in run.stderr.splitlines() if "plain Python" in line)
    assert said.startswith("warning: the C compiler failed; relsmith is built as plain Python")


def test_a_plain_wheel_can_be_asked_for(own_copy: Path, tmp_path: Path) -> None:
    # Through an sdist, which thereby must contain all sources of a wheel.
    out = tmp_path / "wheels"
    run = wheel_of(own_copy, out, RELSMITH_PURE="1")
    assert packed(out) == set(sources(own_copy))
    assert list(out.glob("relsmith-*-py3-none-any.whl"))
    assert "plain Python" not in run.stdout + run.stderr


def image_files(checkout: Path) -> Iterator[Path]:
    """Yield the files that `docker build` sees: the last matching pattern decides."""
    patterns = (checkout / ".dockerignore").read_text().split()
    for path in checkout.rglob("*"):
        name, seen = path.relative_to(checkout), True
        for pattern in patterns:
            words = (
                re.escape(pattern.lstrip("!")).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
            )
            if re.fullmatch(f"{words}(/.*)?", name.as_posix()):
                seen = pattern.startswith("!")
        if seen and path.is_file():
            yield name


def test_the_image_has_all_its_inputs(checkout: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    for name in image_files(checkout):
        (seen / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(checkout / name, seen / name)
    wheel_of(seen, tmp_path / "wheels", "--wheel", RELSMITH_PURE="1")
    assert packed(tmp_path / "wheels") == set(sources(checkout))
    wheel_of(seen / "examples" / "plugin", tmp_path / "plugin", "--wheel")
    assert list((tmp_path / "plugin").glob("relsmith_comparatives-*.whl"))
    assert (seen / "constraints.txt").exists()
    assert not [path for path in seen.iterdir() if path.name in ("tests", "docs", ".venv", ".git")]


def test_errors_in_compiled_code_show_where_they_arose(fresh: Path, tmp_path: Path) -> None:
    code = "from relsmith import Stream; Stream('s').sample('ab', 3)"
    run = subprocess.run(
        [fresh / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert re.search(r'File "relsmith/seed.py", line \d+, in sample\n', run.stderr)


def test_the_plugin_runs_through_gen_with_the_wheel(fresh: Path, tmp_path: Path) -> None:
    def gen(*words: str) -> str:
        return subprocess.run(
            [fresh / "gen", *words], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    assert "relsmith-comparatives" in gen("list", "--json")
    assert "--dimensions" in gen("comparatives", "--help")
    gen("comparatives", "--rows", "600", "--shards", "3", "--workers", "2", "--out", "d")
    assert "600 rows in 3 files, no findings" in gen("verify", "d")
    gen("clutrr", "--rows", "600", "--shards", "3", "--workers", "2", "--out", "stories")
    assert "600 rows in 3 files, no findings" in gen("verify", "stories")


def test_without_extras_statistics_say_what_to_install(fresh: Path, tmp_path: Path) -> None:
    subprocess.run([fresh / "gen", "comparatives", "--rows", "9", "-q"], cwd=tmp_path, check=True)
    run = subprocess.run(
        [fresh / "gen", "stats", "data/comparatives"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert install_command("stats") in run.stderr


def test_the_plugins_own_tests_pass(checkout: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=checkout / "examples" / "plugin",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


TYPED = """
from typing import assert_type

import relsmith
from relsmith.generators.clutrr.generator import Clutrr

assert_type(relsmith.make("clutrr", k=[2, 3], noise=["supporting"], explain=True), Clutrr)
assert_type(relsmith.make("comparatives", people=3), relsmith.Generator)
assert_type(relsmith.__version__, str)
stories: Clutrr = relsmith.make("clutrr", k=2.5)  # type: ignore[assignment]
"""
"""A user's module; mypy reports an ignored error that does not occur."""


def test_types_are_right_in_the_installed_wheel(
    checkout: Path, fresh: Path, tmp_path: Path
) -> None:
    # The fresh environment has no stubs of libraries that only extras bring, so the dev ones
    # are looked up here and the packages there.
    (site,) = fresh.parent.glob("lib/python*/site-packages")
    found = tmp_path / "found"
    found.mkdir()
    for package in ("relsmith", "relsmith_comparatives"):
        (found / package).symlink_to(site / package)
    (found / "typed").mkdir()
    (found / "typed" / "__init__.py").write_text(TYPED)
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            checkout / "pyproject.toml",
            "--cache-dir",
            tmp_path / "cache",
            "-p",
            "relsmith",
            "-p",
            "relsmith_comparatives",
            "-p",
            "typed",
        ],
        cwd=tmp_path,
        env={"MYPYPATH": str(found), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_make_demo_sets_up_everything(own_copy: Path) -> None:
    run = subprocess.run(
        ["make", "demo", f"PYTHON={sys.executable}"],
        cwd=own_copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("answer ") == 3
    assert (own_copy / "data" / "clutrr" / "manifest.json").exists()

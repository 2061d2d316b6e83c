"""What users install: the built wheel and a plugin beside it, in a fresh environment."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


def copy_of(root: Path, folder: Path) -> Path:
    """The checkout as git has it, so that nothing built or ignored comes along."""
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


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of(Path(__file__).parents[1], tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def wheels(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheels")
    for source in (checkout, checkout / "examples" / "plugin"):
        build = [sys.executable, "-m", "build", "--wheel", "--outdir", out, source]
        subprocess.run(build, check=True, capture_output=True)
    return out


@pytest.fixture(scope="module")
def fresh(checkout: Path, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the two wheels and what they need."""
    environment = tmp_path_factory.mktemp("fresh") / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "python", "-m", "pip", "install", "-q"]
    pinned = ["-c", checkout / "constraints.txt"]
    subprocess.run([*pip, *pinned, *wheels.glob("*.whl")], check=True, capture_output=True)
    return environment / "bin"


def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(
    checkout: Path, wheels: Path
) -> None:
    (wheel,) = wheels.glob("relsmith-*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = set()
    for folder in ("core", "kb", "templates", "generators", "evaluation", "cli"):
        home = Path("relsmith") if folder == "core" else Path("relsmith", folder)
        for path in (checkout / folder).rglob("*"):
            if path.is_file():
                expected.add(str(home / path.relative_to(checkout / folder)))
    assert packed == expected


def test_the_plugin_runs_through_gen_beside_the_wheel(fresh: Path, tmp_path: Path) -> None:
    def gen(*words: str) -> str:
        return subprocess.run(
            [fresh / "gen", *words], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    assert "relsmith-comparatives" in gen("list", "--json")
    assert "--dimensions" in gen("comparatives", "--help")
    gen("comparatives", "--rows", "600", "--shards", "3", "--workers", "2", "--out", "d")
    assert "600 rows in 3 files, all right" in gen("verify", "d")


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
    assert "pip install 'relsmith[stats]'" in run.stderr


def test_the_plugins_own_tests_pass(checkout: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=checkout / "examples" / "plugin",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


def test_types_hold_in_the_installed_wheel(checkout: Path, fresh: Path, tmp_path: Path) -> None:
    # The fresh environment has no stubs of libraries that only extras bring, so the dev ones
    # are looked up here and the packages there.
    (site,) = fresh.parent.glob("lib/python*/site-packages")
    found = tmp_path / "found"
    found.mkdir()
    for package in ("relsmith", "relsmith_comparatives"):
        (found / package).symlink_to(site / package)
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
        ],
        cwd=tmp_path,
        env={"MYPYPATH": str(found), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_make_demo_sets_up_everything(checkout: Path) -> None:
    run = subprocess.run(
        ["make", "demo", f"PYTHON={sys.executable}"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("answer ") == 3
    assert (checkout / "data" / "clutrr" / "manifest.json").exists()

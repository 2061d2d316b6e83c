"""The release workflow, as far as it can be checked offline."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

WORKFLOWS = sorted((Path(__file__).parents[1] / ".github" / "workflows").glob("*.yml"))


def load(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return read


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


def test_workflows_have_valid_syntax() -> None:
    words = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    run = subprocess.run(
        [sys.executable, *words, *WORKFLOWS], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned(path: Path) -> None:
    used = [step["uses"] for step in steps(load(path)) if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.search(rf"uses: {action} # v\d+\.\d+\.\d+$", path.read_text(), re.MULTILINE), (
            action
        )


def locked(path: Path) -> dict[str, str]:
    """Return the versions in a lock, by name; each must have hashes."""
    found = {}
    for line in path.read_text().replace("\\\n", " ").splitlines():
        name, version = re.match(r"([\w.-]+)==([^ ;]+)", line).groups()
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", line), name
        found[canonical(name)] = version
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("lock", ["image", "ci"])
def test_locks_have_the_versions_of_the_constraints(root: Path, lock: str) -> None:
    pinned = dict(
        line.split("==")
        for line in (root / "constraints.txt").read_text().splitlines()
        if "==" in line
    )
    versions = {canonical(name): version for name, version in pinned.items()}
    found = locked(root / "requirements" / f"{lock}.txt")
    assert {name: versions.get(name, version) for name, version in found.items()} == found
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    (image,) = re.findall(r"(?m)^ARG EXTRAS=(\S+)$", (root / "Dockerfile").read_text())
    chosen = image.split(",") if lock == "image" else list(extras)
    needed = [*project["dependencies"], *(line for name in chosen for line in extras[name])]
    names = {canonical(re.match(r"[\w.-]+", line)[0]) for line in needed}
    assert names - {"relsmith", "torch"} <= set(found)


def test_builds_use_the_pinned_setuptools(root: Path) -> None:
    built = tomllib.loads((root / "pyproject.toml").read_text())["build-system"]["requires"]
    pinned = (root / "constraints.txt").read_text().splitlines()
    (needed,) = (line for line in built if line.startswith("setuptools"))
    assert needed in pinned


def test_locks_are_used_where_they_are_checked(root: Path) -> None:
    assert "--require-hashes -r requirements/image.txt" in (root / "Dockerfile").read_text()
    assert "LOCK=requirements/ci.txt" in WORKFLOWS[0].read_text()
    assert "!requirements" in (root / ".dockerignore").read_text().split()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_publishing_jobs_may_write(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    may_write = {name for name, job in workflow["jobs"].items() if "permissions" in job}
    assert may_write <= {"publish", "site"}


def test_the_image_has_the_extras_that_users_expect(root: Path) -> None:
    text = (root / "Dockerfile").read_text()
    (given,) = re.findall(r"(?m)^ARG EXTRAS=(\S+)$", text)
    known = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = set(given.split(","))
    assert {"stats", "web", "bulk", "hub"} <= extras <= set(known["optional-dependencies"])
    assert '".[$EXTRAS]"' in text
    assert f"`{given}`" in (root / "docs" / "releasing.md").read_text()


def test_nothing_is_published_before_all_is_built_and_tested() -> None:
    jobs = load(WORKFLOWS[-1])["jobs"]
    assert WORKFLOWS[-1].stem == "release"
    assert set(jobs) - {"tag", "publish", "site"} == set(jobs["publish"]["needs"])
    assert jobs["site"]["needs"] == "publish"
    for name in jobs["publish"]["needs"]:
        assert jobs[name]["needs"] == "tag"


def test_make_has_the_targets_of_the_workflows(root: Path) -> None:
    matrix = load(WORKFLOWS[0])["jobs"]["test"]["strategy"]["matrix"]
    targets = {*matrix["target"], *(more["target"] for more in matrix["include"])}
    makefile = (root / "Makefile").read_text()
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_supported_python_is_tested_and_gets_a_wheel(root: Path) -> None:
    matrix = load(WORKFLOWS[0])["jobs"]["test"]["strategy"]["matrix"]
    tool = tomllib.loads((root / "pyproject.toml").read_text())
    promised = re.findall(r"\b3\.\d+\b", (root / "docs/compatibility.md").read_text())
    tested = {*matrix["python"], *(more["python"] for more in matrix["include"])}
    assert promised == sorted(tested)
    assert tool["project"]["requires-python"] == f">={promised[0]}"
    wheels = [f"cp{version.replace('.', '')}-*" for version in promised]
    assert tool["tool"]["cibuildwheel"]["build"].split() == wheels


def test_the_tag_is_compared_with_the_version(root: Path, tmp_path: Path) -> None:
    (check,) = (
        step["run"] for step in load(WORKFLOWS[-1])["jobs"]["tag"]["steps"] if "run" in step
    )
    (tmp_path / "pyproject.toml").write_text((root / "pyproject.toml").read_text())
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    (tmp_path / "CHANGELOG.md").write_text(f"## {version} (today)\n")

    def passes(tag: str) -> bool:
        command = ["bash", "-e", "-c", check]
        return not subprocess.run(
            command,
            cwd=tmp_path,
            env={"GITHUB_REF_NAME": tag, "PATH": "/usr/bin:/bin"},
            check=False,
        ).returncode

    assert passes(f"v{version}")
    assert not passes("v99.0.0")
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\n")
    assert not passes(f"v{version}")

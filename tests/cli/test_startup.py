"""Commands that print summaries open no data file; the summaries equal those of loaded plugins."""

import json
import subprocess
import sys

import pytest

from relsmith import GENERATORS, WORLDS
from relsmith.engines.engine import ENGINES
from relsmith.exporting.exporter import EXPORTERS
from relsmith.kb.worlds.world import find_world
from relsmith.plugin_summary import (
    docstring_summary,
    exporter_summary,
    generator_version,
    world_summary,
)
from relsmith.web.annotate.task import TASKS

OURS = [name for name, entry in GENERATORS.entries.items() if entry.is_builtin]

OPENED = """
import io, json, os, sys
opened = set()
def hook(event, arguments):
    if event == "open" and str(arguments[0]).endswith((".yaml", ".txt", ".tsv", ".false")):
        opened.add(os.path.basename(arguments[0]))
from relsmith.cli.main import main
sys.addaudithook(hook)
stdout, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), "utf-8")
seen = {}
for words in json.load(sys.stdin):
    opened.clear()
    sys.argv = ["gen", *words]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, words
    seen[" ".join(words)] = sorted(opened - {"entry_points.txt", "top_level.txt"})
seen["loaded"] = sorted({"relsmith.kb.worlds.world", "relsmith.templates.bank"} & set(sys.modules))
print(json.dumps(seen), file=stdout)
"""


def opened_files(*commands: list[str]) -> dict[str, list[str]]:
    """Run commands in a new process; return the data files that each opened."""
    run = subprocess.run(
        [sys.executable, "-c", OPENED],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    seen: dict[str, list[str]] = json.loads(run.stdout)
    return seen


def test_summaries_open_no_world_bank_or_relation_set() -> None:
    helps = [[name, "--help"] for name in OURS]
    descriptions = [["describe", name] for name in OURS]
    seen = opened_files(["--help"], ["--version"], *helps, *descriptions, ["list"])
    headers = seen.pop("list")
    assert {command: files for command, files in seen.items() if files} == {}
    assert headers == sorted(f"{name}.yaml" for name in WORLDS.entries)


def test_a_loaded_world_fails_the_check() -> None:
    seen = opened_files(["show", "clutrr", "-n", "1"])
    assert "kinship.yaml" in seen["show clutrr -n 1"]
    assert seen["loaded"] == ["relsmith.kb.worlds.world", "relsmith.templates.bank"]


@pytest.mark.parametrize("name", OURS)
def test_generator_summaries_match_their_code(name: str) -> None:
    point, generator = GENERATORS.entries[name].point, GENERATORS.get(name)
    assert docstring_summary(point) == generator.summary()
    assert generator_version(point) == generator.version
    if name != "relinf-aggregate":  # needs files; loading a generator of ours checks no defaults
        generator.configure({})


@pytest.mark.parametrize("name", WORLDS.entries)
def test_world_summaries_match_their_files(name: str) -> None:
    assert world_summary(WORLDS.entries[name].point) == find_world(name).summary


def test_exporter_task_and_engine_summaries_match_their_code() -> None:
    for entry in EXPORTERS.entries.values():
        assert exporter_summary(entry.point) == entry.load().summary
    for task in TASKS.entries.values():
        assert docstring_summary(task.point) == task.load().summary()
    for engine in ENGINES.entries.values():
        assert docstring_summary(engine.point) == (engine.load().__doc__ or "").strip()


@pytest.mark.torch
def test_model_summaries_match_their_code() -> None:
    from relsmith.evaluation.model import MODELS

    for entry in MODELS.entries.values():
        assert docstring_summary(entry.point) == entry.load().summary()

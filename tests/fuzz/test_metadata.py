"""Damaged metadata: every command that reads it names the file, the row and the field."""

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from relsmith import make, write
from relsmith.exporting.exporter import exporters
from relsmith.registry import WORLDS
from relsmith.testing.profile import scaled, thinned

DATASETS: dict[str, tuple[str, dict[str, Any]]] = {
    **{world: ("clutrr", {"world": world, "k": "2,3", "noise": "all"}) for world in WORLDS.entries},
    "siblings": ("clutrr", {"k": "3", "siblings": "words,gender", "explain": True}),
    "unknown": ("clutrr", {"k": "3", "answer": "who", "gender": "given", "unknown_share": 0.5}),
    "pairs": ("analogy", {"only": "animal,country", "setting": "supervised"}),
    "options": ("analogy", {"only": "animal,country", "setting": "unsupervised"}),
    "blanks": ("cloze", {"form": "all"}),
    "bank": ("cloze", {"form": "bank"}),
    "candidates": ("relinf", {}),
    "labelled": ("relinf-aggregate", {"simulated": 5}),
    "plugin": ("comparatives", {}),
    "german": ("clutrr", {"k": "3", "noise": "all", "language": "de"}),
    "derivations": ("clutrr", {"world": "kinship", "task": "verify-steps"}),
}
COMMANDS = 40
ROWS = 6
SPLIT, FILE = "test", "test-00000-of-00001.jsonl"


def readers(generator: str, options: Mapping[str, Any]) -> list[str]:
    """Return commands that read the metadata of the dataset `d`."""
    commands = ["show d -n 9", "stats d", "view d --static OUT", "prompt d -n 9"]
    commands += ["verify d --workers 1", "score answers.jsonl d"]
    commands += ["report model answers.jsonl --data d --out OUT.html"]
    fitting = {each.name for each in exporters(generator)}
    fitting -= {"clutrr-csv", "clutrr-hf"} if options.get("world") != "kinship" else set()
    fitting -= (
        {"trl-steps"} if options.get("task") != "verify-steps" else {"clutrr-csv", "clutrr-hf"}
    )
    fitting -= {"lm-eval"} if generator == "relinf" else set()
    commands += [f"export d --to {each} --out OUT" for each in sorted(fitting)]
    commands += ["annotate init OUT --task solve --from d"]
    if generator == "clutrr":
        commands += ["show d --graph -n 9"]
    if generator == "relinf":
        commands += ["annotate init OUT --task relinf --from d"]
        commands += ["relinf-aggregate --candidates d --simulated 5 --out OUT --workers 1"]
    return commands


def key_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the key paths of a value and of all values in it."""
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from key_paths(inner, (*path, key))


def replacements(value: Any) -> list[Any]:
    """Return replacements for a value: values of other types, and wrong ones of the same type."""
    wrong = [None, 7, "x", [], ["x"], [["x", "y"]], {"x": 1}, True, 1.5]
    if isinstance(value, int):
        wrong += [-1, 10**9]
    if isinstance(value, str):
        wrong += ["", "\x1b[2J", f"{value} x"]
    if isinstance(value, list) and value:
        wrong += [value[:-1], [*value, value[-1]], value[::-1], [value]]
    if isinstance(value, dict):
        wrong += [{name: value[name] for name in list(value)[1:]}, value | {"more": 1}]
    return [each for each in wrong if type(each) is not type(value) or each != value]


def damage(row: dict[str, Any], rng: random.Random) -> str:
    """Change or remove a value in the metadata of a row; return a description of it."""
    field = rng.choice(list(row["metadata"]))
    *outer, key = rng.choice([*key_paths(row["metadata"][field], (field,))])
    inner = row["metadata"]
    for part in outer:
        inner = inner[part]
    if rng.random() < 0.1:
        del inner[key]
        return f"{[*outer, key]} removed"
    inner[key] = rng.choice(replacements(inner[key]))
    return f"{[*outer, key]} = {inner[key]!r}"


@pytest.mark.parametrize("name", thinned(DATASETS, least=5))
def test_damaged_metadata_is_named(gen, name: str, tmp_path: Path, candidates: Path) -> None:
    generator, options = DATASETS[name]
    if generator == "relinf-aggregate":
        options = options | {"candidates": str(candidates)}
    write(make(generator, **options), tmp_path / "d", {"train": ROWS, SPLIT: ROWS})
    path = tmp_path / "d" / FILE
    lines = path.read_text().splitlines()
    ids = [json.loads(line)["id"] for line in lines]
    answers = [json.dumps({"id": name, "answer": "aunt"}) for name in ids]
    (tmp_path / "answers.jsonl").write_text("\n".join(answers))
    rng = random.Random(name)
    commands = readers(generator, options)
    rng.shuffle(commands)
    failures = []
    for n in range(scaled(COMMANDS)):
        number = rng.randrange(len(lines))
        row = json.loads(lines[number])
        change = damage(row, rng)
        changed = [*lines[:number], json.dumps(row), *lines[number + 1 :]]
        path.write_text("\n".join(changed) + "\n")
        command = commands[n % len(commands)].replace("OUT", f"out{n}")
        shown = gen(*command.split())
        failed = shown.returncode != 0 and not command.startswith("verify")
        place, field = f"{FILE}:{number + 1}: {ids[number]}", change.split("'")[1]
        mentioned = [part in shown.stderr for part in (place, "(metadata.", field)]
        handled = shown.returncode in (0, 1, 2) and "unexpected" not in shown.stderr
        if not handled or (failed and (not all(mentioned) or shown.stderr.count("\n") > 1)):
            failures.append(f"gen {command}, row {number}, {change}: {shown.stderr}")
    assert not failures, "\n".join(failures)

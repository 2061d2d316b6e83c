"""The dataset card: a README that people, and the Hugging Face loaders, can read."""

import shlex
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from ..generator import Generator
from ..options import named_outside
from ..registry import GENERATORS
from .manifest import Manifest, default_shards

CARD = "README.md"
_OURS = ("", "relsmith")
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))


def command(manifest: Manifest) -> str:
    """The command that makes the dataset again, to the byte."""
    words = ["gen", manifest.generator]
    for name, value in manifest.options.items():
        words += _flag(name.replace("_", "-"), value)
    words += ["--split", ",".join(f"{split}={rows}" for split, rows in manifest.splits.items())]
    words += ["--seed", str(manifest.seed)]
    counts = {
        split: sum(file.split == split for file in manifest.files) for split in manifest.splits
    }
    if any(counts[split] != default_shards(rows) for split, rows in manifest.splits.items()):
        most = max(counts.values())
        alike = all(counts[split] == min(rows, most) for split, rows in manifest.splits.items())
        each = ",".join(f"{split}={count}" for split, count in counts.items())
        words += ["--shards", str(most) if alike else each]
    if manifest.encoding != "jsonl":
        words += ["--format", manifest.encoding]
    return shlex.join([*words, "--out", "DIR"])


def _flag(name: str, value: object) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if value is None:
        return []
    if isinstance(value, list):
        return [f"--{name}", ",".join(map(str, value))]
    return [f"--{name}", str(value)]


def facts(manifest: Manifest, kind: type[Generator] | None) -> dict[str, Any]:
    """What a hub wants to know of a dataset, in its own words; less where the kind is not known."""
    known = {}
    if kind:
        known = {
            "language": [kind.language],
            "license": licence(manifest, kind),
            "task_categories": list(kind.tasks),
        }
    rows = sum(manifest.splits.values())
    size = next((name for most, name in _SIZES if rows < most), "n>1M")
    tags = ["relsmith", manifest.generator, "synthetic", "reasoning"]
    return known | {"tags": tags, "size_categories": [size]}


def licence(manifest: Manifest, kind: type[Generator]) -> str:
    """That of the package which the sentences are from; files of one's own have their own."""
    if named_outside(kind, manifest.options):
        return "other"
    if manifest.distribution in _OURS:
        return "apache-2.0"
    try:
        return (metadata(manifest.distribution)["License-Expression"] or "unknown").lower()
    except PackageNotFoundError:
        return "unknown"


def header(front: dict[str, Any]) -> str:
    """The head of a card, for programs."""
    import yaml

    return f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=100)}---\n"


def card(manifest: Manifest) -> str:
    """The text of the card; like everything in a dataset it holds no date and no place."""
    # Of a plugin nothing is asked: the card is the same where it is not installed.
    ours = manifest.distribution == "relsmith" and manifest.generator in GENERATORS.entries
    kind = GENERATORS.get(manifest.generator) if ours else None
    files = [
        {"split": split, "path": f"{split}-*.{manifest.encoding}"} for split in manifest.splits
    ]
    front = facts(manifest, kind) | {"configs": [{"config_name": "default", "data_files": files}]}
    splits = "\n".join(f"| {split} | {rows} |" for split, rows in manifest.splits.items())
    sources = "\n".join(
        f"| {source.name} | {source.version} | `{source.digest}` |" for source in manifest.sources
    )
    used = f"\n## Sources\n\n| name | version | digest |\n|---|---|---|\n{sources}\n"
    noted = "\n## Notes\n\n" + "".join(f"- {note}\n" for note in manifest.notes)
    return f"""{header(front)}# {manifest.generator}, version {manifest.version}

Made by relsmith{provider(manifest)}. The same command makes the same bytes:

```sh
{command(manifest)}
```

| split | rows |
|---|---|
{splits}

Each row is `{{"id", "input", "choices", "target", "metadata"}}`: the text a model is shown, the
options (empty where the answer is open), the answer, and all that is known about the row.
`gen verify DIR` checks every file and solves every row anew; `gen describe
{manifest.generator}` explains the metadata.
{used if manifest.sources else ""}{noted if manifest.notes else ""}"""


def provider(manifest: Manifest) -> str:
    """The words that name the plugin, where it was one."""
    return "" if manifest.distribution in _OURS else f" with the plugin {manifest.distribution}"

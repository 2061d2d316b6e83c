"""The dataset card: a README that people, and the Hugging Face loaders, can read."""

import shlex

from .manifest import Manifest, default_shards

CARD = "README.md"


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
        words += ["--shards", str(max(counts.values()))]
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


def card(manifest: Manifest) -> str:
    """The text of the card; like everything in a dataset it holds no date and no place."""
    front = "\n".join(
        f"  - split: {split}\n    path: {split}-*.{manifest.encoding}" for split in manifest.splits
    )
    splits = "\n".join(f"| {split} | {rows} |" for split, rows in manifest.splits.items())
    sources = "\n".join(
        f"| {source.name} | {source.version} | `{source.digest}` |" for source in manifest.sources
    )
    used = f"\n## Sources\n\n| name | version | digest |\n|---|---|---|\n{sources}\n"
    noted = "\n## Notes\n\n" + "".join(f"- {note}\n" for note in manifest.notes)
    return f"""---
configs:
- config_name: default
  data_files:
{front}
---
# {manifest.generator}, version {manifest.version}

Made by relsmith{_provider(manifest)}. The same command makes the same bytes:

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


def _provider(manifest: Manifest) -> str:
    ours = manifest.distribution in ("", "relsmith")
    return "" if ours else f" with the plugin {manifest.distribution}"

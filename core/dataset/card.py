"""The dataset card: a README for people and for the Hugging Face loaders."""

import shlex
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from ..generator import Generator
from ..options import external_options
from ..registry import GENERATORS
from ..tables import fill_template
from .manifest import Manifest, default_shards

CARD = "README.md"
_BUILT_IN = ("", "relsmith")
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))


def reproduction_command(manifest: Manifest) -> str:
    """Return the command that makes the same dataset again, byte for byte."""
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
        equal = all(counts[split] == min(rows, most) for split, rows in manifest.splits.items())
        by_split = ",".join(f"{split}={count}" for split, count in counts.items())
        words += ["--shards", str(most) if equal else by_split]
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


def card_metadata(manifest: Manifest, cls: type[Generator] | None) -> dict[str, Any]:
    """Return the Hugging Face metadata of a dataset; less without the generator class."""
    known = {}
    if cls:
        known = {
            "language": cls.languages(manifest.options),
            "license": licence(manifest, cls),
            "task_categories": list(cls.tasks),
        }
    rows = sum(manifest.splits.values())
    size = next((name for most, name in _SIZES if rows < most), "n>1M")
    tags = ["relsmith", manifest.generator, "synthetic", "reasoning"]
    return known | {"tags": tags, "size_categories": [size]}


def licence(manifest: Manifest, cls: type[Generator]) -> str:
    """Return the licence of the generator's package; `other` if a source has another one."""
    licences = {source.licence for source in manifest.sources}
    if external_options(cls, manifest.options) or licences - {"", "Apache-2.0"}:
        return "other"
    if manifest.distribution in _BUILT_IN:
        return "apache-2.0"
    try:
        return (metadata(manifest.distribution)["License-Expression"] or "unknown").lower()
    except PackageNotFoundError:
        return "unknown"


def front_matter(front: dict[str, Any]) -> str:
    """Return the YAML front matter of a card."""
    import yaml

    return f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=100)}---\n"


def card(manifest: Manifest) -> str:
    """Return the text of the card; it has no date and no path, so that it is reproducible."""
    # Plugins are not used: the card must be the same where they are not installed.
    built_in = manifest.distribution == "relsmith" and manifest.generator in GENERATORS.entries
    cls = GENERATORS.get(manifest.generator) if built_in else None
    files = [
        {"split": split, "path": f"{split}-*.{manifest.encoding}"} for split in manifest.splits
    ]
    front = card_metadata(manifest, cls) | {
        "configs": [{"config_name": "default", "data_files": files}]
    }
    splits = "\n".join(f"| {split} | {rows} |" for split, rows in manifest.splits.items())
    sources = "\n".join(
        f"| {source.name} | {source.version} | {source.licence} | `{source.digest}` |"
        for source in manifest.sources
    )
    header = "| name | version | licence | digest |\n|---|---|---|---|"
    used = f"\n## Sources\n\n{header}\n{sources}\n"
    noted = "\n## Notes\n\n" + "".join(f"- {note}\n" for note in manifest.notes)
    return fill_template(
        __package__,
        "card.md.txt",
        front=front_matter(front),
        generator=manifest.generator,
        version=manifest.version,
        plugin=plugin_phrase(manifest),
        command=reproduction_command(manifest),
        splits=splits,
        sources=used if manifest.sources else "",
        notes=noted if manifest.notes else "",
    )


def plugin_phrase(manifest: Manifest) -> str:
    """Return " with the plugin ..." for rows of a plugin; empty otherwise."""
    return "" if manifest.distribution in _BUILT_IN else f" with the plugin {manifest.distribution}"

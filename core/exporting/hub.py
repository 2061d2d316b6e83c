"""Export for the Hugging Face hub: Parquet files, a dataset card."""

import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from ..capabilities import Documentation
from ..dataset import Dataset, Manifest
from ..dataset.card import CARD, card_metadata, front_matter, plugin_phrase, reproduction_command
from ..dataset.columns import arrow_schema
from ..dataset.manifest import MANIFEST
from ..errors import RelsmithError
from ..example import Example
from ..generator import Generator
from ..registry import GENERATORS
from ..storage import files
from ..tables import fill_template
from .exporter import Exporter

if TYPE_CHECKING:
    import pyarrow

ROWS_PER_SHARD = 200_000
_ROWS_PER_GROUP = 2_048
_FIELDS = {
    "id": "the row's own name",
    "input": "the whole text a model is shown",
    "choices": "the options; empty where the answer is open",
    "target": "the answer",
    "metadata": "all that is known about the row",
}


def write(dataset: Dataset, out: Path) -> list[Path]:
    """Write the folder and return its files."""
    cls = GENERATORS.get(dataset.manifest.generator)
    (out / "data").mkdir(parents=True)
    shards = [
        path
        for split, rows in dataset.manifest.splits.items()
        for path in _shards(dataset, cls, split, rows, out / "data")
    ]
    page = out / CARD
    page.write_text(card(dataset, cls), encoding="utf-8", newline="\n")
    return [page, *shards]


def write_suite(folder: Path, out: Path) -> list[Path]:
    """Write the datasets of a suite, each as a configuration of one repository."""
    from ..dataset.suite import read_suite, suite_card, suite_configs

    found = read_suite(folder)
    assert found, "called for suites only"
    name, summary, datasets = found
    written = []
    for part, dataset in datasets.items():
        with dataset.explain_damage():
            written += write(dataset, out / part)
    manifests = {part: dataset.manifest for part, dataset in datasets.items()}
    paths = {
        part: {split: f"{part}/data/{split}-*.parquet" for split in manifest.splits}
        for part, manifest in manifests.items()
    }
    about = [card_metadata(each, GENERATORS.get(each.generator)) for each in manifests.values()]
    licences = {each["license"] for each in about}
    front = {
        "pretty_name": f"relsmith {name}",
        "language": sorted({code for each in about for code in each["language"]}),
        "license": licences.pop() if len(licences) == 1 else "other",
        "tags": list(dict.fromkeys(tag for each in about for tag in each["tags"])),
        "configs": suite_configs(paths),
    }
    page = out / CARD
    text = suite_card(name, summary, manifests, front) + f"\n{_loading(next(iter(datasets)))}\n"
    page.write_text(text, encoding="utf-8", newline="\n")
    return [page, *written]


def _shards(
    dataset: Dataset, cls: type[Generator], split: str, rows: int, folder: Path
) -> Iterator[Path]:
    """Write the files of a split; yield their paths."""
    schema = arrow_schema(cls)
    from pyarrow import parquet

    count = -(-rows // ROWS_PER_SHARD)
    stream = dataset.validated_rows(cls, split)
    for index in range(count):
        path = folder / f"{split}-{index:05}-of-{count:05}.parquet"
        due = rows * (index + 1) // count - rows * index // count
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for table in _tables(islice(stream, due), schema):
                writer.write_table(table)
        yield path


def _tables(rows: Iterator[Example], schema: "pyarrow.Schema") -> "Iterator[pyarrow.Table]":
    import pyarrow

    while group := [row.record() for row in islice(rows, _ROWS_PER_GROUP)]:
        yield pyarrow.Table.from_pylist(group, schema=schema)


def card(dataset: Dataset, cls: type[Generator]) -> str:
    """Return the dataset card: front matter for programs, then text for people."""
    manifest = dataset.manifest
    about = card_metadata(manifest, cls)
    if any(row.choices for row in dataset[:1]):
        about["task_categories"] = [*about["task_categories"], "multiple-choice"]
    if about["license"] == "other":
        about |= {"license_name": "see-sources"}
    front = {"pretty_name": f"relsmith {manifest.generator}"} | about
    front |= {
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual"],
        "source_datasets": ["original"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {"split": split, "path": f"data/{split}-*.parquet"} for split in manifest.splits
                ],
            }
        ],
    }
    return front_matter(front) + _page(dataset, cls, about["license"])


def _page(dataset: Dataset, cls: type[Generator], licence: str) -> str:
    manifest = dataset.manifest
    digest = files.digest(dataset.folder / MANIFEST)
    return fill_template(
        f"{__package__}.exports",
        "hub_readme.md.txt",
        generator=manifest.generator,
        version=manifest.version,
        help=inspect.cleandoc(cls.__doc__ or ""),
        splits=_table("split", "rows", manifest.splits.items()),
        loading=_loading(),
        row=_shown(dataset[0]),
        fields=_table("field", "what it holds", _FIELDS.items()),
        metadata=_table("in metadata", "what it holds", _metadata(cls).items()),
        plugin=plugin_phrase(manifest),
        seed=manifest.seed,
        command=reproduction_command(manifest),
        digest=digest,
        sources=_sources(manifest),
        limits=_list(_limits(dataset, cls)),
        licence=_LICENCES.get(licence, f"That of the package {manifest.distribution}: {licence}."),
        citation=_bibtex(manifest, cls, digest),
    )


def _loading(config: str = "") -> str:
    """Return how the rows are loaded; `config` names a dataset of a suite."""
    name = f', "{config}"' if config else ""
    return f"""## Loading

```python
from datasets import load_dataset

rows = load_dataset("DIR"{name})  # this folder, or OWNER/NAME on the hub
```"""


def _shown(row: Example) -> str:
    """Return a row as JSON, one field per line."""
    inner = (f'  "{name}": {_json(value)}' for name, value in row.metadata.items())
    metadata = "{\n" + ",\n".join(inner) + "\n }"
    fields = row.record() | {"metadata": None}
    outer = [f' "{name}": {_json(value)}' for name, value in fields.items() if name != "metadata"]
    return "{\n" + ",\n".join([*outer, f' "metadata": {metadata}']) + "\n}"


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


_CITATION = re.compile(r"(?P<authors>.+?), (?P<title>.+), (?P<venue>.+) (?P<year>\d{4})")
"""Sinha et al., Title: Subtitle, EMNLP 2019"""


def _bibtex(manifest: Manifest, cls: type[Generator], digest: str) -> str:
    """Return BibTeX entries for the dataset, by its digest, and for the paper of its task."""
    entries = [
        f"@misc{{relsmith-{manifest.generator}-{digest[:8]},\n"
        f"  title = {{relsmith {manifest.generator}, version {manifest.version}, "
        f"seed {manifest.seed}}},\n"
        f"  author = {{{{The relsmith authors}}}},\n"
        f"  note = {{sha256 of its manifest.json: {digest}}}\n}}"
    ]
    if found := _CITATION.fullmatch(cls.citation):
        authors = found["authors"].replace(" et al.", " and others")
        key = re.sub(r"\W.*", "", authors).lower() + found["year"]
        entries.append(
            f"@inproceedings{{{key},\n  title = {{{{{found['title']}}}}},\n"
            f"  author = {{{authors}}},\n  booktitle = {{{found['venue']}}},\n"
            f"  year = {{{found['year']}}}\n}}"
        )
    elif cls.citation:
        entries.append(f"@misc{{{cls.name},\n  note = {{{cls.citation}}}\n}}")
    return "\n\n".join(entries)


_LICENCES = {
    "other": "Rows were made with files from elsewhere (see the sources), which have their own "
    "terms; what comes from relsmith itself is under Apache-2.0.",
    "apache-2.0": "Apache-2.0, as relsmith and its sentences are.",
    "unknown": "The package that made the rows does not say.",
}


def _limits(dataset: Dataset, cls: type[Generator]) -> Iterator[str]:
    manifest = dataset.manifest
    yield (
        "The texts are put together by a program: they test whether a model can do this one thing, "
        "and say little about texts that people write."
    )
    if not cls.labelled:
        yield "These rows have no answers: every target is empty."
    if manifest.withheld:
        yield f"The split train lacks on purpose some {', '.join(manifest.withheld)}."
    yield from manifest.notes
    with suppress(RelsmithError):  # files named by the options may be missing
        yield from Documentation.of(cls.configure(manifest.options)).caveats()


def _sources(manifest: Manifest) -> str:
    if not manifest.sources:
        return ""
    lines = []
    for each in manifest.sources:
        digest = f"sha256 `{each.digest}`" if each.digest else ""
        about = "; ".join(filter(None, (each.licence, digest)))
        lines.append(
            f"{each.name} {each.version} ({about})" if about else f"{each.name} {each.version}"
        )
    return f"Sources that rows were made from:\n\n{_list(lines)}\n\n"


def _metadata(cls: type[Generator]) -> dict[str, str]:
    return {name: info.description or "" for name, info in cls.Metadata.model_fields.items()}


def _list(lines: "Iterator[str] | list[str]") -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(left: str, right: str, rows: Any) -> str:
    lines = [(left, right), ("---", "---"), *rows]
    return "\n".join(f"| {one} | {str(other).replace('|', '&#124;')} |" for one, other in lines)


HUB = Exporter(
    "hub",
    "A folder for the Hugging Face hub: Parquet files and a dataset card.",
    write,
    write_suite=write_suite,
)

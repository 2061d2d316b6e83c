"""Exports for programs that train, prompt and test language models."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from ..capabilities import Reasoning
from ..dataset import Dataset
from ..dataset.manifest import MANIFEST
from ..errors import InvalidOption
from ..example import Example
from ..prompting.prompt import Prompter, reasoning
from ..prompting.rl import prompt_record
from ..scoring.predictions import request_id
from ..scoring.scorer import answer_key, generator_class
from ..storage import files
from ..tables import fill_template
from .exporter import Exporter

_template = partial(fill_template, f"{__package__}.exports")
_REQUESTS_PER_FILE = 50_000
"""OpenAI's limit."""


def write_lines(path: Path, encoded: Iterable[bytes]) -> bool:
    """Write a file of lines; return whether there were any."""
    with path.open("wb") as file:
        file.writelines(encoded)
        return file.tell() > 0


Record = Callable[[Example], object]


def line(row: Example, record: Record) -> bytes:
    """Return the record of a row as a line of JSON."""
    return orjson.dumps(record(row), option=orjson.OPT_APPEND_NEWLINE)


def answered_line(row: Example, record: Record) -> bytes | None:
    """Return the line if the row has an answer (candidates of relinf may have none), else None."""
    return line(row, record) if answer_key(row).right else None


def split_files(dataset: Dataset, out: Path, record: Record) -> list[Path]:
    """Write the rows with answers as one file of JSON lines per split; return the files."""
    written = []
    for split in dataset.manifest.splits:
        path = out / f"{split}.jsonl"
        if write_lines(path, dataset.map_rows(partial(answered_line, record=record), split)):
            written.append(path)
        else:
            path.unlink()
    if not written:
        raise InvalidOption(
            f"{dataset.folder}: no row has an answer to learn from or to score by; export labelled "
            f"rows, such as those of gen relinf-aggregate"
        )
    return written


def package_name(dataset: Dataset) -> str:
    """Return a package name for a dataset, after its folder."""
    stem = re.sub(r"[^a-z0-9]+", "-", dataset.folder.resolve().name.casefold()).strip("-")
    return f"relsmith-{stem or dataset.manifest.generator}"


def _training_messages(row: Example) -> dict[str, Any]:
    said = reasoning(row)
    asked = Prompter("cot" if said else "zero-shot")(row)
    reply = (
        "\n".join([*said, f"Answer: {answer_key(row).right}"]) if said else answer_key(row).right
    )
    return {"id": row.id, "messages": [*asked.messages, {"role": "assistant", "content": reply}]}


def _chat(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    return split_files(dataset, out, _training_messages)


def _request(row: Example, digest: str) -> dict[str, Any]:
    return {
        "custom_id": request_id(row.id, digest),
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "MODEL", "messages": Prompter()(row).messages},
    }


def _openai_batch(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    written = []
    record = partial(_request, digest=files.digest(dataset.folder / MANIFEST))
    for split in dataset.manifest.splits:
        requests = dataset.map_rows(partial(line, record=record), split)
        number = 0
        while True:
            path = out / f"{split}-{number:05}.jsonl"
            if not write_lines(path, islice(requests, _REQUESTS_PER_FILE)):
                path.unlink()
                break
            written.append(path)
            number += 1
    return written


def _trl(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    written = split_files(dataset, out, prompt_record)
    reward, page = out / "reward.py", out / "README.md"
    reward.write_text(_template("trl_reward.py.txt"), "utf-8")
    page.write_text(_page("trl_readme.md.txt", dataset, written, first=written[0].name), "utf-8")
    return [*written, reward, page]


def _step_record(row: Example) -> dict[str, Any]:
    found = Reasoning.of_class(generator_class(row)).labelled_steps(row)
    if found is None:
        raise InvalidOption(
            f"row {row.id} has no labelled steps; make rows with gen clutrr --task verify-steps"
        )
    return {"prompt": found.question, "completions": found.steps, "labels": found.labels}


def _trl_steps(dataset: Dataset, out: Path) -> list[Path]:
    out.mkdir()
    written = split_files(dataset, out, _step_record)
    page = out / "README.md"
    text = _page("trl_steps_readme.md.txt", dataset, written, first=written[0].name)
    page.write_text(text, "utf-8")
    return [*written, page]


def _page(template: str, dataset: Dataset, written: list[Path], **words: str) -> str:
    """Return the README of an export."""
    listed = ", ".join(f"`{path.name}`" for path in written)
    generator = dataset.manifest.generator
    name = package_name(dataset)
    return _template(template, name=name, generator=generator, files=listed, **words)


def _verifiers(dataset: Dataset, out: Path) -> list[Path]:
    name = package_name(dataset)
    home = out / name.replace("-", "_")
    home.mkdir(parents=True)
    about = out / "pyproject.toml"
    about.write_text(
        _template(
            "verifiers_pyproject.toml.txt",
            name=name,
            package=home.name,
            generator=dataset.manifest.generator,
        ),
        "utf-8",
    )
    written = split_files(dataset, home, Example.record)
    splits = [path.stem for path in written]
    code, page, manifest = home / "__init__.py", out / "README.md", home / MANIFEST
    manifest.write_bytes(dataset.manifest.json_bytes())
    first = "train" if "train" in splits else splits[0]
    page.write_text(
        _page("verifiers_readme.md.txt", dataset, written, split=first, package=home.name), "utf-8"
    )
    code.write_text(
        _template(
            "verifiers_taskset.py.txt", name=name, split=first, generator=dataset.manifest.generator
        ),
        "utf-8",
    )
    return [about, page, code, manifest, *written]


CHAT = Exporter(
    "chat",
    "Chat messages for training, with the proof in words if rows have one.",
    _chat,
    by_row=True,
)
OPENAI_BATCH = Exporter(
    "openai-batch",
    "Requests for OpenAI's batch API and compatible servers.",
    _openai_batch,
    by_row=True,
)
TRL = Exporter("trl", "Prompts and a reward function for TRL's GRPO.", _trl, by_row=True)
TRL_STEPS = Exporter(
    "trl-steps", "Steps with labels, for process reward models.", _trl_steps, by_row=True
)
VERIFIERS = Exporter(
    "verifiers",
    "An environment package for verifiers, with relsmith's score as reward.",
    _verifiers,
    by_row=True,
)

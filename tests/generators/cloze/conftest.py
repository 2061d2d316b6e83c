"""Small corpora in files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

Write = Callable[..., str]


@pytest.fixture
def jsonl(tmp_path: Path) -> Write:
    """Write objects, or raw bytes, line by line."""

    def write(*rows: Any, name: str = "pairs.jsonl") -> str:
        lines = [row if isinstance(row, bytes) else orjson.dumps(row) for row in rows]
        (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in lines))
        return str(tmp_path / name)

    return write


@pytest.fixture
def plain(tmp_path: Path) -> Write:
    """Write a plain whitelist."""

    def write(*words: str) -> str:
        (tmp_path / "words.txt").write_text("\n".join(words), encoding="utf-8")
        return str(tmp_path / "words.txt")

    return write

"""Digests in results are those that anyone computes."""

import hashlib
from pathlib import Path

from relsmith.evaluation.record import file_digest


def test_a_file_has_its_sha256(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"cat 1 0\n")
    assert file_digest(path) == hashlib.sha256(b"cat 1 0\n").hexdigest()


def test_a_folder_is_known_by_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("y")
    seen = {file_digest(tmp_path)}
    (tmp_path / "b").rename(tmp_path / "c")
    seen.add(file_digest(tmp_path))
    (tmp_path / "c").write_text("z")
    seen.add(file_digest(tmp_path))
    assert len(seen) == 3

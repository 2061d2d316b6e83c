"""Word vectors are read unchanged; invalid lines are named by file and number."""

from pathlib import Path

import pytest

from relsmith.errors import InvalidInput, NotFound
from relsmith.kb.lexicon.vectors import nearness, read_vectors


@pytest.mark.parametrize("head", ["", "3 2\n"])
def test_the_first_line_may_be_a_header(head: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(f"{head}Paris 1 -2.5\nrome 0 2\nrome 7 7\n. . . 1 1\n", newline="\r\n")
    assert read_vectors(path, {"Paris", "rome", "3"}) == {"Paris": [1, -2.5], "rome": [0, 2]}
    assert read_vectors(path, {"paris"}) == {}
    assert read_vectors(path, {"paris"}, spell=str.lower) == {"paris": [1, -2.5]}


@pytest.mark.parametrize("line", ["eats 1", "eats 1 x", "eats 1 nan", "eats", "eats 1 2 3"])
def test_bad_vectors_are_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(f"with 0 1\n{line}\n")
    with pytest.raises(InvalidInput) as caught:
        read_vectors(path, {"eats", "with"})
    assert str(caught.value).startswith(f"vectors: {path}:2: ")
    assert read_vectors(path, {"with"}) == {"with": [0, 1]}


def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"^way: cannot read .*none': No such file .*; name a file"):
        read_vectors(tmp_path / "none", {"eats"}, option="way")
    (tmp_path / "packed").write_bytes(b"\x1f\x8b\xff")
    with pytest.raises(InvalidInput, match="packed:1: is not UTF-8"):
        read_vectors(tmp_path / "packed", {"eats"})


def test_similar_words_have_similar_vectors(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("New_York 3 4\nrome 6 8\nmoss -4 3\nnought 0 0\n")
    near = nearness(path, frozenset({"new york", "Rome", "moss", "nought"}))
    assert near("New York", "rome") == pytest.approx(1)
    assert near("rome", "moss") == pytest.approx(0)
    assert near("rome", "nought") == near("rome", "paris") == 0

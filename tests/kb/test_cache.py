"""The cache folder: the system's, or the one set by the user."""

import sys
from pathlib import Path

import pytest

from relsmith.kb.cache import cache_folder


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG is of other systems")
def test_the_cache_is_in_the_xdg_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RELSMITH_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder("wordnet") == tmp_path / "relsmith" / "wordnet"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder("wordnet") == tmp_path / ".cache" / "relsmith" / "wordnet"


def test_our_variable_takes_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELSMITH_CACHE", str(tmp_path))
    assert cache_folder("wordnet") == tmp_path / "wordnet"

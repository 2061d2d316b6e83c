"""The site: links work, the reference exists, and nothing is loaded from other sites."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

# Elements that make a browser load something from another host.
FOREIGN = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b[^>]*\brel=["']?(?:stylesheet|preload|preconnect|icon)[^>]*(?:https?:)?//"""
    r"""|url\(["']?(?:https?:)?//"""
)


@pytest.mark.slow
def test_the_site_is_complete_and_loads_nothing_external(root: Path, tmp_path: Path) -> None:
    # One test, because two builds at once would interfere.
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr

    pages = {
        path.relative_to(tmp_path).as_posix(): path.read_text("utf-8")
        for pattern in ("*.html", "*.css")
        for path in tmp_path.rglob(pattern)
    }
    assert len(pages) > 30
    assert not [name for name, page in pages.items() if FOREIGN.search(page)]

    for name in (
        "relsmith.make",
        "relsmith.capabilities.Limited.capacity",
        "relsmith.kb.worlds.world.World",
    ):
        assert f'id="{name}"' in pages["reference/index.html"]
    assert "as keyword arguments" in pages["reference/index.html"]
    assert "make demo" in pages["index.html"]
    assert 'id="train_foreverpy"' in pages["examples/index.html"]
    assert 'href="../examples/"' in pages["python/index.html"]

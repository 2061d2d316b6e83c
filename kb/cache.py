"""The user's cache: things that can be made again at any time."""

import os
import sys
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Where a part of relsmith keeps what it compiled; not made yet.

    Under `RELSMITH_CACHE` where that is set, else where the system keeps caches.
    """
    chosen = os.environ.get("RELSMITH_CACHE")
    return Path(chosen) / name if chosen else _caches() / "relsmith" / name


def _caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")

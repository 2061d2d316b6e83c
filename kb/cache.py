"""The user's cache: things that can be made again at any time."""

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Where a part of relsmith keeps what it compiled; not made yet.

    Under `RELSMITH_CACHE` where that is set, else where the system keeps caches.
    """
    if chosen := os.environ.get("RELSMITH_CACHE"):
        return Path(chosen) / name
    from platformdirs import user_cache_path

    return user_cache_path("relsmith", appauthor=False, opinion=False) / name

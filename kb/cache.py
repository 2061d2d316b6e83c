"""The user's cache folder."""

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return the cache folder of a part of relsmith, without creating it.

    It is under `RELSMITH_CACHE` if that is set, else in the system's folder for caches.
    """
    if chosen := os.environ.get("RELSMITH_CACHE"):
        return Path(chosen) / name
    from platformdirs import user_cache_path

    return user_cache_path("relsmith", appauthor=False, opinion=False) / name

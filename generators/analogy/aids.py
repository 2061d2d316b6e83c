"""What some probes need beyond the relations: frequencies, neighbours, WordNet."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ...errors import InvalidOption, MissingExtra, install
from ...generator import Source
from ...kb.relations import Relation

WORDNET = "wordnet"


@dataclass(frozen=True)
class Aids:
    """Knowledge from outside, looked up only where it is asked for.

    `neighbours` says by what words are near, where a probe asks for that: WordNet, or a file.
    """

    closed_by_wordnet: bool = False
    neighbours: str | None = None
    frequencies: bool = False

    def closure(self, relation: Relation) -> Callable[[str, str], bool] | None:
        """What WordNet knows of the relation."""
        if not self.closed_by_wordnet:
            return None
        from ...kb.relations.lexical import closure

        return closure(relation)

    def zipf(self, word: str) -> float:
        """How frequent the word is."""
        try:
            from wordfreq import zipf_frequency
        except ImportError:
            raise MissingExtra(
                f"the probe 'frequency' needs wordfreq: {install('analogy')}"
            ) from None
        return float(zipf_frequency(word, "en"))

    def nearness(self, words: Iterable[str]) -> Callable[[str, str], float]:
        """How near two of the words are."""
        if self.neighbours in (None, WORDNET):
            from ...kb.relations.lexical import nearness

            return nearness
        from ...kb.relations import vectors

        return vectors.nearness(Path(str(self.neighbours)), frozenset(words))

    def sources(self) -> list[Source]:
        """Where the knowledge comes from."""
        found = []
        if self.closed_by_wordnet or self.neighbours == WORDNET:
            found.append(_wordnet())
        if self.neighbours not in (None, WORDNET):
            path = Path(str(self.neighbours))
            if not path.is_file():
                raise InvalidOption(
                    f"neighbours: there is no file {str(path)!r}; give 'wordnet' or a file of "
                    f"word vectors"
                )
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            found.append(Source(name="word vectors", version="", digest=digest))
        if self.frequencies:
            from importlib import metadata

            self.zipf("the")
            version = metadata.version("wordfreq")
            found.append(Source(name="wordfreq", version=version, digest=""))
        return found


def _wordnet() -> Source:
    from ...kb.wordnet import locate

    folder = locate()
    total = hashlib.sha256()
    for name in sorted(path.name for path in folder.glob("data.*")):
        total.update(name.encode() + (folder / name).read_bytes())
    return Source(name="WordNet", version="", digest=total.hexdigest())

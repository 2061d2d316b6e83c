"""What some probes need beyond the relations: frequencies, neighbours, WordNet."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ...errors import InvalidOption, MissingExtra, install
from ...generator import Source
from ...kb.lexicon import vectors, wordnet
from ...kb.relations import Relation
from ...storage import files

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
        """The logarithm of how often the word comes in a billion, by wordfreq."""
        try:
            from wordfreq import zipf_frequency
        except ImportError:
            raise MissingExtra(
                f"the probe 'frequency' needs wordfreq: {install('analogy')}"
            ) from None
        return float(zipf_frequency(word, "en"))

    def nearness(self, words: Iterable[str]) -> Callable[[str, str], float]:
        """What measures how near two of the words are: steps in WordNet, or an angle of vectors."""
        if self.neighbours in (None, WORDNET):
            from ...kb.relations.lexical import nearness

            return nearness
        return vectors.nearness(Path(str(self.neighbours)), frozenset(words))

    def sources(self) -> list[Source]:
        """Where the knowledge comes from."""
        sources = []
        if self.closed_by_wordnet or self.neighbours == WORDNET:
            sources.append(wordnet.source())
        if self.neighbours not in (None, WORDNET):
            path = Path(str(self.neighbours))
            if not path.is_file():
                raise InvalidOption(
                    f"neighbours: there is no file {str(path)!r}; give 'wordnet' or a file of "
                    f"word vectors"
                )
            sources.append(Source(name="word vectors", version="", digest=files.digest(path)))
        if self.frequencies:
            from importlib import metadata

            self.zipf("the")
            version = metadata.version("wordfreq")
            sources.append(Source(name="wordfreq", version=version, digest=""))
        return sources

"""Resources of some probes: word frequencies, similarities, WordNet."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ...capabilities import Source
from ...errors import InvalidOption, MissingExtra, install_command
from ...kb.lexicon import vectors, wordnet
from ...kb.relations import Relation
from ...storage import files

WORDNET = "wordnet"


@dataclass(frozen=True)
class Resources:
    """External knowledge, loaded only where it is used.

    `neighbours` is the source of similarities, if a probe needs them: WordNet, or a file.
    """

    closed_by_wordnet: bool = False
    neighbours: str | None = None
    frequencies: bool = False

    def closure(self, relation: Relation) -> Callable[[str, str], bool] | None:
        """Return what WordNet derives for the relation, or None."""
        if not self.closed_by_wordnet:
            return None
        from ...kb.relations.lexical import closure

        return closure(relation)

    def zipf(self, word: str) -> float:
        """Return the logarithm of the word's frequency per billion words, by wordfreq."""
        try:
            from wordfreq import zipf_frequency
        except ImportError:
            raise MissingExtra(
                f"the probe 'frequency' needs wordfreq: {install_command('analogy')}"
            ) from None
        return float(zipf_frequency(word, "en"))

    def nearness(self, words: Iterable[str]) -> Callable[[str, str], float]:
        """Return a similarity of two of the words: by WordNet paths, or by word vectors."""
        if self.neighbours in (None, WORDNET):
            from ...kb.relations.lexical import nearness

            return nearness
        return vectors.nearness(Path(str(self.neighbours)), frozenset(words))

    def sources(self) -> list[Source]:
        """Return the sources of the knowledge."""
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
            licence = "Apache-2.0 and CC BY-SA 4.0"
            sources.append(Source(name="wordfreq", version=version, digest="", licence=licence))
        return sources

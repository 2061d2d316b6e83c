"""Resources of some probes: word frequencies, similarities, WordNet."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...capabilities import Source
from ...errors import InvalidOption, MissingExtra, install_command
from ...kb.lexicon import vectors, wordnet
from ...kb.relations import Pair, Relation
from ...storage import files

WORDNET = "wordnet"
_PARTS_OF_SPEECH = {"noun": "n", "verb": "v", "adj": "a"}


class WordProfile(NamedTuple):
    """Features that tell words apart: part of speech, sense, domain and frequency.

    The domain is the lexicographer's file of the sense in WordNet, the band the whole part of the
    Zipf frequency.
    """

    part_of_speech: str
    sense: str
    domain: str
    band: int

    def likeness(self, other: "WordProfile") -> tuple[bool, bool, bool]:
        """Return whether part of speech, domain and band are equal."""
        return (
            self.part_of_speech == other.part_of_speech,
            self.domain == other.domain,
            self.band == other.band,
        )


@dataclass(frozen=True)
class Resources:
    """External knowledge, loaded only where it is used.

    `neighbours` is the source of similarities, if a probe needs them: WordNet, or a file.
    """

    closed_by_wordnet: bool = False
    neighbours: str | None = None

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
                f"the probe 'hard' needs wordfreq: {install_command('analogy')}"
            ) from None
        return float(zipf_frequency(word, "en"))

    def nearness(self, words: Iterable[str]) -> Callable[[str, str], float]:
        """Return a similarity of two of the words: by WordNet paths, or by word vectors."""
        if self.neighbours in (None, WORDNET):
            from ...kb.relations.lexical import nearness

            return nearness
        return vectors.nearness(Path(str(self.neighbours)), frozenset(words))

    def profiles(self, relation: Relation, pairs: Iterable[Pair]) -> dict[str, WordProfile]:
        """Return the profile of every word, with the part of speech that the relation says.

        If it says none, both words of a pair have the same one, if any.
        """
        from ...kb.relations.lexical import domain, first_sense, parts_of_speech

        typed = [
            _PARTS_OF_SPEECH.get(type.partition(" ")[0]) for type in relation.types or ("", "")
        ]
        profiles: dict[str, WordProfile] = {}
        for pair in pairs:
            shares = [
                {part: 1.0} if part else parts_of_speech(word)
                for word, part in zip(pair, typed, strict=True)
            ]
            both = {part: min(s[part] for s in shares) for part in shares[0] if part in shares[1]}
            for word, own in zip(pair, shares, strict=True):
                known = own if any(typed) else both or own
                sense = first_sense(word, max(known, key=known.__getitem__, default=""))
                part = sense.split(".")[-2].replace("s", "a") if sense else ""
                band = int(self.zipf(word))
                profiles.setdefault(word, WordProfile(part, sense, domain(sense), band))
        return profiles

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
        if self.neighbours:
            from importlib import metadata

            self.zipf("the")
            version = metadata.version("wordfreq")
            licence = "Apache-2.0 and CC BY-SA 4.0"
            sources.append(Source(name="wordfreq", version=version, digest="", licence=licence))
        return sources

"""Features of relations and arguments: lemmas, content words, verbs, voice, negation."""

from dataclasses import dataclass
from functools import cache

from ....kb.lexicon.wordnet import PartOfSpeech, lemmatise
from ....kb.lexicon.wordnet.location import default_folder
from ....kb.lexicon.wordnet.morphology import morphology
from ....tables import load_tables
from .task import InferencePair

NEGATIONS = frozenset({"no", "not", "never"})

PREPOSITIONS, STOP_WORDS = (
    frozenset(words.split()) for words in load_tables(__package__, "words.yaml").values()
)


def lemmas(phrase: str, pos: PartOfSpeech) -> tuple[str, ...]:
    """Return the lemma of each word, by WordNet."""
    return tuple(lemmatise(word, pos) for word in phrase.split())


@cache
def content_words(argument: str) -> frozenset[str]:
    """Return the content words of an argument as noun lemmas; all words if it has none."""
    words = lemmas(argument, "n")
    return frozenset(word for word in words if word not in STOP_WORDS) or frozenset(words)


@dataclass(frozen=True)
class RelationFeatures:
    """The features of a relation, without inflection."""

    content: frozenset[str]
    verbs: frozenset[str]
    preposition: str
    """The last preposition, except `by` in the passive; empty if there is none."""
    passive: bool
    negated: bool

    @property
    def form(self) -> "Form":
        """The normal form, which is the same for active and passive."""
        return self.content, self.preposition, self.negated


Form = tuple[frozenset[str], str, bool]


@cache
def analyse(phrase: str) -> RelationFeatures:
    """Analyse the words of a relation; it is passive if it has both `be` and `by`."""
    words = lemmas(phrase, "v")
    passive = "be" in words and "by" in words
    verbs = morphology(default_folder()).words["v"]
    placed = [word for word in words if word in PREPOSITIONS and not (passive and word == "by")]
    return RelationFeatures(
        content=frozenset(word for word in words if word not in STOP_WORDS),
        verbs=frozenset(word for word in words if word in verbs),
        preposition=placed[-1] if placed else "",
        passive=passive,
        negated=not NEGATIONS.isdisjoint(words),
    )


def arguments_swapped(pair: InferencePair) -> bool | None:
    """Return whether the arguments are swapped; None if the pair shares none.

    One shared argument is enough: the other may be an answer in one and its type in the other.
    """
    p1, p2 = content_words(pair.premise.arg1), content_words(pair.premise.arg2)
    h1, h2 = content_words(pair.hypothesis.arg1), content_words(pair.hypothesis.arg2)
    if p1 == h1 or p2 == h2:
        return False
    return True if p1 == h2 or p2 == h1 else None


def swapped_as_active(pair: InferencePair) -> bool | None:
    """Return whether arguments are swapped if passives are read as actives; None if unknown."""
    swap = arguments_swapped(pair)
    if swap is None:
        return None
    premise, hypothesis = analyse(pair.premise.relation), analyse(pair.hypothesis.relation)
    return swap ^ premise.passive ^ hypothesis.passive

"""What is looked at in relations and arguments: lemmas, content words, verbs, voice, negation."""

from dataclasses import dataclass
from functools import cache

from ....kb.lexicon.wordnet import PartOfSpeech, lemmatise
from ....kb.lexicon.wordnet.location import default_folder
from ....kb.lexicon.wordnet.morphology import morphology
from .task import Pair

NEGATIONS = frozenset({"no", "not", "never"})

PREPOSITIONS = frozenset(
    """
    about above across after against along among around as at before behind below beneath beside
    between beyond by down during for from in into like near of off on onto out over per than
    through throughout to toward towards under until up upon via with within without
    """.split()
)

# Prepositions such as `within` and adverbs such as `also` are content here, as in NLTK's list: on
# every word of the public files the two agree, which a test checks.
STOP_WORDS = frozenset(
    """
    a an the this that these those all any both each few more most other own same some such
    i me my mine we our ours you your yours he him his she her hers it its they them their theirs
    myself ourselves yourself yourselves himself herself itself themselves
    who whom whose which what when where why how here there
    be am is are was were been being have has had having do does did doing can will should
    about above after against at before below between by down during for from in into of off on out
    over through to under until up with
    and but or if as than because while so nor no not only very too just again further now once then
    s t d ll m re ve don ain aren couldn didn doesn hadn hasn haven isn mightn mustn needn shouldn
    wasn weren won wouldn
    """.split()
)
"""Words without content: articles, pronouns, auxiliaries, prepositions, conjunctions."""


def lemmas(phrase: str, pos: PartOfSpeech) -> tuple[str, ...]:
    """The base form of each word, by WordNet."""
    return tuple(lemmatise(word, pos) for word in phrase.split())


@cache
def content(argument: str) -> frozenset[str]:
    """The content words of an argument as nouns; all its words where it has none."""
    words = lemmas(argument, "n")
    return frozenset(word for word in words if word not in STOP_WORDS) or frozenset(words)


@dataclass(frozen=True)
class Relation:
    """What a relation says, inflections aside."""

    content: frozenset[str]
    verbs: frozenset[str]
    preposition: str
    """The last one, and in the passive the last besides `by`; empty where none."""
    passive: bool
    negated: bool

    @property
    def form(self) -> "Form":
        """What stays when the passive is turned into the active with its arguments swapped."""
        return self.content, self.preposition, self.negated


Form = tuple[frozenset[str], str, bool]


@cache
def relation(phrase: str) -> Relation:
    """Look at the words of a relation; it is passive where it has both `be` and `by`."""
    words = lemmas(phrase, "v")
    passive = "be" in words and "by" in words
    verbs = morphology(default_folder()).words["v"]
    placed = [word for word in words if word in PREPOSITIONS and not (passive and word == "by")]
    return Relation(
        content=frozenset(word for word in words if word not in STOP_WORDS),
        verbs=frozenset(word for word in words if word in verbs),
        preposition=placed[-1] if placed else "",
        passive=passive,
        negated=not NEGATIONS.isdisjoint(words),
    )


def swapped(pair: Pair) -> bool | None:
    """Whether the arguments have changed places; None where they have none in common.

    One argument in common is enough: the other may be an answer here and its type there.
    """
    p1, p2 = content(pair.premise.arg1), content(pair.premise.arg2)
    h1, h2 = content(pair.hypothesis.arg1), content(pair.hypothesis.arg2)
    if p1 == h1 or p2 == h2:
        return False
    return True if p1 == h2 or p2 == h1 else None


def turned(pair: Pair) -> bool | None:
    """Whether the arguments have changed places, passives read as actives."""
    swap = swapped(pair)
    if swap is None:
        return None
    premise, hypothesis = relation(pair.premise.relation), relation(pair.hypothesis.relation)
    return swap ^ premise.passive ^ hypothesis.passive

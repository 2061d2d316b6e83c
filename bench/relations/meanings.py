"""Relations about meanings, chosen by hand and with WordNet.

They are chosen by hand, in `chosen/`, since WordNet has senses that nobody uses: pairs by
semantic field, a line for each head (of hypernyms for each tail), and after `~` words that may be
of the field as well. A pair is false if no field has both of its words and WordNet does not derive
it in any sense.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from relsmith.kb.lexicon.wordnet import nltk_reader
from relsmith.kb.lexicon.wordnet.location import LICENCE
from relsmith.kb.relations.lexical import closure
from relsmith.kb.relations.relation import Block, Pair, Relation

_MIN_DEPTH = 4

_CHOSEN = Path(__file__).with_name("chosen")
_SOURCE = (
    "WordNet 3.0 (Princeton University, https://wordnet.princeton.edu), chosen and added to by hand"
)
_ASYMMETRIC = ("hypernyms", "hyponyms", "meronyms", "synonyms - intensity")


def meanings() -> Iterator[Relation]:
    """Yield the lexicographic relations: hypernyms, hyponyms, meronyms, synonyms, antonyms."""
    for path in sorted(_CHOSEN.glob("*.txt")):
        yield _meaning(path.stem, path.read_text(encoding="utf-8").splitlines())


def _meaning(name: str, lines: list[str]) -> Relation:
    fields: dict[str, set[str]] = {}
    pairs: list[Pair] = []
    field = ""
    for line in lines:
        if line.startswith("["):
            field = line
            continue
        first, _, rest = line.partition(" " if line.startswith("~") else ": ")
        words = rest.split(", ")
        for word in (*words, *[first] * (first != "~")):
            fields.setdefault(word, set()).add(field)
        if first != "~":
            upward = name.startswith("hypernyms")
            pairs += [(word, first) if upward else (first, word) for word in words]
    kind = name.partition(" ")[0]
    known = dict.fromkeys(word for pair in pairs for word in pair)
    relation = Relation(
        name,
        "lexicographic",
        tuple(_with_more(pairs, kind, fields)),
        symmetric=name.startswith("antonyms") or name == "synonyms - exact",
        asymmetric=name.startswith(_ASYMMETRIC),
        kind=name if kind == "meronyms" else kind,
        types=("word", "word") if kind in ("synonyms", "antonyms") else ("noun", "noun"),
        source=_SOURCE,
        licence=LICENCE,
        canonical=True,
        open="wider lexicon",
    )
    return replace(relation, excluded=_excluded(relation, {word: fields[word] for word in known}))


def _with_more(pairs: list[Pair], kind: str, fields: dict[str, set[str]]) -> Iterator[Pair]:
    """Yield the chosen pairs, and other hypernyms of their field by the first sense."""
    tails = list(dict.fromkeys(tail for _, tail in pairs))
    for head, chosen in pairs:
        yield head, chosen
        for tail in tails:
            more = kind == "hypernyms" and tail != chosen and fields[head] & fields[tail]
            if more and _is_usually(head, tail):
                yield head, tail


def _is_usually(low: str, high: str) -> bool:
    first, second = (nltk_reader().synsets(word.replace(" ", "_"), "n")[0] for word in (low, high))
    return second in _hypernyms(first)


def _excluded(relation: Relation, fields: dict[str, set[str]]) -> tuple[Block, ...]:
    """Return false pairs in blocks, words with the same false partners together."""
    derived = closure(relation)
    by_partners: dict[tuple[str, ...], list[str]] = {}
    for word, own in fields.items():
        partners = (
            other
            for other, theirs in fields.items()
            if not own & theirs and not (derived and derived(word, other))
        )
        by_partners.setdefault(tuple(sorted(partners)), []).append(word)
    return tuple((tuple(sorted(words)), false) for false, words in by_partners.items() if false)


def _hypernyms(sense: Any) -> list[Any]:
    """Return all hypernyms, the nearest first, except the most general ones."""
    general: list[Any] = []
    near = [sense]
    while near:
        near = [high for low in near for high in [*low.hypernyms()] if high not in general]
        general += dict.fromkeys(near)
    return [high for high in general if high.min_depth() >= _MIN_DEPTH - 1]

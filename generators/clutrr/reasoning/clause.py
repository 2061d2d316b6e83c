"""Parse a clause into tokens, names and relation words, and encode it for the patterns."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from ....kb.worlds.kinship_extended import neutral_words
from ....kb.worlds.world import World
from ....scoring.claims import ClaimReader, Mention, phrase
from ....scoring.extraction import Unreadable
from ....scoring.tokens import tokenize
from ....tables import Patterns, load_tables
from ..asking.answers import relation_words
from ..metadata import UNKNOWN
from .patterns import NAMES, RELATIONS

PLURAL, VERB = "~", "!"
"""Marks of plural relation words, and of verbs such as `reports directly to`."""
_NEUTRAL: Final = "?"
"""Mark of predicates that are named by a word without gender, such as sibling."""
_WORDS: Final = load_tables(__package__, "words.yaml")
_MARRIED: Final = ("married", "husband and wife", "wife and husband", "married couple", "spouses")
_MAX_SKIPPED: Final = 12
"""Characters that no token stands for: in `isn't` those after `is`, whose token is `not`."""
_P = Patterns(__package__, "words.yaml", "patterns")
_SIGNS = str.maketrans("`\u2705\u2713\u2714\u2717\u2718\u2500\u2501", "      --")
"""Ticks and lines of boxes, with what they are read as."""
_WAYS = {"N": "north", "S": "south", "E": "east", "W": "west"}
_FOLLOWERS = frozenset(_WORDS["followers"].split())
_NO_NAMES = frozenset(_WORDS["no_names"].split())


class Clause(NamedTuple):
    """A clause, parsed. In `encoded` each name and each relation word is one character."""

    tokens: list[str]
    spans: list[tuple[int, int]]
    """The span of each token in the text."""
    names: dict[int, tuple[int, str]]
    """By the place of its first token, the end of a name, and who is meant."""
    mentions: list[Mention]
    encoded: str
    places: dict[int, tuple[int, int]]
    """First and last token at each character of the encoded text."""

    def tokens_of(self, match: re.Match[str]) -> tuple[int, int]:
        """Return the first and the last token of a match."""
        return self.places[match.start() + 1][0], self.places[match.end() - 1][1]

    def mention(self, match: re.Match[str]) -> Mention:
        """Return the relation word of a match."""
        return self.mentions[ord(match["r"]) - RELATIONS]

    def name(self, match: re.Match[str], role: str) -> str | None:
        """Return who is named in a group of a match; None for a pronoun."""
        return self.names.get(self.places[match.start(role)][0], (0, None))[1]


class Vocabulary:
    """The relation words of a world, and the names of a story."""

    def __init__(self, world: World, names: Sequence[str], genders: Mapping[str, str]) -> None:
        self.world, self.genders = world, genders
        self.relational = is_relational(world)
        firsts = [name.split()[0] for name in names]
        spoken = {name: name for name in names} | {
            first: name
            for first, name in zip(firsts, names, strict=True)
            if firsts.count(first) == 1
        }
        self._names = {tuple(tokenize(form)): name for form, name in spoken.items()}
        self._has_capitals = any(name[0].isupper() for name in names)
        self._longest = max(map(len, self._names), default=0)
        self._first_tokens = {name[0] for name in self._names}
        self._pool = _pool(world)
        self._reader = ClaimReader(_phrases(world), [*self._names], None, frozenset(), frozenset())
        self._reader.followers |= _FOLLOWERS
        self._first_words = self._first_tokens | self._reader.first_words
        """The first words of names and relations; clauses without any say nothing."""

    def parse(self, text: str) -> Clause:
        """Parse a clause."""
        signs = text.translate(_SIGNS)
        rewritten = _P.rule.sub(lambda rule: " " * len(rule[0]), signs)
        if "one step north of" in self.world.meanings:
            rewritten = _P.compass.sub(_written_out, rewritten)
        tokens = tokenize(_P.arrow.sub(" \u2192 ", rewritten))
        if self._first_words.isdisjoint(tokens):
            return Clause(tokens, [], {}, [], "", {})
        spans = _aligned(tokens, text)
        try:
            mentions = self._reader.mentions(tokens)
        except Unreadable:
            mentions = []
        names = self._find_names(tokens, [text[start:end] for start, end in spans])
        return Clause(tokens, spans, names, mentions, *_encode(tokens, names, mentions))

    def kind(self, text: str) -> str:
        """Return whether a text is a `name`, or a `relation`; empty if it is neither."""
        clause = self.parse(text)
        if not clause.mentions:
            whole = clause.names.get(0, (0, ""))[0] == len(clause.tokens)
            return "name" if clause.tokens and whole else ""
        return "" if clause.names or len(clause.mentions) > 1 else "relation"

    def word(self, answer: str, y: str) -> str | None:
        """Return the relation word that a mention means; None if it is none of the world's."""
        answer = answer.lstrip(PLURAL + VERB)
        if answer.startswith(_NEUTRAL):
            predicate = self.world.predicates.get(answer[1:])
            return predicate.word(self.genders.get(y, "female")) if predicate else None
        return answer if answer in self.world.meanings else None

    def _find_names(self, tokens: list[str], said: Sequence[str]) -> dict[int, tuple[int, str]]:
        names: dict[int, tuple[int, str]] = {}
        place = 0
        while place < len(tokens):
            end, name = place + 1, ""
            for length in range(self._longest * (tokens[place] in self._first_tokens), 0, -1):
                name = self._names.get(tuple(tokens[place : place + length]), "")
                if name:
                    end = place + length
                    break
            if name and (said[place][:1].isupper() or not name[0].isupper()):
                names[place] = end, name
            else:
                end = place + 1
                if self._is_unknown_name(said[place], tokens, place):
                    names[place] = end, said[place]
            place = end
        return names

    def _is_unknown_name(self, said: str, tokens: list[str], place: int) -> bool:
        """Return whether a word is the name of somebody who is not in the story."""
        token, is_capital = tokens[place], said[:1].isupper()
        if said and token in self._pool:
            return is_capital or self.relational
        is_word = is_capital and said.isalpha() and len(said) > 1 and not said.isupper()
        reader = self._reader
        if not is_word or not self._has_capitals or token in _NO_NAMES | reader.first_words:
            return False
        is_common = token in reader.left_words or token in reader.followers
        is_first = place == 0 or tokens[place - 1] in ('"', "'", ":", "-", ".")
        return not is_common and (not is_first or tokens[place + 1 : place + 2] in (["is"], ["'s"]))


def is_relational(world: World) -> bool:
    """Return whether relations are written `y is R x`, not `y is x's R`."""
    return "'s {word}" not in world.story_spec.plain[0]


@cache
def _pool(world: World) -> frozenset[str]:
    return frozenset(name.casefold() for kind in world.story_spec.names for name in kind)


@cache
def _phrases(world: World) -> dict[tuple[str, ...], str]:
    """Return the relation words of a world, plurals and words without gender included."""
    every, _ = relation_words(world)
    phrases = {phrase(word): meant for word, meant in every.items() if meant != UNKNOWN}
    for meant in world.meanings.keys() & _WORDS["more_words"].keys():
        for words in _WORDS["more_words"][meant]:
            mark = VERB * words.startswith(VERB)
            phrases.setdefault(phrase(words.removeprefix(VERB)), mark + meant)
    if "SO" in world.predicates:
        for name, word in neutral_words().items():
            phrases.setdefault(phrase(word), _NEUTRAL + name)
        phrases[phrase("married to")] = f"{_NEUTRAL}SO"
        phrases |= {phrase(words): f"{PLURAL}{_NEUTRAL}SO" for words in _MARRIED}
    for tokens, meant in [*phrases.items()]:
        *before, last = tokens
        if is_relational(world):
            named = world.meanings.get(meant, ("",))[0]
            if last == "as" and named and world.inverse(named) == named:
                phrases.setdefault(tokens[:-1], PLURAL + meant)
        elif meant[0] not in PLURAL + VERB:
            head, hyphen, rest = last.partition("-in-law")
            plural = "children" if last == "child" else f"{head}s{hyphen}{rest}"
            phrases.setdefault((*before, plural), PLURAL + meant)
    return phrases


def _written_out(steps: re.Match[str]) -> str:
    """Return steps such as `2N 3W` in words."""
    words = []
    for far, count, ways in _P.steps.findall(steps[0]):
        way = "-".join(_WAYS[letter] for letter in ways)
        words.append(f"{'more than ' * bool(far)}{count} step{'s' * (count != '1')} {way}")
    return " and ".join(words) + " "


def _aligned(tokens: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Return the span of each token; an empty one for tokens that replace other words."""
    lower, place = text.lower(), 0
    if len(lower) != len(text):
        lower = text
    spans = []
    for token in tokens:
        while lower[place : place + 1].isspace():
            place += 1
        limit = place + len(token) + _MAX_SKIPPED
        start = lower.find(token, place, limit)
        while start >= 0 and token[0].isalnum() and not _is_whole(lower, start, len(token)):
            start = lower.find(token, start + 1, limit)
        spans.append((place, place) if start < 0 else (start, start + len(token)))
        place = spans[-1][1]
    return spans


def _is_whole(text: str, start: int, length: int) -> bool:
    """Return whether a word of this length stands there, not a part of one."""
    before, after = text[max(start - 1, 0) : start], text[start + length : start + length + 1]
    return not before.isalnum() and not after.isalnum()


def _encode(
    tokens: Sequence[str], names: Mapping[int, tuple[int, str]], mentions: Sequence[Mention]
) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return the text for the patterns, and the first and last token at each of its characters."""
    starts = {mention.start: number for number, mention in enumerate(mentions)}
    encoded = ""
    places: dict[int, tuple[int, int]] = {}
    place = count = 0
    while place < len(tokens):
        part, after = tokens[place], place + 1
        if place in starts:
            part, after = chr(RELATIONS + starts[place]), mentions[starts[place]].end
        elif place in names:
            part, after = chr(NAMES + count), names[place][0]
            count += 1
        if part != '"':
            start = len(encoded) + 1
            encoded += f" {part}"
            places |= dict.fromkeys(range(start, len(encoded)), (place, after - 1))
        place = after
    return f"{encoded} ", places

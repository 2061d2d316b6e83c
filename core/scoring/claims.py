"""Read answers as claims: who is said to be what, and to whom.

Every answer word in a sentence heads a phrase, such as "Nora's mother", "the mother of Nora" or
"the mother of Nora's father". The phrase has an owner (Nora; in the last example a relative of
hers) and may have a subject ("Marta is ...", "... is Marta", "making her ..."). A claim counts for
the query (x, y) only if nothing in it points to other people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from ..tables import Patterns, load_tables
from .extraction import Unreadable
from .tokens import ARTICLES, POSSESSIVES, is_word, tokenize, trimmed

Name = tuple[str, ...]
"""The tokens of a name."""

_WORDS = {
    name: frozenset(words.split())
    for name, words in load_tables(__package__, "words.yaml")["claims"].items()
}
_P = Patterns(__package__, "patterns.yaml", "claims")
UNTRUE, WRONG = _P.untrue, _P.wrong
NEGATORS = _WORDS["negators"]
HEDGES = _WORDS["hedges"]
IGNORED_IN_PHRASES = ARTICLES | {","}
_NEAR_TOKENS = 5
"""Tokens before an answer in which a negation counts."""
_MAX_MENTIONS = 200
"""Answers in a sentence that are read."""
_MAX_INSERTION = 12
"""Tokens between two commas that may separate a subject from its verb."""

_PREFIX_WORDS = _WORDS["prefixes"]
_SUFFIX_WORDS = (("in", "law"), ("in-law",), ("by", "marriage"), ("to", "be"))
_BRACKETS = frozenset("()[]{}-\"'")
"""Signs inside one word, as in (step)mother or mother (in-law)."""
_FOLLOWERS = _WORDS["followers"]
_SENTENCE_ANSWERS = _WORDS["sentence_answers"]
_BREAKS = frozenset(",;:.!?") | {"but", "however"}

_ADJECTIVES = _WORDS["adjectives"]
_QUOTES = frozenset("\"'")
_COPULAS = _WORDS["copulas"]
_ARROWS = frozenset("-><=\u2190\u2192\u2194\u21d2\u2196\u2197\u2198\u2199\u2191\u2193")
_COLONS = frozenset(":-\u2192=")
"""Signs that may stand for `is`."""
_ADVERBS = _WORDS["adverbs"]
_SUBJECT_PRONOUNS = _WORDS["subject_pronouns"]
_OBJECT_PRONOUNS = _WORDS["object_pronouns"]
_CLOSED_CLASS = _SUBJECT_PRONOUNS | _OBJECT_PRONOUNS | POSSESSIVES | NEGATORS | HEDGES
_NEUTRAL = _CLOSED_CLASS | _WORDS["neutral"]
"""Words after `The mother is` that name nobody else."""
_NOUNS_WITH_OF = _WORDS["nouns_with_of"]
_HAVING = frozenset("has have had".split())
_BEFORE_OWNER = frozenset({"of", "to", "for", "the"}) | _QUOTES
_IN_LISTS = frozenset("both and of to the , &".split())
_MAKING = frozenset("making makes make made".split())
_LEFT_WORDS = _CLOSED_CLASS | ARTICLES | _COPULAS | _ADVERBS | _WORDS["left_words"]
"""Words that may stand before an answer; any other forms a compound, as in heavenly father."""
_SPEAKERS = _WORDS["speakers"]
_RETRACTED = _WORDS["retracted"]
_SPEECH = _WORDS["speech"]
CONDITIONS = _WORDS["conditions"]


def phrase(text: str) -> Name:
    """Return the tokens of an answer without articles, commas and outer signs."""
    return tuple(token for token in trimmed(tokenize(text)) if token not in IGNORED_IN_PHRASES)


class Owner(IntEnum):
    """Kinds of owners and subjects that are not names."""

    NOBODY = 0
    PRONOUN = 1
    SOMEBODY_ELSE = 2
    """A relative or another person who is not named: "her spouse", "Nora's father"."""


class Mention(NamedTuple):
    """An answer word in the tokens."""

    start: int
    end: int
    answer: str


@dataclass(frozen=True)
class Claim:
    """An answer with its owner and its subject."""

    mention: Mention
    owner: Name | Owner
    subject: Name | Owner
    is_fragment: bool
    """True if the phrase stands alone at the start of the text."""
    is_insertion: bool
    """True if the phrase stands between two commas."""

    def weight(self, x: Name, y: Name) -> int:
        """Return 0 if it is about others, 1 if nobody is named, 2 for x or y, 3 for both."""
        named = 0
        for said, wanted in ((self.owner, x), (self.subject, y)):
            if said == wanted:
                named += 1
            elif said is Owner.SOMEBODY_ELSE or isinstance(said, tuple):
                return 0
        return 1 if self.is_insertion else named + 1


class ClaimReader:
    """Reads the claims of a sentence.

    `names` are all people that may be named, `query` those asked about, `excluded` adjectives that
    make another answer, and `openings` answers only at the beginning.
    """

    def __init__(
        self,
        phrases: Mapping[Name, str],
        names: Sequence[Name],
        query: tuple[Name, Name] | None,
        excluded: frozenset[str],
        openings: frozenset[str],
    ) -> None:
        self.openings = openings
        self.phrases, self.names, self.query = phrases, names, query
        self.prefixes = _PREFIX_WORDS | excluded
        self.longest = max(map(len, phrases), default=0)
        self.first_words = {phrase[0] for phrase in phrases if phrase}
        self.followers = _FOLLOWERS | {name[0] for name in names}
        self.left_words = _LEFT_WORDS | {name[-1] for name in names}

    def mentions(self, tokens: list[str]) -> list[Mention]:
        """Return every answer in the tokens, the longest at each place."""
        mentions: list[Mention] = []
        place = 0
        while place < len(tokens):
            if len(mentions) > _MAX_MENTIONS:
                raise Unreadable("it names too many answers")
            for answer, end in self._phrases_starting(tokens, place):
                if self._is_answer(tokens, place, end):
                    compound = self._compound(tokens, place, end, answer)
                    mentions.append(Mention(place, end, compound))
                    place = end - 1
                    break
            place += 1
        return mentions

    def _phrases_starting(self, tokens: list[str], place: int) -> list[tuple[str, int]]:
        """Return the answers whose phrase starts there, and their ends; the longest first.

        Articles and commas within a phrase are ignored.
        """
        found: list[tuple[str, int]] = []
        if tokens[place] not in self.first_words:
            return found
        words: list[str] = []
        for end in range(place, len(tokens)):
            if len(words) == self.longest:
                break
            if tokens[end] not in IGNORED_IN_PHRASES or end == place:
                words.append(tokens[end])
                if (answer := self.phrases.get(tuple(words))) is not None:
                    found.append((answer, end + 1))
        return found[::-1]

    def _is_answer(self, tokens: list[str], start: int, end: int) -> bool:
        """Return whether a word is an answer there: `no` alone is, `no way` is not."""
        said = " ".join(tokens[start:end])
        if said in _UNTRUE_WORDS and tokens[end : end + 1] == ["to"]:
            return False  # false to say
        if said in self.openings:
            return start == 0 and (end == len(tokens) or not is_word(tokens[end]))
        if self.phrases[phrase(said)] == "unknown" and tokens[end : end + 1] in _UNKNOWN_OTHERS:
            return False
        if said not in ("no", "open") or end == len(tokens) or not tokens[end][0].isalnum():
            return True
        return start == 0 and tokens[end] in _AFTER_NO

    def _compound(self, tokens: list[str], start: int, end: int, answer: str) -> str:
        """Return the answer, or the compound that it forms with the words around it."""
        if tokens[end : end + 1] == ["'s"]:
            return f"{answer}'s"
        outer = start - 1
        while outer >= 0 and tokens[outer] in _BRACKETS:
            outer -= 1
        before = tokens[outer] if outer >= 0 else ""
        if before in self.prefixes:
            return f"{before} {answer}"
        rest = [token for token in tokens[end : end + 6] if token not in _BRACKETS]
        for after in _SUFFIX_WORDS:
            if tuple(rest[: len(after)]) == after:
                return f"{answer} {' '.join(after)}"
        if end < len(tokens) and answer not in _SENTENCE_ANSWERS:
            follower = tokens[end]
            is_part = follower[0].isalpha() and not follower.endswith("n't")
            if is_part and follower not in self.followers:
                return f"{answer} {follower}"
        return answer

    def claims(self, tokens: list[str], mentions: Sequence[Mention]) -> list[Claim]:
        """Return the claims of the mentions that head a phrase of their own."""
        first = next((place for place, word in enumerate(tokens) if is_word(word)), 0)
        return [claim for mention in mentions if (claim := self._claim(tokens, mention, first))]

    def _claim(self, tokens: list[str], mention: Mention, first: int) -> Claim | None:
        """Return the claim of a mention; None if it is only part of another phrase.

        `first` is the place of the first word.
        """
        start, end, answer = mention
        if answer in _SENTENCE_ANSWERS:
            return Claim(
                mention, Owner.NOBODY, Owner.NOBODY, is_fragment=start == 0, is_insertion=False
            )
        relates = is_relational(tokens[start:end])
        is_noun = not relates
        owner, left = (Owner.NOBODY, start) if relates else self._owner_before(tokens, start)
        if is_noun and self._is_part(tokens, left, mention, owner):
            return None
        if left and tokens[left - 1] in _HAVING and owner is Owner.NOBODY:
            owner = self._noun_before(tokens, left - 1)
        elif owner is Owner.NOBODY or owner is Owner.PRONOUN:
            after, end = self._owner_after(tokens, end, is_noun)
            owner = after or owner
        if (pair := self._pair_before(tokens, left)) is not None:
            return Claim(mention, *pair, is_fragment=False, is_insertion=False)
        subject = self._subject_before(tokens, left) or self._subject_after(tokens, end)
        if not is_noun and subject is Owner.NOBODY:
            is_contracted = tokens[max(left - 1, 0) : left] == ["'s"]
            subject = self._name_ending(tokens, left - is_contracted) or subject
        return Claim(
            mention,
            owner,
            subject,
            is_fragment=left <= first,
            is_insertion=tokens[max(left - 1, 0) : left] == [","] == tokens[end : end + 1],
        )

    def _owner_before(self, tokens: list[str], start: int) -> tuple[Name | Owner, int]:
        """Return the owner before a noun, as in `Nora's older sister`, and the phrase's start."""
        left = start
        while left and (tokens[left - 1] in _ADJECTIVES or tokens[left - 1] in _QUOTES):
            left -= 1
        if name := self._possessor_ending(tokens, left):
            return name, left - len(name) - 1
        if left and tokens[left - 1] == "'s":
            return Owner.SOMEBODY_ELSE, left - 2
        if left and tokens[left - 1] in POSSESSIVES:
            return Owner.PRONOUN, left - 1
        return Owner.NOBODY, left - bool(left and tokens[left - 1] in ARTICLES)

    def _is_part(self, tokens: list[str], left: int, mention: Mention, owner: Name | Owner) -> bool:
        """Return whether a noun is part of another phrase, as in `heavenly father`."""
        before, following = tokens[max(left - 1, 0) : left], tokens[mention.end : mention.end + 1]
        if before and self._forms_compound(before[0]):
            return True  # a compound, or the object of another verb
        if before == ["to"] and tokens[left - 2 : left - 1] in (["married"], ["engaged"], ["wed"]):
            return True
        if before == ["of"] and (left < 2 or tokens[left - 2] not in _NOUNS_WITH_OF):
            return True  # the owner in another phrase
        is_had = bool(before) and before[0] in _HAVING and owner is Owner.NOBODY
        is_subject = bool(following) and following[0] in _HAVING and not is_had
        return following == ["'s"] or is_subject

    def _forms_compound(self, before: str) -> bool:
        return is_word(before) and before not in self.left_words

    def _owner_after(self, tokens: list[str], end: int, is_noun: bool) -> tuple[Name | Owner, int]:
        """Return the owner after `mother of`, `to the left of`, and where the phrase ends."""
        place = end
        if is_noun and tokens[end : end + 1] not in (["of"], ["to"], ["for"]):
            return Owner.NOBODY, end
        while place < len(tokens) and tokens[place] in _BEFORE_OWNER:
            place += 1
        if owners := self._names_starting(tokens, place):
            names, after = owners
            if _is_possessive(tokens, after):
                return self._apposition(tokens, after + 1)
            x = self.query[0] if self.query else ()
            return (x if x in names else names[0]), after
        if place >= len(tokens) or not is_word(tokens[place]) or tokens[end] in _QUOTES:
            return Owner.NOBODY, end
        after_word = tokens[place + 1 : place + 2]
        if tokens[place] in _OBJECT_PRONOUNS or tokens[place] in POSSESSIVES:
            owns = bool(after_word) and after_word[0][0].isalpha()
            owns = owns and after_word[0] not in _FOLLOWERS
            return self._apposition(tokens, place + 1) if owns else (Owner.PRONOUN, place + 1)
        is_clause = place == end and tokens[place] in _FOLLOWERS
        is_infinitive = is_noun and tokens[end] in ("to", "for")
        return (Owner.NOBODY if is_clause or is_infinitive else Owner.SOMEBODY_ELSE), end

    def _apposition(self, tokens: list[str], place: int) -> tuple[Name | Owner, int]:
        """Return the name after a relation: Bob in `Nora's father Bob`; else somebody else."""
        end = place
        for _, end in self._phrases_starting(tokens, place)[:1]:
            name_start = end + (tokens[end : end + 1] == [","])
            name = self._name_starting(tokens, name_start)
            if name and not _is_possessive(tokens, name_start + len(name)):
                return name, name_start + len(name)
        return Owner.SOMEBODY_ELSE, end

    def _names_starting(self, tokens: list[str], place: int) -> tuple[list[Name], int] | None:
        """Return the names of a list such as `both Ann and Bob`, and its end."""
        names: list[Name] = []
        end = place
        while True:
            while place < len(tokens) and tokens[place] in _IN_LISTS:
                place += 1
            name = self._name_starting(tokens, place)
            if name is None:
                return (names, end) if names else None
            after = tokens[place + len(name) : place + len(name) + 1]
            if names and after and is_word(after[0]) and after[0] not in _IN_LISTS:
                return names, end  # the subject of the next clause
            names.append(name)
            place = end = place + len(name)
            if tokens[place : place + 1] not in (["and"], [","], ["&"]):
                return names, end

    def _pair_before(self, tokens: list[str], left: int) -> tuple[Name, Name] | None:
        """Return owner and subject of `Ann -> Bob: ...`, in whichever direction it is meant."""
        if tokens[max(left - 1, 0) : left] not in ([":"], ["="], ["-"]):
            return None
        second = self._name_ending(tokens, left - 1)
        place = left - 1 - len(second or ())
        arrow = place
        while arrow and tokens[arrow - 1] in _ARROWS:
            arrow -= 1
        first = self._name_ending(tokens, arrow) if second and arrow < place else None
        if second is None or first is None:
            return None
        return (second, first) if self.query == (second, first) else (first, second)

    def _subject_before(self, tokens: list[str], left: int) -> Name | Owner:
        place = left
        while place and (
            tokens[place - 1] in ARTICLES
            or tokens[place - 1] in _ADVERBS
            or tokens[place - 1] in NEGATORS
            or tokens[place - 1] in _QUOTES
        ):
            place -= 1
        if place and tokens[place - 1] in _COPULAS:
            while place and (tokens[place - 1] in _COPULAS or tokens[place - 1] in _ADVERBS):
                place -= 1
            return self._noun_before(tokens, place)
        if name := self._name_ending(tokens, place):
            before = place - len(name)
            is_elliptical = place == left and tokens[left : left + 1] != []
            is_elliptical = is_elliptical and tokens[left] in POSSESSIVES
            made = before and tokens[before - 1] in _MAKING
            return name if made or is_elliptical else Owner.NOBODY
        if place >= 2 and tokens[place - 1] in _OBJECT_PRONOUNS and tokens[place - 2] in _MAKING:
            return Owner.PRONOUN
        is_sign = place and (tokens[place - 1] == "," or tokens[place - 1] in _COLONS)
        if is_sign and (name := self._name_ending(tokens, place - 1)):
            return name if self._is_whole_subject(tokens, place - 1 - len(name)) else Owner.NOBODY
        return Owner.NOBODY

    def _noun_before(self, tokens: list[str], place: int) -> Name | Owner:
        """Return the subject of a copula at the place."""
        place = self._before_insertion(tokens, place)
        if name := self._name_ending(tokens, place):
            start = place - len(name)
            if other := self._conjoined(tokens, start):
                is_query = self.query in ((name, other), (other, name))
                return Owner.PRONOUN if is_query else Owner.SOMEBODY_ELSE
            if tokens[max(start - 1, 0) : start] == ["to"]:
                return self._related(tokens, start - 1, name)
            return name if self._is_whole_subject(tokens, start) else Owner.SOMEBODY_ELSE
        if not place or not is_word(tokens[place - 1]) or tokens[place - 1] in _SUBJECT_PRONOUNS:
            return Owner.PRONOUN
        return Owner.PRONOUN if tokens[place - 1] in _LEFT_WORDS else Owner.SOMEBODY_ELSE

    def _before_insertion(self, tokens: list[str], place: int) -> int:
        """Return the place before signs, and before what stands between two commas."""
        while place and tokens[place - 1] in _QUOTES | {")"}:
            place -= 1
        if not place or tokens[place - 1] != ",":
            return place
        for comma in range(place - 2, max(place - 2 - _MAX_INSERTION, -1), -1):
            if tokens[comma] == "," and self._name_ending(tokens, comma):
                return comma
        return place - 1

    def _conjoined(self, tokens: list[str], start: int) -> Name | None:
        """Return the name before `and` at the start of another name."""
        is_second = tokens[max(start - 1, 0) : start] == ["and"]
        return self._name_ending(tokens, start - 1) if is_second else None

    def _related(self, tokens: list[str], place: int, x: Name) -> Owner:
        """Return whose relation to x is named: `Y's relationship to X is ...`."""
        y = self._name_ending(tokens, place)
        of = place - len(y or ()) - 1
        if y is None and tokens[max(place - 1, 0) : place] in (["relation"], ["relationship"]):
            y, of = self._possessor_ending(tokens, place - 1), -1
        is_of = of < 0 or tokens[max(of - 1, 0) : of + 1][-1:] == ["of"]
        is_query = self.query == (x, y) and y is not None
        return Owner.PRONOUN if is_query and is_of else Owner.SOMEBODY_ELSE

    def _is_whole_subject(self, tokens: list[str], start: int) -> bool:
        """Return whether a name that starts there is not part of a longer phrase."""
        while start and tokens[start - 1] in ARTICLES:
            start -= 1
        return not start or tokens[start - 1] not in ("of", "to", "with", "than", "'s")

    def _subject_after(self, tokens: list[str], end: int) -> Name | Owner:
        """Return the subject in `X's mother is Y`, `X's mother, Y` and `X's mother Y`."""
        place, copula = end, False
        while place < len(tokens) and (
            tokens[place] in _COPULAS or tokens[place] in _QUOTES | {",", ":"}
        ):
            copula = copula or tokens[place] in _COPULAS
            place += 1
        while place < len(tokens) and tokens[place] in ARTICLES | _ADVERBS:
            place += 1
        if copula and self._phrase_at(tokens, place):
            return Owner.SOMEBODY_ELSE
        if name := self._name_starting(tokens, place):
            after = tokens[place + len(name) : place + len(name) + 1]
            if after == ["'s"]:
                return Owner.SOMEBODY_ELSE if copula else Owner.NOBODY
            is_clause = bool(after) and after[0] in _COPULAS and not copula
            return Owner.NOBODY if is_clause and place > end else name
        is_word_there = place < len(tokens) and is_word(tokens[place])
        is_other = is_word_there and tokens[place] not in _NEUTRAL
        return Owner.SOMEBODY_ELSE if copula and is_other else Owner.NOBODY

    def _phrase_at(self, tokens: list[str], place: int) -> bool:
        while place < len(tokens) and tokens[place] in POSSESSIVES:
            place += 1
        return place < len(tokens) and bool(self._phrases_starting(tokens, place))

    def _possessor_ending(self, tokens: list[str], place: int) -> Name | None:
        """Return the name whose possessive ends at the place."""
        if place and tokens[place - 1] == "'s":
            return self._name_ending(tokens, place - 1)
        if place and tokens[place - 1] == "'":
            name = self._name_ending(tokens, place - 1)
            return name if name and name[-1].endswith("s") else None
        return None

    def _name_ending(self, tokens: list[str], place: int) -> Name | None:
        return max(
            (
                name
                for name in self.names
                if place >= len(name) and tuple(tokens[place - len(name) : place]) == name
            ),
            key=len,
            default=None,
        )

    def _name_starting(self, tokens: list[str], place: int) -> Name | None:
        return max(
            (name for name in self.names if tuple(tokens[place : place + len(name)]) == name),
            key=len,
            default=None,
        )


def _is_possessive(tokens: list[str], end: int) -> bool:
    """Return whether a name that ends there has a possessive ending: Nora's, Magnus' friend."""
    if tokens[end : end + 1] == ["'"]:
        return tokens[end - 1].endswith("s") and any(map(is_word, tokens[end + 1 : end + 2]))
    return tokens[end : end + 1] == ["'s"] and any(map(is_word, tokens[end + 1 : end + 2]))


_RELATIONAL = _WORDS["relational"]


def is_relational(phrase: Sequence[str]) -> bool:
    """Return whether a phrase relates two names, as `to the left of`; nouns do not."""
    return phrase[0] in _RELATIONAL or phrase[-1] in _RELATIONAL


_UNTRUE_WORDS = frozenset({"false", "wrong", "incorrect", "untrue"})
_UNKNOWN_OTHERS = (["who"], ["whose"], ["where"], ["when"], ["why"])
"""Words after `unknown` in what is unknown about others."""
_AFTER_NO = frozenset("because since as she he they it that this the".split())


def without_own_negators(tokens: list[str], mentions: Sequence[Mention], kept: str) -> list[str]:
    """Return the tokens without negators that are part of an answer, as in `not taller than`.

    Negators of the answer `kept` remain, because they also negate other answers.
    """
    cleared = tokens.copy()
    for start, end, answer in mentions:
        if answer != kept:
            cleared[start:end] = [
                "" if token in NEGATORS else token for token in cleared[start:end]
            ]
    return cleared


def is_negated(tokens: list[str], mention: Mention) -> bool:
    """Return whether a mention is negated shortly before it in its clause, or rejected after."""
    start, end, _ = mention
    before = tokens[max(0, start - 3 * _NEAR_TOKENS) : start]
    if tokens[start - 1 : start] == ["no"] or UNTRUE.search(" ".join(before)):
        return True
    if WRONG.match(" ".join(tokens[end : end + 2 * _NEAR_TOKENS])):
        return True
    for place in range(start - 1, max(start - 1 - _NEAR_TOKENS, -1), -1):
        if tokens[place] in _BREAKS:
            return False
        pair = tokens[place : place + 2]
        if tokens[place] in NEGATORS or pair in (
            ["rather", "than"],
            ["instead", "of"],
            ["no", "longer"],
            ["anything", "but"],
            ["far", "from"],
            ["other", "than"],
            ["similar", "to"],
        ):
            return True
    return False


def is_reported(tokens: list[str], mention: Mention) -> bool:
    """Return whether a mention is part of a condition, or of what somebody else says."""
    before = tokens[max(0, mention.start - 3 * _NEAR_TOKENS) : mention.start]
    for place in range(len(before) - 1, -1, -1):
        word, since = before[place], before[place:]
        if word in _BREAKS - {","}:
            return False
        if word in CONDITIONS:
            return "," not in since and "then" not in since
        said_by = [word for word in before[:place] if word not in HEDGES | {"would", "will"}]
        speaker = said_by[-1] if said_by else ""
        is_retracted = word in _RETRACTED and speaker in ("i", "we", "first")
        if is_retracted or (word == "say" and {"going", "tempted"} & {*before[place - 2 : place]}):
            return "but" not in since
        if word in _SPEECH or word in _RETRACTED:
            is_other = bool(speaker) and is_word(speaker) and speaker not in _SPEAKERS
            return word in _SPEECH and is_other
        if since[:2] == ["according", "to"]:
            source = [word for word in since[2:4] if word not in ARTICLES]
            return bool(source) and source[0] not in _SPEAKERS
    return False


_CLAUSE_STARTS = frozenset("; : but so therefore thus hence".split())


def is_hedged(tokens: list[str], mentions: Sequence[Mention]) -> bool:
    """Return whether the text hedges or leaves another answer open."""
    clause = tokens[: mentions[0].start]
    breaks = [n for n, token in enumerate(clause) if token in _CLAUSE_STARTS]
    end = next((n for n in range(mentions[-1].end, len(tokens)) if tokens[n] in ";:"), len(tokens))
    if not HEDGES.isdisjoint(tokens[breaks[-1] if breaks else 0 : end]) or "either" in tokens:
        return True
    first, last = mentions[0].start - _NEAR_TOKENS, mentions[-1].end + _NEAR_TOKENS
    starts, ends = {mention.start for mention in mentions}, {mention.end for mention in mentions}
    for place, token in enumerate(tokens[: last + 1]):
        if token in ("or", "/") and place >= first:
            after = place + 1
            while after < len(tokens) and tokens[after] in ARTICLES | POSSESSIVES | _QUOTES:
                after += 1
            before = place - (tokens[place - 1] == ",")
            if (before in ends) != (after in starts):
                return True
    return False

"""Extract the claims of a chain of thought: who is said to be what to whom, and where.

Each clause is matched against patterns. A claim that no pattern understands for certain is left
out, and so are questions, conditions, hedged and negated claims, and claims that are taken back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from ....kb.worlds.world import World, find_world
from ....scoring.claims import (
    CONDITIONS,
    HEDGES,
    NEGATORS,
    WRONG,
    ClaimReader,
    Mention,
    is_negated,
    phrase,
    without_own_negators,
)
from ....scoring.extraction import CORRECTION, Unreadable, sentence_spans
from ....scoring.tokens import tokenize
from ..asking.answers import relation_words
from ..metadata import UNKNOWN
from .patterns import (
    ELLIPTICAL,
    NAMES,
    NOUN_PATTERNS,
    OTHER_OWNER,
    RELATIONAL_PATTERNS,
    RELATIONS,
    TIME_PATTERNS,
)
from .structured import rewrite

_MAX_TEXT: Final = 50_000
"""Characters of a text that are read."""
_MAX_CLAIMS: Final = 300
_MAX_GAP: Final = 100
"""Characters between a claim and words that take it back without naming the pair again."""
_MAX_DISTANCE: Final = 400
"""Characters between such words and the claim that is made instead."""
_PLURAL, _NEUTRAL, _VERB = "~", "?", "!"
"""Marks of plural words, of predicates named by a word without gender, and of verbs."""
_MORE_WORDS: Final = {
    "began and ended at the same time as": ("same times as", "same span as", "simultaneous with"),
    "came at the same moment as": ("same moment as", "same instant as"),
    "began later and ended earlier than": ("inside",),
    "direct report": ("!reports directly to", "!directly reports to"),
    "direct manager": ("!directly manages", "!manages directly"),
    "skip-level manager": ("!two levels above",),
    "mentor": ("!mentors",),
    "mentee": ("mentored by", "being mentored by"),
}
"""Words of reasoning that are not accepted as answers."""
_NEUTRAL_WORLD: Final = "kinship-unstated"
_MAX_SKIPPED: Final = 12
"""Characters that no token stands for: in `isn't` those after `is`, whose token is `not`."""

_ARROW = re.compile(
    r"<?[-=\u2014\u2013]{1,3}>|[\u2192\u21d2\u27f6\u27f9\u2194\u21d4]|==(?!>)|\\(?:(?:long)?rightarrow|Rightarrow|to)\b"
)
_LINE = re.compile(r"(?<=\w)\s*-{2,3}\s*(?=\w|\()")
"""A line between a name and the relation of an arrow: Ann --mother--> Bea."""
_RULE = re.compile(r"\([^()]*\b(?:if|since here|i\.e)\b[^()]*\)")
"""A rule in brackets."""
_SPACE_WORD: Final = "one step north of"
_COMPASS = re.compile(r"(?<!\w)(?:>?\s?\d\s?[NSEW]\b[ ,]{0,2}(?=of\b|>?\d))+", re.IGNORECASE)
"""Steps such as 2N 3W."""
_STEP = re.compile(r"(>?)\s?(\d)\s?([NSEW])", re.IGNORECASE)
_WAYS = {"n": "north", "s": "south", "e": "east", "w": "west"}
_WEAK = r"actually|sorry|hmm+|wait|hold on|oh|oops|let me (?:see|look|check|count|think|re\w+)"
_RETRACTION = re.compile(
    rf"(?P<strong>{CORRECTION.pattern}"
    r"|(?:(?<=\A)|(?<=[.!?,;:\n\u2014\u2013-])|(?<=actually)) ?\bno\b\s?(?=[-,.!:;\u2014\u2013])"
    r"|\b(?:that|this|it)(?: is|'s| was| can't be| cannot be)(?: not)? "
    r"(?:right|correct|wrong|false|incorrect)\b"
    r"|\b(?:backwards|reversed|(?:the )?(?:wrong|other) way (?:a?round|about)|of course not)\b"
    r"|\bnot (?:quite|necessarily)\b|\b(?:that|it|this) (?:does not|doesn't) follow\b"
    r"|\b(?:can(?:'t|not) say|scrap|forget) that\b)"
    rf"|(?P<weak>(?<![\w'])(?:{_WEAK})\b)",
    re.IGNORECASE,
)
_IS_WEAK = re.compile(rf"\W*(?:{_WEAK})\W*", re.IGNORECASE)
"""Words that take a claim back only if they are followed by another of the same pair."""
_EXPLICIT = re.compile(r"\b(?:back|(?:scratch|scrap|strike|say|forget) that)\b", re.IGNORECASE)
_QUESTION_WORDS = frozenset(
    "is are was were does do did could would might can may who whose what which how where".split()
)
_BELIEFS = frozenset("thought assumed guessed mistook believed supposed wanted tempted".split())
_QUESTION_ASIDE = re.compile(r"\([^()\n]*[?!][^()\n]*\)")
_CLAUSES = re.compile(r"(?:[^;,]|,(?! but (?!began|ended)))+")
"""Parts of a sentence that are read alone."""
_CONDITIONS = CONDITIONS | {"assume", "hypothesis", "hypothetically", "otherwise"}
_MAX_REST: Final = 12
"""Tokens after a claim in which it is called wrong."""
_BREAKS = frozenset(", ; : so but therefore thus hence since because".split())
_DENIALS = NEGATORS | frozenset("no nobody nothing wrong false incorrect".split())
_PRONOUNS = {"he": "male", "him": "male", "his": "male", "she": "female", "her": "female"}
_NO_NAMES = frozenset(
    "answer relation relationship result conclusion person query question target final goal name "
    "step steps fact facts story claim given note premise chain link now next first second third "
    "since because therefore similarly likewise also he she him her his they who whose".split()
)


class Claim(NamedTuple):
    """y is the `relation` of x, in text[start:end]."""

    x: str
    relation: str
    y: str
    start: int
    end: int


class Context(NamedTuple):
    """What pronouns in a clause may refer to."""

    names: dict[int, tuple[int, str]]
    """Names in the clause, by the place of the first token: the end, and the person."""
    places: dict[int, tuple[int, int]]
    """First and last token at each character of the encoded text."""
    before: list[str]
    """The people in the clause before."""
    topic: str
    """The person whom the claim before in the clause is about."""
    topic_before: str
    """The same for the clause before."""


@cache
def _phrases(world: World) -> dict[tuple[str, ...], str]:
    """Return the relation words of a world, plurals and words without gender included."""
    every, _ = relation_words(world)
    phrases = {phrase(word): meant for word, meant in every.items() if meant != UNKNOWN}
    for meant in world.meanings.keys() & _MORE_WORDS.keys():
        for words in _MORE_WORDS[meant]:
            mark = _VERB * words.startswith(_VERB)
            phrases.setdefault(phrase(words.removeprefix(_VERB)), f"{mark}{meant}")
    if "SO" in world.predicates:
        neutral = find_world(_NEUTRAL_WORLD).predicates
        for name in sorted(world.predicates.keys() & neutral.keys()):
            phrases.setdefault(phrase(neutral[name].word("unstated")), f"{_NEUTRAL}{name}")
        phrases[phrase("married to")] = f"{_NEUTRAL}SO"
        for words in (
            "married",
            "husband and wife",
            "wife and husband",
            "married couple",
            "spouses",
        ):
            phrases[phrase(words)] = f"{_PLURAL}{_NEUTRAL}SO"
    if is_relational(world):
        for tokens, meant in [*phrases.items()]:
            predicate = world.meanings.get(meant, ("",))[0]
            if tokens[-1] == "as" and predicate and world.inverse(predicate) == predicate:
                phrases.setdefault(tokens[:-1], f"{_PLURAL}{meant}")
    else:
        for (*before, last), meant in [*phrases.items()]:
            head, hyphen, rest = last.partition("-in-law")
            plural = "children" if last == "child" else f"{head}s{hyphen}{rest}"
            if meant[0] not in (_PLURAL, _VERB):
                phrases.setdefault((*before, plural), f"{_PLURAL}{meant}")
    return phrases


def is_relational(world: World) -> bool:
    """Return whether relations are written `y is R x`, not `y is x's R`."""
    return "'s {word}" not in world.story_spec.plain[0]


class StepReader:
    """Reads the claims of texts about one story."""

    def __init__(self, world: World, names: Sequence[str], genders: Mapping[str, str]) -> None:
        self.world, self.genders = world, genders
        self._usual = genders or _usual_genders()
        self.names = list(names)
        self.topic = ""
        self.relational = is_relational(world)
        self.patterns = RELATIONAL_PATTERNS if self.relational else NOUN_PATTERNS
        self.time_patterns = [each for each in TIME_PATTERNS if each[0] in world.meanings]
        firsts: dict[str, list[str]] = {}
        for name in names:
            firsts.setdefault(name.split()[0], []).append(name)
        self.spoken = {first: every[0] for first, every in firsts.items() if len(every) == 1}
        """Names by their spoken forms: a first name is enough if nobody shares it."""
        self.spoken |= {name: name for name in names}
        self._tokens = {tuple(tokenize(spoken)): name for spoken, name in self.spoken.items()}
        self._longest = max(map(len, self._tokens), default=0)
        self._first_tokens = {name[0] for name in self._tokens}
        self._pool = _pool(world)
        self.reader = ClaimReader(_phrases(world), [*self._tokens], None, frozenset(), frozenset())
        self.reader.followers |= _FOLLOWERS

    def claims(self, text: str) -> list[Claim]:
        """Return the claims of a text in order, without those that it takes back."""
        text = _QUESTION_ASIDE.sub(lambda aside: " " * len(aside[0]), text[:_MAX_TEXT])
        claims: list[Claim] = []
        text, rewritten = rewrite(text, relational=self.relational)
        for sentence, start, end in rewritten:
            for claim in self._read_piece(sentence, 0, [])[0]:
                if all(claim[:3] != (*other[:3],) or other.start != start for other in claims):
                    claims.append(claim._replace(start=start, end=end))
        before: list[str] = []
        for start, end in sentence_spans(text):
            for piece in _CLAUSES.finditer(text[start:end]):
                if len(claims) < _MAX_CLAIMS:
                    found, before = self._read_piece(piece[0], start + piece.start(), before)
                    claims += found
        claims.sort(key=lambda claim: claim.start)
        return self._without_retracted(text, claims)

    def _read_piece(
        self, text: str, offset: int, before: list[str]
    ) -> tuple[list[Claim], list[str]]:
        """Return the claims of a clause, and the people whom it names.

        `before` are the people whom the clause before names.
        """
        topic_before, self.topic = self.topic, ""
        tokens, spans, names, mentions = self._parse(text)
        people = [name for _, name in names.values()]
        if not (mentions or self.time_patterns) or not _CONDITIONS.isdisjoint(tokens):
            return [], people
        encoded, places = _encode(tokens, names, mentions)
        last_asserted = len(tokens)
        if tokens[-1] == "?":
            breaks = [n for n, token in enumerate(tokens) if token in (",", ":", "-", "so")]
            is_asked = not breaks or tokens[0] in _QUESTION_WORDS
            last_asserted = 0 if is_asked else breaks[-1]
        cleared = without_own_negators(tokens, mentions, UNKNOWN)
        claims: list[Claim] = []
        matches = self._matches(encoded, places, mentions)
        for match, mention in sorted(matches, key=lambda found: found[0].start("y")):
            first, last = places[match.start() + 1][0], places[match.end() - 1][1]
            if last >= last_asserted or not _is_asserted(cleared, mention, first, last):
                continue
            span = offset + spans[first][0], offset + spans[last][1]
            context = Context(names, places, before, claims[-1].y if claims else "", topic_before)
            for role in ("y", "z"):
                claim = self._claim(match, role, mention.answer, context)
                if claim is not None:
                    claims.append(Claim(*claim, *span))
        if claims:
            self.topic = claims[-1].y
        return claims, people

    def _parse(
        self, text: str
    ) -> tuple[list[str], list[tuple[int, int]], dict[int, tuple[int, str]], list[Mention]]:
        """Return the tokens of a clause, their spans, and its names and relation words."""
        if _SPACE_WORD in self.world.meanings:
            text = _COMPASS.sub(_written_out, text)
        text = _RULE.sub(lambda rule: " " * len(rule[0]), text.replace("`", " "))
        tokens = tokenize(_LINE.sub(" \u2192 ", _ARROW.sub(" \u2192 ", text)))
        try:
            mentions = self.reader.mentions(tokens)
        except Unreadable:
            mentions = []
        spans = _aligned(tokens, text)
        return tokens, spans, self._names(tokens, text, spans), mentions

    def _matches(
        self, encoded: str, places: Mapping[int, tuple[int, int]], mentions: Sequence[Mention]
    ) -> Iterator[tuple[re.Match[str], Mention]]:
        """Yield the matches of the patterns, one for each relation word."""
        used: set[str] = set()
        for pattern in self.patterns:
            if len(used) == len(mentions):
                break
            needed = _VERB * ("verb" in pattern.groupindex) + _PLURAL * (
                "plural" in pattern.groupindex
            )
            match = pattern.search(encoded)
            while match is not None:
                mention = mentions[ord(match["r"]) - RELATIONS]
                is_verb = mention.answer.startswith(_VERB)
                fits = mention.answer.startswith(needed) and is_verb == (needed == _VERB)
                if match["r"] not in used and fits:
                    used.add(match["r"])
                    yield match, mention
                match = pattern.search(encoded, match.start() + 1)
        for match in OTHER_OWNER.finditer(encoded) if not self.relational else ():
            yield match, mentions[ord(match["r"]) - RELATIONS]
        for words, pattern in self.time_patterns:
            for match in pattern.finditer(encoded):
                first, last = places[match.start() + 1][0], places[match.end() - 1][1]
                yield match, Mention(first, last + 1, words)

    def _claim(
        self, match: re.Match[str], role: str, answer: str, context: "Context"
    ) -> tuple[str, str, str] | None:
        """Return (x, relation, y) of a match, or None if one of them is not certain."""
        groups = match.re.groupindex
        if role not in groups:
            return None
        said = {who: context.places[match.start(who)][0] for who in ("x", role)}
        known = {who: context.names[at][1] for who, at in said.items() if at in context.names}
        for who, at in said.items():
            if who not in known:
                other = known.get(role if who == "x" else "x", "")
                antecedent = self._antecedent(match[who], at, other, context)
                if antecedent is None:
                    return None
                known[who] = antecedent
        x, y = known["x"], known[role]
        word = self._word(answer, y)
        if x == y or word is None or not {x, y} & {*self.names}:
            return None
        if "his" in groups and self._usual.get(x) not in (_PRONOUNS[match["his"]], "unstated"):
            return None
        predicate = self.world.meanings[word][0]
        if "pair" in groups and self.world.inverse(predicate) != predicate:
            return None
        return x, word, y

    def _antecedent(self, pronoun: str, at: int, other: str, context: "Context") -> str | None:
        """Return whom a pronoun means; None if more than one can be meant.

        A subject may also mean the person whom the claim before is about.
        """
        gender = _PRONOUNS.get(pronoun, "")
        here = [name for place, (_, name) in context.names.items() if place < at]
        fits = {
            name
            for name in (*here, *context.before, context.topic)
            if not gender or self._usual.get(name, gender) in (gender, "unstated")
        } - {other, ""}
        is_subject = pronoun in ("he", "she", "it")
        if is_subject and context.topic in fits:
            return context.topic
        for people, topic in ((here, ""), (context.before, context.topic_before)):
            fitting = fits.intersection(people)
            if is_subject and topic in fitting:
                return topic
            if fitting:
                return fitting.pop() if len(fitting) == 1 else None
        return None

    def _word(self, answer: str, y: str) -> str | None:
        """Return the relation word that a mention means; None if it is none of the world's."""
        answer = answer.removeprefix(_PLURAL).removeprefix(_VERB)
        if answer.startswith(_NEUTRAL):
            predicate = self.world.predicates.get(answer[1:])
            return predicate.word(self.genders.get(y, "female")) if predicate else None
        return answer if answer in self.world.meanings else None

    def _names(
        self, tokens: list[str], text: str, spans: Sequence[tuple[int, int]]
    ) -> dict[int, tuple[int, str]]:
        """Return the end and the name of each name, by the place of its first token."""
        names: dict[int, tuple[int, str]] = {}
        place = 0
        while place < len(tokens):
            end, name = self._name_at(tokens, place)
            is_first_word = place == 0
            said = text[spans[place][0] : spans[place][1]]
            if name and (not name[0].isupper() or said[:1].isupper()):
                names[place] = end, name
                place = end
                continue
            if self._is_unknown_name(said, tokens, place, is_first_word):
                names[place] = place + 1, said
            place += 1
        return names

    def _name_at(self, tokens: list[str], place: int) -> tuple[int, str]:
        if tokens[place] not in self._first_tokens:
            return place, ""
        for length in range(self._longest, 0, -1):
            name = self._tokens.get(tuple(tokens[place : place + length]))
            if name is not None:
                return place + length, name
        return place, ""

    def _is_unknown_name(self, said: str, tokens: list[str], place: int, is_first: bool) -> bool:
        """Return whether a word is the name of somebody who is not in the story."""
        token = tokens[place]
        if said and token in self._pool:
            return said[:1].isupper() or self.relational
        if not said[:1].isupper():
            return False
        is_word = said.isalpha() and len(said) > 1 and not said.isupper()
        is_common = token in self.reader.left_words or token in self.reader.followers
        if not is_word or is_common or token in _NO_NAMES or token in self.reader.first_words:
            return False
        return not self.names[0].islower() and (
            not is_first or tokens[place + 1 : place + 2] in (["is"], ["'s"])
        )

    def _without_retracted(self, text: str, claims: list[Claim]) -> list[Claim]:
        """Return the claims without those that the text takes back, or with another relation."""
        kept: list[Claim] = []
        marks = _marks(text)
        for claim in (*claims, None):
            while marks and (claim is None or marks[0][0] <= claim.start):
                start, end, is_weak = marks.pop(0)
                last = kept[-1] if kept else None
                if last is None:
                    continue
                between = text[last.end : start]
                is_near = len(between) < _MAX_GAP and "?" not in between
                instead = self._instead(text[end : end + _MAX_GAP], last) if is_near else None
                near = claim is not None and claim.start - end < _MAX_DISTANCE
                is_near = is_near or (
                    _EXPLICIT.search(text[start:end]) is not None and len(between) < _MAX_DISTANCE
                )
                again = [c for c in kept if near and claim and _is_instead_of(claim, c)]
                if instead:
                    kept[-1] = last._replace(relation=instead, end=end)
                elif again and start - again[-1].end < _MAX_DISTANCE:
                    kept.remove(again[-1])
                elif is_near and (not is_weak or self._names_relation(text[end:], between)):
                    kept.pop()
            if claim is not None:
                kept.append(claim)
        return kept

    def _names_relation(self, after: str, between: str) -> bool:
        """Return whether words in the sentence of a claim are followed by another relation."""
        clause = re.split(r"[.;!?\n]", after[:_MAX_GAP].lstrip(" ,:-"))[0]
        is_same_sentence = re.search(r"[!?\n]|\.(?!\.)\s", between.replace("...", "")) is None
        return is_same_sentence and bool(self._parse(clause)[3])

    def _instead(self, text: str, last: Claim) -> str | None:
        """Return the relation that stands at the start of a text instead of that of a claim."""
        tokens, _, names, mentions = self._parse(text)
        encoded, places = _encode(tokens, names, mentions)
        match = ELLIPTICAL.match(encoded)
        if match is None:
            return None
        for role in ("owner", "x"):
            if match[role] and names[places[match.start(role)][0]][1] != last.x:
                return None
        return self._word(mentions[ord(match["r"]) - RELATIONS].answer, last.y)


@cache
def _usual_genders() -> dict[str, str]:
    """Return the gender that pronouns for people of a name have, in worlds without genders."""
    names = find_world("kinship").story_spec.names
    return dict.fromkeys(names.female, "female") | dict.fromkeys(names.male, "male")


@cache
def _pool(world: World) -> frozenset[str]:
    return frozenset(name.casefold() for kind in world.story_spec.names for name in kind)


def _is_instead_of(claim: Claim, other: Claim) -> bool:
    """Return whether claims are about the same two people, but are not the same."""
    return {claim.x, claim.y} == {other.x, other.y} and claim[:3] != other[:3]


def _written_out(steps: re.Match[str]) -> str:
    """Return steps such as `2N 3W` in words."""
    return (
        " and ".join(
            f"{'more than ' * bool(far)}{count} step{'s' * (count != '1')} {_WAYS[way.lower()]}"
            for far, count, way in _STEP.findall(steps[0])
        )
        + " "
    )


def _marks(text: str) -> list[tuple[int, int, bool]]:
    """Return start and end of words that take something back, and whether they may not."""
    marks: list[tuple[int, int, bool]] = []
    for match in _RETRACTION.finditer(text):
        start, end, is_weak = match.start(), match.end(), match["strong"] is None
        is_weak = is_weak or _IS_WEAK.fullmatch(match[0]) is not None
        if marks and start - marks[-1][1] < _MAX_SKIPPED:
            start, _, was_weak = marks.pop()
            is_weak = is_weak and was_weak
        marks.append((start, end, is_weak))
    return marks


_FOLLOWERS = frozenset(
    "called named again both now meaning making who whose herself himself after all already "
    "respectively directly each \u2192 goes was had were being".split()
)
"""More words that may follow a relation word."""


def _aligned(tokens: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Return the span of each token; an empty one for tokens that replace other words."""
    lower, place = text.lower(), 0
    if len(lower) != len(text):
        lower = text
    spans = []
    for token in tokens:
        while lower[place : place + 1].isspace():
            place += 1
        start = lower.find(token, place, place + len(token) + _MAX_SKIPPED)
        while start >= 0 and token[0].isalnum() and not _is_whole(lower, start, len(token)):
            start = lower.find(token, start + 1, place + len(token) + _MAX_SKIPPED)
        if start < 0:
            spans.append((place, place))
        else:
            place = start + len(token)
            spans.append((start, place))
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
    parts: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    place = length = number = 0
    while place < len(tokens):
        after = place + 1
        if place in starts:
            part, after = chr(RELATIONS + starts[place]), mentions[starts[place]].end
        elif place in names:
            part, after = chr(NAMES + number), names[place][0]
            number += 1
        else:
            part = tokens[place]
        if part != '"':
            for character in range(length + 1, length + 1 + len(part)):
                places[character] = place, after - 1
            parts.append(part)
            length += 1 + len(part)
        place = after
    return "".join(f" {part}" for part in parts) + " ", places


def _is_asserted(tokens: list[str], mention: Mention, first: int, last: int) -> bool:
    """Return whether a claim in these tokens is neither negated nor hedged, nor one of several."""
    start, end = min(first, mention.start), max(last, mention.end - 1)
    while start and tokens[start - 1] not in _BREAKS:
        start -= 1
    after = end + 1
    while after < len(tokens) and tokens[after] not in _BREAKS:
        after += 1
    words = {*tokens[start : mention.start]}
    if not words.isdisjoint(_DENIALS | HEDGES | _BELIEFS):
        return False
    rest = " ".join(word for word in tokens[end + 1 : end + _MAX_REST] if word != '"')
    is_denied = WRONG.match(rest.removeprefix(", which ")) is not None
    return not is_denied and "or" not in tokens[start:after] and not is_negated(tokens, mention)

"""Extract the claims of a chain of thought: who is said to be what to whom, and where.

Each clause is matched against patterns. A claim that no pattern understands for certain is left
out, and so are questions, conditions, hedged and negated claims, and claims that are taken back.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple

from ....kb.worlds.world import World, find_world
from ....scoring.claims import (
    CONDITIONS,
    HEDGES,
    NEGATORS,
    WRONG,
    Mention,
    is_negated,
    without_own_negators,
)
from ....scoring.extraction import CORRECTION, sentence_spans
from ....tables import Patterns, load_tables
from ..metadata import UNKNOWN
from .clause import PLURAL, VERB, Clause, Vocabulary
from .patterns import (
    ELLIPTICAL,
    NOUN_PATTERNS,
    OTHER_OWNER,
    RELATIONAL_PATTERNS,
    TIME_PATTERNS,
    WITHOUT_SUBJECT,
)
from .structured import rewrite

_MAX_TEXT: Final = 50_000
"""Characters of a text that are read."""
_MAX_CLAUSE: Final = 800
"""Characters of the longest clause that is read."""
_MAX_CLAIMS: Final = 300
_NEAR: Final = 100
"""Characters between a claim and words that take it back without naming the pair again."""
_FAR: Final = 400
"""Characters between such words and the claim that is made instead."""
_JOINED: Final = 12
"""Characters between words that take something back together, as in `hmm, no, wait`."""
_MAX_REST: Final = 12
"""Tokens after a claim in which it is called wrong."""

_WORDS: Final = load_tables(__package__, "words.yaml")
_P = Patterns(__package__, "words.yaml", "patterns")
_SIGNS = frozenset(_WORDS["signs"].split())
_QUESTION_WORDS = frozenset(_WORDS["question_words"].split())
_CONDITIONS = CONDITIONS.union(_WORDS["conditions"].split())
_BREAKS = frozenset(", ; : so but therefore thus hence since because".split())
_DENIALS = NEGATORS.union(HEDGES, _WORDS["denials"].split())
_PRONOUNS = {"he": "male", "him": "male", "his": "male", "she": "female", "her": "female"}


class Claim(NamedTuple):
    """y is the `relation` of x, in text[start:end]."""

    x: str
    relation: str
    y: str
    start: int
    end: int
    is_doubted: bool = False
    """Whether words such as `wait` follow, which may take it back."""
    notation: str = ""
    """The notation, if it leaves open who is the relative of whom."""
    turned: tuple[str, str, str] | None = None
    """The claim that the notation means if it is read the other way."""


class Topic(NamedTuple):
    """The person whom the claim before in a clause is about, and the last token of that claim."""

    person: str
    end: int


class StepReader:
    """Reads the claims of a text about a story, of whose stated facts notations are known by."""

    def __init__(
        self,
        world: World,
        names: Sequence[str],
        genders: Mapping[str, str],
        is_stated: Callable[[tuple[str, str, str]], bool] = lambda claim: False,
    ) -> None:
        self.world, self.people, self.is_stated = world, frozenset(names), is_stated
        self.genders = genders or _usual_genders()
        self.vocabulary = Vocabulary(world, names, genders)
        is_relational = self.vocabulary.relational
        self.patterns = RELATIONAL_PATTERNS if is_relational else NOUN_PATTERNS
        self.time_patterns = [each for each in TIME_PATTERNS if each[0] in world.meanings]
        self.named_before: list[str] = []
        """People whom the clause before names."""
        self.topic_before = ""
        """The person whom its last claim is about."""
        self.doubtful: list[tuple[int, int]] = []
        """Spans of clauses that may take something back."""

    def claims(self, text: str) -> list[Claim]:
        """Return the claims of a text in order, without those that it takes back."""
        text = _P.question_aside.sub(lambda aside: " " * len(aside[0]), text[:_MAX_TEXT])
        text, rewritten = rewrite(text, self.vocabulary.kind, relational=self.vocabulary.relational)
        claims: dict[tuple[str, str, str, int], Claim] = {}
        for sentence, start, end, notation in rewritten:
            for claim in self._read(sentence, 0):
                claims[*claim[:3], start] = claim._replace(
                    start=start, end=end, notation=notation or claim.notation
                )
        self.doubtful.clear()
        for start, end in sentence_spans(text):
            for clause in _P.clauses.finditer(text[start:end]):
                if len(claims) < _MAX_CLAIMS and len(clause[0]) <= _MAX_CLAUSE:
                    for claim in self._read(clause[0], start + clause.start()):
                        claims[claim[:4]] = claim
        found = sorted(claims.values(), key=lambda claim: claim.start)
        return self._without_retracted(text, self._directed(found))

    def _directed(self, claims: Sequence[Claim]) -> list[Claim]:
        """Return the claims, each notation read in the direction in which more facts are stated.

        A notation that starts with `?` has no usual direction: without such facts, its claims are
        left out. One that has a usual direction is turned only by two facts or more.
        """
        lead = Counter[str]()
        for claim in claims:
            if claim.notation and claim.turned:
                lead[claim.notation] += self.is_stated(claim[:3]) - self.is_stated(claim.turned)
        directed = []
        for claim in claims:
            is_open = claim.notation.startswith("?")
            if claim.turned and lead[claim.notation] < (0 if is_open else -1):
                x, relation, y = claim.turned
                directed.append(claim._replace(x=x, relation=relation, y=y))
            elif lead[claim.notation] or not is_open:
                directed.append(claim)
        return directed

    def _read(self, text: str, offset: int) -> list[Claim]:
        """Return the claims of a clause that starts at the offset."""
        clause, claims = self.vocabulary.parse(text), list[Claim]()
        if not _SIGNS.isdisjoint(clause.tokens):
            self.doubtful.append((max(0, offset - 4), offset + len(text) + 1))
        if _CONDITIONS.isdisjoint(clause.tokens):
            end, claimed = _asserted_end(clause.tokens), 0
            tokens = without_own_negators(clause.tokens, clause.mentions, UNKNOWN)
            for match, mention in sorted(self._matches(clause), key=_subject_place):
                first, last = clause.tokens_of(match)
                if last >= end or not _is_asserted(tokens, mention, first, last):
                    continue
                span = offset + clause.spans[first][0], offset + clause.spans[last][1]
                topic = Topic(claims[-1].y, claimed) if claims else Topic("", 0)
                for role in ("y", "z"):
                    if fact := self._fact(clause, match, role, mention.answer, topic):
                        claims.append(Claim(*fact, *span, **self._notation(match, mention, fact)))
                        claimed = last
        self.named_before = [name for _, name in clause.names.values()]
        self.topic_before = claims[-1].y if claims else ""
        return claims

    def _matches(self, clause: Clause) -> Iterator[tuple[re.Match[str], Mention]]:
        """Yield the matches of the patterns, one for each relation word."""
        used: set[str] = set()
        for pattern in self.patterns:
            if len(used) == len(clause.mentions):
                break
            match = pattern.search(clause.encoded)
            while match is not None:
                mention = clause.mention(match)
                if match["r"] not in used and self._fits(clause, match, mention.answer):
                    used.add(match["r"])
                    yield match, mention
                match = pattern.search(clause.encoded, match.start() + 1)
        if not self.vocabulary.relational:
            for match in OTHER_OWNER.finditer(clause.encoded):
                yield match, clause.mention(match)
            if match := WITHOUT_SUBJECT.match(clause.encoded):
                yield match, clause.mention(match)
        for words, pattern in self.time_patterns:
            for match in pattern.finditer(clause.encoded):
                first, last = clause.tokens_of(match)
                yield match, Mention(first, last + 1, words)

    def _fits(self, clause: Clause, match: re.Match[str], answer: str) -> bool:
        """Return whether a pattern is for such a word, and its `his` for the owner before."""
        groups = match.re.groupindex
        if answer.startswith(VERB) != ("verb" in groups):
            return False
        if "his" in groups:
            owner = clause.name(match, "x") or ""
            return self.genders.get(owner) in (_PRONOUNS[match["his"]], "unstated")
        return answer.startswith(PLURAL) or "plural" not in groups

    def _fact(
        self, clause: Clause, match: re.Match[str], role: str, answer: str, topic: "Topic"
    ) -> tuple[str, str, str] | None:
        """Return (x, relation, y) of a match, or None if one of them is not certain."""
        groups = match.re.groupindex
        if role not in groups and (role != "y" or not self.topic_before):
            return None
        x, y = clause.name(match, "x"), clause.name(match, role) if role in groups else None
        x = x or self._antecedent(clause, match, "x", y, topic)
        if role in groups:
            y = y or self._antecedent(clause, match, role, x, topic)
        else:
            y = self.topic_before
        if x is None or y is None or x == y or self.people.isdisjoint((x, y)):
            return None
        word = self.vocabulary.word(answer, y)
        if word is None:
            return None
        predicate = self.world.meanings[word][0]
        if "pair" in groups and self.world.inverse(predicate) != predicate:
            return None
        return x, word, y

    def _notation(
        self, match: re.Match[str], mention: Mention, fact: tuple[str, str, str]
    ) -> dict[str, Any]:
        """Return the notation of a claim with arrows, and the claim read the other way."""
        x, _, y = fact
        word = self.vocabulary.word(mention.answer, x)
        turned = {"turned": (y, word, x)} if word else {}
        groups = match.re.groupindex
        if "arrow" not in groups:
            return turned
        return {"notation": f"{'?' * ('open' in groups)}{match.re.pattern}", **turned}

    def _antecedent(
        self, clause: Clause, match: re.Match[str], role: str, other: str | None, topic: "Topic"
    ) -> str | None:
        """Return whom a pronoun means; None if more than one can be meant.

        A subject may also mean the person whom the claim before is about.
        """
        pronoun, at = match[role], clause.places[match.start(role)][0]
        gender, is_subject = _PRONOUNS.get(pronoun, ""), pronoun in ("he", "she", "it")
        here = [name for place, (_, name) in clause.names.items() if place < at]
        fits = {
            name
            for name in (*here, *self.named_before, topic.person)
            if not gender or self.genders.get(name, gender) in (gender, "unstated")
        } - {other, ""}
        if not here and any(mention.end <= at for mention in clause.mentions):
            return None  # of somebody without a name, as in `a wife, and her father is ...`
        newer = {name for place, (_, name) in clause.names.items() if topic.end < place < at}
        if is_subject and topic.person in fits and not newer & fits - {topic.person}:
            return topic.person
        for people, about in ((here, ""), (self.named_before, self.topic_before)):
            fitting = fits.intersection(people)
            if is_subject and about in fitting:
                return about
            if fitting:
                return fitting.pop() if len(fitting) == 1 and fitting <= self.people else None
        return None

    def _without_retracted(self, text: str, claims: Sequence[Claim]) -> list[Claim]:
        """Return the claims without those that the text takes back, or with another relation."""
        kept: list[Claim] = []
        marks = _marks(text, self.doubtful)
        for claim in (*claims, None):
            while marks and (claim is None or marks[0][0] <= claim.start):
                self._retract(kept, text, *marks.pop(0), claim)
            if claim is not None:
                kept.append(claim)
        return kept

    def _retract(
        self, kept: list[Claim], text: str, start: int, end: int, is_weak: bool, after: Claim | None
    ) -> None:
        """Delete or replace the claim that text[start:end] takes back, before the claim `after`."""
        if not kept or kept[-1].end > start:
            return
        last = kept[-1]
        between = text[last.end : start]
        is_near = len(between) < _NEAR and "?" not in between
        instead = self._instead(text[end : end + _NEAR], last) if is_near else None
        is_explicit = len(between) < _FAR and _P.explicit.search(text[start:end])
        again = [
            claim
            for claim in kept
            if after and after.start - end < _FAR and start - claim.end < _FAR
            if {claim.x, claim.y} == {after.x, after.y} and claim[:3] != after[:3]
        ]
        if instead:
            kept[-1] = last._replace(relation=instead, end=end)
        elif again:
            kept.remove(again[-1])
        elif is_explicit or (is_near and (not is_weak or self._is_doubted(text[end:], between))):
            kept.pop()
        elif is_near:
            kept[-1] = last._replace(is_doubted=True)

    def _is_doubted(self, after: str, between: str) -> bool:
        """Return whether weak words in the sentence of a claim are followed by a relation."""
        clause = re.split(r"[.;!?\n]", after[:_NEAR].lstrip(" ,:-"))[0]
        is_same_sentence = re.search(r"[!?\n]|\.(?!\.)\s", between.replace("...", "")) is None
        return is_same_sentence and bool(self.vocabulary.parse(clause).mentions)

    def _instead(self, text: str, last: Claim) -> str | None:
        """Return the relation that stands at the start of a text instead of that of a claim."""
        clause = self.vocabulary.parse(text)
        match = ELLIPTICAL.match(clause.encoded)
        if match is None:
            return None
        if any(match[role] and clause.name(match, role) != last.x for role in ("owner", "x")):
            return None
        return self.vocabulary.word(clause.mention(match).answer, last.y)


@cache
def _usual_genders() -> dict[str, str]:
    """Return the gender that pronouns for people of a name have, in worlds without genders."""
    names = find_world("kinship").story_spec.names
    return dict.fromkeys(names.female, "female") | dict.fromkeys(names.male, "male")


@cache
def _retraction() -> re.Pattern[str]:
    """Return the pattern of words that take something back: strong ones, and weak ones."""
    strong = rf"{CORRECTION.pattern.removeprefix('(?i)')}|{_P.strong.pattern}"
    return re.compile(rf"(?P<strong>{strong})|(?P<weak>{_P.weak_word.pattern})", re.IGNORECASE)


def _marks(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int, bool]]:
    """Return start and end of words that take something back, and whether they may not."""
    marks: list[tuple[int, int, bool]] = []
    for match in chain.from_iterable(_retraction().finditer(text, *span) for span in spans):
        start = match.start()
        is_weak = match["strong"] is None or _P.weak.fullmatch(match[0]) is not None
        if marks and start - marks[-1][1] < _JOINED:
            start, _, was_weak = marks.pop()
            is_weak = is_weak and was_weak
        marks.append((start, match.end(), is_weak))
    return marks


def _subject_place(found: tuple[re.Match[str], Mention]) -> int:
    match, _ = found
    return match.start("y" if "y" in match.re.groupindex else 0)


def _asserted_end(tokens: Sequence[str]) -> int:
    """Return the end of the tokens that are asserted: those before a question."""
    if tokens[-1:] != ["?"]:
        return len(tokens)
    breaks = [place for place, token in enumerate(tokens) if token in (",", ":", "-", "so")]
    return 0 if not breaks or tokens[0] in _QUESTION_WORDS else breaks[-1]


def _is_asserted(tokens: list[str], mention: Mention, first: int, last: int) -> bool:
    """Return whether a claim in these tokens is neither negated nor hedged, nor one of several."""
    start, end = min(first, mention.start), max(last, mention.end - 1)
    while start and tokens[start - 1] not in _BREAKS:
        start -= 1
    after = end + 1
    while after < len(tokens) and tokens[after] not in _BREAKS:
        after += 1
    if not _DENIALS.isdisjoint(tokens[start : mention.start]) or "or" in tokens[start:after]:
        return False
    rest = " ".join(word for word in tokens[end + 1 : end + _MAX_REST] if word != '"')
    return not WRONG.match(rest.removeprefix(", which ")) and not is_negated(tokens, mention)

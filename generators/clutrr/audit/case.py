"""Cases: rows of other people's data as facts and a claim, and the verdict on the claim."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from ....kb.worlds.fact import Fact
from ....kb.worlds.kinship.judge import judge as judge_kinship
from ....kb.worlds.verdict import NO_RELATION, Status, Verdict
from ....kb.worlds.world import World

UNREADABLE: Final = "unreadable"
VERDICTS: Final = (*Status, UNREADABLE)
NOT_UNDERSTOOD: Final = "a sentence is not understood"
NO_QUESTION: Final = "the question is not understood"
NOT_NAMED: Final = "the question is about somebody or something that is not in the facts"
NO_COLUMNS: Final = "columns are missing or of another type"
NO_GENDER: Final = "a gender is not known"
NO_RELATION_WORD: Final = "a relation is none of the world"
_MAX_DETAIL: Final = 200
_BY_MARRIAGE: Final = frozenset(["uncle", "aunt", "nephew", "niece"])
_OPPOSITES: Final = {
    Status.ENTAILED: Status.CONTRADICTED,
    Status.CONTRADICTED: Status.ENTAILED,
}

Query = tuple[str, str]
Judge = Callable[[Iterable[Fact], Mapping[str, str], Query, str | None], Verdict]


class UnreadableRow(Exception):
    """A row is not understood for certain: the cause, by which rows are counted, and details."""

    def __init__(self, cause: str, detail: str = "") -> None:
        super().__init__(cause, detail)
        self.cause, self.detail = cause, detail[:_MAX_DETAIL]


class Outcome(NamedTuple):
    """The verdict on a row."""

    status: str
    """One of VERDICTS."""
    cause: str = ""
    """Why the answer is not entailed; rows are counted by it."""
    detail: str = ""


class Row(NamedTuple):
    """A row of somebody's data."""

    text: str
    """The story and the question."""
    answer: str
    group: str
    """Group under which the row is counted, such as `k = 2`; may be empty."""
    judge: Callable[[], Outcome]
    """Reads and judges the row; raises UnreadableRow."""

    def outcome(self) -> Outcome:
        """Return the verdict on the answer."""
        try:
            return self.judge()
        except UnreadableRow as error:
            return Outcome(UNREADABLE, error.cause, error.detail)


@dataclass(frozen=True)
class Reading:
    """An interpretation of a row: its facts, and the relations of which its answer claims one."""

    judge: Judge
    facts: Sequence[Fact]
    words: frozenset[str]
    convention: str = ""
    """Assumption that the first interpretation does not make."""

    def verdict(self, genders: Mapping[str, str], query: Query) -> Verdict:
        """Return the verdict on the words; several are for worlds in which exactly one holds."""
        if len(self.words) == 1:
            return self.judge(self.facts, genders, query, *self.words)
        possible = self.judge(self.facts, genders, query, None).answers
        if possible and possible <= self.words:
            return Verdict(Status.ENTAILED, possible)
        claimed = next(iter(possible & self.words), "") if possible else None
        return Verdict.not_entailed(possible, claimed)


def check_named(query: Query, names: Set[str]) -> None:
    """Raise UnreadableRow unless a query is about two of the facts."""
    if query[0] == query[1] or not names >= {*query}:
        raise UnreadableRow(NOT_NAMED, ", ".join(query))


def readings(world: World, facts: Sequence[Fact], word: str) -> list[Reading]:
    """Return the readings of a claim in a world; in kinship, also with aunts by marriage."""
    found = [Reading(world.judge, facts, frozenset([word]))]
    words = {word, *(said for _, said, _ in facts)}
    if world.name == "kinship" and not words.isdisjoint(_BY_MARRIAGE):
        by_marriage = partial(judge_kinship, uncles_by_marriage=True)
        convention = "the spouses of uncles and aunts count as aunts and uncles"
        found.append(Reading(by_marriage, facts, frozenset([word]), convention))
    return found


@dataclass(frozen=True)
class Case:
    """A claim on how the second of a query is related to the first."""

    query: Query
    readings: Sequence[Reading]
    """The first decides; the others are tried if it does not entail the answer."""
    world: World | None = None
    genders: Mapping[str, str] = field(default_factory=dict)
    is_denied: bool = False
    """Whether the answer says that none of the words holds."""

    def outcome(self) -> Outcome:
        """Judge the answer, and find why it is not entailed."""
        first, *others = self.readings
        status, answers = self._verdict(first)
        possible = f"possible: {', '.join(sorted(answers))}"
        if status is Status.ENTAILED:
            return Outcome(status)
        if status is Status.IMPOSSIBLE:
            return Outcome(status, "the facts contradict each other")
        for other in others:
            if self._verdict(other)[0] is Status.ENTAILED:
                return Outcome(status, f"entailed if {other.convention}", possible)
        if status is Status.UNDETERMINED:
            return Outcome(status, self._open_cause(first, answers), possible)
        if self.is_denied:
            return Outcome(status, "what the answer denies is entailed")
        return self._contradicted(first, possible)

    def _verdict(self, reading: Reading) -> tuple[Status, frozenset[str]]:
        verdict = reading.verdict(self.genders, self.query)
        status = verdict.status
        return _OPPOSITES.get(status, status) if self.is_denied else status, verdict.answers

    def _open_cause(self, reading: Reading, answers: frozenset[str]) -> str:
        if any(f"{word}-in-law" in answers for word in reading.words):
            return "it may be a relative by marriage instead"
        (word, *others), y = reading.words, self.query[1]
        gender = self.world.meanings[word][1] if self.world and not others else None
        if gender and y not in self.genders:
            known = {**self.genders, y: gender}
            if reading.verdict(known, self.query).status is Status.ENTAILED:
                return "the gender is not stated"
        if self._judge(reading).status is Status.ENTAILED:
            return "another relation holds, and this one may hold too"
        return "several answers are possible"

    def _contradicted(self, reading: Reading, possible: str) -> Outcome:
        entailed = self._judge(reading)
        if entailed.status is not Status.ENTAILED:
            return Outcome(Status.CONTRADICTED, "only other relations may hold", possible)
        cause, (x, y) = "another relation holds", self.query
        claimed = {self._relation(word) for word in reading.words}
        if claimed & {self._relation(word) for word in entailed.answers}:
            cause = "the word is for the other gender"
        elif any(f"{word}-in-law" in entailed.answers for word in reading.words):
            cause = "it is a relative by marriage instead"
        elif reading.verdict(self.genders, (y, x)).status is Status.ENTAILED:
            cause = "it holds in the other direction"
        words = ", ".join(sorted(entailed.answers))
        return Outcome(Status.CONTRADICTED, cause, f"entailed: {words}")

    def _judge(self, reading: Reading) -> Verdict:
        """Return what is entailed without a claim."""
        return reading.judge(reading.facts, self.genders, self.query, None)

    def _relation(self, word: str) -> str:
        return self.world.meanings[word][0] if self.world and word != NO_RELATION else word

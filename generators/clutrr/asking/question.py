"""Questions about a story: how two people are related, or whether they are so related."""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ....errors import Infeasible
from ....example import NONE, set_target
from ....kb.worlds.fact import Fact
from ....kb.worlds.questions import RankQuestion
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.verdict import Status
from ....kb.worlds.world import World, find_world
from ....seed import Stream
from ..metadata import stated_facts

if TYPE_CHECKING:
    from ..generator import Clutrr

UNKNOWN: Final = "unknown"
POSSIBLE: Final = "possible"
ORDINALS: Final = ["", "second", "third"]
AHEAD: Final = ["none", "exactly one", "exactly two"]
_MAX_SCALINGS: Final = 400
_ALL_POSSIBLE_PROBABILITY: Final = 0.1
"""Share kept of the open stories in which every answer is possible."""

WrittenQuestion = tuple[str, list[str], str]
"""The question, the answers to choose from, and the right one."""


class QuestionWriter:
    """Writes questions as the options say, and fills in the metadata about them."""

    def __init__(self, options: "Clutrr", rules: RuleIndex, stream: Stream) -> None:
        self.options, self.rules, self.stream = options, rules, stream
        self.world = find_world(options.world)
        self.stories = self.world.story_spec
        self.words = sorted({word for words in self.world.words for word in words})
        self.by_gender = [list(words) for words in self.world.words]
        self.rivals = self.world.same_kind_words
        self.question = self.world.questions.get(options.answer)
        self.text = self.question.text if self.question else self.stories.question
        self.yes_no = options.answer == "yes-no"
        self.who, self.rank = options.answer == "who", options.answer == "rank"
        self.possible = options.answer == POSSIBLE
        self.asked_ranks = [0]
        """The ranks asked for so far, as numbers of people ahead."""
        self.part = options.answer if options.answer in self.world.parts else ""
        self.parts = self.world.part_answers.get(self.part, {})
        self.needs_verdict = options.rules != self.world.default or options.unknown_share > 0
        self.unknown_hint = ""
        if options.unknown_share and not (self.who or self.rank or self.possible):
            self.words.append(UNKNOWN)
            self.unknown_hint = " If the story leaves that open, the answer is unknown."

    def write(self, row: dict[str, Any], predicate: int, gender: int) -> WrittenQuestion:
        """Ask what the second person of the query is to the first; negative: undetermined."""
        query: list[str] = row["query"]
        target = UNKNOWN if predicate < 0 else self.by_gender[predicate][gender]
        text = self.text.replace("{x}", query[0]).replace("{y}", query[1])
        if self.needs_verdict:
            self._add_verdict(row, target)
        if self.yes_no:
            target, text = self._yes_no(row, predicate, gender, target)
        elif self.who:
            target, text = self._who(row, target)
        elif self.rank:
            target, text = self._rank(row, target)
        elif self.possible:
            row["asked"] = POSSIBLE
            if target != UNKNOWN:
                row["relation"] = target
            text = text.replace("{words}", "; ".join(self.rivals[row["possible"][0]]))
            target = set_target(row["possible"])
        elif self.part:
            row["asked"] = self.part
            if target != UNKNOWN:
                row["relation"], target = target, self.parts[target]
        return text + self.unknown_hint, self._choices(row, target, gender), target

    def is_unsuitable(self, facts: list[tuple[int, int, int]], x: int, y: int) -> bool:
        """Return whether an open story must not be asked: its facts determine the part asked for.

        Where all possible answers are asked for: whether all are possible. Such stories are rare,
        or else naming all answers would often be right.
        """
        if not self.part and not self.possible:
            return False
        stated = [(str(a), self.by_gender[predicate][0], str(b)) for a, predicate, b in facts]
        verdict = self.world.judge(stated, {}, (str(x), str(y)), None)
        if self.possible:
            every = self.rivals[min(verdict.answers)]
            if len(verdict.answers) != len(every):
                return False
            return self.stream.random() >= _ALL_POSSIBLE_PROBABILITY
        return len({self.parts[word] for word in verdict.answers}) < 2

    def _who(self, row: dict[str, Any], word: str) -> tuple[str, str]:
        """Ask for everyone so related to the first; for an open row, for a word of nobody."""
        x: str = row["query"][0]
        if word != UNKNOWN:
            row["relation"] = row["asked"] = word
            return set_target(self._all_entailed(row, x, word)), self._who_text(x, word)
        words = self._possible_words(row)
        self.stream.shuffle(words)
        for asked in [*words, *self.words]:
            if not self._all_entailed(row, x, asked):
                row["asked"] = asked
                return NONE, self._who_text(x, asked)
        raise Infeasible(f"every relation to {x} has somebody in the story; ask for a smaller k")

    def _rank(self, row: dict[str, Any], word: str) -> tuple[str, str]:
        """Ask who of the chain has a rank; for an open row, a rank that nobody certainly has."""
        people = sorted({name for x, _, y in row["facts"] for name in (x, y)})
        is_open = word == UNKNOWN
        if not is_open:
            row["relation"] = word
        candidates: list[tuple[str, str, int, list[str]]] = []
        for predicate, superlative in self._superlatives(row):
            more = self.world.predicates[predicate].word()
            ranks = self._ranks(row, people, more)
            for ahead, ordinal in enumerate(ORDINALS):
                holders = [person for person in people if ranks[person] == ahead]
                if bool(holders) != is_open:
                    asked = f"{ordinal} {superlative}".strip()
                    candidates.append((asked, more.removesuffix(" than"), ahead, holders))
        if not candidates:
            raise Infeasible(
                f"everybody in the story has a rank; ask for another k than {row['k']}"
            )
        # Open rows are asked for the same ranks as others, so that the rank does not reveal them.
        ranks_left = sorted({ahead for _, _, ahead, _ in candidates})
        rank = self.stream.choice(self.asked_ranks if is_open else ranks_left)
        if not is_open:
            self.asked_ranks.append(rank)
        fitting = [candidate for candidate in candidates if candidate[2] == rank] or candidates
        row["asked"], more, ahead, holders = self.stream.choice(fitting)
        text = self.text.replace("{people}", _enumerated(people))
        text = text.replace("{asked}", row["asked"]).replace("{ahead}", AHEAD[ahead])
        return set_target(holders) if holders else NONE, text.replace("{more}", more)

    def _subjects_stated(self, row: dict[str, Any]) -> set[int]:
        subjects, number = _subjects(self.rules), self.rules.number
        return {subjects[number[name]] for name in row["clause"]}

    def _superlatives(self, row: dict[str, Any]) -> list[tuple[str, str]]:
        """Return the predicates that rank people in the subject of the chain."""
        assert isinstance(self.question, RankQuestion)
        subjects, stated = _subjects(self.rules), self._subjects_stated(row)
        return [
            (predicate, superlative)
            for predicate, superlative in self.question.superlatives.items()
            if subjects[self.rules.number[predicate]] in stated
        ]

    def _ranks(self, row: dict[str, Any], people: list[str], more: str) -> dict[str, int]:
        """Return for each person how many others are ahead, or -1 where that is undetermined."""
        facts, genders = _facts(row), dict(row["genders"])
        ranks: dict[str, int] = {}
        for person in people:
            ahead = 0
            for other in people:
                if other == person or ahead < 0:
                    continue
                status = self.world.judge(facts, genders, (person, other), more).status
                if status is Status.ENTAILED:
                    ahead += 1
                elif status is not Status.CONTRADICTED:
                    ahead = -1
            ranks[person] = ahead
        return ranks

    def _who_text(self, x: str, word: str) -> str:
        return self.text.replace("{x}", x).replace("{word}", word)

    def _all_entailed(self, row: dict[str, Any], x: str, word: str) -> list[str]:
        """Return everyone of whom the word is entailed."""
        facts, genders = _facts(row), dict(row["genders"])
        gender = self.world.meanings[word][1]
        people = sorted({name for a, _, b in facts for name in (a, b)} - {x})
        return [
            person
            for person in people
            if gender in (None, genders.get(person))
            and self.world.judge(facts, genders, (x, person), word).status is Status.ENTAILED
        ]

    def _possible_words(self, row: dict[str, Any]) -> list[str]:
        """Return the words that may hold; if several can at once, those on the chain's subject."""
        meanings = self.world.meanings
        words = [possible for possible in row["possible"] if possible in meanings]
        if not self.world.overlapping:
            return words
        subjects, stated, number = (
            _subjects(self.rules),
            self._subjects_stated(row),
            self.rules.number,
        )
        return [word for word in words if subjects[number[meanings[word][0]]] in stated]

    def _add_verdict(self, row: dict[str, Any], target: str) -> None:
        x, y = row["query"]
        claimed = None if target == UNKNOWN else target
        verdict = self.world.judge(_facts(row), dict(row["genders"]), (x, y), claimed)
        row["verdict"] = str(verdict.status)
        row["possible"] = sorted(verdict.answers)

    def _yes_no(
        self, row: dict[str, Any], predicate: int, gender: int, word: str
    ) -> tuple[str, str]:
        x, y = row["query"]
        if predicate < 0:
            target, asked = UNKNOWN, self.stream.choice(self._possible_words(row))
        else:
            row["relation"] = asked = word
            target = "yes"
            if self.stream.random() < 0.5:
                target = "no"
                among = self.rules.head_predicates if row["proof"] else self.rules.body_predicates
                asked = self.by_gender[self._sample_contradicted(predicate, among)][gender]
        row["asked"] = asked
        return target, self.stories.yes_no.format(x=x, y=y, word=asked)

    def _sample_contradicted(self, predicate: int, among: frozenset[int]) -> int:
        """Sample one of these predicates that cannot hold where this one does."""
        ticket = self.stream.random()
        shares = contradiction_shares(self.world, among)[predicate]
        for contradicted, share in enumerate(shares):
            if share and ticket < share:
                return contradicted
            ticket -= share
        return max(range(len(shares)), key=shares.__getitem__)

    def _choices(self, row: dict[str, Any], target: str, gender: int) -> list[str]:
        wanted = self.options.choices
        if wanted == "none":
            return []
        if wanted == "all":
            return self.words
        wrong = [words[gender] for words in self.by_gender if words[gender] != target]
        if self.options.unknown_share and target != UNKNOWN:
            wrong.append(UNKNOWN)
        count = int(wanted)
        other: list[str] = []
        if self.world.kinds:
            # Words for other kinds of things are obviously wrong: they are the last resort.
            alike = [UNKNOWN, *self.rivals[row["possible"][0] if target == UNKNOWN else target]]
            other = [word for word in wrong if word not in alike]
            wrong = [word for word in wrong if word in alike]
        chosen = [target, *self.stream.sample(wrong, min(count, len(wrong)))]
        chosen += self.stream.sample(other, count + 1 - len(chosen)) if other else []
        self.stream.shuffle(chosen)
        return chosen


def _enumerated(people: list[str]) -> str:
    """Return names as in "Ann, Bob and Cy"."""
    return f"{', '.join(people[:-1])} and {people[-1]}"


def _facts(row: dict[str, Any]) -> list[Fact]:
    return [(x, word, y) for x, word, y in stated_facts(row)]


@cache
def _subjects(rules: RuleIndex) -> list[int]:
    """Return for each predicate the lowest one that rules connect it with: its subject."""
    subjects = list(range(len(rules.predicates)))
    links = [*rules.compositions, *enumerate(rules.inverse)]
    for _ in subjects:
        for link in links:
            lowest = min([subjects[predicate] for predicate in link if predicate >= 0])
            for predicate in link:
                if predicate >= 0:
                    subjects[predicate] = lowest
    return subjects


@cache
def contradiction_shares(world: World, among: frozenset[int]) -> tuple[tuple[float, ...], ...]:
    """Return for each predicate that holds how often to ask for each that then cannot hold.

    Overall, all predicates are asked for equally often, so that a question does not reveal its
    answer.
    """
    names = list(world.predicates)
    semantics = world.story_spec.weak_semantics or world.semantics
    table: list[list[float]] = []
    for number, name in enumerate(names):
        row: list[float] = []
        for to, asked in enumerate(names):
            chain = (name, world.inverse(asked) or "")
            same_kinds = world.predicates[name].between == world.predicates[asked].between
            row.append(
                float(
                    same_kinds
                    and {number, to} <= among
                    and not semantics.situations(chain, closed=True)
                )
            )
        table.append(row)
    # Sinkhorn's algorithm: scale rows and columns in turn until all add up to one. Where all sums
    # are equal, once is enough.
    totals = {sum(row) for row in table} | {sum(column) for column in zip(*table, strict=True)}
    for _ in range(_MAX_SCALINGS if len(totals) > 1 else 2):
        table = [_scaled(list(column)) for column in zip(*table, strict=True)]
    return tuple([tuple(row) for row in table])


def _scaled(row: list[float]) -> list[float]:
    total = sum(row)
    return [share / total for share in row] if total else row

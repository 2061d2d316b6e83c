"""What is asked about a story: how two people are related, or whether they are so related."""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ....errors import Infeasible
from ....example import NONE, set_target
from ....kb.worlds.fact import Fact
from ....kb.worlds.rules import Rules
from ....kb.worlds.verdict import Status
from ....kb.worlds.world import World, find_world
from ....seed import Stream
from ..metadata import told

if TYPE_CHECKING:
    from ..generator import Clutrr

UNKNOWN: Final = "unknown"
POSSIBLE: Final = "possible"
_SCALINGS: Final = 400
_RARELY: Final = 0.1


ORDINALS: Final = ["", "second", "third"]
AHEAD: Final = ["none", "exactly one", "exactly two"]

Question = tuple[str, list[str], str]
"""The question, the answers to choose from, and the right one."""


class Asking:
    """Asks as the options say, and puts what a row must say of it into its metadata."""

    def __init__(self, options: "Clutrr", rules: Rules, stream: Stream) -> None:
        self.options, self.rules, self.stream = options, rules, stream
        self.world = find_world(options.world)
        self.stories = self.world.told
        self.words = sorted({word for words in self.world.words for word in words})
        self.by_gender = [list(words) for words in self.world.words]
        self.rivals = self.world.rivals
        self.text, self.yes_no = self.stories.question, options.answer == "yes-no"
        self.who, self.rank = options.answer == "who", options.answer == "rank"
        self.possible = options.answer == POSSIBLE
        self.places = [0]
        """How many were ahead of those whose rank was asked for so far."""
        self.part = options.answer if options.answer in self.world.parts else ""
        self.parts = self.world.parts_of.get(self.part, {})
        if self.part:
            self.text = self.world.parts[self.part].question
        self.judged = options.rules != self.world.default or options.unknown_share > 0
        self.may_be_open = ""
        if self.possible:
            self.text = self.stories.possible
        elif options.unknown_share and not self.who and not self.rank:
            self.words.append(UNKNOWN)
            self.may_be_open = " If the story leaves that open, the answer is unknown."

    def question(self, row: dict[str, Any], predicate: int, gender: int) -> Question:
        """Ask how the second of the query is to the first; below 0, there is no answer."""
        query: list[str] = row["query"]
        target = UNKNOWN if predicate < 0 else self.by_gender[predicate][gender]
        text = self.text.replace("{x}", query[0]).replace("{y}", query[1])
        if self.judged:
            self._judged(row, target)
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
        return text + self.may_be_open, self._choices(row, target, gender), target

    def settles(self, facts: list[tuple[int, int, int]], x: int, y: int) -> bool:
        """Whether facts by number settle the part asked for, whatever else they leave open.

        Where all that is possible is asked for, whether they leave everything so: that is rarely
        asked, or to name all would often be right.
        """
        if not self.part and not self.possible:
            return False
        told = [(str(a), self.by_gender[predicate][0], str(b)) for a, predicate, b in facts]
        verdict = self.stories.judge(told, {}, (str(x), str(y)), None)
        if self.possible:
            every = self.rivals[min(verdict.answers)]
            return len(verdict.answers) == len(every) and self.stream.random() >= _RARELY
        return len({self.parts[word] for word in verdict.answers}) < 2

    def _who(self, row: dict[str, Any], word: str) -> tuple[str, str]:
        """Ask for everyone who is so related to the first, or for somebody of whom nobody knows."""
        x: str = row["query"][0]
        if word != UNKNOWN:
            row["relation"] = row["asked"] = word
            return set_target(self._all(row, x, word)), self._ask_who(x, word)
        words = self._possible(row)
        self.stream.shuffle(words)
        for asked in [*words, *self.words]:
            if not self._all(row, x, asked):
                row["asked"] = asked
                return NONE, self._ask_who(x, asked)
        raise Infeasible(f"the story tells of everybody to {x}; ask for a smaller k")

    def _rank(self, row: dict[str, Any], word: str) -> tuple[str, str]:
        """Ask who of those along the chain has a rank, or for one that nobody has for certain."""
        people = sorted({name for x, _, y in row["facts"] for name in (x, y)})
        is_open = word == UNKNOWN
        if not is_open:
            row["relation"] = word
        ways: list[tuple[str, str, int, list[str]]] = []
        for predicate, superlative in self._superlatives(row):
            more = self.world.predicates[predicate].word()
            ranks = self._ranks(row, people, more)
            for ahead, ordinal in enumerate(ORDINALS):
                those = [person for person in people if ranks[person] == ahead]
                if bool(those) != is_open:
                    asked = f"{ordinal} {superlative}".strip()
                    ways.append((asked, more.removesuffix(" than"), ahead, those))
        if not ways:
            raise Infeasible(
                f"the story has nobody without a rank; ask for another k than {row['k']}"
            )
        # Of open stories the same ranks are asked for as of others, so that none gives itself away.
        places = sorted({ahead for _, _, ahead, _ in ways})
        place = self.stream.choice(self.places if is_open else places)
        if not is_open:
            self.places.append(place)
        fitting = [way for way in ways if way[2] == place] or ways
        row["asked"], more, ahead, those = self.stream.choice(fitting)
        text = self.stories.rank.replace("{people}", listed(people))
        text = text.replace("{asked}", row["asked"]).replace("{ahead}", AHEAD[ahead])
        return set_target(those) if those else NONE, text.replace("{more}", more)

    def _superlatives(self, row: dict[str, Any]) -> list[tuple[str, str]]:
        """The predicates that rank people in what the chain is about."""
        subjects, number = _subjects(self.rules), self.rules.number
        told = {subjects[number[name]] for name in row["clause"]}
        return [
            (predicate, superlative)
            for predicate, superlative in self.world.superlatives.items()
            if subjects[number[predicate]] in told
        ]

    def _ranks(self, row: dict[str, Any], people: list[str], more: str) -> dict[str, int]:
        """For each of some people how many others are ahead of them, or -1 where that is open."""
        facts, genders = _facts(row), dict(row["genders"])
        ranks: dict[str, int] = {}
        for person in people:
            ahead = 0
            for other in people:
                if other == person or ahead < 0:
                    continue
                status = self.stories.judge(facts, genders, (person, other), more).status
                if status is Status.ENTAILED:
                    ahead += 1
                elif status is not Status.CONTRADICTED:
                    ahead = -1
            ranks[person] = ahead
        return ranks

    def _ask_who(self, x: str, word: str) -> str:
        return self.stories.who.replace("{x}", x).replace("{word}", word)

    def _all(self, row: dict[str, Any], x: str, word: str) -> list[str]:
        """Everyone of whom the word is entailed."""
        facts, genders = _facts(row), dict(row["genders"])
        meant = self.world.meanings[word][1]
        people = sorted({name for a, _, b in facts for name in (a, b)} - {x})
        return [
            person
            for person in people
            if meant in (None, genders.get(person))
            and self.stories.judge(facts, genders, (x, person), word).status is Status.ENTAILED
        ]

    def _possible(self, row: dict[str, Any]) -> list[str]:
        """The words that may hold, where several can at once only those that the chain is about."""
        meanings = self.world.meanings
        words = [possible for possible in row["possible"] if possible in meanings]
        if not self.world.overlapping:
            return words
        subjects, number = _subjects(self.rules), self.rules.number
        told = {subjects[number[name]] for name in row["clause"]}
        return [word for word in words if subjects[number[meanings[word][0]]] in told]

    def _judged(self, row: dict[str, Any], target: str) -> None:
        facts = _facts(row)
        x, y = row["query"]
        claimed = None if target == UNKNOWN else target
        verdict = self.stories.judge(facts, dict(row["genders"]), (x, y), claimed)
        row["verdict"] = str(verdict.status)
        row["possible"] = sorted(verdict.answers)

    def _yes_no(
        self, row: dict[str, Any], predicate: int, gender: int, word: str
    ) -> tuple[str, str]:
        x, y = row["query"]
        if predicate < 0:
            row["asked"] = self.stream.choice(self._possible(row))
            return UNKNOWN, self.stories.yes_no.format(x=x, y=y, word=row["asked"])
        row["relation"] = asked = word
        target = "yes"
        if self.stream.random() < 0.5:
            target = "no"
            among = self.rules.concluded if row["proof"] else self.rules.premised
            asked = self.by_gender[self._denied(predicate, among)][gender]
        row["asked"] = asked
        return target, self.stories.yes_no.format(x=x, y=y, word=asked)

    def _denied(self, predicate: int, among: frozenset[int]) -> int:
        """One of these predicates that cannot hold where this one does."""
        ticket = self.stream.random()
        shares = denials(self.world, among)[predicate]
        for denied, share in enumerate(shares):
            if share and ticket < share:
                return denied
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
            # What is said of other kinds of things is wrong at a glance, and taken where it must.
            alike = [UNKNOWN, *self.rivals[row["possible"][0] if target == UNKNOWN else target]]
            other = [word for word in wrong if word not in alike]
            wrong = [word for word in wrong if word in alike]
        chosen = [target, *self.stream.sample(wrong, min(count, len(wrong)))]
        chosen += self.stream.sample(other, count + 1 - len(chosen)) if other else []
        self.stream.shuffle(chosen)
        return chosen


def listed(people: list[str]) -> str:
    """Names, as in Ann, Bob and Cy."""
    return f"{', '.join(people[:-1])} and {people[-1]}"


def _facts(row: dict[str, Any]) -> list[Fact]:
    return [(x, word, y) for x, word, y in told(row)]


@cache
def _subjects(rules: Rules) -> list[int]:
    """For each predicate the lowest of all that rules connect it with: what it is about."""
    subjects = list(range(len(rules.predicates)))
    links = [*rules.heads, *enumerate(rules.inverse)]
    for _ in subjects:
        for link in links:
            lowest = min([subjects[predicate] for predicate in link if predicate >= 0])
            for predicate in link:
                if predicate >= 0:
                    subjects[predicate] = lowest
    return subjects


@cache
def denials(world: World, among: frozenset[int]) -> tuple[tuple[float, ...], ...]:
    """For each predicate that holds, how often to ask for which other that then cannot hold.

    All of those that can hold are asked for equally often in the end, and none besides, so that
    a question gives no answer away.
    """
    names = list(world.predicates)
    semantics = world.told.least or world.semantics
    table: list[list[float]] = []
    for number, name in enumerate(names):
        row: list[float] = []
        for to, asked in enumerate(names):
            chain = (name, world.inverse(asked) or "")
            alike = world.predicates[name].between == world.predicates[asked].between
            denied = alike and {number, to} <= among
            denied = denied and not semantics.situations(chain, closed=True)
            row.append(float(denied))
        table.append(row)
    # Sinkhorn's way: scale rows and columns in turn until both add up to one; where all add up to
    # the same, once is enough.
    totals = {sum(row) for row in table} | {sum(column) for column in zip(*table, strict=True)}
    for _ in range(_SCALINGS if len(totals) > 1 else 2):
        table = [_scaled(list(column)) for column in zip(*table, strict=True)]
    return tuple([tuple(row) for row in table])


def _scaled(row: list[float]) -> list[float]:
    total = sum(row)
    return [share / total for share in row] if total else row

"""Questions about a story: how two people are related, or whether they are so related."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from ....errors import Infeasible
from ....example import NONE, set_target
from ....kb.worlds.fact import Fact
from ....kb.worlds.languages import find_language
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.stories import agreeing
from ....kb.worlds.verdict import Status
from ....kb.worlds.world import World
from ....seed import Stream
from ..metadata import UNKNOWN
from ..options import StoryOptions
from ..planning.end_balance import EndBalance, EndPair
from ..planning.feasibility import end_balance, rules_of
from ..story import QueryPlan, Story

_MAX_SCALINGS: Final = 400

Table = tuple[tuple[float, ...], ...]
"""By the predicate that holds, how often each predicate that cannot hold is asked for."""


class Question:
    """A question about a story: its text, the choices, the answer, and the metadata about it."""

    def __init__(self, story: Story, query: QueryPlan) -> None:
        self.query = story.names[query.x], story.names[query.y]
        self.facts: list[Fact] = []
        self.genders: dict[str, str] = {}
        self.text = self.target = self.asked = self.relation = self.verdict = ""
        self.choices: list[str] = []
        self.possible: list[str] = []


class QuestionWriter:
    """Writes questions as the options say."""

    def __init__(self, options: StoryOptions, stream: Stream) -> None:
        self.rules, self.stream = rules_of(options.world, options.rules), stream
        self.world = options.story_world
        self.stories = self.world.story_spec
        self.words = sorted({word for words in self.world.words for word in words})
        self.by_gender = [list(words) for words in self.world.words]
        self.rivals = self.world.same_kind_words
        self.options, self.answer, self.choices = options, options.answer, options.choices
        self.may_be_unknown = options.unknown_share > 0
        self.needs_verdict = options.rules != self.world.default or self.may_be_unknown
        self.is_judged = self.needs_verdict or options.answer == "who" or options.verifies
        self.unknown_hint = ""
        if self.may_be_unknown and options.answer != "who":
            self.words.append(UNKNOWN)
            self.unknown_hint = f" {find_language(options.language).texts.unknown_hint}"

    def write(self, story: Story, query: QueryPlan) -> Question:
        """Ask what y of the query is to x; a negative predicate is undetermined."""
        question, gender = Question(story, query), story.plan.gender[query.y]
        x, y = question.query
        word = UNKNOWN if query.predicate < 0 else self.by_gender[query.predicate][gender]
        if self.is_judged:
            relevant = story.stated[: story.plan.filler_start]
            question.facts = [(a, stated, b) for a, stated, b in relevant]
            question.genders = {pair[0]: pair[1] for pair in story.genders}
        question.target = word
        question.text = self.stories.question.replace("{x}", x).replace("{y}", y)
        if self.needs_verdict:
            claimed = None if word == UNKNOWN else word
            verdict = self.world.solve(question.facts, question.genders, question.query, claimed)
            question.verdict, question.possible = str(verdict.status), sorted(verdict.answers)
        if self.answer != "relation" and word != UNKNOWN:
            question.relation = word
        if self.answer == "yes-no":
            self._ask_yes_no(question, query, gender)
        elif self.answer == "who":
            self._ask_who(question, query.clause)
        question.text += self.unknown_hint
        question.choices = self._choices(question, gender)
        return question

    def _ask_who(self, question: Question, clause: Sequence[str]) -> None:
        """Ask for everyone so related to the first; for an open row, for a word of nobody."""
        x, words = question.query[0], [question.relation]
        if not question.relation:
            words = self._possible_words(question, clause)
            self.stream.shuffle(words)
            words += self.words
        for word in words:
            people = self._all_entailed(question, word)
            if bool(people) == bool(question.relation):
                question.asked, question.target = word, set_target(people) if people else NONE
                text = agreeing(self.stories.who, self.world.meanings[word][1])
                question.text = text.replace("{x}", x).replace("{word}", word)
                return
        raise Infeasible(f"every relation to {x} has somebody in the story; ask for a smaller k")

    def _all_entailed(self, question: Question, word: str) -> list[str]:
        x, gender = question.query[0], self.world.meanings[word][1]
        people = sorted({name for a, _, b in question.facts for name in (a, b)} - {x})
        entailed: list[str] = []
        for person in people:
            if gender in (None, question.genders.get(person)):
                query = x, person
                verdict = self.world.solve(question.facts, question.genders, query, word)
                if verdict.status is Status.ENTAILED:
                    entailed.append(person)
        return entailed

    def _possible_words(self, question: Question, clause: Sequence[str]) -> list[str]:
        """Return the words that may hold; if several can at once, those on the chain's subject."""
        meanings, number = self.world.meanings, self.rules.number
        words = [possible for possible in question.possible if possible in meanings]
        if not self.world.overlapping:
            return words
        subjects = _subjects(self.rules)
        stated = {subjects[number[name]] for name in clause}
        return [word for word in words if subjects[number[meanings[word][0]]] in stated]

    def _of_fitting_generation(self, words: list[str], clause: Sequence[str]) -> list[str]:
        """Return the words that lead to the same generation as the facts, or all if none does."""
        above, meanings = self.stories.generations, self.world.meanings
        if not all(predicate in above for predicate in clause):
            return words
        height = sum([above[predicate] for predicate in clause])
        return [word for word in words if above.get(meanings[word][0]) == height] or words

    def _ask_yes_no(self, question: Question, query: QueryPlan, gender: int) -> None:
        x, y = question.query
        if query.predicate < 0:
            words = self._possible_words(question, query.clause)
            question.asked = self.stream.choice(self._of_fitting_generation(words, query.clause))
        elif self.stream.random() < 0.5:
            question.target = "no"
            question.asked = self.by_gender[self._sample_contradicted(query)][gender]
        else:
            question.target, question.asked = "yes", question.relation
        text = agreeing(self.stories.yes_no, self.world.meanings[question.asked][1])
        question.text = text.format(x=x, y=y, word=question.asked)

    def _sample_contradicted(self, query: QueryPlan) -> int:
        """Sample a predicate that cannot hold where that of the query does.

        If end facts are balanced and give away no answer, chains with the same end facts have it
        as often, so that these do not reveal whether it holds.
        """
        among = self.rules.head_predicates if query.steps else self.rules.body_predicates
        shares = contradiction_shares(self.world, among)[query.predicate]
        balance = end_balance(self.options, len(query.clause)) if query.steps else None
        if balance and not balance.has_lonely_answers:
            number = self.rules.number
            ends = number[query.clause[0]], number[query.clause[-1]]
            among_alike = _shares_by_ends(self.world, among, balance, ends)[query.predicate]
            shares = among_alike if any(among_alike) else shares
        ticket = self.stream.random()
        for contradicted, share in enumerate(shares):
            if share and ticket < share:
                return contradicted
            ticket -= share
        return max(range(len(shares)), key=shares.__getitem__)

    def _choices(self, question: Question, gender: int) -> list[str]:
        target = question.target
        if self.choices == "none":
            return []
        if self.choices == "all":
            return self.words
        wrong = [words[gender] for words in self.by_gender if words[gender] != target]
        if self.may_be_unknown and target != UNKNOWN:
            wrong.append(UNKNOWN)
        count = int(self.choices)
        other: list[str] = []
        if self.world.kinds:
            # Words for other kinds of things are obviously wrong: they are the last resort.
            like = question.possible[0] if target == UNKNOWN else target
            alike = [UNKNOWN, *self.rivals[like]]
            other = [word for word in wrong if word not in alike]
            wrong = [word for word in wrong if word in alike]
        chosen = [target, *self.stream.sample(wrong, min(count, len(wrong)))]
        chosen += self.stream.sample(other, count + 1 - len(chosen)) if other else []
        self.stream.shuffle(chosen)
        return chosen


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
def contradiction_shares(world: World, among: frozenset[int]) -> Table:
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
            may_ask = same_kinds and {number, to} <= among
            row.append(float(may_ask and not semantics.situations(chain, closed=True)))
        table.append(row)
    # Sinkhorn's algorithm: scale rows and columns in turn until all add up to one. Where all sums
    # are equal, once is enough.
    totals = {sum(row) for row in table} | {sum(column) for column in zip(*table, strict=True)}
    for _ in range(_MAX_SCALINGS if len(totals) > 1 else 2):
        table = [_scaled(list(column)) for column in zip(*table, strict=True)]
    return tuple([tuple(row) for row in table])


@lru_cache(maxsize=1024)
def _shares_by_ends(
    world: World, among: frozenset[int], balance: EndBalance, ends: EndPair
) -> Table:
    """Return `contradiction_shares` among the answers of chains with these end facts."""
    first, last = ends
    return _rescaled(contradiction_shares(world, among), balance.shares[first][last])


def _rescaled(table: Table, frequency: list[float]) -> Table:
    """Return the table with only these predicates, each asked for as often as it holds."""
    joint = [
        [float(bool(cell)) * held * asked for cell, asked in zip(row, frequency, strict=True)]
        for row, held in zip(table, frequency, strict=True)
    ]
    for _ in range(_MAX_SCALINGS // 10):
        joint = [
            [share * total for share in _scaled(list(column))]
            for column, total in zip(zip(*joint, strict=True), frequency, strict=True)
        ]
    return tuple([tuple(_scaled(row)) for row in joint])


def _scaled(row: list[float]) -> list[float]:
    total = sum(row)
    return [share / total for share in row] if total else row

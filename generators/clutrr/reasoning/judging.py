"""Judge the claims of a chain of thought by the facts of its story."""

from collections.abc import Callable, Sequence

from ....example import Example, members_of
from ....kb.worlds.fact import Fact
from ....kb.worlds.verdict import Status
from ....kb.worlds.world import World
from ....scoring.answers import Score
from ....scoring.steps import OPEN_ANSWERS, JudgedSteps, StepClaim
from ..metadata import stated_facts, world_of
from .reader import Claim, StepReader


class StoryJudge:
    """Judges claims about one story; verdicts are kept."""

    def __init__(self, row: Example) -> None:
        self.world: World = world_of(row)
        self.facts: list[Fact] = [(x, word, y) for x, word, y in stated_facts(row.metadata)]
        self.genders: dict[str, str] = dict(row.metadata["genders"])
        self.names = list(dict.fromkeys(name for x, _, y in self.facts for name in (x, y)))
        self._verdicts: dict[Fact, tuple[Status, tuple[int, ...]]] = {}
        self._stated = {self.canonical(fact): n for n, fact in enumerate(self.facts)}

    def status(self, facts: Sequence[Fact], claim: Fact) -> Status:
        """Return the verdict of the world's judge on a claim, given some facts."""
        x, word, y = claim
        return self.world.judge(facts, self.genders, (x, y), word).status

    def verdict(self, claim: Fact) -> tuple[Status, tuple[int, ...]]:
        """Return the verdict on a claim, and if it is entailed, facts that entail it."""
        if claim not in self._verdicts:
            self._verdicts[claim] = self._judge(claim)
        return self._verdicts[claim]

    def _judge(self, claim: Fact) -> tuple[Status, tuple[int, ...]]:
        # What a part of the facts entails or contradicts, all of them do. The facts between the
        # two people are judged first, because that is much faster.
        path = shortest_path(self.facts, claim[0], claim[2])
        every = [*range(len(self.facts))]
        for numbers in (path, every) if path else (every,):
            status = self.status([self.facts[n] for n in numbers], claim)
            if status in (Status.ENTAILED, Status.CONTRADICTED):
                break
        if status is not Status.ENTAILED:
            return status, ()
        # Without any fact of a path, nothing connects the two people, and nothing is entailed.
        if numbers is path:
            return status, tuple(path)
        return status, tuple(self.minimal(numbers, lambda kept: self._entail(kept, claim)))

    def _entail(self, numbers: Sequence[int], claim: Fact) -> bool:
        return self.status([self.facts[n] for n in numbers], claim) is Status.ENTAILED

    @staticmethod
    def minimal(numbers: Sequence[int], suffices: Callable[[Sequence[int]], bool]) -> list[int]:
        """Leave out every number without which the others suffice; first several at once."""
        kept = [*numbers]
        for size in (8, 4, 2, 1):
            end = len(kept)
            while end > 0:
                start = max(0, end - size)
                fewer = kept[:start] + kept[end:]
                if fewer and suffices(fewer):
                    kept = fewer
                end = start
        return kept

    def stated(self, claim: Fact) -> int | None:
        """Return the number of the fact that says the same as a claim, in either direction."""
        return self._stated.get(self.canonical(claim))

    def states(self, claim: Fact) -> bool:
        """Return whether a fact says the same as a claim, and its word fits the gender."""
        _, word, y = claim
        gender = self.world.meanings[word][1]
        fits = self.genders.get(y, gender) in (gender, "unstated")
        return fits and self.stated(claim) is not None

    def canonical(self, fact: Fact) -> Fact:
        """Return the predicate of a fact between its two people in a fixed order."""
        x, word, y = fact
        predicate = self.world.meanings[word][0]
        inverse = self.world.inverse(predicate)
        if x > y and inverse:
            return y, inverse, x
        return x, predicate, y

    def claim(self, said: Claim) -> StepClaim:
        """Judge a claim."""
        fact = said.x, said.relation, said.y
        if not {said.x, said.y} <= {*self.names}:
            return StepClaim(*said[:5], "unknown", cause="wrong person")
        status, facts = self.verdict(fact)
        if status is Status.ENTAILED:
            number = self.stated(fact)
            if number is not None:
                return StepClaim(*said[:5], "stated", (number,))
            return StepClaim(*said[:5], "entailed", facts)
        verdict = "undetermined" if status is Status.UNDETERMINED else "contradicted"
        return StepClaim(*said[:5], verdict, cause=self._cause(fact))

    def _cause(self, claim: Fact) -> str:
        x, word, y = claim
        if self.verdict((y, word, x))[0] is Status.ENTAILED:
            return "direction turned round"
        if any({a, b} == {x, y} for a, _, b in self.facts):
            return "misread a fact"
        others = {*self.names} - {x, y}
        moved = [fact for z in others for fact in ((x, word, z), (z, word, y))]
        if any(self.stated(fact) is not None for fact in moved):
            return "wrong person"
        return "wrong rule"


def shortest_path(facts: Sequence[Fact], x: str, y: str) -> list[int]:
    """Return the numbers of the facts on a shortest path between two people, if any."""
    edges: dict[str, list[tuple[int, str]]] = {}
    for number, (a, _, b) in enumerate(facts):
        edges.setdefault(a, []).append((number, b))
        edges.setdefault(b, []).append((number, a))
    led: dict[str, tuple[int, str]] = {x: (-1, "")}
    reached = [x]
    for person in reached:  # grows during the loop
        for number, other in edges.get(person, ()):
            if other not in led:
                led[other] = number, person
                reached.append(other)
    path: list[int] = []
    while y in led and y != x:
        number, y = led[y]
        path.append(number)
    return sorted(path)


class Derivation:
    """Finds the claims of a text from which others of its claims, and its answer, follow."""

    def __init__(self, judge: StoryJudge, claims: Sequence[StepClaim]) -> None:
        self.judge, self.claims = judge, claims
        self.used: set[int] = set()
        """Places of the claims that are found."""

    def add(self, goal: Fact, wanted: Status, excluded: frozenset[frozenset[str]]) -> bool:
        """Add claims that give the goal this status, and claims from which those follow.

        Claims of `excluded` pairs are not used, and of the pair of the goal only stated ones.
        """
        excluded |= {frozenset(goal[::2])}
        places = [
            place
            for place, claim in enumerate(self.claims)
            if claim.holds
            and (claim.verdict == "stated" or frozenset((claim.x, claim.y)) not in excluded)
        ]
        facts = [self._fact(place) for place in places]
        path = [places[number] for number in shortest_path(facts, goal[0], goal[2])]

        def suffices(chosen: Sequence[int]) -> bool:
            return self.judge.status([*map(self._fact, chosen)], goal) is wanted

        chosen = next((some for some in (path, places) if some and suffices(some)), None)
        if chosen is None:
            return False
        for place in chosen if chosen is path else self.judge.minimal(chosen, suffices):
            if place not in self.used:
                self.used.add(place)
                if self.claims[place].verdict == "entailed":
                    self.add(self._fact(place), Status.ENTAILED, excluded)
        return True

    def _fact(self, place: int) -> Fact:
        claim = self.claims[place]
        return claim.x, claim.relation, claim.y


def judge_steps(row: Example, text: str, score: Score) -> JudgedSteps:
    """Judge the claims of a text about a row, whose final answer has this score."""
    judge = StoryJudge(row)
    reader = StepReader(judge.world, judge.names, judge.genders, judge.states)
    judged = [(said, judge.claim(said)) for said in reader.claims(text)]
    # Those who doubt a wrong claim aloud mostly take it back.
    claims = tuple(claim for said, claim in judged if claim.holds or not said.is_doubted)
    goals = _goals(row, score.answer, judge)
    derivation = Derivation(judge, claims)
    if goals:
        found = [derivation.add(goal, status, frozenset()) for goal, status in goals]
        follows = all(found)
    else:  # open: judged by all facts of the story, not by claims
        follows = bool(score.value) and any(claim.holds for claim in claims)
    wanted = {judge.canonical(goal) for goal, _ in goals}
    says = [judge.canonical((claim.x, claim.relation, claim.y)) in wanted for claim in claims]
    concluded = says.index(True) if True in says else None
    used = derivation.used | ({concluded} if concluded is not None else set())
    led = tuple(sorted(used)) if follows else ()
    least = 1 if row.metadata["task"] == "memory" else row.metadata["k"]
    return JudgedSteps(score, claims, follows, concluded, led, least)


def _goals(row: Example, answer: str | None, judge: StoryJudge) -> list[tuple[Fact, Status]]:
    """Return the claims that an answer makes, with their verdicts; none if it leaves them open."""
    x, y = row.metadata["query"]
    asked = row.metadata["asked"]
    if answer is None or answer in OPEN_ANSWERS:
        return []
    if asked and answer in ("yes", "no"):
        return [((x, asked, y), Status.ENTAILED if answer == "yes" else Status.CONTRADICTED)]
    if asked:
        members = [name for name in members_of(answer) if name in judge.names and name != x]
        return [((x, asked, name), Status.ENTAILED) for name in members]
    return [((x, answer, y), Status.ENTAILED)] if answer in judge.world.meanings else []

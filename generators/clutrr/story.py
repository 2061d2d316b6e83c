"""A story on its way to a row: the plan, then the plan in words.

People and facts keep one numbering from the plan to the row. People are numbered along the chain of
the first query, then come those of side facts, then those of noise; so are facts.
"""

from typing import NamedTuple

from ...kb.worlds.scene import swapped_genders
from .options import NoiseKind

IndexedFact = tuple[int, int, int]
"""A fact by numbers, (x, predicate, y): y is that to x."""
FactPath = tuple[list[int], list[int]]
"""People from one end to the other, and the numbers of the facts between them."""
Step = tuple[int, int, int, int, int]
"""Two premises and their conclusion (x, predicate, y). A premise is the number of a fact, or ~n for
the conclusion of step n."""


class QueryPlan:
    """A pair (x, y) to ask about, the predicate between them (-1: undetermined), and its proof.

    `facts` are the numbers of the facts of the chain, and `clause` the predicates along it.
    """

    def __init__(self, x: int, y: int, predicate: int, facts: list[int], clause: list[str]) -> None:
        self.x, self.y, self.predicate, self.facts, self.clause = x, y, predicate, facts, clause
        self.steps: list[Step] = []
        self.depth, self.proofs = 0, 1
        """The depth of this proof, and the number of all proofs."""
        self.is_memory = False
        """True if the pair is that of a stated fact of the chain."""


class StoryPlan:
    """The genders of the people, the facts, the noise paths, and the queries.

    The first `core_size` facts are those of the chain and the side facts.
    """

    def __init__(
        self, gender: list[int], facts: list[IndexedFact], core_size: int, queries: list[QueryPlan]
    ) -> None:
        self.gender, self.facts, self.core_size, self.queries = gender, facts, core_size, queries
        self.k = len(queries[0].facts)
        self.noise: list[tuple[NoiseKind, FactPath]] = []
        self.filler_start: int | None = None
        """Number of the first fact of the filler, which has no consequences for other people."""

    def copy(self, *, mirrored: bool = False) -> "StoryPlan":
        """Return a plan that can be changed; `mirrored`: with all genders swapped."""
        gender = swapped_genders(self.gender) if mirrored else self.gender.copy()
        copy = StoryPlan(gender, self.facts.copy(), self.core_size, self.queries)
        copy.noise = self.noise.copy()
        copy.filler_start = self.filler_start
        return copy

    def without_noise(self) -> "StoryPlan":
        """Return the plan of the chain and the side facts alone."""
        size = self.core_size
        return StoryPlan(self.gender[: size + 1], self.facts[:size], size, self.queries)

    def path_along(self, numbers: list[int]) -> FactPath:
        """Return the path along some facts, in their order."""
        (x, _, y), *rest = [self.facts[n] for n in numbers]
        people = [y, x] if rest and x in (rest[0][0], rest[0][2]) else [x, y]
        for a, _, b in rest:
            people.append(b if a == people[-1] else a)
        return people, numbers


class Segment(NamedTuple):
    """A text of one or more sentences, the numbers of the facts that it states, its template."""

    text: str
    facts: list[int]
    template: str


class Story:
    """A story plan in words.

    `stated` has the facts as the text states them, `genders` [name, gender] of everyone where the
    world has genders, and `opening` the sentences before the story proper.
    """

    def __init__(self, plan: StoryPlan, names: list[str]) -> None:
        self.plan, self.names = plan, names
        self.stated: list[list[str]] = []
        self.genders: list[list[str]] = []
        self.opening: list[str] = []
        self.segments: list[Segment] = []
        self.scenes: list[str] = []
        """The scene of each paragraph; none if the sentences have no scenes."""

    def starts(self) -> list[int]:
        """Return the offsets in the text of each segment, and of the question after them."""
        start = len(self.opening)
        for text in self.opening:
            start += len(text)
        starts = [start]
        for segment in self.segments:
            start += len(segment.text) + 1
            starts.append(start)
        return starts

    def copy(self) -> "Story":
        """Return a story of which single attributes can be replaced."""
        copy = Story(self.plan, self.names)
        copy.stated, copy.genders = self.stated, self.genders
        copy.opening, copy.segments, copy.scenes = self.opening, self.segments, self.scenes
        return copy

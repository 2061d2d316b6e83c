"""A row as the judge sees it, with the options it must conform to."""

from itertools import chain, pairwise

from ....example import Example
from ....kb.worlds.fact import Fact
from ....kb.worlds.verdict import Verdict
from ....kb.worlds.world import World
from ..metadata import canonical_target
from ..options import StoryOptions


class StoryCase:
    """A row taken apart, and the options of its generator."""

    def __init__(self, example: Example, options: StoryOptions) -> None:
        metadata = example.metadata
        self.first_language, options = options.language, options.in_language_of(metadata)
        """The language of the first row of a group; the options are in that of this row."""
        self.example, self.options, self.metadata = example, options, metadata
        self.world: World = options.story_world
        self.stories = self.world.story_spec
        self.chain = [_fact(fact) for fact in metadata["facts"]]
        noise = list(zip(metadata["noise"], metadata["noise_facts"], strict=False))
        self.path_kinds: list[str] = [kind for kind, paths in noise for _ in paths]
        self.paths = [[_fact(fact) for fact in path] for _, paths in noise for path in paths]
        self.side_facts = [_fact(fact) for fact in metadata["side_facts"]]
        self.facts = [*self.chain, *self.side_facts, *chain(*self.paths)]
        self.people = people_along(self.chain)
        self.core = {name for x, _, y in (*self.chain, *self.side_facts) for name in (x, y)}
        self.genders: dict[str, str] = dict(metadata["genders"])
        self.query: tuple[str, str] = (metadata["query"][0], metadata["query"][1])
        self.target = canonical_target(example)
        self.relation: str = metadata["relation"] or self.target
        # A who question is also open where nobody is certainly so related.
        self.is_open = self.target in ("unknown", "none") and not options.verifies
        siblings = options.siblings
        is_clean = siblings and metadata["perturbation"] != "noise" and "noise" in siblings
        self.noise_kinds = () if is_clean else options.kinds
        self.is_memory = metadata["task"] == "memory"
        self.neighbors: dict[str, set[str]] = {}
        """People connected by a fact."""
        for x, _, y in self.facts:
            self.neighbors.setdefault(x, set()).add(y)
            self.neighbors.setdefault(y, set()).add(x)
        self.segments: list[tuple[str, list[Fact]]] = []
        """The segments of the story, and the facts that they state."""
        starts: list[int] = metadata["starts"]
        for (start, after), numbers in zip(pairwise(starts), metadata["states"], strict=False):
            stated = [self.facts[number] for number in numbers]
            self.segments.append((example.input[start : after - 1], stated))

    def judge(self, query: tuple[str, str], claimed: str | None) -> Verdict:
        """Return the verdict of the world's judge on all facts."""
        return self.world.judge(self.facts, self.genders, query, claimed)

    def distances(self, start: str) -> dict[str, int]:
        """Return the number of facts on the shortest path to everyone connected to a person."""
        distances, queue = {start: 0}, [start]
        for person in queue:  # it grows meanwhile
            for neighbor in self.neighbors.get(person, ()):
                if neighbor not in distances:
                    distances[neighbor] = distances[person] + 1
                    queue.append(neighbor)
        return distances


def people_along(path: list[Fact]) -> list[str]:
    """Return the people along the path; shorter if the facts do not form one."""
    people = [name for name in path[0][::2] if len(path) == 1 or name not in path[1]] or [""]
    people = people[:1]
    for x, _, y in path:
        if people[-1] not in (x, y):
            break
        people.append(y if people[-1] == x else x)
    return people


def _fact(fact: list[str]) -> Fact:
    x, word, y = fact
    return x, word, y

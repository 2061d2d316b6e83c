"""Long stories: noise of all kinds about other families, as much as there is room for."""

from collections.abc import Callable
from typing import Final

from ....errors import Infeasible
from ....kb.worlds.stories import Pool
from ....seed import Stream
from ....templates.stitcher import Line
from ..planning.chain import Chainer, Tally
from ..planning.matching import Link
from ..planning.noise import disconnected, irrelevant, supporting
from ..values import Kind

_SCENES: Final = 4
_DRAWS: Final = 1000


class Strangers:
    """Paths through families of whom nothing else is told, one after the other, without end.

    In each there is a path by itself, then one of each kind asked for that touches it as noise
    touches the chain of the story, so that no family stands out. A family that is used up comes
    again later with other names, and is another family then.
    """

    def __init__(
        self,
        chainer: Callable[[int], Chainer],
        kinds: tuple[Kind, ...],
        lengths: list[int],
        interior: bool,
        stream: Stream,
    ) -> None:
        self.chainer, self.lengths, self.interior, self.stream = chainer, lengths, interior, stream
        self.touching: list[Kind] = [kind for kind in kinds if kind != "disconnected"]
        self.number, self.taken = 0, 0
        self.path: list[int] = []
        self.left: list[Kind] = []
        self.known: dict[int, int] = {}

    def leave(self) -> None:
        """Go on with people who are new to the story."""
        self.left = []

    def draw(self, person: int) -> tuple[Kind, list[int], list[Link]]:
        """The kind of a path, the genders of those who are new in it, and its facts.

        People have numbers, the new ones from the one given on.
        """
        kind, people = self._touching()
        if not people:
            kind, people = "disconnected", self._alone()
        scene = self.chainer(self.number % _SCENES).scene
        gender: list[int] = []
        for who in people:
            if who not in self.known:
                self.known[who] = person + len(gender)
                gender.append(scene.gender[who])
                self.taken |= 1 << who
        facts: list[Link] = []
        for n in range(1, len(people)):
            x, y = people[n - 1], people[n]
            facts.append((self.known[x], scene.between[x][y], self.known[y]))
        return kind, gender, facts

    def _alone(self) -> list[int]:
        """A path of its own."""
        while True:
            scene = self.chainer(self.number % _SCENES).scene
            people = disconnected(scene, self.taken, self.lengths, self.stream)
            if people is not None:
                break
            self.number, self.taken = self.number + 1, 0
        self.path, self.left, self.known = people, self.touching.copy(), {}
        return people

    def _touching(self) -> tuple[Kind, list[int]]:
        """A path that touches the last one of its own, and its kind; nobody where none is left."""
        chainer, path, stream = self.chainer(self.number % _SCENES), self.path, self.stream
        while self.left:
            kind = self.left.pop(0)
            if kind == "supporting":
                tally = Tally(chainer.rules)
                people = supporting(chainer, path, -1, self.taken, self.lengths, stream, tally)
            else:
                starts = path[1:-1] if self.interior else [path[0], path[-1]]
                stream.shuffle(starts)
                people = irrelevant(chainer.scene, starts, self.taken, self.lengths, stream)
            if people is not None:
                return kind, people
        return "disconnected", []


class Names:
    """Names for any number of people: first names, each with a family name where there are some.

    Family names are drawn for each by himself: they say nothing of who is related.
    """

    def __init__(self, pool: Pool, family: tuple[str, ...], stream: Stream) -> None:
        self.pool, self.family, self.stream = pool, family, stream

    def completed(self, names: list[str]) -> list[str]:
        """The same people with their family names, if they have some."""
        if not self.family:
            return names
        return [f"{name} {self.stream.choice(self.family)}" for name in names]

    def draw(self, gender: list[int], taken: set[str]) -> list[str]:
        """A name for each of these, none of them taken so far; now they are."""
        names: list[str] = []
        for its in gender:
            for _ in range(_DRAWS):
                name = self.stream.choice(self.pool[its])
                if self.family:
                    name = f"{name} {self.stream.choice(self.family)}"
                if name not in taken:
                    break
            else:
                raise Infeasible("names: too few for so many people; give more names")
            taken.add(name)
            names.append(name)
        return names


def words_of(lines: list[Line]) -> int:
    """How many words they have."""
    words = 0
    for line in lines:
        words += line.text.count(" ") + 1
    return words


def spread(lines: list[Line], noise: list[Line], depth: float, stream: Stream) -> list[Line]:
    """What is needed among noise: each line anywhere, or all together where the depth says.

    Below 0, a depth says nothing.
    """
    if depth >= 0:
        place = round(depth * len(noise))
        return [*noise[:place], *lines, *noise[place:]]
    places = sorted([stream.below(len(noise) + 1) for _ in lines])
    everything: list[Line] = []
    start = 0
    for line, place in zip(lines, places, strict=True):
        everything += noise[start:place]
        everything.append(line)
        start = place
    return everything + noise[start:]

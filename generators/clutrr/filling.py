"""Long stories: noise about other families, as much as there is room for."""

from collections.abc import Callable
from typing import Final

from ...errors import Infeasible
from ...kb.scene import Scene
from ...kb.stories import Pool
from ...seed import Stream
from ...templates.stitcher import Line
from .noise import disconnected

_SCENES: Final = 4
_DRAWS: Final = 1000


class Strangers:
    """Paths through families of whom nothing else is told, one after the other, without end.

    A family that is used up comes again later with other names, and is another family then.
    """

    def __init__(self, scene: Callable[[int], Scene], lengths: list[int], stream: Stream) -> None:
        self.scene, self.lengths, self.stream = scene, lengths, stream
        self.number, self.taken = 0, 0

    def path(self) -> tuple[list[bool], list[int]]:
        """Who is male along a path, and the predicates between them."""
        while True:
            scene = self.scene(self.number % _SCENES)
            people = disconnected(scene, self.taken, self.lengths, self.stream)
            if people is not None:
                break
            self.number, self.taken = self.number + 1, 0
        predicates: list[int] = []
        for n in range(1, len(people)):
            predicates.append(scene.between[people[n - 1]][people[n]])
        for person in people:
            self.taken |= 1 << person
        return [scene.male[person] for person in people], predicates


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

    def draw(self, male: list[bool], taken: set[str]) -> list[str]:
        """A name for each of these, none of them taken so far; now they are."""
        names: list[str] = []
        for is_male in male:
            for _ in range(_DRAWS):
                name = self.stream.choice(self.pool[is_male])
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

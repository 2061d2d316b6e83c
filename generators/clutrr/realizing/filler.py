"""Filler for long stories: noise about other families, as much as there is room for."""

from collections.abc import Callable
from typing import Final

from ....errors import Infeasible
from ....kb.worlds.stories import NamePool
from ....seed import Stream
from ..options import NoiseKind, StoryOptions
from ..planning.chain import Chainer, ChainSampling, PredicateCounts
from ..planning.noise import sample_disconnected, sample_irrelevant, sample_supporting
from ..story import IndexedFact, Segment

_SCENES: Final = 4
_MAX_NAME_DRAWS: Final = 1000


class NoiseFiller:
    """An endless supply of paths through families that the story does not mention otherwise.

    In each family there is a disconnected path, then one of each other kind that attaches to it as
    noise attaches to the chain of the story, so that no family stands out. A family that is used up
    comes again later with other names, and is another family then.
    """

    def __init__(
        self, options: StoryOptions, chainer: Callable[[int], Chainer], stream: Stream
    ) -> None:
        self.chainer, self.stream = chainer, stream
        self.lengths, self.interior = list(options.noise_length), options.noise_at == "interior"
        self.attached_kinds: list[NoiseKind] = [k for k in options.kinds if k != "disconnected"]
        self.scene_number, self.used = 0, 0
        self.path: list[int] = []
        self.kinds_left: list[NoiseKind] = []
        self.number_of: dict[int, int] = {}
        """The numbers in the story of people of the scene."""

    def restart(self) -> None:
        """Go on with people who are new to the story."""
        self.kinds_left = []

    def sample(self, person: int) -> tuple[NoiseKind, list[int], list[IndexedFact]]:
        """Return the kind of a path, the genders of the new people in it, and its facts.

        New people are numbered from `person` on.
        """
        kind, people = self._attached_path()
        if not people:
            kind, people = "disconnected", self._disconnected_path()
        scene = self.chainer(self.scene_number % _SCENES).scene
        gender: list[int] = []
        for who in people:
            if who not in self.number_of:
                self.number_of[who] = person + len(gender)
                gender.append(scene.gender[who])
                self.used |= 1 << who
        facts: list[IndexedFact] = []
        for n in range(1, len(people)):
            x, y = people[n - 1], people[n]
            facts.append((self.number_of[x], scene.between[x][y], self.number_of[y]))
        return kind, gender, facts

    def _disconnected_path(self) -> list[int]:
        while True:
            scene = self.chainer(self.scene_number % _SCENES).scene
            people = sample_disconnected(scene, self.used, self.lengths, self.stream)
            if people is not None:
                break
            self.scene_number, self.used = self.scene_number + 1, 0
        self.path, self.kinds_left, self.number_of = people, self.attached_kinds.copy(), {}
        return people

    def _attached_path(self) -> tuple[NoiseKind, list[int]]:
        """Return a path attached to the last disconnected one; empty where none is left."""
        chainer, path, stream = self.chainer(self.scene_number % _SCENES), self.path, self.stream
        while self.kinds_left:
            kind = self.kinds_left.pop(0)
            if kind == "supporting":
                sampling = ChainSampling(stream, PredicateCounts(chainer.rules))
                people = sample_supporting(chainer, path, -1, self.used, self.lengths, sampling)
            else:
                starts = path[1:-1] if self.interior else [path[0], path[-1]]
                stream.shuffle(starts)
                people = sample_irrelevant(chainer.scene, starts, self.used, self.lengths, stream)
            if people is not None:
                return kind, people
        return "disconnected", []


class FullNames:
    """Names for any number of people: first names, each with a family name where there are some.

    Family names are drawn independently: they say nothing of who is related.
    """

    def __init__(self, pool: NamePool, family: tuple[str, ...], stream: Stream) -> None:
        self.pool, self.family, self.stream = pool, family, stream

    def completed(self, names: list[str]) -> list[str]:
        """Return the names with family names, where there are some."""
        if not self.family:
            return names
        return [f"{name} {self.stream.choice(self.family)}" for name in names]

    def draw(self, gender: list[int], used: set[str]) -> list[str]:
        """Draw an unused name for each gender, and add it to `used`."""
        names: list[str] = []
        for number in gender:
            for _ in range(_MAX_NAME_DRAWS):
                name = self.stream.choice(self.pool[number])
                if self.family:
                    name = f"{name} {self.stream.choice(self.family)}"
                if name not in used:
                    break
            else:
                raise Infeasible("names: too few for so many people; give more names")
            used.add(name)
            names.append(name)
        return names


def count_words(segments: list[Segment]) -> int:
    """Return the number of words of some segments."""
    words = 0
    for segment in segments:
        words += segment.text.count(" ") + 1
    return words


def spread(
    segments: list[Segment], noise: list[Segment], depth: float, stream: Stream
) -> list[Segment]:
    """Put segments among noise: all together at a relative depth, or anywhere if it is negative."""
    if depth >= 0:
        place = round(depth * len(noise))
        return [*noise[:place], *segments, *noise[place:]]
    places = sorted([stream.below(len(noise) + 1) for _ in segments])
    merged: list[Segment] = []
    start = 0
    for segment, place in zip(segments, places, strict=True):
        merged += noise[start:place]
        merged.append(segment)
        start = place
    return merged + noise[start:]

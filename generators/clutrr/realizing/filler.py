"""Filler for long stories: further families that join the story, as many as there is room for."""

from collections.abc import Callable
from typing import Final

from ....errors import Infeasible
from ....kb.worlds.scene import members
from ....kb.worlds.stories import NamePool
from ....seed import Stream
from ..options import NoiseKind, StoryOptions
from ..planning.chain import Chainer, ChainSampling, PredicateCounts, random_path
from ..planning.end_balance import ANY
from ..planning.noise import Bridges, sample_irrelevant, sample_supporting
from ..story import IndexedFact, Segment, StoryPlan

_SCENES: Final = 4
_MAX_NAME_DRAWS: Final = 1000


class NoiseFiller:
    """A supply of noise paths through families that join the story one after the other.

    Each family begins with an irrelevant path: a bridge leads from somebody of earlier noise into
    another scene, which has no consequences for the people before it. Then a path of each attached
    kind follows. People of the scene who are left are another family later.
    """

    def __init__(
        self, options: StoryOptions, chainer: Callable[[int], Chainer], stream: Stream
    ) -> None:
        self.chainer, self.stream, self.lengths = chainer, stream, list(options.noise_length)
        self.bridges = Bridges(options.story_world, chainer(0).rules)
        self.attached_kinds: list[NoiseKind] = [k for k in options.kinds if k != "disconnected"]
        self.ends: dict[int, tuple[int, int]] = {}
        """By scene, the people from whom a bridge may lead, and to whom."""
        self.scene_number, self.used = 0, 0
        self.path: list[int] = []
        """The people of the scene along the first path of the family."""
        self.kinds_left: list[NoiseKind] = []
        self.number_of: dict[int, int] = {}
        """The numbers in the story of the people of the family."""
        self.joints: list[int] = []
        """The people of the story from whom a bridge may lead to another family."""
        self.joint = -1
        """The one from whom the last path leads, or -1 if it stays in its family."""
        self.last: list[IndexedFact] = []
        self.facts: list[IndexedFact] = []
        """The last path, and the paths of its family that are in the story."""

    def start(self, plan: StoryPlan) -> None:
        """Start with the noise of a story, so that filler says nothing of its other people."""
        self.facts = []
        for kind, (_, numbers) in plan.noise:
            if kind != "disconnected":
                self.facts += [plan.facts[number] for number in numbers]
        self.joints, self.kinds_left, self.number_of = [], [], {}
        self._end_family(plan.core_size)

    def accept(self) -> None:
        """Note that the last path is in the story."""
        self.facts += self.last
        if self.joint >= 0:
            self.joints.remove(self.joint)

    def restart(self) -> None:
        """Go on with another family, the last path being left out."""
        self.kinds_left = []

    def sample(self, gender: list[int]) -> tuple[NoiseKind, list[int], list[IndexedFact]]:
        """Return the kind of a path, the genders of the new people in it, and its facts.

        `gender` has those of all people so far; new people are numbered from there on.
        """
        kind, people = self._attached_path()
        self.last, self.joint = [], -1
        if not people:
            kind = "irrelevant"
            people = self._first_path(gender)
        scene = self.chainer(self.scene_number % _SCENES).scene
        new_gender: list[int] = []
        for who in people:
            if who not in self.number_of:
                self.number_of[who] = len(gender) + len(new_gender)
                new_gender.append(scene.gender[who])
                self.used |= 1 << who
        if self.joint >= 0:
            bridge = self.bridges.predicates[self.stream.below(len(self.bridges.predicates))]
            self.last.append((self.joint, bridge, self.number_of[people[0]]))
        for n in range(1, len(people)):
            x, y = people[n - 1], people[n]
            self.last.append((self.number_of[x], scene.between[x][y], self.number_of[y]))
        return kind, new_gender, self.last

    def _end_family(self, last_core_person: int) -> None:
        """Add those of the family's people to the joints who were not in the story before."""
        for person in self.bridges.joints(self.facts):
            if person > last_core_person and person not in self.joints:
                self.joints.append(person)
        self.facts = []

    def _first_path(self, gender: list[int]) -> list[int]:
        """Return a path through a new family from somebody whom a bridge may reach."""
        self._end_family(min(self.number_of.values(), default=0) - 1)
        self.joint = self.joints[self.stream.below(len(self.joints))]
        for _ in range(1 + _SCENES):
            people = self._path_from_end(gender[self.joint])
            if people is not None:
                self.path, self.kinds_left, self.number_of = people, self.attached_kinds.copy(), {}
                return people
            self.scene_number, self.used = self.scene_number + 1, 0
        raise Infeasible(
            "words: no other family can join the story; ask for more people or fewer marriages"
        )

    def _path_from_end(self, gender: int) -> list[int] | None:
        """Return a path from y of a bridge; where joints are scarce, it leads to another joint."""
        number, stream = self.scene_number % _SCENES, self.stream
        scene = self.chainer(number).scene
        if number not in self.ends:
            self.ends[number] = self.bridges.ends(scene)
        last, reachable = self.ends[number]
        if len(self.joints) > 1:
            last = -1
        ends = members(reachable & ~self.used)
        stream.shuffle(ends)
        for end in ends:
            if self.bridges.is_gendered and scene.gender[end] == gender:
                continue
            inside = stream.choice(self.lengths) - 1
            fitting = [-1] * (inside - 1) + [last]
            used = self.used | 1 << end
            people = random_path(scene, end, used, [ANY] * inside, stream, fitting)
            if people is not None:
                return people
        return None

    def _attached_path(self) -> tuple[NoiseKind, list[int]]:
        """Return a path attached to the present family; empty where none is left."""
        chainer, stream = self.chainer(self.scene_number % _SCENES), self.stream
        while self.kinds_left:
            kind = self.kinds_left.pop(0)
            if kind == "supporting":
                sampling = ChainSampling(stream, PredicateCounts(chainer.rules))
                people = sample_supporting(
                    chainer, self.path, [], self.used, self.lengths, sampling
                )
            else:
                starts = list(self.number_of)
                stream.shuffle(starts)
                people = sample_irrelevant(chainer.scene, starts, self.used, self.lengths, stream)
            if people is not None:
                return kind, people
        return "irrelevant", []


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
                (name,) = self.completed([self.stream.choice(self.pool[number])])
                if name not in used:
                    break
            else:
                raise Infeasible("names: too few for the people of a story; give more names")
            used.add(name)
            names.append(name)
        return names


class Paragraph:
    """A part of a long story in one scene: its opening, and groups of segments."""

    def __init__(self, scene: str, opening: list[Segment]) -> None:
        self.scene, self.opening, self.words = scene, opening, count_words(opening)
        self.people: list[list[int]] = []
        self.groups: list[list[Segment]] = []

    def add(self, people: list[int], group: list[Segment]) -> int:
        """Add a group, and return the number of its words."""
        words = count_words(group)
        self.people.append(people)
        self.groups.append(group)
        self.words += words
        return words

    def segments(self, order: list[int]) -> list[Segment]:
        """Return the segments of the groups in this order, after the opening."""
        segments = self.opening.copy()
        for number in order:
            segments += self.groups[number]
        return segments


def count_words(segments: list[Segment]) -> int:
    """Return the number of words of some segments."""
    return sum([segment.text.count(" ") + 1 for segment in segments])

"""The stitcher: realizes facts along a path of people with frames that fit them."""

from collections.abc import Collection, Sequence
from typing import Final

from ..errors import InvalidOption, NotFound
from ..kb.worlds.scene import members
from ..seed import Stream
from .bank import MAX_FACTS, Bank
from .frame import Frame, ScenePart
from .realization import Genders, Realization

_MAX_REDRAWS: Final = 4
"""Further draws if the story already has a frame."""
_MAX_GENDER_BOOST: Final = 4
"""Upper bound of the weight of frames that fit few genders."""
_LENGTH_BOOST: Final = 4
"""Weight of frames that state one specific sequence of facts."""
_ASIDE_PROBABILITY: Final = 0.12
"""Probability of an aside after each segment."""
_SCENE_SHARE: Final = 0.92
"""Share of segments for which a frame of the scene is drawn first, not one of the background."""
_MAX_CACHED_PATHS: Final = 20_000
"""Worlds with many predicates have more paths than fit into memory."""
_MAX_LISTED_FACTS: Final = 15
"""For paths of fewer facts, all ways to split them are listed."""


class Line:
    """A text segment, the numbers of the first and last fact it states, and its template.

    If it states none, `last` is smaller than `first`.
    """

    __slots__ = ("first", "last", "template", "text")

    def __init__(self, text: str, first: int, last: int, template: str) -> None:
        self.text, self.first, self.last, self.template = text, first, last, template


class _DirectedFrame:
    """A frame for people of given genders, read forwards or backwards.

    It is realized when first drawn: most are never drawn.
    """

    __slots__ = ("_first", "_others", "_revealed", "backwards", "frame", "genders", "id")

    def __init__(self, frame: Frame, backwards: bool, genders: Genders) -> None:
        self.frame, self.id, self.backwards, self.genders = frame, frame.id, backwards, genders
        self._first: Realization | None = None
        self._others: list[Realization] | None = None
        self._revealed = 0

    def draw(self, stream: Stream) -> Realization:
        """Draw a realization, with any combination of optional parts."""
        first = self._first or self._realize()
        others = self._others
        if others is None:
            return first
        number = int(stream.random() * (1 + len(others)))
        return others[number - 1] if number else first

    def revealed(self) -> int:
        """Return the bitmask of positions along the path whose gender the text reveals."""
        if self._first is None:
            self._realize()
        return self._revealed

    def _realize(self) -> Realization:
        realizations = self.frame.realizations(self.genders)
        assert realizations, "only fitting frames are realized"
        self._first, self._others = realizations[0], realizations[1:] or None
        for n in realizations[0].revealed[self.backwards]:
            self._revealed |= 1 << n
        return realizations[0]


class StoryWords:
    """What the words of a story depend on: its scene, the frames it has, and hidden genders.

    `hidden` has people whose gender is to be revealed; those whose gender a line reveals are
    removed. Frames in `used` are avoided.
    """

    __slots__ = ("hidden", "scene", "used")

    def __init__(self, hidden: set[str], used: set[str], scene: str = "") -> None:
        self.hidden, self.used, self.scene = hidden, used, scene


class _FrameChoices:
    """The frames for one part of a path, each repeated by its weight, and the relation nouns.

    `background` has the frames that fit every scene, `in_scene` those of each scene that was
    asked for, made from `key`. `nouns` has those for frames read forwards and for frames read
    backwards; `length` is the number of facts.
    """

    __slots__ = ("_best", "background", "in_scene", "key", "length", "nouns")

    def __init__(self, key: "_FrameKey", background: list[_DirectedFrame], length: int) -> None:
        self.key, self.background, self.length = key, background, length
        self.in_scene: dict[str, list[_DirectedFrame]] = {}
        self.nouns: tuple[list[str], list[str]] = [], []
        self._best: dict[tuple[str, int], list[_DirectedFrame]] = {}

    def most_revealing(self, scene: str, wanted: int) -> list[_DirectedFrame]:
        """Return the frames of a scene and the background that reveal most of the wanted."""
        best = self._best.get((scene, wanted))
        if best is None:
            frames = self.in_scene.get(scene, []) + self.background
            counts = [(frame.revealed() & wanted).bit_count() for frame in frames]
            most = max(counts)
            best = [frames[n] for n, count in enumerate(counts) if count == most]
            self._best[scene, wanted] = best
        return best


def _hidden_mask(people: list[str], hidden: set[str]) -> int:
    return sum([1 << n for n, person in enumerate(people) if person in hidden])


def _reveal(people: list[str], mask: int, hidden: set[str]) -> None:
    """Remove the people of a bitmask from `hidden`."""
    for n in range(len(people)):
        if mask >> n & 1:
            hidden.discard(people[n])


_FrameKey = tuple[int, int, tuple[bool, ...], Genders, int]
"""What the frames for a path depend on: the groups that state its predicates forwards and backwards
(bitmasks), where genders must differ, the genders, and where a relation would be said twice."""
GenderedPath = tuple[str | None, ...]
"""The gender of the first person, then for each next one the predicate and the gender."""


class Stitcher:
    """Realizes stories with the frames of a bank.

    `hold_out` excludes frames by id, `only` excludes all others.
    """

    def __init__(
        self, bank: Bank, *, hold_out: Collection[str] = (), only: Collection[str] | None = None
    ) -> None:
        for template in (*hold_out, *(only or ())):
            if template not in bank.by_id:
                raise NotFound(f"the bank of {bank.world.name!r} has no frame {template!r}")
        self.bank = bank
        groups: dict[tuple[tuple[frozenset[str], ...], str], list[Frame]] = {}
        self._asides: dict[tuple[str, str], list[Frame]] = {}
        """Frames that state no fact, by scene and part of the story."""
        for frame in bank.frames:
            if frame.id not in hold_out and (only is None or frame.id in only or frame.part):
                if frame.predicates:
                    groups.setdefault((frame.predicates, frame.scene), []).append(frame)
                else:
                    self._asides.setdefault((frame.scene, frame.part), []).append(frame)
        self.scenes = sorted({scene for _, scene in groups} - {""})
        """The scenes that have frames."""
        self._groups = [(predicates, frames) for (predicates, _), frames in groups.items()]
        self._scene_groups: dict[str, int] = {}
        """By scene, the bitmask of its groups."""
        for n, (_, scene) in enumerate(groups):
            self._scene_groups[scene] = self._scene_groups.get(scene, 0) | 1 << n
        # By number of facts, position and predicate: bitmask of the groups that can state it there.
        self._group_masks: list[list[dict[str, int]]] = [
            [{} for _ in range(size)] for size in range(MAX_FACTS + 1)
        ]
        for n, (predicates, _) in enumerate(self._groups):
            for place, names in enumerate(predicates):
                masks = self._group_masks[len(predicates)][place]
                for name in names:
                    masks[name] = masks.get(name, 0) | 1 << n
        self._word_lists = bank.language.word_lists
        world = bank.world
        self._opposite = frozenset(bank.header.opposite)
        self._inverse = {name: world.inverse(name) for name in world.predicates}
        self._genders: Genders = world.genders or (None,)
        forms = bank.language.noun_forms
        self._words = {
            (name, gender): forms(predicate.word(gender))
            for name, predicate in world.predicates.items()
            for gender in self._genders
        }
        # Tables on the object and not `cache`: these are looked up for every part of a story.
        self._nouns: dict[GenderedPath, tuple[list[str], list[str]]] = {}
        self._by_group: dict[
            tuple[int, bool, bool, tuple[bool, ...], Genders, int], list[_DirectedFrame]
        ] = {}
        self._directed: dict[tuple[str, bool, Genders], _DirectedFrame] = {}
        self._by_key: dict[_FrameKey, list[_DirectedFrame]] = {}
        self._by_opposite: dict[tuple[bool, ...], frozenset[Genders]] = {}
        self._by_path: dict[GenderedPath, _FrameChoices | None] = {}
        self._by_size: list[list[list[int]]] = [[] for _ in range(_MAX_LISTED_FACTS)]

    def realize_path(
        self, people: list[str], path: GenderedPath, stream: Stream, words: StoryWords | None = None
    ) -> list[Line]:
        """Return lines that state the facts of a path in order; the way to split it is drawn."""
        words = words or StoryWords(set(), set())
        lines: list[Line] = []
        start = 0
        for length in self.split(path, stream):
            end = start + length
            part = path[2 * start : 2 * end + 1]
            line = self.realize(people[start : end + 1], part, stream, words)
            line.first, line.last = start, end - 1
            lines.append(line)
            start = end
        return lines

    def split(self, path: GenderedPath, stream: Stream) -> list[int]:
        """Split a path into parts of one to three facts that have frames, at random."""
        return [choices.length for choices in self._split(path, stream)]

    def can_state(self, path: GenderedPath) -> bool:
        """Return whether a frame states a path as a whole."""
        return self._choices(path) is not None

    def realize(
        self, people: list[str], path: GenderedPath, stream: Stream, words: StoryWords
    ) -> Line:
        """Return a line that states all facts of a path for which there is a frame."""
        choices = self._choices(path)
        if choices is None:
            raise NotFound(f"no frame states {' '.join(map(str, path))} as a whole; split it")
        wanted = _hidden_mask(people, words.hidden) if words.hidden else 0
        frame = self._draw(choices, wanted, stream, words)
        words.used.add(frame.id)
        if wanted != 0:
            _reveal(people, frame.revealed(), words.hidden)
        realization = frame.draw(stream)
        first, step = (len(people) - 1, -1) if frame.backwards else (0, 1)
        nouns = choices.nouns[frame.backwards]
        text = realization.realize(people, first, step, nouns, self._word_lists, stream)
        return Line(text, 0, choices.length - 1, frame.id)

    def _draw(
        self, choices: _FrameChoices, wanted: int, stream: Stream, words: StoryWords
    ) -> _DirectedFrame:
        """Draw a frame that reveals the wanted genders (a bitmask), preferably an unused one."""
        pool, other = choices.background, self._in_scene(choices, words.scene)
        if other and (not pool or stream.random() < _SCENE_SHARE):
            pool, other = other, pool
        frame = pool[int(stream.random() * len(pool))]
        if frame.id not in words.used and wanted == 0:
            return frame
        for attempt in range(3):
            frames = pool if attempt == 0 else other
            if attempt == 2:
                frames = choices.most_revealing(words.scene, wanted) if wanted else []
            for _ in range(_MAX_REDRAWS if frames else 0):
                frame = frames[int(stream.random() * len(frames))]
                shows = attempt == 2 or wanted == 0 or frame.revealed() & wanted == wanted
                if shows and frame.id not in words.used:
                    return frame
        return frame

    def _in_scene(self, choices: _FrameChoices, scene: str) -> list[_DirectedFrame]:
        """Return the frames of a scene that state a path, each repeated by its weight."""
        frames = choices.in_scene.get(scene)
        if frames is None:
            frames = [] if scene == "" else self._directed_frames(choices.key, scene)
            choices.in_scene[scene] = frames
        return frames

    def realize_with_frame(
        self, template: str, people: list[str], path: GenderedPath, stream: Stream, hidden: set[str]
    ) -> Line | None:
        """Return a line that states a path with this frame; None if the frame does not fit.

        People whose gender it reveals are removed from `hidden`.
        """
        choices = self._choices(path)
        if choices is None:
            return None
        wanted = _hidden_mask(people, hidden)
        every = self._in_scene(choices, self.bank.by_id[template].scene) + choices.background
        fitting = [frame for frame in every if frame.id == template]
        if not fitting:
            return None
        best = max(fitting, key=lambda frame: (frame.revealed() & wanted).bit_count())
        _reveal(people, best.revealed(), hidden)
        realization = stream.choice(best.frame.realizations(best.genders))
        first, step = (choices.length, -1) if best.backwards else (0, 1)
        nouns = choices.nouns[best.backwards]
        text = realization.realize(people, first, step, nouns, self._word_lists, stream)
        return Line(text, 0, choices.length - 1, template)

    def other_frame(
        self, path: GenderedPath, scene: str, used: Collection[str], stream: Stream
    ) -> str | None:
        """Draw a frame that states a path as a whole and was not used; None if there is none."""
        left = [frame for frame in self.frame_choices(path, scene) if frame not in used]
        return left[int(stream.random() * len(left))] if left else None

    def aside(
        self, person: str, gender: str | None, stream: Stream, words: StoryWords
    ) -> Line | None:
        """Return an aside of the scene, perhaps about the person, now and then; else None."""
        asides = self._asides.get((words.scene, ""))
        if asides is None or stream.random() >= _ASIDE_PROBABILITY:
            return None
        aside = asides[int(stream.random() * len(asides))]
        genders: Genders = (gender,) if aside.path else ()
        if aside.id in words.used or not aside.realizations(genders):
            return None
        return self._line(aside, person, genders, stream, words)

    def scene_line(self, part: ScenePart, stream: Stream, words: StoryWords) -> Line:
        """Return an opening or closing of the scene."""
        frames = self._asides[words.scene, part]
        return self._line(frames[int(stream.random() * len(frames))], "", (), stream, words)

    def _line(
        self, aside: Frame, person: str, genders: Genders, stream: Stream, words: StoryWords
    ) -> Line:
        """Return a line that states no fact."""
        words.used.add(aside.id)
        realizations = aside.realizations(genders)
        realization = realizations[int(stream.random() * len(realizations))]
        text = realization.realize([person], 0, 1, [], self._word_lists, stream)
        return Line(text, 0, -1, aside.id)

    def matching_frames(
        self, predicates: Sequence[str], genders: Genders
    ) -> list[tuple[Frame, bool]]:
        """Return the frames that state a whole chain of facts, each with whether it is reversed."""
        return [
            (frame, backwards)
            for group, backwards, _ in _directed_groups(*self._matching_groups(tuple(predicates)))
            for frame in self._groups[group][1]
            if frame.fits(genders[::-1] if backwards else genders)
        ]

    def frame_choices(self, path: GenderedPath, scene: str = "") -> list[str]:
        """Return the frames of a scene and the background, each as often as it is drawn."""
        choices = self._choices(path)
        if choices is None:
            return []
        return [frame.id for frame in self._in_scene(choices, scene) + choices.background]

    def nouns(self, predicates: Sequence[str], genders: Genders) -> tuple[str, ...]:
        """Return the nouns of each fact: forwards and backwards, in each form."""
        nouns: list[str] = []
        for n, predicate in enumerate(predicates):
            nouns += self._fact_nouns(predicate, genders[n], genders[n + 1])[0]
        return tuple(nouns)

    def _fact_nouns(
        self, predicate: str, before: str | None, after: str | None
    ) -> tuple[list[str], list[str]]:
        """Return the nouns for one fact, in the order for frames read forwards and backwards."""
        key = (predicate, before, after)
        nouns = self._nouns.get(key)
        if nouns is None:
            inverse = self._inverse[predicate]
            there = self._words[predicate, after]
            back = self._words[inverse, before] if inverse else there
            nouns = [], []
            for n in range(len(there)):
                nouns[0].extend((there[n], back[n]))
                nouns[1].extend((back[n], there[n]))
            self._nouns[key] = nouns
        return nouns

    def _split(self, path: GenderedPath, stream: Stream) -> list[_FrameChoices]:
        """Split a path into parts of one to three facts that have frames, uniformly at random."""
        size = len(path) // 2
        if size >= _MAX_LISTED_FACTS:
            return self._split_by_counts(path, stream)
        ways = self._by_size[size]
        if not ways:
            ways = self._by_size[size] = _compositions(size)
        parts: list[_FrameChoices] = []
        start = 0
        for length in ways[int(stream.random() * len(ways))]:
            end = start + 2 * length
            key = path[start : end + 1]
            choices = self._by_path.get(key) or self._choices(key)
            if choices is None:
                # Some part has no frame: draw among the ways that have frames only.
                return self._split_by_counts(path, stream)
            parts.append(choices)
            start = end
        return parts

    def _split_by_counts(self, path: GenderedPath, stream: Stream) -> list[_FrameChoices]:
        """Split a path uniformly at random, by the number of ways to split each rest of it."""
        size = len(path) // 2
        ways = [0] * size + [1]
        options: list[list[_FrameChoices]] = [[] for _ in range(size)]
        for start in range(size - 1, -1, -1):
            for length in range(1, min(MAX_FACTS, size - start) + 1):
                choices = self._choices(path[2 * start : 2 * (start + length) + 1])
                if choices:
                    ways[start] += ways[start + length]
                    options[start].append(choices)
        if not ways[0]:
            shown = " ".join(map(str, path))
            raise NotFound(f"no frames for {shown}; hold out fewer frames, or write some")
        parts: list[_FrameChoices] = []
        start = 0
        while start < size:
            ticket = stream.below(ways[start])
            for part in options[start]:
                if ticket < ways[start + part.length]:
                    break
                ticket -= ways[start + part.length]
            parts.append(part)
            start += part.length
        return parts

    def _choices(self, path: GenderedPath) -> _FrameChoices | None:
        if path not in self._by_path:
            if len(self._by_path) >= _MAX_CACHED_PATHS:
                self._by_path.clear()
                self._by_key.clear()
            predicates = tuple(name for name in path[1::2] if name is not None)
            self._by_path[path] = self._make_choices(predicates, path[::2])
        return self._by_path[path]

    def _make_choices(self, predicates: tuple[str, ...], genders: Genders) -> _FrameChoices | None:
        for name in predicates:
            if name not in self._inverse:
                known = ", ".join(self._inverse)
                raise NotFound(f"no predicate {name!r} in this world; known: {known}")
        for gender in genders:
            if gender not in self._genders:
                raise NotFound(f"no gender {gender!r} in this world; known: {self._genders}")
        opposite = tuple([name in self._opposite for name in predicates])
        repeats = self._repeats(predicates, genders)
        key = (*self._matching_groups(predicates), opposite, genders, repeats)
        choices = _FrameChoices(key, self._directed_frames(key, ""), len(predicates))
        if not choices.background:
            return None
        for n in range(len(predicates)):
            choices.nouns[0].extend(self._fact_nouns(predicates[n], genders[n], genders[n + 1])[0])
        for n in range(len(predicates) - 1, -1, -1):
            choices.nouns[1].extend(self._fact_nouns(predicates[n], genders[n], genders[n + 1])[1])
        return choices

    def _repeats(self, predicates: tuple[str, ...], genders: Genders) -> int:
        """Return the bitmask of places whose two neighbours have the same relation word."""
        places = 0
        for n in range(1, len(predicates)) if genders[0] else ():
            same = self._inverse[predicates[n - 1]] == predicates[n]
            if same and genders[n - 1] == genders[n + 1]:
                places |= 1 << n
        return places

    def _directed_frames(self, key: _FrameKey, scene: str) -> list[_DirectedFrame]:
        """Return the weighted frames of a scene that state some predicates.

        In worlds with many predicates most clauses have the same frames, which are collected once.
        """
        there, back, opposite, genders, repeats = key
        groups = self._scene_groups.get(scene, 0)
        there, back = there & groups, back & groups
        key = (there, back, opposite, genders, repeats)
        frames = self._by_key.get(key)
        if frames is None:
            frames = self._by_key[key] = []
            for group, backwards, one_way in _directed_groups(there, back):
                frames += self._group_frames(group, (backwards, one_way), key)
        return frames

    def _matching_groups(self, predicates: tuple[str, ...]) -> tuple[int, int]:
        """Return bitmasks of the groups that state these predicates forwards and backwards."""
        there = back = -1 if predicates else 0
        last = len(predicates) - 1
        masks = self._group_masks[last + 1]
        for n, name in enumerate(predicates):
            inverse = self._inverse[name]
            there &= masks[n].get(name, 0)
            back &= 0 if inverse is None else masks[last - n].get(inverse, 0)
        return there, back

    def _group_frames(
        self, group: int, direction: tuple[bool, bool], key: _FrameKey
    ) -> list[_DirectedFrame]:
        """Return the fitting frames of a group, read in one direction, repeated by weight.

        `direction`: whether they are read backwards, and whether only one direction fits. A frame
        that fits few genders or can be read one way only weighs more, so that over all genders each
        frame is drawn about equally often. A frame for one specific sequence of facts weighs more
        because it would otherwise rarely be drawn among those that fit any.
        """
        (backwards, one_way), (_, _, opposite, genders, repeats) = direction, key
        group_key = (group, backwards, one_way, opposite, genders, repeats)
        frames = self._by_group.get(group_key)
        if frames is None:
            frames = self._by_group[group_key] = []
            turned = genders[::-1] if backwards else genders
            possible = self._possible_genders(opposite[::-1] if backwards else opposite)
            predicates, group_frames = self._groups[group]
            is_specific = len(predicates) > 1 and max([len(names) for names in predicates]) == 1
            weight = (_LENGTH_BOOST if is_specific else 1) * (2 if one_way else 1)
            if backwards:
                repeats = sum([1 << len(opposite) - n for n in members(repeats)])
            for frame in group_frames:
                if frame.fits(turned) and not frame.repeated_relations & repeats:
                    fitting = len(frame.fitting_genders & possible)
                    boost = round(len(possible) / fitting) if fitting else 1
                    directed_key = frame.id, backwards, turned
                    directed = self._directed.get(directed_key)
                    if directed is None:
                        directed = _DirectedFrame(frame, backwards, turned)
                        self._directed[directed_key] = directed
                    frames += [directed] * (weight * min(_MAX_GENDER_BOOST, boost))
        return frames

    def _possible_genders(self, opposite: tuple[bool, ...]) -> frozenset[Genders]:
        """Return all genders along a path where the flagged neighbours have different ones."""
        cached = self._by_opposite.get(opposite)
        if cached is None:
            possible: list[Genders] = [(gender,) for gender in self._genders]
            for differ in opposite:
                possible = [
                    (*genders, gender)
                    for genders in possible
                    for gender in self._genders
                    if not differ or gender != genders[-1]
                ]
            cached = self._by_opposite[opposite] = frozenset(possible)
        return cached


def _directed_groups(there: int, back: int) -> list[tuple[int, bool, bool]]:
    """Return groups by number, whether read backwards, and whether one direction only fits."""
    groups: list[tuple[int, bool, bool]] = []
    for group in members(there | back):
        forwards, backwards = there >> group & 1 == 1, back >> group & 1 == 1
        if forwards:
            groups.append((group, False, not backwards))
        if backwards:
            groups.append((group, True, not forwards))
    return groups


def _compositions(size: int) -> list[list[int]]:
    """Return all ways to split a number of facts into parts of one to three."""
    if size == 0:
        return [[]]
    return [
        [first, *rest]
        for first in range(1, min(MAX_FACTS, size) + 1)
        for rest in _compositions(size - first)
    ]


def held_out(bank: Bank, share: float, *parts: str | int) -> frozenset[str]:
    """Draw a share of the frames to hold out, evenly from those that state the same facts.

    Each scene is drawn from separately; openings and closings are never held out. The draw is keyed
    by the parts, as streams are. Ids are drawn, so adding frames to one group does not change what
    is held out of another.
    """
    if not 0 <= share <= 1:
        raise InvalidOption(f"expected a share from 0 to 1, but got {share}")
    groups: dict[str, list[str]] = {}
    for frame in bank.frames:
        clause = ";".join(".".join(sorted(names)) for names in frame.predicates)
        clause += f" in {frame.scene}" if frame.scene else ""
        if not frame.part:
            groups.setdefault(clause, []).append(frame.id)
    out: set[str] = set()
    for clause, ids in groups.items():
        stream = Stream("held out", *parts, clause)
        exact = share * len(ids)
        count = int(exact) + (stream.random() < exact - int(exact))
        out.update(stream.sample(sorted(ids), count))
    return frozenset(out)

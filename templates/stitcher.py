"""The stitcher: realizes facts along a path of people with frames that fit them."""

from collections.abc import Collection, Sequence
from typing import Final

from ..errors import InvalidOption, NotFound
from ..kb.worlds.scene import members
from ..seed import Stream
from .bank import MAX_FACTS, Bank
from .frame import Frame
from .realization import Genders, Realization

_MAX_REDRAWS: Final = 4
"""Further draws if the story already has a frame."""
_MAX_GENDER_BOOST: Final = 4
"""Upper bound of the weight of frames that fit few genders."""
_LENGTH_BOOST: Final = 4
"""Weight of frames that state one specific sequence of facts."""
_ASIDE_PROBABILITY: Final = 0.2
"""Probability of an aside after each segment."""
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


class _FrameChoices:
    """The frames for one part of a path, each repeated by its weight, and the relation nouns.

    `nouns` has those for frames read forwards and for frames read backwards; `length` is the number
    of facts.
    """

    __slots__ = ("_best", "frames", "length", "nouns")

    def __init__(self, frames: list[_DirectedFrame], nouns: list[list[str]], length: int) -> None:
        self.frames, self.nouns, self.length = frames, nouns, length
        self._best: dict[int, list[_DirectedFrame]] = {}

    def draw(self, wanted: int, used: set[str], stream: Stream) -> _DirectedFrame:
        """Draw a frame that reveals the wanted genders (a bitmask), preferably an unused one."""
        frames = self.frames
        for draws in (1 + _MAX_REDRAWS, _MAX_REDRAWS):
            for _ in range(draws):
                frame = frames[stream.below(len(frames))]
                if frame.id not in used and (wanted == 0 or frame.revealed() & wanted == wanted):
                    return frame
            if wanted == 0:
                break
            frames, wanted = self._most_revealing(wanted), 0
        return frame

    def _most_revealing(self, wanted: int) -> list[_DirectedFrame]:
        best = self._best.get(wanted)
        if best is None:
            counts = [(frame.revealed() & wanted).bit_count() for frame in self.frames]
            most = max(counts)
            best = [self.frames[n] for n, count in enumerate(counts) if count == most]
            self._best[wanted] = best
        return best


def _hidden_mask(people: list[str], start: int, end: int, hidden: set[str]) -> int:
    """Return the bitmask of hidden people from `start` to `end`."""
    mask = 0
    for n in range(start, end + 1):
        if people[n] in hidden:
            mask |= 1 << (n - start)
    return mask


def _reveal(people: list[str], start: int, mask: int, hidden: set[str]) -> None:
    """Remove the people of a bitmask, counted from `start`, from `hidden`."""
    place = start
    while mask:
        if mask & 1:
            hidden.discard(people[place])
        mask >>= 1
        place += 1


class _AsideFrame:
    """A frame that states no fact, perhaps about a person, with its realizations by gender."""

    __slots__ = ("_realizations", "frame", "id", "is_personal")

    def __init__(self, frame: Frame) -> None:
        self.frame, self.id, self.is_personal = frame, frame.id, bool(frame.path)
        self._realizations: dict[str | None, list[Realization]] = {}

    def realizations(self, gender: str | None) -> list[Realization]:
        realizations = self._realizations.get(gender)
        if realizations is None:
            realizations = self.frame.realizations((gender,) if self.is_personal else ())
            self._realizations[gender] = realizations
        return realizations


GenderedPath = tuple[str | None, ...]
"""The gender of the first person, then for each next one the predicate and the gender."""


class Stitcher:
    """Realizes stories with the frames of a bank.

    `hold_out` excludes frames by id, `only` excludes all others.
    """

    def __init__(
        self,
        bank: Bank,
        *,
        hold_out: Collection[str] = (),
        only: Collection[str] | None = None,
    ) -> None:
        for template in (*hold_out, *(only or ())):
            if template not in bank.by_id:
                raise NotFound(f"the bank of {bank.world.name!r} has no frame {template!r}")
        self.bank = bank
        groups: dict[tuple[frozenset[str], ...], list[Frame]] = {}
        for frame in bank.frames:
            if frame.id not in hold_out and (only is None or frame.id in only):
                groups.setdefault(frame.predicates, []).append(frame)
        self._asides = [_AsideFrame(frame) for frame in groups.pop((), [])]
        self._aside_probability = _ASIDE_PROBABILITY if self._asides else 0.0
        self._groups = list(groups.items())
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
        article = bank.language.with_article
        self._words = {
            (name, gender): (predicate.word(gender), article(predicate.word(gender)))
            for name, predicate in world.predicates.items()
            for gender in self._genders
        }
        # Tables on the object and not `cache`: these are looked up for every part of a story.
        self._nouns: dict[GenderedPath, tuple[list[str], list[str]]] = {}
        self._by_group: dict[
            tuple[int, bool, bool, tuple[bool, ...], Genders], list[_DirectedFrame]
        ] = {}
        self._by_mask: dict[tuple[int, int, tuple[bool, ...], Genders], list[_DirectedFrame]] = {}
        self._by_opposite: dict[tuple[bool, ...], frozenset[Genders]] = {}
        self._by_path: dict[GenderedPath, _FrameChoices | None] = {}
        self._by_size: list[list[list[int]]] = [[] for _ in range(_MAX_LISTED_FACTS)]

    def realize_path(
        self,
        people: list[str],
        path: GenderedPath,
        stream: Stream,
        first: int = 0,
        hidden: set[str] | None = None,
        used: set[str] | None = None,
    ) -> list[Line]:
        """Return lines that state the facts of a path in order, numbered from `first`.

        The way to split the path is drawn uniformly. `hidden` has people whose gender is to be
        revealed; those whose gender a line reveals are removed from it. The ids of the frames are
        added to `used`, and used frames are avoided.
        """
        hidden = set() if hidden is None else hidden
        used = set() if used is None else used
        lines: list[Line] = []
        start = 0
        for choices in self._split(path, stream):
            end = start + choices.length
            wanted = _hidden_mask(people, start, end, hidden) if hidden else 0
            frames = choices.frames
            frame = frames[int(stream.random() * len(frames))]
            if wanted != 0 or frame.id in used:
                frame = choices.draw(wanted, used, stream)
            used.add(frame.id)
            if wanted != 0:
                _reveal(people, start, frame.revealed(), hidden)
            realization = frame.draw(stream)
            words = self._word_lists
            if frame.backwards:
                text = realization.realize(people, end, -1, choices.nouns[1], words, stream)
            else:
                text = realization.realize(people, start, 1, choices.nouns[0], words, stream)
            lines.append(Line(text, first + start, first + end - 1, frame.id))
            start = end
            if stream.random() < self._aside_probability:
                aside = self._aside(people[start], path[2 * start], first + start, stream, used)
                if aside is not None:
                    lines.append(aside)
        return lines

    def realize_with_frame(
        self, template: str, people: list[str], path: GenderedPath, stream: Stream, hidden: set[str]
    ) -> Line | None:
        """Return a line that states a path with this frame; None if the frame does not fit.

        People whose gender it reveals are removed from `hidden`.
        """
        choices = self._choices(path)
        wanted = _hidden_mask(people, 0, len(people) - 1, hidden)
        best: _DirectedFrame | None = None
        most = -1
        for frame in choices.frames if choices else []:
            if frame.id == template:
                count = (frame.revealed() & wanted).bit_count()
                if count > most:
                    best, most = frame, count
        if choices is None or best is None:
            return None
        _reveal(people, 0, best.revealed(), hidden)
        realization = stream.choice(best.frame.realizations(best.genders))
        first, step = (choices.length, -1) if best.backwards else (0, 1)
        nouns = choices.nouns[best.backwards]
        text = realization.realize(people, first, step, nouns, self._word_lists, stream)
        return Line(text, 0, choices.length - 1, template)

    def other_frame(self, path: GenderedPath, used: Collection[str], stream: Stream) -> str | None:
        """Draw a frame that states a path as a whole and was not used; None if there is none."""
        left = [frame for frame in self.frame_choices(path) if frame not in used]
        return left[int(stream.random() * len(left))] if left else None

    def _aside(
        self, person: str, gender: str | None, number: int, stream: Stream, used: set[str]
    ) -> Line | None:
        """Return a random aside, perhaps about the person; None if it was used."""
        aside = self._asides[int(stream.random() * len(self._asides))]
        if aside.id in used:
            return None
        used.add(aside.id)
        realizations = aside.realizations(gender)
        realization = realizations[int(stream.random() * len(realizations))]
        text = realization.realize([person], 0, 1, [], self._word_lists, stream)
        return Line(text, number, number - 1, aside.id)

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

    def frame_choices(self, path: GenderedPath) -> list[str]:
        """Return the frames that state a path as a whole, each as often as it is drawn."""
        choices = self._choices(path)
        return [] if choices is None else [frame.id for frame in choices.frames]

    def nouns(self, predicates: Sequence[str], genders: Genders) -> tuple[str, ...]:
        """Return the nouns of each fact: forwards, backwards, and both with an article."""
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
            there, a_there = self._words[predicate, after]
            back, a_back = self._words[inverse, before] if inverse else (there, a_there)
            nouns = [there, back, a_there, a_back], [back, there, a_back, a_there]
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
            choices = self._by_path.get(key)
            if choices is None:
                choices = self._choices(key)
                if choices is None:
                    # Some part has no frame: draw among the ways that have frames only.
                    return self._split_by_counts(path, stream)
            parts.append(choices)
            start = end
        return parts

    def _split_by_counts(self, path: GenderedPath, stream: Stream) -> list[_FrameChoices]:
        """Split a path as `_split` does, by the number of ways to split each rest of it."""
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
                self._by_mask.clear()
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
        frames = self._directed_frames(predicates, genders)
        if not frames:
            return None
        forwards: list[str] = []
        backwards: list[str] = []
        for n in range(len(predicates)):
            forwards += self._fact_nouns(predicates[n], genders[n], genders[n + 1])[0]
        for n in range(len(predicates) - 1, -1, -1):
            backwards += self._fact_nouns(predicates[n], genders[n], genders[n + 1])[1]
        return _FrameChoices(frames, [forwards, backwards], len(predicates))

    def _directed_frames(
        self, predicates: tuple[str, ...], genders: Genders
    ) -> list[_DirectedFrame]:
        """Return the weighted frames that state these predicates of people of these genders.

        In worlds with many predicates most clauses have the same frames, which are collected once.
        """
        there, back = self._matching_groups(predicates)
        opposite = tuple([name in self._opposite for name in predicates])
        key = (there, back, opposite, genders)
        frames = self._by_mask.get(key)
        if frames is None:
            frames = self._by_mask[key] = []
            for group, backwards, one_way in _directed_groups(there, back):
                frames += self._group_frames(group, backwards, one_way, opposite, genders)
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
        self,
        group: int,
        backwards: bool,
        one_way: bool,
        opposite: tuple[bool, ...],
        genders: Genders,
    ) -> list[_DirectedFrame]:
        """Return the fitting frames of a group, read in one direction, repeated by weight.

        A frame that fits few genders or can be read one way only weighs more, so that over all
        genders each frame is drawn about equally often. A frame for one specific sequence of facts
        weighs more because it would otherwise rarely be drawn among those that fit any.
        """
        key = (group, backwards, one_way, opposite, genders)
        frames = self._by_group.get(key)
        if frames is None:
            frames = self._by_group[key] = []
            turned = genders[::-1] if backwards else genders
            possible = self._possible_genders(opposite[::-1] if backwards else opposite)
            predicates, group_frames = self._groups[group]
            is_specific = len(predicates) > 1 and max([len(names) for names in predicates]) == 1
            weight = (_LENGTH_BOOST if is_specific else 1) * (2 if one_way else 1)
            for frame in group_frames:
                if frame.fits(turned):
                    fitting = len(frame.fitting_genders & possible)
                    boost = round(len(possible) / fitting) if fitting else 1
                    frames += [_DirectedFrame(frame, backwards, turned)] * (
                        weight * min(_MAX_GENDER_BOOST, boost)
                    )
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

    The draw is keyed by the parts, as streams are. Ids are drawn, so adding frames to one
    group does not change what is held out of another.
    """
    if not 0 <= share <= 1:
        raise InvalidOption(f"expected a share from 0 to 1, but got {share}")
    groups: dict[str, list[str]] = {}
    for frame in bank.frames:
        clause = ";".join(".".join(sorted(names)) for names in frame.predicates)
        groups.setdefault(clause, []).append(frame.id)
    out: set[str] = set()
    for clause, ids in groups.items():
        stream = Stream("held out", *parts, clause)
        exact = share * len(ids)
        count = int(exact) + (stream.random() < exact - int(exact))
        out.update(stream.sample(sorted(ids), count))
    return frozenset(out)

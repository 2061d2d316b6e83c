"""The stitcher: tells facts along a path of people by frames that fit them."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, Literal

from ..errors import InvalidOption, NotFound
from ..kb.worlds.scene import members
from ..seed import Stream
from .bank import LONGEST, Bank
from .frame import Frame
from .wording import Genders, Wording

Order = Literal["shuffled", "narrative"]

_REDRAWS: Final = 4  # so often a frame is drawn again that the story has already
_DEAREST: Final = 4  # so many times as often is a frame drawn at most, where few genders suit it
_RAREST: Final = 4  # and so many times, where it tells several facts in a row that are not often so
_ASIDE: Final = 0.2  # so often something is said that states no fact, for each stretch that does


class Line:
    """A stretch of text, the numbers of the first and last fact it tells, and its template.

    Where it tells none, the last is smaller than the first.
    """

    __slots__ = ("first", "last", "template", "text")

    def __init__(self, text: str, first: int, last: int, template: str) -> None:
        self.text, self.first, self.last, self.template = text, first, last, template


class _Telling:
    """A frame for people of given genders, forwards or backwards.

    Its words are put together when it is first drawn: there are many more than are ever drawn.
    """

    __slots__ = ("_first", "_others", "_shown", "backwards", "frame", "genders", "id")

    def __init__(self, frame: Frame, backwards: bool, genders: Genders) -> None:
        self.frame, self.id, self.backwards, self.genders = frame, frame.id, backwards, genders
        self._first: Wording | None = None
        self._others: list[Wording] | None = None
        self._shown = 0

    def draw(self, stream: Stream) -> Wording:
        """The words, with any choice of the options."""
        first = self._first or self._put_together()
        others = self._others
        if others is None:
            return first
        number = int(stream.random() * (1 + len(others)))
        return others[number - 1] if number else first

    def shown(self) -> int:
        """The people along the path whose gender the words show: a bit for each."""
        if self._first is None:
            self._put_together()
        return self._shown

    def _put_together(self) -> Wording:
        wordings = self.frame.worded(self.genders)
        assert wordings, "only what fits is told"
        self._first, self._others = wordings[0], wordings[1:] or None
        for n in wordings[0].shows[self.backwards]:
            self._shown |= 1 << n
        return wordings[0]


class _Frames:
    """How a part of a path can be told, each way as often as it is to be drawn, and its nouns.

    The nouns are there for frames that are read forwards and for those that are read backwards.
    The part has so many facts.
    """

    __slots__ = ("_legible", "length", "nouns", "tellings")

    def __init__(self, tellings: list[_Telling], nouns: list[list[str]], length: int) -> None:
        self.tellings, self.nouns, self.length = tellings, nouns, length
        self._legible: dict[int, list[_Telling]] = {}

    def draw(self, wanted: int, told: set[str], stream: Stream) -> _Telling:
        """One that shows these genders, a bit for each; better none told already."""
        tellings = self.tellings
        for draws in (1 + _REDRAWS, _REDRAWS):
            for _ in range(draws):
                telling = tellings[stream.below(len(tellings))]
                if telling.id not in told and (wanted == 0 or telling.shown() & wanted == wanted):
                    return telling
            if wanted == 0:
                break
            tellings, wanted = self._showing(wanted), 0
        return telling

    def _showing(self, wanted: int) -> list[_Telling]:
        """Only those that show most of these genders."""
        legible = self._legible.get(wanted)
        if legible is None:
            scores = [_bits(telling.shown() & wanted) for telling in self.tellings]
            best = max(scores)
            legible = [self.tellings[n] for n, score in enumerate(scores) if score == best]
            self._legible[wanted] = legible
        return legible


def _bits(number: int) -> int:
    """How many bits of a number are set."""
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


def _bits_of(people: list[str], start: int, end: int, hidden: set[str]) -> int:
    """Who of a part of the path is hidden: a bit for each."""
    bits = 0
    for n in range(start, end + 1):
        if people[n] in hidden:
            bits |= 1 << (n - start)
    return bits


def _show(people: list[str], start: int, bits: int, hidden: set[str]) -> None:
    """Take out of the hidden whom a bit is set for, from the start of the part on."""
    place = start
    while bits:
        if bits & 1:
            hidden.discard(people[place])
        bits >>= 1
        place += 1


class _Aside:
    """A frame that states nothing, perhaps about somebody, and its words by that one's gender."""

    __slots__ = ("_wordings", "frame", "id", "is_personal")

    def __init__(self, frame: Frame) -> None:
        self.frame, self.id, self.is_personal = frame, frame.id, bool(frame.path)
        self._wordings: dict[str | None, list[Wording]] = {}

    def wordings(self, gender: str | None) -> list[Wording]:
        """The words, with every choice of the options."""
        wordings = self._wordings.get(gender)
        if wordings is None:
            wordings = self.frame.worded((gender,) if self.is_personal else ())
            self._wordings[gender] = wordings
        return wordings


Path = tuple[str | None, ...]
"""Genders of people along a path, and what each is to the one before, in turn."""


class Stitcher:
    """Makes stories from the frames of a bank, or from those that are not held out.

    `hold_out` leaves frames out by id, `only` leaves out all others.
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
        self._asides = [_Aside(frame) for frame in groups.pop((), [])]
        self._share_aside = _ASIDE if self._asides else 0.0
        self._groups = list(groups.items())
        # For so many facts and each of these, the groups that can tell a predicate there: bits.
        self._able: list[list[dict[str, int]]] = [
            [{} for _ in range(size)] for size in range(LONGEST + 1)
        ]
        for n, (able, _) in enumerate(self._groups):
            for place, names in enumerate(able):
                groups_of = self._able[len(able)][place]
                for name in names:
                    groups_of[name] = groups_of.get(name, 0) | 1 << n
        self._fillers = bank.language.fillers
        world = bank.world
        self._opposite = frozenset(bank.head.opposite)
        self._inverse = {name: world.inverse(name) for name in world.predicates}
        self._genders: Path = world.genders or (None,)
        article = bank.language.with_article
        self._words = {
            (name, gender): (predicate.word(gender), article(predicate.word(gender)))
            for name, predicate in world.predicates.items()
            for gender in self._genders
        }
        # Tables on the object and not `cache`: these are looked up for every part of a story.
        self._steps: dict[Path, tuple[list[str], list[str]]] = {}
        self._tellings: dict[tuple[int, bool, bool, tuple[bool, ...], Genders], list[_Telling]] = {}
        self._matched: dict[tuple[int, int, tuple[bool, ...], Genders], list[_Telling]] = {}
        self._by_opposite: dict[tuple[bool, ...], frozenset[Genders]] = {}
        self._by_path: dict[Path, _Frames | None] = {}
        self._ways: list[list[list[int]]] = [[] for _ in range(_LISTED)]

    def along(
        self,
        people: list[str],
        path: Path,
        stream: Stream,
        first: int = 0,
        hidden: set[str] | None = None,
        told: set[str] | None = None,
    ) -> list[Line]:
        """Tell the facts of a path in order, numbered from the first: whose path, and of what kind.

        The way to cut the path is drawn uniformly from all there are. The people whose gender
        comes to be shown are taken out of `hidden`: as many as frames can show. The frames that
        are used are put into `told`, so that they are not used again.
        """
        hidden = set() if hidden is None else hidden
        told = set() if told is None else told
        lines: list[Line] = []
        start = 0
        for frames in self._cut(path, stream):
            end = start + frames.length
            wanted = _bits_of(people, start, end, hidden) if hidden else 0
            tellings = frames.tellings
            telling = tellings[int(stream.random() * len(tellings))]
            if wanted != 0 or telling.id in told:
                telling = frames.draw(wanted, told, stream)
            told.add(telling.id)
            if wanted != 0:
                _show(people, start, telling.shown(), hidden)
            wording = telling.draw(stream)
            if telling.backwards:
                text = wording.tell(people, end, -1, frames.nouns[1], self._fillers, stream)
            else:
                text = wording.tell(people, start, 1, frames.nouns[0], self._fillers, stream)
            lines.append(Line(text, first + start, first + end - 1, telling.id))
            start = end
            if stream.random() < self._share_aside:
                aside = self._aside(people[start], path[2 * start], first + start, stream, told)
                if aside is not None:
                    lines.append(aside)
        return lines

    def again(
        self, template: str, people: list[str], path: Path, stream: Stream, hidden: set[str]
    ) -> Line | None:
        """Tell the facts of a path by this frame, which shows as many as can be of the hidden.

        None where the frame is not for such people.
        """
        frames = self._frames(path)
        wanted = _bits_of(people, 0, len(people) - 1, hidden)
        best: _Telling | None = None
        for telling in frames.tellings if frames else []:
            if telling.id == template and (
                best is None or _bits(telling.shown() & wanted) > _bits(best.shown() & wanted)
            ):
                best = telling
        if frames is None or best is None:
            return None
        _show(people, 0, best.shown(), hidden)
        wording = stream.choice(best.frame.worded(best.genders))
        first, step = (frames.length, -1) if best.backwards else (0, 1)
        nouns = frames.nouns[best.backwards]
        text = wording.tell(people, first, step, nouns, self._fillers, stream)
        return Line(text, 0, frames.length - 1, template)

    def _aside(
        self, person: str, gender: str | None, number: int, stream: Stream, told: set[str]
    ) -> Line | None:
        """Something that states no fact, perhaps about a person; None if it has been said."""
        aside = self._asides[int(stream.random() * len(self._asides))]
        if aside.id in told:
            return None
        told.add(aside.id)
        wordings = aside.wordings(gender)
        wording = wordings[int(stream.random() * len(wordings))]
        text = wording.tell([person], 0, 1, [], self._fillers, stream)
        return Line(text, number, number - 1, aside.id)

    def clause(self, predicates: Sequence[str], genders: Genders) -> list[tuple[Frame, bool]]:
        """The frames that state a chain of facts in one go, each with whether it reads backwards.

        A frame is listed once where it fits one way only.
        """
        return [
            (frame, backwards)
            for group, backwards, _ in _groups(*self._matching(tuple(predicates)))
            for frame in self._groups[group][1]
            if frame.fits(genders[::-1] if backwards else genders)
        ]

    def chances(self, path: Path) -> dict[str, float]:
        """How likely each frame is to tell a path in one go, whatever has been told before."""
        frames = self._frames(path)
        drawn = [] if frames is None else [telling.id for telling in frames.tellings]
        return {template: times / len(drawn) for template, times in Counter(drawn).items()}

    def nouns(self, predicates: Sequence[str], genders: Genders) -> tuple[str, ...]:
        """The nouns along a chain, forwards and backwards, without and with an article."""
        nouns: list[str] = []
        for n, predicate in enumerate(predicates):
            nouns += self._step(predicate, genders[n], genders[n + 1])[0]
        return tuple(nouns)

    def _step(
        self, predicate: str, before: str | None, after: str | None
    ) -> tuple[list[str], list[str]]:
        """The nouns for one fact, forwards first, and backwards first."""
        key = (predicate, before, after)
        step = self._steps.get(key)
        if step is None:
            inverse = self._inverse[predicate]
            there, a_there = self._words[predicate, after]
            back, a_back = self._words[inverse, before] if inverse else (there, a_there)
            step = [there, back, a_there, a_back], [back, there, a_back, a_there]
            self._steps[key] = step
        return step

    def _cut(self, path: Path, stream: Stream) -> list[_Frames]:
        """Cut a path into parts of one to three facts that have frames, all ways alike."""
        size = len(path) // 2
        if size >= _LISTED:
            return self._cut_with_care(path, stream)
        ways = self._ways[size]
        if not ways:
            ways = self._ways[size] = _compositions(size)
        cut: list[_Frames] = []
        start = 0
        for length in ways[int(stream.random() * len(ways))]:
            end = start + 2 * length
            key = path[start : end + 1]
            frames = self._by_path.get(key)
            if frames is None:
                frames = self._frames(key)
                if frames is None:
                    # Some part has no frame: count only the ways that have, and draw from those.
                    return self._cut_with_care(path, stream)
            cut.append(frames)
            start = end
        return cut

    def _cut_with_care(self, path: Path, stream: Stream) -> list[_Frames]:
        size = len(path) // 2
        ways = [0] * size + [1]
        parts: list[list[_Frames]] = [[] for _ in range(size)]
        for start in range(size - 1, -1, -1):
            for length in range(1, min(LONGEST, size - start) + 1):
                frames = self._frames(path[2 * start : 2 * (start + length) + 1])
                if frames:
                    ways[start] += ways[start + length]
                    parts[start].append(frames)
        if not ways[0]:
            told = " ".join(map(str, path))
            raise NotFound(f"no frames for {told}; hold out fewer frames, or write some")
        cut: list[_Frames] = []
        start = 0
        while start < size:
            ticket = stream.below(ways[start])
            for part in parts[start]:
                if ticket < ways[start + part.length]:
                    break
                ticket -= ways[start + part.length]
            cut.append(part)
            start += part.length
        return cut

    def _frames(self, path: Path) -> _Frames | None:
        if path not in self._by_path:
            if len(self._by_path) >= _REMEMBERED:
                self._by_path.clear()
                self._matched.clear()
            predicates = tuple(name for name in path[1::2] if name is not None)
            self._by_path[path] = self._make_frames(predicates, path[::2])
        return self._by_path[path]

    def _make_frames(self, predicates: tuple[str, ...], genders: Genders) -> _Frames | None:
        for name in predicates:
            if name not in self._inverse:
                known = ", ".join(self._inverse)
                raise NotFound(f"no predicate {name!r} in this world; known: {known}")
        for kind in genders:
            if kind not in self._genders:
                raise NotFound(f"no gender {kind!r} in this world; known: {self._genders}")
        tellings = self._tellings_of(predicates, genders)
        if not tellings:
            return None
        forwards: list[str] = []
        backwards: list[str] = []
        for n in range(len(predicates)):
            forwards += self._step(predicates[n], genders[n], genders[n + 1])[0]
        for n in range(len(predicates) - 1, -1, -1):
            backwards += self._step(predicates[n], genders[n], genders[n + 1])[1]
        return _Frames(tellings, [forwards, backwards], len(predicates))

    def _tellings_of(self, predicates: tuple[str, ...], genders: Genders) -> list[_Telling]:
        """How a clause can be told of people of these genders.

        Where predicates are many, most clauses are told by the same frames, which are put together
        once.
        """
        there, back = self._matching(predicates)
        opposite = tuple([name in self._opposite for name in predicates])
        key = (there, back, opposite, genders)
        tellings = self._matched.get(key)
        if tellings is None:
            tellings = self._matched[key] = []
            for group, backwards, alone in _groups(there, back):
                tellings += self._told_by(group, backwards, alone, opposite, genders)
        return tellings

    def _matching(self, predicates: tuple[str, ...]) -> tuple[int, int]:
        """The groups of frames that tell a clause forwards, and backwards: a bit for each."""
        there = back = -1 if predicates else 0
        last = len(predicates) - 1
        able = self._able[last + 1]
        for n, name in enumerate(predicates):
            inverse = self._inverse[name]
            there &= able[n].get(name, 0)
            back &= 0 if inverse is None else able[last - n].get(inverse, 0)
        return there, back

    def _told_by(
        self,
        group: int,
        backwards: bool,
        alone: bool,
        opposite: tuple[bool, ...],
        genders: Genders,
    ) -> list[_Telling]:
        """How a group of frames tells a clause, read one way, of people of these genders.

        A frame that suits few genders is there more often, so that over all genders each is drawn
        about as often as any other. The same goes for one that can be read one way only. One that
        tells several facts, and only these, would hardly ever be drawn among all that suit any.
        """
        key = (group, backwards, alone, opposite, genders)
        tellings = self._tellings.get(key)
        if tellings is None:
            tellings = self._tellings[key] = []
            turned = genders[::-1] if backwards else genders
            possible = self._possible(opposite[::-1] if backwards else opposite)
            able = self._groups[group][0]
            rare = _RAREST if len(able) > 1 and max([len(names) for names in able]) == 1 else 1
            for frame in self._groups[group][1]:
                if frame.fits(turned):
                    suited = len(frame.suits & possible)
                    times = min(_DEAREST, round(len(possible) / suited)) if suited else 1
                    tellings += [_Telling(frame, backwards, turned)] * (
                        rare * (2 * times if alone else times)
                    )
        return tellings

    def _possible(self, opposite: tuple[bool, ...]) -> frozenset[Genders]:
        """All genders along a path on which some neighbours are of different ones."""
        kept = self._by_opposite.get(opposite)
        if kept is None:
            possible: list[Genders] = [(gender,) for gender in self._genders]
            for differ in opposite:
                possible = [
                    (*genders, gender)
                    for genders in possible
                    for gender in self._genders
                    if not differ or gender != genders[-1]
                ]
            kept = self._by_opposite[opposite] = frozenset(possible)
        return kept


_REMEMBERED: Final = 20_000
"""So many paths are remembered: with many predicates there are more than there is room for."""
_LISTED: Final = 15
"""For paths of fewer facts all ways to cut them are listed."""


def _groups(there: int, back: int) -> list[tuple[int, bool, bool]]:
    """Groups of frames by number, whether told backwards, and whether one way only."""
    groups: list[tuple[int, bool, bool]] = []
    for group in members(there | back):
        forwards, backwards = there >> group & 1 == 1, back >> group & 1 == 1
        if forwards:
            groups.append((group, False, not backwards))
        if backwards:
            groups.append((group, True, not forwards))
    return groups


def _compositions(size: int) -> list[list[int]]:
    """All ways to cut so many facts into parts of one to three."""
    if size == 0:
        return [[]]
    return [
        [first, *rest]
        for first in range(1, min(LONGEST, size) + 1)
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

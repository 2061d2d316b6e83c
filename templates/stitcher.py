"""The stitcher: tells facts along a path of people by frames that fit them."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain
from typing import Final, Literal

from ..errors import InvalidOption, NotFound
from ..seed import Stream
from .bank import LONGEST, Bank
from .frame import Frame
from .wording import Genders, Wording

Order = Literal["shuffled", "narrative"]

_REDRAWS: Final = 4  # so often a frame is drawn again that the story has already


class Line:
    """A stretch of text, the numbers of the first and last fact it tells, and its template."""

    __slots__ = ("first", "last", "template", "text")

    def __init__(self, text: str, first: int, last: int, template: str) -> None:
        self.text, self.first, self.last, self.template = text, first, last, template


_Entry = tuple[Frame, bool]
"""A frame, and whether it is read backwards."""


class _Frames:
    """The frames for one clause and genders, each as often as it is to be drawn.

    Genders and nouns are kept for frames that are read forwards and for those that are read
    backwards. Words are put together when they are first drawn, and noted by place: there are
    many more than are ever drawn, and a cache that hashes would be slower than a list.
    """

    __slots__ = ("_legible", "_wordings", "entries", "genders", "nouns")

    def __init__(
        self, entries: list[_Entry], genders: list[Genders], nouns: list[list[str]]
    ) -> None:
        self.entries, self.genders, self.nouns = entries, genders, nouns
        self._wordings: list[list[Wording] | None] = [None] * len(entries)
        self._legible: dict[tuple[int, ...], _Frames] = {}

    def wordings(self, place: int) -> list[Wording]:
        """The words of the frame at this place for these genders."""
        wordings = self._wordings[place]
        if wordings is None:
            frame, backwards = self.entries[place]
            wordings = self._wordings[place] = frame.worded(self.genders[backwards])
            assert wordings, "only what fits is here"
        return wordings

    def draw(
        self, shown: list[int], told: set[str], stream: Stream, draws: int = 1 + _REDRAWS
    ) -> tuple["_Frames", int]:
        """A frame that shows these genders, by its place among some; better none told already."""
        for _ in range(draws):
            place = stream.below(len(self.entries))
            fresh = self.entries[place][0].id not in told
            if fresh and (not shown or self._shown_by(place, shown) == len(shown)):
                return self, place
        return self._showing(shown).draw([], told, stream, _REDRAWS) if shown else (self, place)

    def _shown_by(self, place: int, people: list[int]) -> int:
        shows, count = self.wordings(place)[0].shows[self.entries[place][1]], 0
        # A loop, not `sum`: compiled, that would make a generator each time.
        for n in people:
            if n in shows:
                count += 1
        return count

    def _showing(self, shown: list[int]) -> "_Frames":
        """Only the entries that show most of these genders."""
        legible = self._legible.get(tuple(shown))
        if legible is None:
            scores = [self._shown_by(place, shown) for place in range(len(self.entries))]
            best = max(scores)
            entries = [self.entries[place] for place, score in enumerate(scores) if score == best]
            legible = self._legible[tuple(shown)] = _Frames(entries, self.genders, self.nouns)
        return legible


Path = tuple[str | None, ...]
"""Genders of people along a path, and what each is to the one before, in turn."""
# Parts of a path: the frames for each, and how many facts it has.
_Cut = list[tuple[_Frames, int]]


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
        self._by_length: dict[int, list[Frame]] = {}
        for frame in bank.frames:
            if frame.id not in hold_out and (only is None or frame.id in only):
                self._by_length.setdefault(len(frame.predicates), []).append(frame)
        self._fillers = bank.language.fillers
        world = bank.world
        self._inverse = {name: world.inverse(name) for name in world.predicates}
        self._genders: Path = world.genders or (None,)
        article = bank.language.with_article
        self._words = {
            (name, gender): (predicate.word(gender), article(predicate.word(gender)))
            for name, predicate in world.predicates.items()
            for gender in self._genders
        }
        # Tables on the object and not `cache`: these are looked up for every part of a story.
        self._matches: dict[tuple[str, ...], tuple[list[_Entry], list[_Entry]]] = {}
        self._by_path: dict[Path, _Frames | None] = {}

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
        fillers, hidden = self._fillers, set() if hidden is None else hidden
        told = set() if told is None else told
        lines: list[Line] = []
        start = 0
        for cut, length in self._cut(path, stream):
            values = people[start : start + length + 1]
            wanted = [n for n, person in enumerate(values) if person in hidden] if hidden else []
            frames, place = cut.draw(wanted, told, stream)
            frame, backwards = frames.entries[place]
            template = frame.id
            told.add(template)
            wordings = frames.wordings(place)
            if wanted:
                for n in wordings[0].shows[backwards]:
                    hidden.discard(values[n])
            wording = wordings[0] if len(wordings) == 1 else stream.choice(wordings)
            if backwards:
                values.reverse()
            values += frames.nouns[backwards]
            for number in wording.fillers:
                filler = fillers[number]
                values.append(filler[stream.below(len(filler))])
            number = first + start
            lines.append(Line(wording.fill(values), number, number + length - 1, template))
            start += length
        return lines

    def again(
        self, template: str, people: list[str], path: Path, stream: Stream, hidden: set[str]
    ) -> Line | None:
        """Tell the facts of a path by this frame, which shows as many as can be of the hidden.

        None where the frame is not for such people.
        """
        frames, best, most = self._frames(path), -1, -1
        wanted = [n for n, person in enumerate(people) if person in hidden]
        for place in range(len(frames.entries) if frames else 0):
            if frames and frames.entries[place][0].id == template:
                shows = frames.wordings(place)[0].shows[frames.entries[place][1]]
                count = len([n for n in wanted if n in shows])
                if count > most:
                    best, most = place, count
        if frames is None or best < 0:
            return None
        _, backwards = frames.entries[best]
        wordings = frames.wordings(best)
        for n in wordings[0].shows[backwards]:
            hidden.discard(people[n])
        chance = stream.random()
        wording = wordings[int(chance * len(wordings))]
        values = people[::-1] if backwards else people.copy()
        values += frames.nouns[backwards]
        for number in wording.fillers:
            filler = self._fillers[number]
            values.append(filler[stream.below(len(filler))])
        return Line(wording.fill(values), 0, len(people) - 2, template)

    def clause(self, predicates: Sequence[str], genders: Genders) -> list[_Entry]:
        """The frames that state a chain of facts in one go, each with whether it reads backwards.

        A frame is listed once where it fits one way only.
        """
        return [
            (frame, backwards)
            for frame, backwards in dict.fromkeys(chain(*self._matching(tuple(predicates))))
            if frame.fits(genders[::-1] if backwards else genders)
        ]

    def nouns(self, predicates: Sequence[str], genders: Genders) -> tuple[str, ...]:
        """The nouns along a chain, forwards and backwards, without and with an article."""
        nouns: list[str] = []
        for n, predicate in enumerate(predicates):
            inverse = self._inverse[predicate]
            there, a_there = self._words[predicate, genders[n + 1]]
            back, a_back = self._words[inverse, genders[n]] if inverse else (there, a_there)
            nouns += [there, back, a_there, a_back]
        return tuple(nouns)

    def _cut(self, path: Path, stream: Stream) -> _Cut:
        """Cut a path into parts of one to three facts that have frames, all ways alike."""
        if len(path) > 2 * _LISTED:
            return self._cut_with_care(path, stream)
        by_path = self._by_path
        ways = _compositions(len(path) // 2)
        cut: _Cut = []
        start = 0
        for length in ways[stream.below(len(ways))]:
            end = start + 2 * length
            key = path[start : end + 1]
            frames = by_path.get(key) or self._frames(key)
            if frames is None:
                # Some part has no frame: count only the ways that have, and draw from those.
                return self._cut_with_care(path, stream)
            cut.append((frames, length))
            start = end
        return cut

    def _cut_with_care(self, path: Path, stream: Stream) -> _Cut:
        size = len(path) // 2
        ways = [0] * size + [1]
        parts: list[_Cut] = [[] for _ in range(size)]
        for start in range(size - 1, -1, -1):
            for length in range(1, min(LONGEST, size - start) + 1):
                frames = self._frames(path[2 * start : 2 * (start + length) + 1])
                if frames:
                    ways[start] += ways[start + length]
                    parts[start].append((frames, length))
        if not ways[0]:
            told = " ".join(map(str, path))
            raise NotFound(f"no frames for {told}; hold out fewer frames, or write some")
        cut: _Cut = []
        start = 0
        while start < size:
            ticket = stream.below(ways[start])
            for part in parts[start]:
                if ticket < ways[start + part[1]]:
                    break
                ticket -= ways[start + part[1]]
            cut.append(part)
            start += part[1]
        return cut

    def _frames(self, path: Path) -> _Frames | None:
        if path not in self._by_path:
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
        back = genders[::-1]
        easy, fussy = self._matching(predicates)
        fitting = [
            (f, backwards) for f, backwards in fussy if f.fits(back if backwards else genders)
        ]
        if not easy and not fitting:
            return None
        nouns = self.nouns(predicates, genders)
        steps = [nouns[n : n + 4] for n in range(0, len(nouns), 4)]
        mirrored = [(step[1], step[0], step[3], step[2]) for step in reversed(steps)]
        return _Frames(
            easy + _evenly(fitting),
            [genders, back],
            [list(nouns), list(chain.from_iterable(mirrored))],
        )

    def _matching(self, predicates: tuple[str, ...]) -> tuple[list[_Entry], list[_Entry]]:
        """The frames for a clause that fit all genders, evenly, and those that fit some."""
        if predicates not in self._matches:
            inverses = [self._inverse[name] for name in predicates]
            mirror = tuple([name for name in reversed(inverses) if name is not None])
            ways = [(False, predicates)]
            if len(mirror) == len(predicates):
                ways.append((True, mirror))
            entries = [
                (frame, backwards)
                for frame in self._by_length.get(len(predicates), ())
                for backwards, names in ways
                if all(map(frozenset.__contains__, frame.predicates, names))
            ]
            easy = _evenly([entry for entry in entries if not entry[0].fussy])
            self._matches[predicates] = easy, [entry for entry in entries if entry[0].fussy]
        return self._matches[predicates]


_LISTED: Final = 15
"""For paths up to here all ways to cut them are listed."""


@cache
def _compositions(size: int) -> list[tuple[int, ...]]:
    """All ways to cut so many facts into parts of one to three."""
    if size == 0:
        return [()]
    return [
        (first, *rest)
        for first in range(1, min(LONGEST, size) + 1)
        for rest in _compositions(size - first)
    ]


def _evenly(entries: list[_Entry]) -> list[_Entry]:
    """Count a frame that fits one way as much as one that fits both."""
    times = Counter(frame.id for frame, _ in entries)
    return [entry for entry in entries for _ in range(2 if times[entry[0].id] == 1 else 1)]


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

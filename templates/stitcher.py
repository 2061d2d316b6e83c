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
_DEAREST: Final = 4  # so many times as often is a frame drawn at most, where few genders suit it
_ASIDE: Final = 0.25  # so often something is said that states no fact, for each stretch that does


class Line:
    """A stretch of text, the numbers of the first and last fact it tells, and its template.

    Where it tells none, the last is smaller than the first.
    """

    __slots__ = ("first", "last", "template", "text")

    def __init__(self, text: str, first: int, last: int, template: str) -> None:
        self.text, self.first, self.last, self.template = text, first, last, template


_Entry = tuple[Frame, bool]
"""A frame, and whether it is read backwards."""


class _Pool:
    """The frames that fit people of given genders, each with as many tickets as it deserves.

    Genders are kept for frames that are read forwards and for those that are read backwards. Words
    are put together when they are first drawn, and noted by place: there are many more than are
    ever drawn, and a cache that hashes would be slower than a list.
    """

    __slots__ = ("_legible", "_wordings", "entries", "genders", "tickets")

    def __init__(self, entries: list[_Entry], tickets: list[int], genders: list[Genders]) -> None:
        self.entries, self.tickets, self.genders = entries, tickets, genders
        self._wordings: list[list[Wording] | None] = [None] * len(entries)
        self._legible: dict[tuple[int, ...], _Pool] = {}

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
    ) -> tuple["_Pool", int]:
        """A frame that shows these genders, by its place among some; better none told already."""
        tickets = self.tickets
        for _ in range(draws):
            place = tickets[stream.below(len(tickets))]
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

    def _showing(self, shown: list[int]) -> "_Pool":
        """Only the entries that show most of these genders."""
        legible = self._legible.get(tuple(shown))
        if legible is None:
            scores = [self._shown_by(place, shown) for place in range(len(self.entries))]
            best = max(scores)
            kept = [place for place, score in enumerate(scores) if score == best]
            entries = [self.entries[place] for place in kept]
            tickets: list[int] = []
            for new, place in enumerate(kept):
                tickets += [new] * self.tickets.count(place)
            legible = self._legible[tuple(shown)] = _Pool(entries, tickets, self.genders)
        return legible


class _Matching:
    """The frames that can state a clause, whatever the genders; many clauses share one.

    A frame that suits few genders has more tickets where it fits, so that over all genders each is
    drawn about as often as any other. The same goes for one that can be read one way only.
    """

    __slots__ = ("_pools", "_tickets", "entries")

    def __init__(self, entries: list[_Entry], possible: list[Genders]) -> None:
        self.entries = entries
        times = Counter(frame.id for frame, _ in entries)
        self._tickets: list[int] = []
        for frame, backwards in entries:
            suited = 0
            for genders in possible:
                if frame.fits(genders[::-1] if backwards else genders):
                    suited += 1
            share = min(_DEAREST, round(len(possible) / suited)) if suited else 0
            self._tickets.append(share * (2 if times[frame.id] == 1 else 1))
        self._pools: dict[Genders, _Pool | None] = {}

    def pool(self, genders: Genders) -> _Pool | None:
        """Those that fit people of these genders, if there are any."""
        if genders not in self._pools:
            back = genders[::-1]
            entries: list[_Entry] = []
            tickets: list[int] = []
            for place, entry in enumerate(self.entries):
                if entry[0].fits(back if entry[1] else genders):
                    tickets += [len(entries)] * self._tickets[place]
                    entries.append(entry)
            self._pools[genders] = _Pool(entries, tickets, [genders, back]) if tickets else None
        return self._pools[genders]


class _Frames:
    """The frames for a part of a path, and its nouns forwards and backwards."""

    __slots__ = ("nouns", "pool")

    def __init__(self, pool: _Pool, nouns: list[list[str]]) -> None:
        self.pool, self.nouns = pool, nouns


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
        groups: dict[tuple[frozenset[str], ...], list[Frame]] = {}
        for frame in bank.frames:
            if frame.id not in hold_out and (only is None or frame.id in only):
                groups.setdefault(frame.predicates, []).append(frame)
        self._asides = groups.pop((), [])
        self._groups = list(groups.items())
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
        self._matches: dict[tuple[str, ...], _Matching] = {}
        self._shared: dict[tuple[tuple[int, ...], tuple[bool, ...]], _Matching] = {}
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
            pool, place = cut.pool.draw(wanted, told, stream)
            frame, backwards = pool.entries[place]
            template = frame.id
            told.add(template)
            wordings = pool.wordings(place)
            if wanted:
                for n in wordings[0].shows[backwards]:
                    hidden.discard(values[n])
            wording = wordings[0] if len(wordings) == 1 else stream.choice(wordings)
            if backwards:
                values.reverse()
            values += cut.nouns[backwards]
            for number in wording.fillers:
                filler = fillers[number]
                values.append(filler[stream.below(len(filler))])
            number = first + start
            lines.append(Line(wording.fill(values), number, number + length - 1, template))
            start += length
            if self._asides and stream.random() < _ASIDE:
                self._put_aside(people, path, start, first + start, stream, told, lines)
        return lines

    def _put_aside(
        self,
        people: list[str],
        path: Path,
        place: int,
        number: int,
        stream: Stream,
        told: set[str],
        lines: list[Line],
    ) -> None:
        """Say something that states no fact, perhaps about the person at this place of the path."""
        frame = stream.choice(self._asides)
        if frame.id in told:
            return
        told.add(frame.id)
        genders, values = ((path[2 * place],), [people[place]]) if frame.path else ((), [])
        wording = stream.choice(frame.worded(genders))
        for filler in wording.fillers:
            values.append(stream.choice(self._fillers[filler]))
        lines.append(Line(wording.fill(values), number, number - 1, frame.id))

    def clause(self, predicates: Sequence[str], genders: Genders) -> list[_Entry]:
        """The frames that state a chain of facts in one go, each with whether it reads backwards.

        A frame is listed once where it fits one way only.
        """
        return [
            (frame, backwards)
            for frame, backwards in self._matching(tuple(predicates)).entries
            if frame.fits(genders[::-1] if backwards else genders)
        ]

    def chances(self, path: Path) -> dict[str, float]:
        """How likely each frame is to tell a path in one go, whatever has been told before."""
        frames = self._frames(path)
        if frames is None:
            return {}
        pool = frames.pool
        drawn = Counter([pool.entries[place][0].id for place in pool.tickets])
        return {template: times / len(pool.tickets) for template, times in drawn.items()}

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
        pool = self._matching(predicates).pool(genders)
        if pool is None:
            return None
        nouns = self.nouns(predicates, genders)
        steps = [nouns[n : n + 4] for n in range(0, len(nouns), 4)]
        mirrored = [(step[1], step[0], step[3], step[2]) for step in reversed(steps)]
        return _Frames(pool, [list(nouns), list(chain.from_iterable(mirrored))])

    def _matching(self, predicates: tuple[str, ...]) -> _Matching:
        """The frames for a clause."""
        matching = self._matches.get(predicates)
        if matching is None:
            inverses = [self._inverse[name] for name in predicates]
            mirror = tuple([name for name in reversed(inverses) if name is not None])
            ways = [predicates, mirror] if len(mirror) == len(predicates) else [predicates]
            # Which groups of frames match, forwards or backwards, by number.
            groups = tuple(
                [
                    2 * number + backwards
                    for number, (able, _) in enumerate(self._groups)
                    if len(able) == len(predicates)
                    for backwards, names in enumerate(ways)
                    if all(map(frozenset.__contains__, able, names))
                ]
            )
            opposite = tuple([name in self.bank.head.opposite for name in predicates])
            matching = self._shared.get((groups, opposite))
            if matching is None:
                entries = [
                    (frame, bool(group % 2))
                    for group in groups
                    for frame in self._groups[group // 2][1]
                ]
                matching = _Matching(entries, self._possible(opposite))
                self._shared[groups, opposite] = matching
            self._matches[predicates] = matching
        return matching

    def _possible(self, opposite: tuple[bool, ...]) -> list[Genders]:
        """All genders along a path on which some neighbours are of different ones."""
        possible: list[Genders] = [(gender,) for gender in self._genders]
        for differ in opposite:
            possible = [
                (*genders, gender)
                for genders in possible
                for gender in self._genders
                if not differ or gender != genders[-1]
            ]
        return possible


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

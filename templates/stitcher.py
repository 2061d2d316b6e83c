"""The stitcher: turns a list of facts into a story, and says where each fact and name stands."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise
from typing import Final, Literal

from ..errors import InvalidOption, NotFound
from ..kb.proof import Fact
from ..seed import Stream
from .bank import LONGEST, Bank
from .frame import Frame
from .wording import Genders, Variant, Wording

Order = Literal["shuffled", "narrative"]

_REDRAWS: Final = 4  # so often a frame is drawn again that the story has already


class Line:
    """A stretch of text, the numbers of the first and last fact it tells, and its template."""

    __slots__ = ("first", "last", "template", "text")

    def __init__(self, text: str, first: int, last: int, template: str) -> None:
        self.text, self.first, self.last, self.template = text, first, last, template


class Telling(Line):
    """What one frame made, and what it was made from."""

    __slots__ = ("people", "pool", "values", "variant", "way")

    def __init__(
        self,
        text: str,
        first: int,
        last: int,
        pool: "_Pool",
        way: "_Way",
        people: list[str],
        variant: Variant,
        values: list[str],
    ) -> None:
        self.text, self.first, self.last, self.template = text, first, last, way.id
        self.pool, self.way, self.people = pool, way, people
        self.variant, self.values = variant, values


class Story:
    """A text, and what stands where in it; what is wanted less often is computed when asked for."""

    __slots__ = ("tellings", "text")

    def __init__(self, tellings: list[Telling]) -> None:
        self.text = " ".join([telling.text for telling in tellings])
        self.tellings = tellings

    @property
    def templates(self) -> list[str]:
        """The ids of the frames, in the order of the text."""
        return [telling.template for telling in self.tellings]

    @property
    def sentences(self) -> list[tuple[int, int, list[int]]]:
        """Every sentence: start, end, the numbers of the facts it states."""
        found, at = [], 0
        for one in self.tellings:
            for sentence in one.variant.sentences:
                facts = [
                    one.last - n if one.way.backwards else one.first + n for n in sentence.facts
                ]
                end = at + len(sentence.fill(one.values))
                found.append((at, end, facts))
                at = end + 1
        return found

    @property
    def mentions(self) -> list[tuple[int, int, str]]:
        """Every name in the text: start, end, the person named there."""
        found: list[tuple[int, int, str]] = []
        places = iter(self.sentences)
        for telling in self.tellings:
            for sentence in telling.variant.sentences:
                found += sentence.mentions(telling.values, next(places)[0])
        return found

    @property
    def parts(self) -> list[tuple[int, int]]:
        """Start and end of what each template made."""
        ends = list(accumulate((len(telling.text) + 1 for telling in self.tellings), initial=0))
        return [(start, end - 1) for start, end in pairwise(ends)]

    @property
    def revealed(self) -> frozenset[str]:
        """The people whose gender the text shows, whatever their names."""
        return frozenset(one.people[n] for one in self.tellings for n in one.pool.shows(one.way))


class _Way:
    """A frame read forwards or backwards, and its wordings by the number of its genders."""

    __slots__ = ("backwards", "frame", "id", "wordings")

    def __init__(self, frame: Frame, backwards: bool, wordings: list[Wording | None]) -> None:
        self.frame, self.id, self.backwards = frame, frame.id, backwards
        self.wordings = wordings


class _Pool:
    """The frames for one clause: those for all genders, then those for just these genders.

    Genders, their number and the nouns are kept for frames that are read forwards and for
    those that are read backwards.
    """

    __slots__ = ("_easy", "_fussy", "_legible", "genders", "nouns", "numbers", "size")

    def __init__(
        self,
        easy: list[_Way],
        fussy: list[_Way],
        genders: list[Genders],
        numbers: list[int],
        nouns: list[list[str]],
    ) -> None:
        self._easy, self._fussy, self.size = easy, fussy, len(easy) + len(fussy)
        self.genders, self.numbers, self.nouns = genders, numbers, nouns
        self._legible: dict[tuple[int, ...], _Pool] = {}

    def _get(self, number: int) -> _Way:
        fussy = number - len(self._easy)
        return self._easy[number] if fussy < 0 else self._fussy[fussy]

    def wording(self, way: _Way) -> Wording:
        """The words of a frame for these genders."""
        number = self.numbers[way.backwards]
        found = way.wordings[number]
        if found is None:
            found = way.frame.worded(self.genders[way.backwards])
            assert found is not None, "a pool holds what fits"
            way.wordings[number] = found
        return found

    def shows(self, way: _Way) -> frozenset[int]:
        """Those along the clause whose gender a frame shows."""
        return self.wording(way).shows[way.backwards]

    def draw(
        self,
        shown: list[int],
        told: set[str],
        stream: Stream,
        draws: int = 1 + _REDRAWS,
    ) -> _Way:
        """A frame that shows these genders; better none that was told already."""
        for _ in range(draws):
            way = self._get(stream.below(self.size))
            if way.id not in told and (not shown or self._shown_by(way, shown) == len(shown)):
                return way
        return self._showing(shown).draw([], told, stream, _REDRAWS) if shown else way

    def _shown_by(self, way: _Way, people: list[int]) -> int:
        shows, found = self.shows(way), 0
        for n in people:
            if n in shows:
                found += 1
        return found

    def _showing(self, shown: list[int]) -> "_Pool":
        """Only the entries that show most of these genders."""
        found = self._legible.get(tuple(shown))
        if found is None:
            ways = self._easy + self._fussy
            scores = [self._shown_by(way, shown) for way in ways]
            best = max(scores)
            ways = [way for way, score in zip(ways, scores, strict=True) if score == best]
            found = _Pool(ways, [], self.genders, self.numbers, self.nouns)
            self._legible[tuple(shown)] = found
        return found


# A path of people, the kinds and predicates along it in turn, and the number of its first fact.
_Run = tuple[list[str], "Path", int]
Path = tuple[str | None, ...]
# Parts of a path: the frames for each, and how many facts it has.
_Cut = list[tuple[_Pool, int]]


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
        for one in (*hold_out, *(only or ())):
            if one not in bank.by_id:
                raise NotFound(f"the bank of {bank.world.name!r} has no frame {one!r}")
        self.bank = bank
        self.frames = tuple(
            frame
            for frame in bank.frames
            if frame.id not in hold_out and (only is None or frame.id in only)
        )
        self._by_length: dict[int, list[Frame]] = {}
        for frame in self.frames:
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
        self._matches: dict[tuple[str, ...], list[tuple[Frame, bool]]] = {}
        self._weights: dict[tuple[str, ...], tuple[list[_Way], list[tuple[Frame, bool]]]] = {}
        self._both_ways: dict[str, list[_Way]] = {}
        self._pools: dict[Path, _Pool | None] = {}

    def story(
        self,
        facts: Sequence[Fact],
        genders: Mapping[str, str],
        stream: Stream,
        *,
        order: Order = "shuffled",
        reveal: Collection[str] = (),
    ) -> Story:
        """Tell the facts, each once.

        Neighbours in the list that share a person may be told by one frame. The way to cut the
        list is drawn uniformly from all there are. The gender of each person in `reveal` can be
        read off the text, whatever the names.
        """
        tellings: list[Telling] = []
        told: set[str] = set()
        hidden = set(reveal)
        for people, path, first in self._runs(facts, genders):
            tellings += self.along(people, path, stream, first, hidden, told)
        if hidden:
            raise InvalidOption(f"no frame shows the gender of {', '.join(sorted(hidden))}")
        if order == "shuffled":
            stream.shuffle(tellings)
        elif order != "narrative":
            raise InvalidOption(f"expected order shuffled or narrative, but got {order!r}")
        return Story(tellings)

    def along(
        self,
        people: list[str],
        path: Path,
        stream: Stream,
        first: int,
        hidden: set[str],
        told: set[str],
    ) -> list[Telling]:
        """Tell the facts of a path in order: whose path, and genders and predicates in turn.

        The people whose gender comes to be shown are taken out of `hidden`, and the frames that
        are used are put into `told`, so that they are not used again.
        """
        fillers = self._fillers
        found: list[Telling] = []
        at = first
        for pool, length in self._cut(path, stream):
            start = at - first
            some = people[start : start + length + 1]
            wanted = [n for n, one in enumerate(some) if one in hidden] if hidden else []
            way = pool.draw(wanted, told, stream)
            told.add(way.id)
            wording = pool.wording(way)
            if wanted:
                for n in wording.shows[way.backwards]:
                    hidden.discard(some[n])
            variant = wording.only or stream.choice(wording.variants)
            values = some.copy()
            if way.backwards:
                values.reverse()
            values += pool.nouns[way.backwards]
            for number in variant.fillers:
                filler = fillers[number]
                values.append(filler[stream.below(len(filler))])
            text = variant.fill(values)
            found.append(Telling(text, at, at + length - 1, pool, way, some, variant, values))
            at += length
        return found

    def clause(self, predicates: Sequence[str], genders: Genders) -> list[tuple[Frame, bool]]:
        """The frames that state a chain of facts in one go, each with whether it reads backwards.

        A frame is listed once where it fits one way only.
        """
        return [
            (frame, backwards)
            for frame, backwards in self._matching(tuple(predicates))
            if frame.fits(genders[::-1] if backwards else genders)
        ]

    def nouns(self, predicates: Sequence[str], genders: Genders) -> tuple[str, ...]:
        """The nouns along a chain, forwards and backwards, without and with an article."""
        found: list[str] = []
        for n, predicate in enumerate(predicates):
            inverse = self._inverse[predicate]
            there, a_there = self._words[predicate, genders[n + 1]]
            back, a_back = self._words[inverse, genders[n]] if inverse else (there, a_there)
            found += [there, back, a_there, a_back]
        return tuple(found)

    def _runs(self, facts: Sequence[Fact], genders: Mapping[str, str]) -> list[_Run]:
        """Cut the list where a fact does not go on from where the one before it ended."""
        runs: list[_Run] = []
        kinds: Mapping[str, str | None] = genders
        if self._genders == (None,):
            kinds = {person: None for x, _, y in facts for person in (x, y)}
        people: list[str] = []
        path: list[str | None] = []
        end, first = None, 0
        try:
            for n, (x, predicate, y) in enumerate(facts):
                if x == end and y not in people:
                    path += predicate, kinds[y]
                    people.append(y)
                    end = y
                    continue
                onward = self._onward(people, path, x, predicate, y)
                if onward:
                    end = onward
                    path.append(kinds[end])
                    people.append(end)
                    continue
                if people:
                    runs.append((people, tuple(path), first))
                people, path, first, end = [x, y], [kinds[x], predicate, kinds[y]], n, y
        except KeyError as error:
            raise NotFound(f"no gender is given for {error.args[0]!r}") from error
        if people:
            runs.append((people, tuple(path), first))
        return runs

    def _onward(
        self, people: list[str], path: list[str | None], x: str, predicate: str, y: str
    ) -> str | None:
        """Where a fact leads to from the end of a path, that being turned round if need be."""
        if not people:
            return None
        if people[-1] not in (x, y) and len(people) == 2 and people[0] in (x, y):
            back = self._inverse.get(path[1] or "")
            if back is None:
                return None
            people.reverse()
            path[:] = [path[2], back, path[0]]
        there = (y, predicate) if people[-1] == x else (x, self._inverse.get(predicate))
        if people[-1] not in (x, y) or there[0] in people or there[1] is None:
            return None
        path.append(there[1])
        return there[0]

    def _cut(self, path: Path, stream: Stream) -> _Cut:
        """Cut a path into parts of one to three facts that have frames, all ways alike."""
        if len(path) > 2 * _LISTED:
            return self._cut_with_care(path, stream)
        pools = self._pools
        ways = _compositions(len(path) // 2)
        cut: _Cut = []
        at = 0
        for length in ways[stream.below(len(ways))]:
            after = at + 2 * length
            key = path[at : after + 1]
            pool = pools.get(key) or self._pool(key)
            if pool is None:
                # Some part has no frame: count only the ways that have, and draw from those.
                return self._cut_with_care(path, stream)
            cut.append((pool, length))
            at = after
        return cut

    def _cut_with_care(self, path: Path, stream: Stream) -> _Cut:
        size = len(path) // 2
        ways = [0] * size + [1]
        parts: list[_Cut] = [[] for _ in range(size)]
        for at in range(size - 1, -1, -1):
            for length in range(1, min(LONGEST, size - at) + 1):
                pool = self._pool(path[2 * at : 2 * (at + length) + 1])
                if pool:
                    ways[at] += ways[at + length]
                    parts[at].append((pool, length))
        if not ways[0]:
            told = " ".join(map(str, path))
            raise NotFound(f"no frames for {told}; hold out fewer frames, or write some")
        cut: _Cut = []
        at = 0
        while at < size:
            ticket = stream.below(ways[at])
            for part in parts[at]:
                if ticket < ways[at + part[1]]:
                    break
                ticket -= ways[at + part[1]]
            cut.append(part)
            at += part[1]
        return cut

    def _pool(self, path: Path) -> _Pool | None:
        if path not in self._pools:
            predicates = tuple(name for name in path[1::2] if name is not None)
            self._pools[path] = self._make_pool(predicates, path[::2])
        return self._pools[path]

    def _make_pool(self, predicates: tuple[str, ...], genders: Genders) -> _Pool | None:
        for name in predicates:
            if name not in self._inverse:
                known = ", ".join(self._inverse)
                raise NotFound(f"no predicate {name!r} in this world; known: {known}")
        for kind in genders:
            if kind not in self._genders:
                raise NotFound(f"no gender {kind!r} in this world; known: {self._genders}")
        back = genders[::-1]
        easy, fussy = self._weighed(predicates)
        fitting = [
            (f, backwards) for f, backwards in fussy if f.fits(back if backwards else genders)
        ]
        if not easy and not fitting:
            return None
        nouns = self.nouns(predicates, genders)
        steps = [nouns[n : n + 4] for n in range(0, len(nouns), 4)]
        mirrored = [(step[1], step[0], step[3], step[2]) for step in reversed(steps)]
        return _Pool(
            easy,
            self._ways(fitting),
            [genders, back],
            [self._number(genders), self._number(back)],
            [list(nouns), list(chain.from_iterable(mirrored))],
        )

    def _number(self, genders: Genders) -> int:
        """A number for genders in a row."""
        number = 0
        for gender in genders:
            number = number * len(self._genders) + self._genders.index(gender)
        return number

    def _ways(self, entries: list[tuple[Frame, bool]]) -> list[_Way]:
        """Entries ready to draw from; a frame that fits one way counts as much as one with two."""
        return [self._way(frame, backwards) for frame, backwards in _evenly(entries)]

    def _way(self, frame: Frame, backwards: bool) -> _Way:
        if frame.id not in self._both_ways:
            wordings: list[Wording | None] = [None] * len(self._genders) ** len(frame.path)
            self._both_ways[frame.id] = [_Way(frame, one, wordings) for one in (False, True)]
        return self._both_ways[frame.id][backwards]

    def _weighed(self, predicates: tuple[str, ...]) -> tuple[list[_Way], list[tuple[Frame, bool]]]:
        """The frames that fit all genders, ready to draw from, and those that fit some."""
        if predicates not in self._weights:
            found = self._matching(predicates)
            easy = self._ways([entry for entry in found if not entry[0].fussy])
            self._weights[predicates] = easy, [entry for entry in found if entry[0].fussy]
        return self._weights[predicates]

    def _matching(self, predicates: tuple[str, ...]) -> list[tuple[Frame, bool]]:
        if predicates not in self._matches:
            inverses = [self._inverse[name] for name in predicates]
            mirror = tuple(name for name in reversed(inverses) if name is not None)
            ways = [(False, predicates)]
            if len(mirror) == len(predicates):
                ways.append((True, mirror))
            self._matches[predicates] = [
                (frame, backwards)
                for frame in self._by_length.get(len(predicates), ())
                for backwards, names in ways
                if all(map(frozenset.__contains__, frame.predicates, names))
            ]
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


def _evenly(entries: list[tuple[Frame, bool]]) -> list[tuple[Frame, bool]]:
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

"""The stitcher: turns a list of facts into a story, and says where each fact and name stands."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise
from typing import Literal, NamedTuple

from ..errors import InvalidOption, NotFound
from ..kb.proof import Fact
from ..seed import Stream
from .bank import LONGEST, Bank
from .frame import Frame, Genders, Variant

Order = Literal["shuffled", "narrative"]

_REDRAWS = 4  # so often a frame is drawn again that the story has already


Telling = tuple[str, int, int, str, tuple["_Ready", list[str], Variant, list[str]]]
"""What one frame made: the text, its first and last fact, the frame's id, what it was made from."""


class Story:
    """A text, and what stands where in it; what is wanted less often is computed when asked for."""

    __slots__ = ("tellings", "text")

    def __init__(self, tellings: list[Telling]) -> None:
        self.text = " ".join([telling[0] for telling in tellings])
        self.tellings = tellings

    @property
    def templates(self) -> list[str]:
        """The ids of the frames, in the order of the text."""
        return [frame for _, _, _, frame, _ in self.tellings]

    @property
    def sentences(self) -> list[tuple[int, int, list[int]]]:
        """Every sentence: start, end, the numbers of the facts it states."""
        found, at = [], 0
        for _, first, last, _, (ready, _, variant, values) in self.tellings:
            for sentence in variant.sentences:
                facts = [last - n if ready.backwards else first + n for n in sentence.facts]
                end = at + len(sentence.pattern % sentence.pick(values))
                found.append((at, end, facts))
                at = end + 1
        return found

    @property
    def mentions(self) -> list[tuple[int, int, str]]:
        """Every name in the text: start, end, the person named there."""
        found: list[tuple[int, int, str]] = []
        starts = (start for start, _, _ in self.sentences)
        for _, _, _, _, (_, _, variant, values) in self.tellings:
            for sentence in variant.sentences:
                picked = sentence.pick(values)
                # Where each hole begins, but for the fixed characters before it.
                holes = list(accumulate(map(len, picked), initial=next(starts)))
                found += [
                    (holes[hole] + fixed, holes[hole + 1] + fixed, picked[hole])
                    for hole, fixed in sentence.names
                ]
        return found

    @property
    def parts(self) -> list[tuple[int, int]]:
        """Start and end of what each template made."""
        ends = list(accumulate((len(telling[0]) + 1 for telling in self.tellings), initial=0))
        return [(start, end - 1) for start, end in pairwise(ends)]

    @property
    def revealed(self) -> frozenset[str]:
        """The people whose gender the text shows, whatever their names."""
        made = (detail for _, _, _, _, detail in self.tellings)
        return frozenset(people[n] for ready, people, _, _ in made for n in ready.shows)


class _Ready(NamedTuple):
    """A frame made ready for one clause; `shows` are those along it whose gender it shows."""

    frame: str
    variants: tuple[Variant, ...]
    shows: frozenset[int]
    nouns: list[str]
    backwards: bool


class _Pool:
    """The frames for one clause, made ready as they are drawn."""

    __slots__ = ("entries", "genders", "legible", "nouns", "ready")

    def __init__(
        self,
        entries: list[tuple[Frame, bool]],
        genders: tuple[Genders, Genders],
        nouns: tuple[list[str], list[str]],
    ) -> None:
        self.entries = entries
        self.genders = genders
        self.nouns = nouns
        self.ready: list[_Ready | None] = [None] * len(entries)
        self.legible: dict[frozenset[int], _Pool] = {}

    def get(self, number: int) -> _Ready:
        """Make an entry ready."""
        frame, backwards = self.entries[number]
        compiled = frame.compiled(self.genders[backwards])
        assert compiled is not None, "a pool holds what fits"
        shows, nouns = compiled.shows[backwards], self.nouns[backwards]
        found = self.ready[number] = _Ready(frame.id, compiled.variants, shows, nouns, backwards)
        return found

    def another(self, shown: frozenset[int], told: set[str], random: Callable[[], float]) -> _Ready:
        """Draw until a frame shows these genders; better none that was told already."""
        for _ in range(_REDRAWS):
            number = int(random() * len(self.ready))
            ready = self.ready[number] or self.get(number)
            if ready.frame not in told and shown <= ready.shows:
                return ready
        return self.showing(shown).another(_NOBODY, told, random) if shown else ready

    def showing(self, shown: frozenset[int]) -> "_Pool":
        """Only the entries that show most of these genders."""
        if shown not in self.legible:
            scores = [len(shown & self.get(n).shows) for n in range(len(self.entries))]
            best = max(scores)
            entries = [e for e, score in zip(self.entries, scores, strict=True) if score == best]
            self.legible[shown] = _Pool(entries, self.genders, self.nouns)
        return self.legible[shown]


_NOBODY: frozenset[int] = frozenset()
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
        self._weights: dict[
            tuple[str, ...], tuple[list[tuple[Frame, bool]], list[tuple[Frame, bool]]]
        ] = {}
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
            tellings += self.along(people, path, stream, first=first, hidden=hidden, told=told)
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
        *,
        first: int = 0,
        hidden: set[str],
        told: set[str],
    ) -> list[Telling]:
        """Tell the facts of a path in order: whose path, and genders and predicates in turn.

        The people whose gender comes to be shown are taken out of `hidden`, and the frames that
        are used are put into `told`, so that they are not used again.
        """
        random, fillers = stream.random, self.bank.language.fillers
        found: list[Telling] = []
        at = 0
        for pool, length in self._cut(path, stream):
            end = at + length
            some = people[at : end + 1]
            shelf = pool.ready
            number = int(random() * len(shelf))
            ready = shelf[number] or pool.get(number)
            frame, variants, shows, nouns, backwards = ready
            wanted = _NOBODY
            if hidden and not hidden.isdisjoint(some):
                wanted = frozenset([n for n, one in enumerate(some) if one in hidden])
            if frame in told or not wanted <= shows:
                ready = pool.another(wanted, told, random)
                frame, variants, shows, nouns, backwards = ready
            told.add(frame)
            if wanted:
                hidden.difference_update([some[n] for n in shows])
            variant = variants[0] if len(variants) == 1 else variants[int(random() * len(variants))]
            values = (some[::-1] if backwards else some) + nouns
            for number in variant[0]:
                filler = fillers[number]
                values.append(filler[int(random() * len(filler))])
            text = variant[2] % variant[3](values)
            detail = (ready, some, variant, values)
            found.append((text, first + at, first + end - 1, frame, detail))
            at = end
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
        for length in ways[int(stream.random() * len(ways))]:
            after = at + 2 * length
            key = path[at : after + 1]
            pool = pools[key] if key in pools else self._pool(key)
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
        entries = easy + _evenly(fitting) if fitting else easy
        if not entries:
            return None
        nouns = self.nouns(predicates, genders)
        steps = [nouns[n : n + 4] for n in range(0, len(nouns), 4)]
        mirrored = [(step[1], step[0], step[3], step[2]) for step in reversed(steps)]
        both = (list(nouns), list(chain.from_iterable(mirrored)))
        return _Pool(entries, (genders, back), both)

    def _weighed(
        self, predicates: tuple[str, ...]
    ) -> tuple[list[tuple[Frame, bool]], list[tuple[Frame, bool]]]:
        """The frames that fit all genders, ready to draw from, and those that fit some."""
        if predicates not in self._weights:
            found = self._matching(predicates)
            easy = _evenly([entry for entry in found if not entry[0].fussy])
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


_LISTED = 15
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

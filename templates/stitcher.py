"""The stitcher: turns a list of facts into a story, and says where each fact and name stands."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Literal, NamedTuple

from ..errors import InvalidOption, NotFound
from ..kb.proof import Fact
from ..seed import Stream
from .bank import LONGEST, Bank
from .frame import Frame, Genders, Variant

Order = Literal["shuffled", "narrative"]

_REDRAWS = 4  # so often a frame is drawn again that the story has already


class Story(NamedTuple):
    """A text, and what stands where in it."""

    text: str
    sentences: list[tuple[int, int, list[int]]]  # start, end, the numbers of the facts it states
    mentions: list[tuple[int, int, str]]  # start, end, the person named there
    templates: list[str]  # the ids of the frames, in the order of the text
    parts: list[tuple[int, int]]  # start and end of what each of them made
    revealed: frozenset[str]  # the people whose gender the text shows, whatever their names


class _Ready(NamedTuple):
    """A frame made ready for one clause: its variants, nouns, and the way its facts count."""

    frame: str
    variants: tuple[Variant, ...]
    nouns: list[str]
    backwards: bool
    reveals: tuple[int, ...]


class _Pool(NamedTuple):
    """The frames for one clause, made ready as they are drawn."""

    entries: list[tuple[Frame, bool]]
    ready: list[_Ready | None]
    genders: tuple[Genders, Genders]
    nouns: tuple[list[str], list[str]]

    def get(self, number: int) -> _Ready:
        """Make an entry ready, or take it if it is."""
        found = self.ready[number]
        if found is None:
            frame, backwards = self.entries[number]
            compiled = frame.compiled(self.genders[backwards])
            assert compiled is not None, "a pool holds what fits"
            nouns = self.nouns[backwards]
            found = _Ready(frame.id, compiled.variants, nouns, backwards, compiled.reveals)
            self.ready[number] = found
        return found


class _Run(NamedTuple):
    """Facts that form a path one after the other."""

    people: list[str]
    predicates: list[str]
    first: int


# Parts of a path: the frames for each, and how many facts it has.
_Cut = list[tuple[_Pool, int]]
# A frame that is ready, the people it is about along its path, and the number of its first fact.
_Unit = tuple[_Ready, list[str], int]


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
        world = bank.world
        self._inverse = {name: world.inverse(name) for name in world.predicates}
        self._genders: tuple[str | None, ...] = world.genders or (None,)
        self._words = {
            (name, gender): predicate.word(gender)
            for name, predicate in world.predicates.items()
            for gender in self._genders
        }
        self._matches: dict[tuple[str, ...], list[tuple[Frame, bool]]] = {}
        self._weights: dict[
            tuple[str, ...], tuple[list[tuple[Frame, bool]], list[tuple[Frame, bool]]]
        ] = {}
        self._pools: dict[tuple[str | None, ...], _Pool | None] = {}
        self._legible_pools: dict[tuple[int, tuple[int, ...]], _Pool] = {}
        self._ways = [1, 1, 2]

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
        units: list[_Unit] = []
        told: set[str] = set()
        hidden = set(reveal)
        random = stream.random
        for people, predicates, first in self._runs(facts):
            kinds = self._kinds(people, genders)
            at = 0
            for fitting, length in self._cut(predicates, kinds, stream):
                after = at + length
                some = people[at : after + 1]
                pool = self._legible(fitting, some, hidden) if hidden else fitting
                count = len(pool.entries)
                ready = pool.get(int(random() * count))
                for _ in range(_REDRAWS):
                    if ready.frame not in told:
                        break
                    ready = pool.get(int(random() * count))
                told.add(ready.frame)
                if ready.backwards:
                    some.reverse()
                if hidden:
                    hidden.difference_update([some[n] for n in ready.reveals])
                units.append((ready, some, first + at))
                at = after
        if hidden:
            raise InvalidOption(f"no frame shows the gender of {', '.join(sorted(hidden))}")
        if order == "shuffled":
            stream.shuffle(units)
        elif order != "narrative":
            raise InvalidOption(f"expected order shuffled or narrative, but got {order!r}")
        return self._told(units, stream)

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
        article = self.bank.language.with_article
        found: list[str] = []
        for n, predicate in enumerate(predicates):
            inverse = self._inverse[predicate]
            there = self._words[predicate, genders[n + 1]]
            back = self._words[inverse, genders[n]] if inverse else there
            found += [there, back, article(there), article(back)]
        return tuple(found)

    def _kinds(self, people: list[str], genders: Mapping[str, str]) -> Genders:
        if self._genders == (None,):
            return (None,) * len(people)
        try:
            return tuple([genders[person] for person in people])
        except KeyError as error:
            raise NotFound(f"no gender is given for {error.args[0]!r}") from error

    def _runs(self, facts: Sequence[Fact]) -> Iterator[_Run]:
        """Cut the list where a fact does not go on from where the one before it ended."""
        inverse = self._inverse
        people: list[str] = []
        predicates: list[str] = []
        first = 0
        for n, (x, predicate, y) in enumerate(facts):
            if predicate not in inverse:
                known = ", ".join(inverse)
                raise NotFound(f"no predicate {predicate!r} in this world; known: {known}")
            if people:
                end = people[-1]
                if end not in (x, y) and len(people) == 2 and people[0] in (x, y):
                    back = inverse[predicates[0]]
                    if back is not None:
                        people.reverse()
                        predicates[0] = back
                        end = people[-1]
                back = inverse[predicate]
                if end == x and y not in people:
                    people.append(y)
                    predicates.append(predicate)
                    continue
                if end == y and x not in people and back is not None:
                    people.append(x)
                    predicates.append(back)
                    continue
                yield _Run(people, predicates, first)
            people, predicates, first = [x, y], [predicate], n
        if people:
            yield _Run(people, predicates, first)

    def _cut(self, predicates: list[str], genders: Genders, stream: Stream) -> _Cut:
        """Cut a path into parts of one to three facts that have frames, all ways alike."""
        size, ways = len(predicates), self._ways
        while len(ways) <= size:
            ways.append(ways[-1] + ways[-2] + ways[-3])
        cut: _Cut = []
        left = size
        while left:
            ticket = stream.random() * ways[left]
            length = 1
            while ticket >= ways[left - length] and length < LONGEST and length < left:
                ticket -= ways[left - length]
                length += 1
            at = size - left
            pool = self._pool(predicates[at : at + length], genders[at : at + length + 1])
            if pool is None:
                # Some part has no frame: count only the ways that have, and draw from those.
                return self._cut_with_care(predicates, genders, stream)
            cut.append((pool, length))
            left -= length
        return cut

    def _cut_with_care(self, predicates: list[str], genders: Genders, stream: Stream) -> _Cut:
        size = len(predicates)
        ways = [0] * size + [1]
        parts: list[_Cut] = [[] for _ in predicates]
        for at in range(size - 1, -1, -1):
            for length in range(1, min(LONGEST, size - at) + 1):
                pool = self._pool(predicates[at : at + length], genders[at : at + length + 1])
                if pool:
                    ways[at] += ways[at + length]
                    parts[at].append((pool, length))
        if not ways[0]:
            raise NotFound(
                f"no frames for {'.'.join(predicates)} of {', '.join(map(str, genders))}; "
                f"hold out fewer frames, or write some"
            )
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

    def _pool(self, predicates: list[str], genders: Genders) -> _Pool | None:
        key = (*predicates, *genders)
        try:
            return self._pools[key]
        except KeyError:
            pool = self._pools[key] = self._make_pool(tuple(predicates), genders)
            return pool

    def _make_pool(self, predicates: tuple[str, ...], genders: Genders) -> _Pool | None:
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
        return _Pool(entries, [None] * len(entries), (genders, back), both)

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
            self._matches[predicates] = [
                (frame, backwards)
                for frame in self.frames
                for backwards, names in enumerate((predicates, mirror))
                if len(frame.predicates) == len(names)
                and all(name in able for name, able in zip(names, frame.predicates, strict=True))
                for backwards in (bool(backwards),)
            ]
        return self._matches[predicates]

    def _legible(self, pool: _Pool, people: list[str], hidden: set[str]) -> _Pool:
        """The entries that show most of the genders that are still to be shown."""
        wanted = tuple(n for n, person in enumerate(people) if person in hidden)
        if not wanted:
            return pool
        key = (id(pool), wanted)
        found = self._legible_pools.get(key)
        if found is None:
            last = len(people) - 1

            def shown(frame: Frame, backwards: bool) -> int:
                made = frame.compiled(pool.genders[backwards])
                at = {last - n if backwards else n for n in (made.reveals if made else ())}
                return len(at.intersection(wanted))

            scores = [shown(*entry) for entry in pool.entries]
            best = max(scores)
            entries = [e for e, score in zip(pool.entries, scores, strict=True) if score == best]
            found = pool._replace(entries=entries, ready=[None] * len(entries))
            self._legible_pools[key] = found
        return found

    def _told(self, units: list[_Unit], stream: Stream) -> Story:
        texts: list[str] = []
        sentences: list[tuple[int, int, list[int]]] = []
        mentions: list[tuple[int, int, str]] = []
        parts: list[tuple[int, int]] = []
        revealed: set[str] = set()
        random = stream.random
        fillers = self.bank.language.fillers
        at = 0
        for (_, variants, nouns, backwards, reveals), people, first in units:
            pattern, pick, wanted, names, spans, size = (
                variants[int(random() * len(variants))] if len(variants) > 1 else variants[0]
            )
            values = people + nouns
            for number in wanted:
                filler = fillers[number]
                values.append(filler[int(random() * len(filler))])
            picked = pick(values)
            texts.append(pattern % picked)
            # Where each hole begins, but for the fixed characters before it.
            holes = list(accumulate(map(len, picked), initial=at))
            for hole, fixed in names:
                mentions.append((holes[hole] + fixed, holes[hole + 1] + fixed, picked[hole]))
            last = first + len(people) - 2
            for hole, fixed, hole_after, fixed_after, stated in spans:
                told = [last - n for n in stated] if backwards else [first + n for n in stated]
                sentences.append((holes[hole] + fixed, holes[hole_after] + fixed_after, told))
            for n in reveals:
                revealed.add(people[n])
            end = holes[-1] + size
            parts.append((at, end))
            at = end + 1
        ids = [unit[0][0] for unit in units]
        return Story(" ".join(texts), sentences, mentions, ids, parts, frozenset(revealed))


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

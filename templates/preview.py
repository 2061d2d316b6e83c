"""Rendered samples of frames, for reading."""

from collections.abc import Iterator
from functools import cache

from ..errors import NotFound
from ..kb.worlds.verdict import Status
from ..seed import Stream
from .bank import LONGEST, Bank
from .statistics import Clause, clauses, genders, render
from .stitcher import Stitcher
from .wording import Genders


def _relation(bank: Bank, word: str) -> tuple[str, str | None]:
    """The predicate and gender that a word means, or a predicate by its own name."""
    if word in bank.world.predicates:
        return word, None
    if word not in bank.world.meanings:
        words = ", ".join(bank.world.meanings)
        raise NotFound(f"no relation is called {word!r}; there are: {words}")
    return bank.world.meanings[word]


def previews(
    bank: Bank,
    stream: Stream,
    count: int,
    *,
    word: str | None = None,
    theme: str | None = None,
    length: int | None = None,
) -> Iterator[tuple[str, str]]:
    """Samples of frames, each with the frame's id: for a relation, a theme, a number of facts.

    People are of genders, and so related, that there may be such a family.
    """
    stitcher = Stitcher(bank)
    wanted = _relation(bank, word) if word else None
    themes = sorted({frame.theme for frame in bank.frames})
    if theme is not None and theme not in themes:
        raise NotFound(f"no theme is called {theme!r}; there are: {', '.join(themes)}")
    chains = [
        chain
        for chain in clauses(bank, length or LONGEST)
        if (length is None or len(chain) == length) and (not wanted or wanted[0] in chain)
    ]
    if length is None and not wanted:
        chains.append(())  # what states no fact
    frames = [
        frame
        for frame in bank.frames
        if (theme is None or frame.theme == theme) and len(frame.predicates) in map(len, chains)
    ]
    stream.shuffle(frames)
    for frame in frames:
        if not count:
            return
        fitting = [
            (chain, kinds)
            for chain in chains
            if len(chain) == len(frame.predicates)
            and all(name in able for name, able in zip(chain, frame.predicates, strict=True))
            for kinds in dict.fromkeys(some[: len(frame.path)] for some in genders(bank, chain))
            if frame.fits(kinds) and (not wanted or _holds(chain, kinds, *wanted))
        ]
        stream.shuffle(fitting)
        for chain, kinds in fitting:
            if not _is_possible(bank, chain, kinds):
                continue
            pools = {
                kind: stream.sample(bank.names(kind), len(kinds)) for kind in dict.fromkeys(kinds)
            }
            names = [pools[kind].pop() for kind in kinds]
            yield frame.id, render(stitcher, frame, False, chain, kinds, names)
            count -= 1
            break


def _holds(
    chain: tuple[str, ...], kinds: tuple[str | None, ...], predicate: str, gender: str | None
) -> bool:
    return any(name == predicate and gender in (None, kinds[n + 1]) for n, name in enumerate(chain))


@cache
def _is_possible(bank: Bank, chain: Clause, kinds: Genders) -> bool:
    """Whether people of these genders can be so related, as far as somebody can judge."""
    stories = bank.world.stories
    if stories is None or not chain:
        return True
    names = [str(n) for n in range(len(kinds))]
    words = [bank.world.predicates[name].word(kinds[n + 1]) for n, name in enumerate(chain)]
    facts = list(zip(names, words, names[1:], strict=False))
    known = {name: kind for name, kind in zip(names, kinds, strict=True) if kind}
    verdict = stories.judge(facts, known, (names[0], names[-1]), None)
    return verdict.status is not Status.IMPOSSIBLE

"""Rendered samples of frames."""

from collections.abc import Iterator
from functools import cache

from ..errors import NotFound, hint
from ..kb.worlds.verdict import Status
from ..seed import Stream
from .bank import MAX_FACTS, Bank
from .realization import Genders
from .statistics import Clause, clauses, possible_genders, render
from .stitcher import Stitcher


def _relation(bank: Bank, word: str) -> tuple[str, str | None]:
    """Return the predicate and gender that a word means; None as gender for a predicate's name."""
    if word in bank.world.predicates:
        return word, None
    if word not in bank.world.meanings:
        raise NotFound(f"no relation is called {word!r}; {hint(word, bank.world.meanings)}")
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
    """Yield rendered frames with their ids, by relation word, theme and number of facts.

    Their people have genders and relations that are possible in the world.
    """
    stitcher = Stitcher(bank)
    wanted = _relation(bank, word) if word else None
    themes = sorted({frame.theme for frame in bank.frames})
    if theme is not None and theme not in themes:
        raise NotFound(f"no theme is called {theme!r}; there are: {', '.join(themes)}")
    found = [
        clause
        for clause in clauses(bank, length or MAX_FACTS)
        if (length is None or len(clause) == length) and (not wanted or wanted[0] in clause)
    ]
    if length is None and not wanted:
        found.append(())  # frames that state no fact
    frames = [
        frame
        for frame in bank.frames
        if (theme is None or frame.theme == theme) and len(frame.predicates) in map(len, found)
    ]
    stream.shuffle(frames)
    for frame in frames:
        if not count:
            return
        fitting = [
            (clause, genders)
            for clause in found
            if len(clause) == len(frame.predicates)
            and all(name in able for name, able in zip(clause, frame.predicates, strict=True))
            for genders in dict.fromkeys(
                genders[: len(frame.path)] for genders in possible_genders(bank, clause)
            )
            if frame.fits(genders) and (not wanted or _has_relation(clause, genders, *wanted))
        ]
        stream.shuffle(fitting)
        for clause, genders in fitting:
            if not _is_possible(bank, clause, genders):
                continue
            pools = {
                gender: stream.sample(bank.names(gender), len(genders))
                for gender in dict.fromkeys(genders)
            }
            names = [pools[gender].pop() for gender in genders]
            yield frame.id, render(stitcher, frame, False, clause, genders, names)
            count -= 1
            break


def _has_relation(clause: Clause, genders: Genders, predicate: str, gender: str | None) -> bool:
    return any(
        name == predicate and gender in (None, genders[n + 1]) for n, name in enumerate(clause)
    )


@cache
def _is_possible(bank: Bank, clause: Clause, genders: Genders) -> bool:
    """Return whether people of these genders can be so related; True if there is no judge."""
    stories = bank.world.stories
    if stories is None or not clause:
        return True
    names = [str(n) for n in range(len(genders))]
    words = [bank.world.predicates[name].word(genders[n + 1]) for n, name in enumerate(clause)]
    facts = list(zip(names, words, names[1:], strict=False))
    known = {name: kind for name, kind in zip(names, genders, strict=True) if kind}
    verdict = bank.world.judge(facts, known, (names[0], names[-1]), None)
    return verdict.status is not Status.IMPOSSIBLE

"""Pages of rendered samples, for reading."""

import textwrap
from collections.abc import Iterator

from ..errors import NotFound
from ..seed import Stream
from .bank import LONGEST, Bank
from .sample import Noise, Sampler
from .statistics import clauses, genders, render
from .stitcher import Stitcher

_WIDTH = 96
_PAGE: tuple[tuple[int, Noise], ...] = (
    (2, "none"),
    (3, "none"),
    (5, "none"),
    (10, "none"),
    (2, "supporting"),
    (3, "irrelevant"),
    (3, "disconnected"),
    (5, "supporting"),
)


def gallery(banks: list[Bank], each: int = 5, seed: int = 0) -> str:
    """A page in Markdown: so many stories for each length and noise, and some of other worlds."""
    main, *others = banks
    parts = [
        "# Gallery",
        "Stories as the stitcher tells them. Written by `gen templates gallery`; a test sees "
        "that it is up to date.",
    ]
    for length, noise in _PAGE:
        title = f"{length} facts" + ("" if noise == "none" else f", {noise} noise")
        parts += [f"## {main.world.name}: {title}", *_stories(main, length, noise, each, seed)]
    for bank in others:
        parts += [f"## {bank.world.name}: 4 facts", *_stories(bank, 4, "none", each, seed)]
    return "\n\n".join("\n".join(textwrap.wrap(part, _WIDTH)) for part in parts) + "\n"


def _stories(bank: Bank, length: int, noise: Noise, count: int, seed: int) -> Iterator[str]:
    sampler, stitcher = Sampler(bank), Stitcher(bank)
    stream = Stream("gallery", bank.world.name, length, noise, seed)
    for _ in range(count):
        facts, kinds = sampler.sample(length, stream, noise)
        yield stitcher.story(facts, kinds, stream).text


def relation(bank: Bank, word: str) -> tuple[str, str | None]:
    """The predicate and gender that a word means, or a predicate by its own name."""
    known = []
    for name, predicate in bank.world.predicates.items():
        if word == name:
            return name, None
        for gender in bank.world.genders or (None,):
            if predicate.word(gender) == word:
                return name, gender
            known.append(predicate.word(gender))
    raise NotFound(f"no relation is called {word!r}; there are: {', '.join(known)}")


def previews(
    bank: Bank,
    stream: Stream,
    count: int,
    *,
    word: str | None = None,
    theme: str | None = None,
    length: int | None = None,
) -> Iterator[tuple[str, str]]:
    """Samples of frames, each with the frame's id: for a relation, a theme, a number of facts."""
    stitcher = Stitcher(bank)
    wanted = relation(bank, word) if word else None
    themes = sorted({frame.theme for frame in bank.frames})
    if theme is not None and theme not in themes:
        raise NotFound(f"no theme is called {theme!r}; there are: {', '.join(themes)}")
    chains = [
        chain
        for chain in clauses(bank, length or LONGEST)
        if (length is None or len(chain) == length) and (not wanted or wanted[0] in chain)
    ]
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
            for kinds in genders(bank, chain)
            if frame.fits(kinds) and (not wanted or _holds(chain, kinds, *wanted))
        ]
        if fitting:
            chain, kinds = stream.choice(fitting)
            pools = {
                kind: stream.sample(bank.names(kind), len(kinds)) for kind in dict.fromkeys(kinds)
            }
            names = [pools[kind].pop() for kind in kinds]
            yield frame.id, render(stitcher, frame, False, chain, kinds, names)
            count -= 1


def _holds(
    chain: tuple[str, ...], kinds: tuple[str | None, ...], predicate: str, gender: str | None
) -> bool:
    return any(name == predicate and gender in (None, kinds[n + 1]) for n, name in enumerate(chain))

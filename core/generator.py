"""The base class of generators: options as fields, rows by block, an independent judge.

`Rows` is one split of a generator as a lazy sequence.
"""

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from threading import RLock
from typing import Any, ClassVar, Final, Self, overload

from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import override

from .block import ENGLISH, ROWS_PER_BLOCK, Block
from .capabilities import Capability, Limited
from .errors import CheckFailed, InvalidOption
from .example import Example
from .options import validation_messages
from .splits import TRAIN


class Preset(BaseModel):
    """A named set of options and splits: `gen NAME --preset PRESET`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    summary: str
    options: dict[str, str]
    split: str


class Generator(BaseModel):
    """A generator of rows with its own judge.

    The fields are the options, the docstring is the help. A subclass defines `rows`, `replay` and
    `problems`; what else it may offer is in `relsmith.capabilities`. `rows` must depend on nothing
    but the fields and the block; `problems` must share no code with `rows`. An instance is also
    the sequence of its rows: `generator[7]`, `generator[:5]`, `for row in generator`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, validate_default=True)

    name: ClassVar[str]
    version: ClassVar[int]
    citation: ClassVar[str] = ""
    tasks: ClassVar[tuple[str, ...]] = ("question-answering",)
    """Hugging Face task categories, for dataset cards."""
    labelled: ClassVar[bool] = True
    """False if rows have no answers; then every target is empty."""
    rows_per_block: ClassVar[int] = ROWS_PER_BLOCK
    """Rows that share random streams: access to a single row makes those before it in its block."""
    presets: ClassVar[Mapping[str, Preset]] = {}
    Metadata: ClassVar[type[BaseModel]]

    @override
    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        for kind in Capability.__subclasses__():
            own = vars(cls).keys() & {name for name in vars(kind) if name[0] != "_"}
            if own and not issubclass(cls, kind):
                raise TypeError(
                    f"{cls.__name__} defines {', '.join(sorted(own))} but does not inherit "
                    f"relsmith.capabilities.{kind.__name__}; add it to the base classes"
                )

    @abstractmethod
    def rows(self, block: Block) -> Iterator[Example]:
        """Make every row of the block, in order."""

    @abstractmethod
    def replay(self, example: Example) -> list[str]:
        """Replay the row's certificate and return findings; must be fast, it runs for every row."""

    @abstractmethod
    def problems(self, example: Example) -> list[str]:
        """Solve the row independently from its text and metadata; return what is wrong with it."""

    def examples(
        self,
        stop: int,
        *,
        start: int = 0,
        seed: int = 0,
        split: str = "train",
        splits: tuple[str, ...] | None = None,
    ) -> Iterator[Example]:
        """Yield rows `start` to `stop` of a split, each with its certificate replayed."""
        try:
            yield from self._examples(start, stop, seed, split, splits or (split,))
        except SystemExit as error:
            raise CheckFailed(
                f"{self.name} tried to end the program (SystemExit: {error}) instead of making "
                f"rows; report it to the generator's authors"
            ) from error

    def _examples(
        self, start: int, stop: int, seed: int, split: str, splits: tuple[str, ...]
    ) -> Iterator[Example]:
        replay, size = self.replay, self.rows_per_block
        languages = tuple(self.languages(self.options()))
        if start >= stop:
            return
        for index in range(start // size, -(-stop // size)):
            block = Block(self.name, self.version, seed, splits, split, index, "", size, languages)
            first = block.numbers.start
            wanted = slice(max(start - first, 0), stop - first)
            expected = None
            for expected, example in zip(
                block.ids[wanted], islice(self.rows(block), wanted.start, None), strict=False
            ):
                if example.id != expected:
                    raise CheckFailed(
                        f"{self.name} gave row {expected} the id {example.id!r}; use block.id(n)"
                    )
                if found := replay(example):
                    raise CheckFailed(f"{example.id}: {found[0]}")
                yield example
            if expected != block.ids[wanted][-1]:
                raise CheckFailed(
                    f"{self.name} stopped after row {expected}; rows() must yield the whole block"
                )

    def split(
        self, name: str = TRAIN, *, splits: tuple[str, ...] | None = None, seed: int = 0
    ) -> "Rows":
        """Return the rows of a split as a sequence; `splits` are all splits that share the rows."""
        splits = splits or (name,)
        if name not in splits:
            raise InvalidOption(f"expected a split of {', '.join(splits)}, but got {name!r}")
        return Rows(self, name, splits, seed)

    @overload
    def __getitem__(self, key: int) -> Example: ...
    @overload
    def __getitem__(self, key: slice) -> list[Example]: ...
    def __getitem__(self, key: int | slice) -> Example | list[Example]:
        return self.split()[key]

    def __iter__(self) -> Iterator[Example]:  # type: ignore[override]  # fields: model_fields
        return iter(self.split())

    @classmethod
    def configure(cls, options: Mapping[str, object], spell: Callable[[str], str] = str) -> Self:
        """Return the generator with options as a user or a manifest writes them.

        Error messages name an option by `spell(field)`.
        """
        try:
            return cls.model_validate(dict(options))
        except ValidationError as error:
            what = "; ".join(validation_messages(error, cls, spell))
            raise InvalidOption(f"{cls.name}: {what}") from None

    def options(self) -> dict[str, Any]:
        """Return every option with its value, as a manifest stores it."""
        return self.model_dump(mode="json")

    @classmethod
    def languages(cls, options: Mapping[str, object]) -> list[str]:
        """Return the codes of the languages of rows in turn; ids name one other than English."""
        return [ENGLISH]

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True)
class Rows:
    """The rows of one split: `rows[7]`, `rows[:5]`, `for row in rows`.

    The sequence is unlimited unless the generator has a capacity. Access to one row makes the rows
    of its block up to that row; the last blocks are kept.
    """

    generator: Generator
    split: str
    splits: tuple[str, ...]
    seed: int

    @overload
    def __getitem__(self, key: int) -> Example: ...
    @overload
    def __getitem__(self, key: slice) -> list[Example]: ...
    def __getitem__(self, key: int | slice) -> Example | list[Example]:
        numbers = self._numbers(key)
        if isinstance(numbers, int):
            return self._row(numbers)
        if numbers.step == 1:
            return list(self.between(numbers.start, numbers.stop))
        return [self[n] for n in numbers]

    def __iter__(self) -> Iterator[Example]:
        return self.between(0, self._end() or sys.maxsize)

    def _numbers(self, key: int | slice) -> int | range:
        end, name = self._end(), self.generator.name
        if end is None and not _counts_from_the_start(key):
            raise IndexError(f"{name} has no last row; use indices from 0 and give slices a stop")
        try:
            return range(sys.maxsize if end is None else end)[key]
        except IndexError:
            raise IndexError(f"{name} has {end} rows for {self.split!r}, no row {key}") from None

    def _end(self) -> int | None:
        capacity = Limited.of(self.generator).capacity(self.splits, self.seed)
        return capacity[self.split] if capacity else None

    def _row(self, n: int) -> Example:
        index, place = divmod(n, self.generator.rows_per_block)
        key = id(self.generator), self.split, self.splits, self.seed, index
        with _lock:
            block = _last_blocks.pop(key, None) or _MadeBlock(self, index)
            row = block[place]
            _last_blocks[key] = block
            while len(_last_blocks) > _MAX_BLOCKS:
                del _last_blocks[next(iter(_last_blocks))]
        return row

    def between(self, start: int, stop: int) -> Iterator[Example]:
        """Yield the rows from `start` to `stop`."""
        return self.generator.examples(
            stop, start=start, seed=self.seed, split=self.split, splits=self.splits
        )


class _MadeBlock:
    """The rows of a block as far as they were made; the others are made when they are needed."""

    def __init__(self, rows: Rows, index: int) -> None:
        size = rows.generator.rows_per_block
        self.rows = rows  # keeps the generator alive, whose id is part of the key
        self._encoded: list[str] = []
        self._next = rows.between(index * size, (index + 1) * size)

    def __getitem__(self, place: int) -> Example:
        """Return a row as a new object, which its owner may change."""
        while place >= len(self._encoded):
            self._encoded.append(next(self._next).encoded())
        return Example.parse(self._encoded[place])


_MAX_BLOCKS: Final = 64
_last_blocks: dict[tuple[int, str, tuple[str, ...], int, int], _MadeBlock] = {}
_lock = RLock()


def _counts_from_the_start(key: int | slice) -> bool:
    if isinstance(key, slice):
        return (key.start or 0) >= 0 and key.stop is not None and key.stop >= 0
    return key >= 0

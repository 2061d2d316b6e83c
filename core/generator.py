"""The base class of generators: options as fields, rows by block, an independent judge."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from pydantic import BaseModel, ConfigDict, ValidationError

from .block import ROWS_PER_BLOCK, Block
from .errors import CheckFailed, InvalidOption
from .example import Example
from .options import validation_messages
from .rows import Rows
from .splits import DEFAULT_SPLITS, TRAIN
from .view import View

if TYPE_CHECKING:
    import networkx

    from .scoring.answers import AnswerKey


class Source(BaseModel):
    """An external source that rows were made from, identified by its digest."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    version: str
    digest: str


class Preset(BaseModel):
    """A named set of options and splits: `gen NAME --preset PRESET`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    summary: str
    options: dict[str, str]
    split: str


class Generator(BaseModel):
    """A generator of rows with its own judge.

    The fields are the options, the docstring is the help. `rows` must depend on nothing but the
    fields and the block; `problems` must share no code with `rows`. An instance is also the
    sequence of its rows: `generator[7]`, `generator[:5]`, `for row in generator`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, validate_default=True)

    name: ClassVar[str]
    version: ClassVar[int]
    citation: ClassVar[str] = ""
    language: ClassVar[str] = "en"
    """The language code of the rows, for dataset cards."""
    tasks: ClassVar[tuple[str, ...]] = ("question-answering",)
    """Hugging Face task categories, for dataset cards."""
    labelled: ClassVar[bool] = True
    """False if rows have no answers; then every target is empty."""
    presets: ClassVar[Mapping[str, Preset]] = {}
    writes_all_rows: ClassVar[bool] = False
    """True if `gen NAME` without --rows writes all rows that exist."""
    Metadata: ClassVar[type[BaseModel]]

    @abstractmethod
    def rows(self, block: Block) -> Iterator[Example]:
        """Make every row of the block, in order."""

    @abstractmethod
    def replay(self, example: Example) -> list[str]:
        """Replay the row's certificate and return findings; must be fast, it runs for every row."""

    @abstractmethod
    def problems(self, example: Example) -> list[str]:
        """Solve the row independently from its text and metadata; return what is wrong with it."""

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return the answer key that scores free-text answers to the row."""
        from .scoring.answers import default_key

        return default_key(row)

    @classmethod
    def leakage_group(cls, row: Example) -> str:
        """Return a key shared by rows that reveal each other's answers.

        Rows of one leakage group are never used as few-shot examples for each other.
        """
        shared = (row.metadata.get(name) for name in ("group", "story"))
        return next((str(value) for value in shared if value not in (None, "")), row.id)

    @classmethod
    def preface(cls, row: Example) -> str:
        """Return the conventions that a prompt states before the row; empty if there are none."""
        return ""

    @classmethod
    def equivalent_answer(
        cls, options: Mapping[str, object], first: Example, other: Example, answer: str
    ) -> str:
        """Return the answer to `other` that is consistent with `answer` to `first` of its group."""
        return answer

    @property
    def group_size(self) -> int:
        """Number of consecutive rows that form a group; splits and files contain whole groups."""
        return 1

    def check_group(self, examples: list[Example]) -> list[str]:
        """Compare the rows of one group; return what is wrong with them."""
        return []

    def capacity(self, splits: tuple[str, ...], seed: int) -> Mapping[str, int] | None:
        """Return the number of distinct rows available for each split; None if unlimited."""
        return None

    def default_split(self) -> str:
        """Return the value of --split that is used by default."""
        return DEFAULT_SPLITS

    def levels(self) -> Sequence[Mapping[str, object]]:
        """Return options of increasing difficulty, the easiest first, for curricula.

        Options that a level does not name have their default there. Levels that conflict with the
        generator's other options are skipped.
        """
        return ()

    def sources(self) -> list[Source]:
        """Return the external sources that rows are made from."""
        return []

    @classmethod
    def measures(cls, rows: Iterable[Example]) -> dict[str, float]:
        """Return additional statistics of the rows, by name, for `gen stats`."""
        return {}

    def caveats(self) -> list[str]:
        """Return known limits of rows with these options, one line each, for dataset cards."""
        return []

    def held_out_values(self, seed: int) -> dict[str, list[str]]:
        """Return the values held out of `train`, by kind, for the manifest and `gen verify`."""
        return {}

    def used_values(self, example: Example) -> dict[str, list[str]]:
        """Return the values a row uses of each kind that can be held out."""
        return {}

    def notes(self) -> list[str]:
        """Return notes on how the options were met, for the manifest."""
        return []

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Raise InvalidOption if an option has no effect with these splits."""

    @classmethod
    def graph(cls, example: Example) -> "networkx.MultiDiGraph[str] | None":
        """Return the row's facts as a graph; None if rows have none."""
        return None

    @classmethod
    def view(cls, example: Example) -> View:
        """Return what `gen view` shows of the row beside its text and metadata."""
        return View(cls.graph(example))

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
        replay = self.replay
        if start >= stop:
            return
        for index in range(start // ROWS_PER_BLOCK, -(-stop // ROWS_PER_BLOCK)):
            block = Block(self.name, self.version, seed, splits, split, index)
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
    ) -> Rows:
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
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

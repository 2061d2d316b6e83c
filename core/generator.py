"""The contract of a generator: options as fields, rows by the block, a judge of its own."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from pydantic import BaseModel, ConfigDict, ValidationError

from .block import ROWS_PER_BLOCK, Block
from .errors import CheckFailed, InvalidOption
from .example import Example
from .options import complaints
from .rows import Rows
from .splits import DEFAULT_SPLITS, TRAIN
from .view import View

if TYPE_CHECKING:
    import networkx

    from .scoring.answers import Key


class Source(BaseModel):
    """Something from outside that rows were made from, told apart by its digest."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    version: str
    digest: str


class Preset(BaseModel):
    """Options and splits that go together, by a name: `gen NAME --preset THIS`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    summary: str
    options: dict[str, str]
    split: str


class Generator(BaseModel):
    """A maker and judge of rows.

    The fields are the options, the docstring is the help. `rows` must depend on nothing but
    the fields and the block; `problems` must share no code with `rows`. In Python it is the
    sequence of its rows: `generator[7]`, `generator[:5]`, `for row in generator`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, validate_default=True)

    name: ClassVar[str]
    version: ClassVar[int]
    citation: ClassVar[str] = ""
    language: ClassVar[str] = "en"
    """What rows are written in, by its code: for cards."""
    tasks: ClassVar[tuple[str, ...]] = ("question-answering",)
    """What rows are for, in the words that the Hugging Face hub has for tasks: for cards."""
    labelled: ClassVar[bool] = True
    """Whether rows have an answer; where not, every target is empty."""
    presets: ClassVar[Mapping[str, Preset]] = {}
    written_whole: ClassVar[bool] = False
    """Whether `gen NAME` writes all rows there are where nobody says how many."""
    Metadata: ClassVar[type[BaseModel]]

    @abstractmethod
    def rows(self, block: Block) -> Iterator[Example]:
        """Make every row of the block, in order."""

    @abstractmethod
    def replay(self, example: Example) -> list[str]:
        """Replay the row's certificate (cheap: every written row passes through here)."""

    @abstractmethod
    def problems(self, example: Example) -> list[str]:
        """Solve the row anew from its text and metadata, and say what is wrong with it."""

    @classmethod
    def answer_key(cls, row: Example) -> "Key":
        """How answers to the row are scored: the right one, and how others are read."""
        from .scoring.answers import default_key

        return default_key(row)

    @classmethod
    def kin(cls, row: Example) -> str:
        """What the row shares with rows that would give it away: none such is its example."""
        shared = (row.metadata.get(name) for name in ("group", "story"))
        return next((str(value) for value in shared if value not in (None, "")), row.id)

    @classmethod
    def preface(cls, row: Example) -> str:
        """What a prompt should say before the row: what holds and the row does not say."""
        return ""

    @classmethod
    def agreeing(
        cls, options: Mapping[str, object], first: Example, other: Example, answer: str
    ) -> str:
        """The answer to another row of a group that agrees with this answer to the first."""
        return answer

    @property
    def together(self) -> int:
        """How many rows on end belong together; splits and files have whole groups of them."""
        return 1

    def unlike(self, examples: list[Example]) -> list[str]:
        """Hold rows that belong together against one another, and say what is wrong with them."""
        return []

    def capacity(self, splits: tuple[str, ...], seed: int) -> Mapping[str, int] | None:
        """How many distinct rows each of the splits can have; None where no end is in sight."""
        return None

    def default_split(self) -> str:
        """The splits that are written where nobody names any."""
        return DEFAULT_SPLITS

    def levels(self) -> Sequence[Mapping[str, object]]:
        """Options that make such rows harder, the easiest first: for curricula.

        An option that only some of them name has its default in the others. Those that do not go
        with the generator's other options are left out.
        """
        return ()

    def sources(self) -> list[Source]:
        """The outside sources that rows are made from."""
        return []

    @classmethod
    def measures(cls, rows: Iterable[Example]) -> dict[str, float]:
        """Further figures about such rows, by name, for `gen stats`, which opens nothing else."""
        return {}

    def caveats(self) -> list[str]:
        """Return limits of rows with these options, a line each, for cards on the hub."""
        return []

    def withheld(self, seed: int) -> dict[str, list[str]]:
        """What the split `train` never has, by kind: for the manifest, and for `gen verify`."""
        return {}

    def uses(self, example: Example) -> dict[str, list[str]]:
        """What of each kind that can be withheld a row has, read off the row alone."""
        return {}

    def notes(self) -> list[str]:
        """What a reader of the rows should know of how the options were met, for the manifest."""
        return []

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Raise InvalidOption where an option has no effect with these; nothing is written then."""

    @classmethod
    def graph(cls, example: Example) -> "networkx.MultiDiGraph[str] | None":
        """The row's facts as a graph, read off the row alone; None where rows have none."""
        return None

    @classmethod
    def view(cls, example: Example) -> View:
        """What `gen view` shows of the row beside its text and metadata, read off the row alone."""
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
        """Make rows `start` to `stop` of a split, each with its certificate replayed."""
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
                        f"{self.name} called row {expected} {example.id!r}; use block.id(n)"
                    )
                if flaws := replay(example):
                    raise CheckFailed(f"{example.id}: {flaws[0]}")
                yield example
            if expected != block.ids[wanted][-1]:
                raise CheckFailed(
                    f"{self.name} stopped after row {expected}; it owes a whole block"
                )

    def split(
        self, name: str = TRAIN, *, splits: tuple[str, ...] | None = None, seed: int = 0
    ) -> Rows:
        """The rows of a split by number; `splits` are all that share the rows out among them."""
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
        """Make the generator from options as a person or a manifest writes them.

        Complaints call each option as `spell` writes its field.
        """
        try:
            return cls.model_validate(dict(options))
        except ValidationError as error:
            what = "; ".join(complaints(error, cls, spell))
            raise InvalidOption(f"{cls.name}: {what}") from None

    def options(self) -> dict[str, Any]:
        """Every option with its value, as it stands in a manifest."""
        return self.model_dump(mode="json")

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

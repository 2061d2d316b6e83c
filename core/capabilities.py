"""Optional capabilities of generators: prompts, groups, hold-outs and more.

A generator has a capability if it inherits from it: `class Mine(Generator, Groups)`. Code that
needs one asks `Groups.of(generator)`, which is the generator itself or, if it lacks the
capability, the defaults below.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from .end_facts import Features
from .example import Example
from .splits import DEFAULT_SPLITS
from .view import Step, View

if TYPE_CHECKING:
    import networkx

    from .scoring.answers import AnswerKey, Score
    from .scoring.steps import JudgedSteps


class Source(BaseModel):
    """An external source that rows were made from, identified by its digest.

    `name` is also the attribution that its licence asks for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    version: str
    digest: str
    licence: str = ""

    @model_serializer(mode="wrap")
    def _without_empty_licence(self, serialize: SerializerFunctionWrapHandler) -> dict[str, str]:
        """Return the fields as format 1 of manifests has them, if there is no licence."""
        return {
            name: value for name, value in serialize(self).items() if name != "licence" or value
        }


class Capability:
    """Base class of the optional capabilities."""

    @classmethod
    def of(cls, generator: object) -> Self:
        """Return the generator if it has the capability, otherwise the defaults."""
        return generator if isinstance(generator, cls) else cls()

    @classmethod
    def of_class(cls, generator: type[Any]) -> type[Self]:
        """Return the generator class if it has the capability, otherwise the defaults."""
        return generator if issubclass(generator, cls) else cls


class Prompts(Capability):
    """How rows are put to language models, and how their answers are scored."""

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return the answer key that scores free-text answers to the row."""
        from .scoring.answers import default_key

        return default_key(row)

    @classmethod
    def english_key(cls, row: Example) -> "AnswerKey":
        """Return a key for answers in the row's language or in English."""
        return cls.answer_key(row)

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


class LabelledSteps(NamedTuple):
    """A question, the steps of a derivation of its answer, and which of them are right."""

    question: str
    steps: list[str]
    labels: list[bool]


class Reasoning(Capability):
    """Judging of the reasoning that leads to an answer, claim by claim."""

    @classmethod
    def judge_steps(cls, row: Example, text: str, score: "Score") -> "JudgedSteps | None":
        """Judge the claims of a chain of thought, whose answer has this score.

        None if the generator cannot do that.
        """
        return None

    @classmethod
    def labelled_steps(cls, row: Example) -> LabelledSteps | None:
        """Return the derivation that the row shows, with a label per step; None if it has none."""
        return None

    @classmethod
    def end_facts(cls, row: Example) -> Features:
        """Return features of the facts that mention what is asked about; none if there are none.

        A model that does no better with a row than with these has not combined facts.
        """
        return ()


class Groups(Capability):
    """Consecutive rows form groups; splits and files contain whole groups."""

    @property
    def group_size(self) -> int:
        """Number of rows in a group; 1 if these options make none."""
        return 1

    def check_group(self, examples: list[Example]) -> list[str]:
        """Compare the rows of one group; return what is wrong with them."""
        return []

    @classmethod
    def equivalent_answer(
        cls, options: Mapping[str, object], first: Example, other: Example, answer: str
    ) -> str:
        """Return the answer to `other` that is consistent with `answer` to `first` of its group."""
        return answer


class HoldOuts(Capability):
    """Values that occur only outside `train`, such as rules, names or sentence templates."""

    def held_out_values(self, seed: int, splits: tuple[str, ...] = ()) -> dict[str, list[str]]:
        """Return the values held out of `train`, by kind, for the manifest and `gen verify`."""
        return {}

    def used_values(self, example: Example) -> dict[str, list[str]]:
        """Return the values a row uses of each kind that can be held out."""
        return {}

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Raise InvalidOption if an option has no effect with these splits."""


class Limited(Capability):
    """A limited number of distinct rows."""

    writes_all_rows: ClassVar[bool] = False
    """True if `gen NAME` without --rows writes all rows that exist."""

    def capacity(self, splits: tuple[str, ...], seed: int) -> Mapping[str, int] | None:
        """Return the number of distinct rows available for each split; None if unlimited."""
        return None

    def default_split(self) -> str:
        """Return the value of --split that is used by default."""
        return DEFAULT_SPLITS


class Cells(Capability):
    """Sets of options of different difficulty, for curricula."""

    def cells(self) -> Sequence[Mapping[str, object]]:
        """Return sets of options; a curriculum learns how difficult each is.

        Options that are in none are those of the generator, and those that are only in others have
        their default. Sets that conflict with the generator's other options are skipped.
        """
        return ({},)


class Drawings(Capability):
    """Drawings of a row, for `gen view` and `gen show --graph`."""

    @classmethod
    def graph(cls, example: Example) -> "networkx.MultiDiGraph[str] | None":
        """Return the row's facts as a graph; None if it has none."""
        return None

    @classmethod
    def view(cls, example: Example) -> View:
        """Return what `gen view` shows of the row beside its text and metadata."""
        return View(cls.graph(example), steps=cls.steps(example))

    @classmethod
    def steps(cls, example: Example) -> Sequence[Step]:
        """Return the steps of the row's proof, for `gen show`; empty if it has none."""
        return ()


class Documentation(Capability):
    """Facts about the rows for manifests, dataset cards and `gen stats`."""

    def sources(self) -> list[Source]:
        """Return the external sources that rows are made from."""
        return []

    def notes(self) -> list[str]:
        """Return notes on how the options were met, for the manifest."""
        return []

    def caveats(self) -> list[str]:
        """Return known limits of rows with these options, one line each, for dataset cards."""
        return []

    @classmethod
    def measures(cls, rows: Iterable[Example], train: Iterable[Example] = ()) -> dict[str, float]:
        """Return additional statistics of the rows, by name, for `gen stats`.

        Baselines are fitted to `train`, which has none of these rows and may be empty.
        """
        return {}

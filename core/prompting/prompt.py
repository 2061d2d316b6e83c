"""What a language model is shown: a row with a task before it, and examples where wanted.

The words are data: `prompts.yaml` in the package of a generator, by kind of question, and our own
for what a generator does not say.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..dataset import Dataset
from ..errors import BrokenPlugin, InvalidOption
from ..example import Example
from ..options import complaints
from ..scoring.answers import LETTERS
from ..scoring.scorer import key, kind
from ..splits import TRAIN

Style = Literal["zero-shot", "few-shot", "cot"]
STYLES: tuple[Style, ...] = get_args(Style)
SHOTS = 3
_POOL = 2000
"""Examples are taken from so many rows of train, the first."""


class Wording(BaseModel):
    """What a prompt says beside a row, for one kind of question."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    task: str
    alone: str
    steps: str
    letter: str = ""
    letter_steps: str = Field("", alias="letter-steps")

    def asks(self, style: Style, letters: bool, usual: "Wording") -> str:
        """The task, and how to reply."""
        if letters:
            how = (
                [self.letter_steps, usual.letter_steps]
                if style == "cot"
                else [self.letter, usual.letter]
            )
            return f"{self.task} {next(filter(None, how))}"
        return f"{self.task} {self.steps if style == 'cot' else self.alone}"


@dataclass(frozen=True)
class Prompt:
    """What a model is shown of a row, the row that its answer is scored by, and its examples."""

    row: Example
    text: str
    examples: tuple[Example, ...] = ()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt as a chat has it."""
        return [{"role": "user", "content": self.text}]


class Prompter:
    """Makes prompts of one style.

    With `letters` the choices are listed with letters; rows without choices are given those that
    their kind of question has. `train` is where examples come from: `shots` of them, alike for all
    rows but for those that would give a row away.
    """

    def __init__(
        self,
        style: Style = "zero-shot",
        *,
        shots: int | None = None,
        letters: bool = False,
        train: Iterable[Example] = (),
    ) -> None:
        if style not in STYLES:
            raise InvalidOption(f"style: expected one of {', '.join(STYLES)}, but got {style!r}")
        if style == "zero-shot" and shots:
            raise InvalidOption("shots: zero-shot has no examples; ask for few-shot or cot")
        if style == "few-shot" and shots == 0:
            raise InvalidOption("shots: few-shot needs 1 or more; ask for zero-shot")
        self.style, self.letters = style, letters
        self.shots = (SHOTS if style == "few-shot" else 0) if shots is None else shots
        self._pool = list(islice(train, _POOL)) if self.shots else []
        self._by_kind: dict[str, list[Example]] = {}

    def __call__(self, row: Example) -> Prompt:
        """The prompt for a row."""
        row = lettered(row) if self.letters else row
        examples = tuple(self._examples(row))
        usual = _wordings(None)["default"]
        parts = [wording(row).asks(self.style, self.letters, usual), kind(row).preface(row)]
        parts += [self._shown(example, answered=True) for example in examples]
        parts += [self._shown(row, answered=False)]
        return Prompt(row, "\n\n".join(part for part in parts if part), examples)

    def _shown(self, row: Example, *, answered: bool) -> str:
        lines = [row.input]
        if self.letters and not _shows_letters(row):
            lines += [f"{letter(n)}. {choice}" for n, choice in enumerate(row.choices)]
        elif not all(choice in row.input for choice in row.choices):
            lines.append(f"Choices: {', '.join(row.choices)}.")
        if not answered:
            return "\n".join(lines if self.style == "cot" else [*lines, "Answer:"])
        if self.style == "cot":
            lines.append(" ".join(reasoning(row)))
        return "\n".join([*lines, f"Answer: {self._answer(row)}"])

    def _answer(self, row: Example) -> str:
        right = key(row).right
        if not self.letters or _shows_letters(row):
            return right
        return letter(row.choices.index(right))

    def _examples(self, row: Example) -> list[Example]:
        if not self.shots:
            return []
        sort, family = key(row).kind, kind(row).kin(row)
        chosen = [
            example
            for example in self._ordered(sort)
            if example.id != row.id and kind(example).kin(example) != family
        ][: self.shots]
        if len(chosen) < self.shots:
            with_steps = " with an explanation (--explain)" if self.style == "cot" else ""
            raise InvalidOption(
                f"shots: expected {self.shots} rows of train of the kind {sort!r}{with_steps} that "
                f"share nothing with {row.id}, but there are {len(chosen)}; ask for fewer"
            )
        return [lettered(example) if self.letters else example for example in chosen]

    def _ordered(self, sort: str) -> list[Example]:
        """The rows of a kind, so that the first of each answer come before the second of any."""
        if sort not in self._by_kind:
            seen: dict[str, int] = {}
            numbered = []
            for place, row in enumerate(self._pool):
                answers = key(row)
                if answers.kind != sort or not answers.right:
                    continue
                if self.style == "cot" and not reasoning(row):
                    continue
                seen[answers.right] = seen.get(answers.right, 0) + 1
                numbered.append((seen[answers.right], place))
            self._by_kind[sort] = [self._pool[place] for _, place in sorted(numbered)]
        return self._by_kind[sort]


def prompts(
    dataset: Dataset,
    split: str | None = None,
    *,
    style: Style = "zero-shot",
    shots: int | None = None,
    letters: bool = False,
) -> Iterator[Prompt]:
    """A prompt for each row of a split, or of all; examples come from the dataset's own train."""
    prompter = prompter_of(dataset, style, shots=shots, letters=letters)
    yield from map(prompter, dataset.rows(split))


def prompter_of(
    dataset: Dataset, style: Style = "zero-shot", *, shots: int | None = None, letters: bool = False
) -> Prompter:
    """What makes prompts for rows of a dataset, with examples from its split train."""
    wanted = bool(shots) or style == "few-shot"
    if wanted and TRAIN not in dataset.manifest.splits:
        raise InvalidOption(
            f"shots: examples come from the split {TRAIN}, but {dataset.folder} has none; make "
            f"one, or ask for zero-shot"
        )
    rows = dataset.rows(TRAIN) if wanted else ()
    return Prompter(style, shots=shots, letters=letters, train=rows)


def wording(row: Example) -> Wording:
    """What a prompt says beside a row: its generator's words for its kind of question, or ours."""
    ours = _wordings(None)["default"]
    return _wordings(kind(row).__module__).get(key(row).kind, ours)


def lettered(row: Example) -> Example:
    """The row with choices: its own, or all that its kind of question has."""
    choices = key(row).choices
    if not choices:
        raise InvalidOption(f"letters: {row.id} has no choices to list; leave letters out")
    if len(choices) > LETTERS:
        raise InvalidOption(
            f"letters: {row.id} has {len(choices)} choices, and there are {LETTERS} letters; leave "
            f"letters out"
        )
    return row if row.choices else replace(row, choices=list(choices))


def letter(number: int) -> str:
    """The letter of a choice, by its place."""
    return chr(ord("A") + number)


def reasoning(row: Example) -> list[str]:
    """The proof of a row in words, where the row has one."""
    steps = row.metadata.get("explanation")
    return steps if isinstance(steps, list) else []


def _shows_letters(row: Example) -> bool:
    """Whether the choices are letters themselves, which the row lists."""
    return row.choices == [letter(number) for number in range(len(row.choices))]


_WORDINGS: TypeAdapter[dict[str, Wording]] = TypeAdapter(dict[str, Wording])


@cache
def _wordings(module: str | None) -> dict[str, Wording]:
    """The words of a generator's package, or our own; none where the package has no such file."""
    package = __package__ if module is None else _package(module)
    file = files(package).joinpath("prompts.yaml")
    if not file.is_file():
        return {}
    import yaml

    try:
        data: Any = yaml.safe_load(file.read_text("utf-8"))
        return _WORDINGS.validate_python(data)
    except (ValueError, yaml.YAMLError) as error:
        what = (
            "; ".join(complaints(error))
            if isinstance(error, ValidationError)
            else " ".join(str(error).split())
        )
        raise BrokenPlugin(f"{package}: prompts.yaml cannot be read: {what}; mend it") from None


def _package(module: str) -> str:
    """The package that a module is in, or the package itself."""
    import sys

    loaded = sys.modules[module]
    return module if hasattr(loaded, "__path__") else module.rpartition(".")[0] or module

"""Prompts for language models: an instruction, optional few-shot examples, and the row.

The wording is in `prompts.yaml` in the package of a generator, by question type, with our own
`prompts.yaml` as default.
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
from ..options import validation_messages
from ..scoring.answers import LETTERS
from ..scoring.scorer import answer_key, generator_class, prompting
from ..splits import TRAIN

Style = Literal["zero-shot", "few-shot", "cot"]
STYLES: tuple[Style, ...] = get_args(Style)
SHOTS = 3
_POOL_ROWS = 2000
"""Few-shot examples come from this many first rows of train."""


class PromptWording(BaseModel):
    """The instructions of a prompt, for one question type."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    task: str
    alone: str
    steps: str
    letter: str = ""
    letter_steps: str = Field("", alias="letter-steps")
    answer: str = "Answer"
    """The word before an answer."""
    choices: str = "Choices"
    """The word before the choices."""

    def instruction(self, style: Style, letters: bool, default: "PromptWording") -> str:
        """Return the task and how to reply."""
        if letters:
            how = (
                [self.letter_steps, default.letter_steps]
                if style == "cot"
                else [self.letter, default.letter]
            )
            return f"{self.task} {next(filter(None, how))}"
        return f"{self.task} {self.steps if style == 'cot' else self.alone}"


@dataclass(frozen=True)
class Prompt:
    """The text of a prompt, the row that scores the answer, and the few-shot examples."""

    row: Example
    text: str
    examples: tuple[Example, ...] = ()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt as chat messages."""
        return [{"role": "user", "content": self.text}]


class Prompter:
    """Makes prompts of one style.

    With `letters`, choices are listed with letters; rows without choices get those of their
    question type. `shots` few-shot examples come from `train`, the same for all rows except for
    examples in the leakage group of a row.
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
        self._pool = list(islice(train, _POOL_ROWS)) if self.shots else []
        self._by_type: dict[str, list[Example]] = {}

    def __call__(self, row: Example) -> Prompt:
        """Return the prompt for a row."""
        row = with_choices(row) if self.letters else row
        examples = tuple(self._examples(row))
        default = _wordings(None)["default"]
        parts = [
            prompt_wording(row).instruction(self.style, self.letters, default),
            prompting(row).preface(row),
        ]
        parts += [self._shown(example, answered=True) for example in examples]
        parts += [self._shown(row, answered=False)]
        return Prompt(row, "\n\n".join(part for part in parts if part), examples)

    def _shown(self, row: Example, *, answered: bool) -> str:
        lines, wording = [row.input], prompt_wording(row)
        if self.letters and not _shows_letters(row):
            lines += [f"{letter(n)}. {choice}" for n, choice in enumerate(row.choices)]
        elif not all(choice in row.input for choice in row.choices):
            lines.append(f"{wording.choices}: {', '.join(row.choices)}.")
        if not answered:
            return "\n".join(lines if self.style == "cot" else [*lines, f"{wording.answer}:"])
        if self.style == "cot":
            lines.append(" ".join(reasoning(row)))
        return "\n".join([*lines, f"{wording.answer}: {self._answer(row)}"])

    def _answer(self, row: Example) -> str:
        right = answer_key(row).right
        if not self.letters or _shows_letters(row):
            return right
        return letter(row.choices.index(right))

    def _examples(self, row: Example) -> list[Example]:
        if not self.shots:
            return []
        question_type, group = answer_key(row).kind, prompting(row).leakage_group(row)
        chosen = [
            example
            for example in self._ordered(question_type)
            if example.id != row.id and prompting(example).leakage_group(example) != group
        ][: self.shots]
        if len(chosen) < self.shots:
            with_steps = " with an explanation (--explain)" if self.style == "cot" else ""
            raise InvalidOption(
                f"shots: expected {self.shots} rows of train of the type {question_type!r}"
                f"{with_steps} that share nothing with {row.id}, but there are {len(chosen)}; "
                f"ask for fewer"
            )
        return [with_choices(example) if self.letters else example for example in chosen]

    def _ordered(self, question_type: str) -> list[Example]:
        """Return the training rows of a question type, with their answers interleaved."""
        if question_type not in self._by_type:
            seen: dict[str, int] = {}
            numbered = []
            for place, row in enumerate(self._pool):
                answers = answer_key(row)
                if answers.kind != question_type or not answers.right:
                    continue
                if self.style == "cot" and not reasoning(row):
                    continue
                seen[answers.right] = seen.get(answers.right, 0) + 1
                numbered.append((seen[answers.right], place))
            self._by_type[question_type] = [self._pool[place] for _, place in sorted(numbered)]
        return self._by_type[question_type]


def prompts(
    dataset: Dataset,
    split: str | None = None,
    *,
    style: Style = "zero-shot",
    shots: int | None = None,
    letters: bool = False,
) -> Iterator[Prompt]:
    """Yield a prompt for each row of a split, or of all; examples come from the split train."""
    prompter = dataset_prompter(dataset, style, shots=shots, letters=letters)
    yield from map(prompter, dataset.rows(split))


def dataset_prompter(
    dataset: Dataset, style: Style = "zero-shot", *, shots: int | None = None, letters: bool = False
) -> Prompter:
    """Return a prompter for rows of a dataset, with few-shot examples from its split train."""
    wanted = bool(shots) or style == "few-shot"
    if wanted and TRAIN not in dataset.manifest.splits:
        raise InvalidOption(
            f"shots: examples come from the split {TRAIN}, but {dataset.folder} has none; make "
            f"one, or ask for zero-shot"
        )
    rows = dataset.rows(TRAIN) if wanted else ()
    return Prompter(style, shots=shots, letters=letters, train=rows)


def prompt_wording(row: Example) -> PromptWording:
    """Return the generator's wording for the row's question type, or the default."""
    default = _wordings(None)["default"]
    return _wordings(generator_class(row).__module__).get(answer_key(row).kind, default)


def with_choices(row: Example) -> Example:
    """Return the row with choices: its own, or those of its question type."""
    choices = answer_key(row).choices
    if not choices:
        raise InvalidOption(f"letters: {row.id} has no choices to list; leave letters out")
    if len(choices) > LETTERS:
        raise InvalidOption(
            f"letters: {row.id} has {len(choices)} choices, and there are {LETTERS} letters; leave "
            f"letters out"
        )
    return row if row.choices else replace(row, choices=list(choices))


def letter(number: int) -> str:
    """Return the letter of a choice by its index."""
    return chr(ord("A") + number)


def reasoning(row: Example) -> list[str]:
    """Return the proof of a row in words; empty if it has none."""
    steps = row.metadata.get("explanation")
    return steps if isinstance(steps, list) else []


def _shows_letters(row: Example) -> bool:
    """Return whether the choices are letters that the row itself lists."""
    return row.choices == [letter(number) for number in range(len(row.choices))]


_WORDINGS: TypeAdapter[dict[str, PromptWording]] = TypeAdapter(dict[str, PromptWording])


@cache
def _wordings(module: str | None) -> dict[str, PromptWording]:
    """Return the `prompts.yaml` of a module's package (None: our own); empty if it has none."""
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
            "; ".join(validation_messages(error))
            if isinstance(error, ValidationError)
            else " ".join(str(error).split())
        )
        raise BrokenPlugin(f"{package}: prompts.yaml cannot be read: {what}; fix it") from None


def _package(module: str) -> str:
    """Return the package of a module, or the package itself."""
    import sys

    loaded = sys.modules[module]
    return module if hasattr(loaded, "__path__") else module.rpartition(".")[0] or module

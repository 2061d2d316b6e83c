"""Reinforcement learning: a reward, an unlimited curriculum, and reasoning-gym's interface.

No RL library is needed; `gen export --to verifiers` and `--to trl` write files for those.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..capabilities import HoldOuts, Levels, Limited
from ..dataset import Dataset
from ..errors import InvalidOption
from ..example import Example
from ..generator import Generator
from ..registry import GENERATORS
from ..rl import reward as parts_reward
from ..scoring.scorer import answer_key, prompting, score
from ..splits import TRAIN
from .prompt import Prompter, Style

_MAX_EMPTY_BLOCKS = 20
"""Blocks without a usable row before an unlimited generator counts as exhausted."""


def reward(
    completions: Sequence[str | Sequence[Mapping[str, Any]]], row: Sequence[str], **_: object
) -> list[float]:
    """Score completions by rows, given as lines of JSON: the reward function for TRL."""
    return [
        score(Example.parse(line), _text(completion)).value
        for completion, line in zip(completions, row, strict=True)
    ]


def step_reward(
    completions: Sequence[str | Sequence[Mapping[str, Any]]], row: Sequence[str], **_: object
) -> list[float]:
    """Score the steps of completions as `relsmith.rl.reward` does, to add to `reward` in TRL."""
    return [
        parts_reward(Example.parse(line), _text(completion), answer=0, steps=1)
        for completion, line in zip(completions, row, strict=True)
    ]


def _text(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """Return a completion as text; of a chat, the last message."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


class Curriculum:
    """An unlimited stream of training rows that adapts its difficulty to the scores.

    Take rows with `next`, and pass the score of each answer to `update`. If the mean of the last
    `window` scores is `up` or more, the next rows are one level harder; if it is `down` or less,
    one level easier. `levels` are options, the easiest first; by default those of the generator.

    All rows are of the split `train` of one seed and set of splits, and none equals a row in
    `excluded` or is in its leakage group: `for_dataset` sets all of that from the dataset used
    for testing. Rows of a generator with a capacity repeat.
    """

    def __init__(
        self,
        name: str = "clutrr",
        levels: Sequence[Mapping[str, object]] | None = None,
        *,
        options: Mapping[str, object] | None = None,
        seed: int = 0,
        splits: tuple[str, ...] = (TRAIN, "test"),
        excluded: Iterable[Example] = (),
        up: float = 0.8,
        down: float = 0.3,
        window: int = 64,
    ) -> None:
        if TRAIN not in splits or len(splits) < 2:
            raise InvalidOption(
                f"splits: expected {TRAIN} and at least one to test on, but got {', '.join(splits)}"
            )
        if not (0 <= down < up <= 1 and window > 0):
            raise InvalidOption(
                f"expected 0 <= down < up <= 1 and a window, but got down={down}, up={up}, "
                f"window={window}"
            )
        self.levels = _levels(GENERATORS.get(name), dict(options or {}), levels)
        for generator in self.levels:
            HoldOuts.of(generator).check_splits(splits)
        self.seed, self.splits = seed, splits
        self.up, self.down = up, down
        self.level, self.next_block = 0, 0
        self.recent: deque[float] = deque(maxlen=window)
        self._rows = self._training_rows()
        self._excluded = {key for row in excluded for key in _leakage_keys(row)}

    @classmethod
    def for_dataset(cls, folder: str | Path, **more: Any) -> "Curriculum":
        """Return a curriculum with the seed and options of a dataset, without its test rows."""
        dataset = Dataset(folder)
        manifest = dataset.manifest
        if TRAIN not in manifest.splits:
            raise InvalidOption(
                f"{folder} has no split {TRAIN}, so training rows could be among its own; make it "
                f"again with --split {TRAIN}=1,test=..."
            )
        generator = GENERATORS.get(manifest.generator)
        if generator.version != manifest.version:
            raise InvalidOption(
                f"{folder} was made by version {manifest.version} of {generator.name}, but "
                f"{generator.version} is installed, whose splits differ; make it again"
            )
        return cls(
            manifest.generator,
            options=manifest.options,
            seed=manifest.seed,
            splits=tuple(manifest.splits),
            excluded=(
                row for split in manifest.splits if split != TRAIN for row in dataset.rows(split)
            ),
            **more,
        )

    def __iter__(self) -> "Curriculum":
        return self

    def __next__(self) -> Example:
        """Return a row of the current level that is not excluded."""
        return next(self._rows)

    def _training_rows(self) -> Iterator[Example]:
        """Yield usable rows, block by block; generators with a capacity start again."""
        generator = self.levels[self.level]
        ends = Limited.of(generator).capacity(self.splits, self.seed)
        size = generator.rows_per_block
        rows = ends[TRAIN] if ends else _MAX_EMPTY_BLOCKS * size
        blocks = -(-rows // size)
        empty_blocks = 0
        while empty_blocks < blocks:
            first = (self.next_block % blocks if ends else self.next_block) * size
            stop = min(first + size, rows) if ends else first + size
            self.next_block += 1
            empty_blocks += 1
            for row in generator.examples(
                stop, start=first, seed=self.seed, split=TRAIN, splits=self.splits
            ):
                if answer_key(row).right and self._excluded.isdisjoint(_leakage_keys(row)):
                    empty_blocks = 0
                    yield row
        raise InvalidOption(
            f"levels: {generator.name} has no training row at level {self.level}: each is excluded "
            f"or has no answer"
        )

    def update(self, score: float) -> None:
        """Record the score of an answer, and change the level if due."""
        self.recent.append(score)
        if len(self.recent) < (self.recent.maxlen or 1):
            return
        mean = sum(self.recent) / len(self.recent)
        step = (mean >= self.up) - (mean <= self.down)
        level = min(max(self.level + step, 0), len(self.levels) - 1)
        if level != self.level:
            self.level = level
            self.recent.clear()
            self._rows = self._training_rows()

    def state(self) -> dict[str, Any]:
        """Return the state to save, for `resume` to continue with new rows."""
        return {"level": self.level, "next_block": self.next_block, "recent": list(self.recent)}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self.level, self.next_block = int(state["level"]), int(state["next_block"])
        self.recent.clear()
        self.recent.extend(state["recent"])
        self._rows = self._training_rows()


def _levels(
    cls: type[Generator],
    options: Mapping[str, object],
    levels: Sequence[Mapping[str, object]] | None,
) -> list[Generator]:
    """Return a generator per level; default levels that conflict with the options are skipped."""
    named = Levels.of(cls.configure(options)).levels() if levels is None else levels
    varied = {option for level in named for option in level}
    kept = {option: value for option, value in options.items() if option not in varied}
    generators, why = [], f"{cls.name} has none by default; pass options of increasing difficulty"
    for level in named:
        try:
            generators.append(cls.configure({**kept, **level}))
        except InvalidOption as error:
            if levels is not None:
                raise
            why = str(error)
    if not generators:
        raise InvalidOption(f"levels: {why}")
    return generators


def _leakage_keys(row: Example) -> tuple[str, str]:
    """Return what a training row must not share with an excluded row."""
    return row.input, prompting(row).leakage_group(row)


class ReasoningGym:
    """Rows with the interface of reasoning-gym: `dataset[i]` and `score_answer`."""

    def __init__(
        self,
        rows: Sequence[Example] | Dataset | Generator,
        *,
        style: Style = "cot",
        size: int | None = None,
    ) -> None:
        if size is None and isinstance(rows, Generator):
            raise InvalidOption("size: the generator is unlimited; pass a size")
        self._rows, self._prompter = rows, Prompter(style)
        self.size: int = len(rows) if size is None else size  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[number] for number in range(self.size))

    def __getitem__(self, number: int) -> dict[str, Any]:
        if not 0 <= number < self.size:
            raise IndexError(f"there are {self.size} rows, no row {number}")
        row = self._rows[number]
        return {
            "question": self._prompter(row).text,
            "answer": answer_key(row).right,
            "metadata": {
                "source_dataset": f"relsmith-{row.id.rpartition('-v')[0]}",
                "source_index": number,
                "row": row.record(),
            },
        }

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """Return the score of an answer to an entry."""
        return score(Example(**entry["metadata"]["row"]), answer or "").value

"""Rows to learn from by reinforcement: a reward, rows without end, and rows as reasoning-gym's.

Nothing here needs a library of that kind; `gen export --to verifiers` and `--to trl` write what
those read.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .block import ROWS_PER_BLOCK
from .dataset import Dataset
from .errors import InvalidOption
from .example import Example
from .generator import Generator
from .prompt import Prompter, Style
from .registry import GENERATORS
from .scoring import key, score
from .splits import TRAIN

STORIES: tuple[Mapping[str, object], ...] = (
    {"k": "2", "beside": 0},
    {"k": "2"},
    {"k": "2..3"},
    {"k": "3..4"},
    {"k": "3..4", "noise": "supporting,irrelevant"},
    {"k": "4..6", "noise": "all"},
    {"k": "6..8", "noise": "all"},
    {"k": "8..10", "noise": "all"},
    {"k": "8..10", "noise": "all", "words": 1000},
)
"""How stories grow harder, unless somebody knows better: longer chains, then noise, then words."""


def reward(
    completions: Sequence[str | Sequence[Mapping[str, Any]]], row: Sequence[str], **_: object
) -> list[float]:
    """What completions are worth, by rows as lines of JSON: the reward that TRL calls."""
    return [
        score(Example.parse(line), _text(completion)).value
        for completion, line in zip(completions, row, strict=True)
    ]


def _text(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """A completion as text; of a chat the last message."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


class Curriculum:
    """Rows without end that grow harder as they are solved, and easier as they are not.

    Take rows with `next`, and `tell` it what each answer was worth. Where the mean of the last
    `window` is `up` or more, the next rows are of the next level, and where it is `down` or less,
    of the one before. All rows are of the split `train` of one seed and set of splits, so no row of
    another split of that seed ever comes: `beside` takes both from the dataset that is tested on.
    """

    def __init__(
        self,
        name: str = "clutrr",
        levels: Sequence[Mapping[str, object]] = STORIES,
        *,
        options: Mapping[str, object] | None = None,
        seed: int = 0,
        splits: tuple[str, ...] = (TRAIN, "test"),
        up: float = 0.8,
        down: float = 0.3,
        window: int = 64,
    ) -> None:
        if TRAIN not in splits or len(splits) < 2:
            raise InvalidOption(
                f"splits: expected {TRAIN} and at least one to test on, but got {', '.join(splits)}"
            )
        if not (levels and 0 <= down < up <= 1 and window > 0):
            raise InvalidOption(
                f"expected levels, 0 <= down < up <= 1 and a window, but got {len(levels)} levels, "
                f"down={down}, up={up}, window={window}"
            )
        kind = GENERATORS.get(name)
        self.levels: list[Generator] = [
            kind.configure({**(options or {}), **level}) for level in levels
        ]
        for number, generator in enumerate(self.levels):
            generator.check_splits(splits)
            if generator.capacity(splits, seed) is not None:
                raise InvalidOption(
                    f"levels: {name} has an end with the options of level {number}; a curriculum "
                    f"needs rows without end"
                )
        self.seed, self.splits = seed, splits
        self.up, self.down = up, down
        self.level, self.next_block = 0, 0
        self.recent: deque[float] = deque(maxlen=window)
        self._rows: Iterator[Example] = iter(())

    @classmethod
    def beside(cls, folder: str | Path, **more: Any) -> "Curriculum":
        """One whose rows are none of a dataset's other splits: of its seed, and of its options."""
        manifest = Dataset(folder).manifest
        if TRAIN not in manifest.splits:
            raise InvalidOption(
                f"{folder} has no split {TRAIN}, so that rows to learn from might be among its "
                f"own; make it anew, with --split {TRAIN}=1,test=..."
            )
        kind = GENERATORS.get(manifest.generator)
        if kind.version != manifest.version:
            raise InvalidOption(
                f"{folder} was made by version {manifest.version} of {kind.name}, but "
                f"{kind.version} is installed, whose splits are others; make it anew"
            )
        return cls(manifest.generator, seed=manifest.seed, splits=tuple(manifest.splits), **more)

    def __iter__(self) -> "Curriculum":
        return self

    def __next__(self) -> Example:
        """A row of the present level that was not there before."""
        row = next(self._rows, None)
        if row is None:
            first = self.next_block * ROWS_PER_BLOCK
            self._rows = self.levels[self.level].examples(
                first + ROWS_PER_BLOCK, start=first, seed=self.seed, split=TRAIN, splits=self.splits
            )
            self.next_block += 1
            row = next(self._rows)
        return row

    def tell(self, value: float) -> None:
        """Take note of what an answer was worth, and change the level where that is due."""
        self.recent.append(value)
        if len(self.recent) < (self.recent.maxlen or 1):
            return
        mean = sum(self.recent) / len(self.recent)
        step = (mean >= self.up) - (mean <= self.down)
        level = min(max(self.level + step, 0), len(self.levels) - 1)
        if level != self.level:
            self.level = level
            self.recent.clear()
            self._rows = iter(())

    def state(self) -> dict[str, Any]:
        """What to keep to go on later, with rows that were not there before."""
        return {"level": self.level, "next_block": self.next_block, "recent": list(self.recent)}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from a state that was kept."""
        self.level, self.next_block = int(state["level"]), int(state["next_block"])
        self.recent.clear()
        self.recent.extend(state["recent"])
        self._rows = iter(())


class ReasoningGym:
    """Rows as reasoning-gym has them: `dataset[i]` has question and answer, and `score_answer`."""

    def __init__(
        self,
        rows: Sequence[Example] | Dataset | Generator,
        *,
        style: Style = "cot",
        size: int | None = None,
    ) -> None:
        if size is None and isinstance(rows, Generator):
            raise InvalidOption("size: there is no end of such rows; say how many")
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
            "answer": key(row).right,
            "metadata": {
                "source_dataset": f"relsmith-{row.id.rpartition('-v')[0]}",
                "source_index": number,
                "row": row.record(),
            },
        }

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """What an answer to an entry is worth."""
        return score(Example(**entry["metadata"]["row"]), answer or "").value

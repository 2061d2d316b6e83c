"""Rows to learn from by reinforcement: a reward, rows without end, and rows as reasoning-gym's.

Nothing here needs a library of that kind; `gen export --to verifiers` and `--to trl` write what
those read.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..block import ROWS_PER_BLOCK
from ..dataset import Dataset
from ..errors import InvalidOption
from ..example import Example
from ..generator import Generator
from ..registry import GENERATORS
from ..scoring.scorer import key, kind, score
from ..splits import TRAIN
from .prompt import Prompter, Style

_PATIENCE = 20
"""After so many blocks without a row to learn from, of rows without end, there is none."""


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
    of the one before. `levels` are options, the easiest first; the generator has some of its own.

    All rows are of the split `train` of one seed and set of splits, and none is one of those
    `tested` on, or shares a story, group, pair or question with one: `beside` takes all of that
    from the dataset that is tested on. Where a generator's rows have an end, they come again.
    """

    def __init__(
        self,
        name: str = "clutrr",
        levels: Sequence[Mapping[str, object]] | None = None,
        *,
        options: Mapping[str, object] | None = None,
        seed: int = 0,
        splits: tuple[str, ...] = (TRAIN, "test"),
        tested: Iterable[Example] = (),
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
            generator.check_splits(splits)
        self.seed, self.splits = seed, splits
        self.up, self.down = up, down
        self.level, self.next_block = 0, 0
        self.recent: deque[float] = deque(maxlen=window)
        self._rows = self._endless()
        self._tested = {mark for row in tested for mark in _marks(row)}

    @classmethod
    def beside(cls, folder: str | Path, **more: Any) -> "Curriculum":
        """One whose rows are none of a dataset's other splits: of its seed and its options."""
        dataset = Dataset(folder)
        manifest = dataset.manifest
        if TRAIN not in manifest.splits:
            raise InvalidOption(
                f"{folder} has no split {TRAIN}, so that rows to learn from might be among its "
                f"own; make it anew, with --split {TRAIN}=1,test=..."
            )
        makes = GENERATORS.get(manifest.generator)
        if makes.version != manifest.version:
            raise InvalidOption(
                f"{folder} was made by version {manifest.version} of {makes.name}, but "
                f"{makes.version} is installed, whose splits are others; make it anew"
            )
        return cls(
            manifest.generator,
            options=manifest.options,
            seed=manifest.seed,
            splits=tuple(manifest.splits),
            tested=(
                row for split in manifest.splits if split != TRAIN for row in dataset.rows(split)
            ),
            **more,
        )

    def __iter__(self) -> "Curriculum":
        return self

    def __next__(self) -> Example:
        """A row of the present level, and none that is tested on."""
        return next(self._rows)

    def _endless(self) -> Iterator[Example]:
        """Rows to learn from, block by block; where they have an end, from the first again."""
        generator = self.levels[self.level]
        ends = generator.capacity(self.splits, self.seed)
        rows = ends[TRAIN] if ends else _PATIENCE * ROWS_PER_BLOCK
        blocks = -(-rows // ROWS_PER_BLOCK)
        barren = 0
        while barren < blocks:
            first = (self.next_block % blocks if ends else self.next_block) * ROWS_PER_BLOCK
            stop = min(first + ROWS_PER_BLOCK, rows) if ends else first + ROWS_PER_BLOCK
            self.next_block += 1
            barren += 1
            for row in generator.examples(
                stop, start=first, seed=self.seed, split=TRAIN, splits=self.splits
            ):
                if key(row).right and self._tested.isdisjoint(_marks(row)):
                    barren = 0
                    yield row
        raise InvalidOption(
            f"levels: no row of {generator.name} can be learnt from at level {self.level}: each "
            f"is tested on, or has no answer"
        )

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
            self._rows = self._endless()

    def state(self) -> dict[str, Any]:
        """What to keep to go on later, with rows that were not there before."""
        return {"level": self.level, "next_block": self.next_block, "recent": list(self.recent)}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from a state that was kept."""
        self.level, self.next_block = int(state["level"]), int(state["next_block"])
        self.recent.clear()
        self.recent.extend(state["recent"])
        self._rows = self._endless()


def _levels(
    makes: type[Generator],
    options: Mapping[str, object],
    levels: Sequence[Mapping[str, object]] | None,
) -> list[Generator]:
    """What makes the rows of each level; of the generator's own, those that go with the options."""
    named = makes.configure(options).levels() if levels is None else levels
    varied = {option for level in named for option in level}
    kept = {option: value for option, value in options.items() if option not in varied}
    generators, why = [], f"{makes.name} has none of its own; say which options make rows harder"
    for level in named:
        try:
            generators.append(makes.configure({**kept, **level}))
        except InvalidOption as error:
            if levels is not None:
                raise
            why = str(error)
    if not generators:
        raise InvalidOption(f"levels: {why}")
    return generators


def _marks(row: Example) -> tuple[str, str]:
    """What no row to learn from may have in common with one that is tested on."""
    return row.input, kind(row).kin(row)


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

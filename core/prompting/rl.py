"""Reinforcement learning: a reward and an unlimited curriculum.

No RL library is needed; `gen export --to verifiers` and `--to trl` write files for those.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from math import exp, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..block import row_id
from ..capabilities import Cells, HoldOuts, Limited
from ..dataset import Dataset
from ..dataset.manifest import Manifest
from ..errors import InvalidOption
from ..example import Example
from ..generator import Generator
from ..registry import GENERATORS
from ..rl import reward as row_reward
from ..scoring.scorer import answer_key, prompting, score
from ..seed import Stream
from ..splits import TRAIN
from .prompt import Prompter

if TYPE_CHECKING:
    from datasets import IterableDataset

_MAX_EMPTY_BLOCKS: Final = 20
"""Blocks without a usable row before an unlimited generator counts as exhausted."""
_MAX_REMEMBERED_ROWS: Final = 1 << 16
"""Rows drawn last, whose cells are known by their ids."""
_MIN_WEIGHT: Final = 0.02
"""Weight of cells far from the target, whose pass rate may change."""


def trl_reward(
    curriculum: "Curriculum | None" = None,
    *,
    answer: float = 1.0,
    format: float = 0.0,
    steps: float = 0.0,
) -> Callable[..., list[float]]:
    """Return `relsmith.rl.reward` with these weights as a reward function for TRL.

    It takes completions and the column `row` of an export or of `trl_dataset`. A curriculum gets
    the score of each answer to a row that it has drawn, in the same order in each process of a
    distributed training; rows of an evaluation set are only scored.
    """

    def reward(
        completions: Sequence[str | Sequence[Mapping[str, Any]]],
        row: Sequence[str],
        cell: Sequence[int | str | None] = (),
        **_: object,
    ) -> list[float]:
        pairs = [
            (Example.parse(line), _text(completion))
            for completion, line in zip(completions, row, strict=True)
        ]
        if curriculum is not None:
            values = [score(each, text).value for each, text in pairs]
            cells = cell or [None] * len(pairs)
            drawn = [
                each.id if of is None else of for (each, _), of in zip(pairs, cells, strict=True)
            ]
            for value, of in _gathered([*zip(values, drawn, strict=True)]):
                if isinstance(of, int) or curriculum.has_drawn(of):
                    curriculum.update(value, of)
        return [
            row_reward(each, text, answer=answer, format=format, steps=steps)
            for each, text in pairs
        ]

    return reward


reward = trl_reward()
"""The reward for TRL that only the answer counts for: 1 if it is right, else 0."""


def prompt_record(row: Example) -> dict[str, Any]:
    """Return the columns of a row for TRL: id, prompt as a chat, right answer, the row itself."""
    return {
        "id": row.id,
        "prompt": Prompter("cot")(row).messages,
        "answer": answer_key(row).right,
        "row": row.encoded(),
    }


def trl_dataset(curriculum: "Curriculum") -> "IterableDataset":
    """Return the rows of a curriculum as a dataset for TRL, with the number of their `cell`."""
    from datasets import IterableDataset

    def records() -> Iterator[dict[str, Any]]:
        for row in curriculum:
            yield prompt_record(row) | {"cell": curriculum.cell_of(row)}

    return IterableDataset.from_generator(records)


def _gathered(own: list[tuple[float, int | str]]) -> list[tuple[float, int | str]]:
    """Return what all processes of a distributed training give here, in the same order in each."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return own
    every: list[list[tuple[float, int | str]]] = [[] for _ in range(distributed.get_world_size())]
    distributed.all_gather_object(every, own)
    return [pair for pairs in every for pair in pairs]


def _text(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """Return a completion as text; of a chat, the last message."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


class Estimate(NamedTuple):
    """The options of a cell, its estimated pass rate, and the weight of that estimate."""

    options: Mapping[str, object]
    rate: float
    """Mean of the recent scores and of one score of 0.5."""
    scores: float
    """Number of scores, of which earlier ones count less."""


Schedule = Callable[[Sequence[Estimate]], Sequence[float]]
"""By what is known of the cells, how often to draw each, in proportion."""


def near(target: float = 0.5, spread: float = 0.15) -> Schedule:
    """Return a schedule for cells whose pass rate is near a target; others are drawn rarely."""
    if not (0 <= target <= 1 and spread > 0):
        raise InvalidOption(
            f"expected a target from 0 to 1 and a spread above 0, but got target={target}, "
            f"spread={spread}"
        )

    def weights(cells: Sequence[Estimate]) -> list[float]:
        return [_MIN_WEIGHT + exp(-(((cell.rate - target) / spread) ** 2)) for cell in cells]

    return weights


class Curriculum:
    """An unlimited stream of training rows, from cells with a pass rate near a target.

    A cell is a set of options, such as a world, k, noise and a type of answer; by default, cells
    are those of the generator. Take rows with `next`, and pass the score of each answer to
    `update`, in any order and at any time. Rows depend on nothing but the arguments and the order
    of rows and scores. `schedule` says how often to draw each cell; by default, `near(0.5)`.

    All rows are of the split `train` of one seed and set of splits, and none equals a row in
    `excluded` or is in its leakage group: `for_dataset` sets all of that from the dataset used
    for testing. Different `worker`s of `workers` make different rows. Those of a generator with a
    capacity repeat.
    """

    def __init__(
        self,
        name: str = "clutrr",
        cells: Sequence[Mapping[str, object]] | None = None,
        *,
        options: Mapping[str, object] | None = None,
        seed: int = 0,
        splits: tuple[str, ...] = (TRAIN, "test"),
        excluded: Iterable[Example] = (),
        schedule: Schedule | None = None,
        window: int = 64,
        worker: int = 0,
        workers: int = 1,
    ) -> None:
        if TRAIN not in splits or len(splits) < 2:
            raise InvalidOption(
                f"splits: expected {TRAIN} and at least one to test on, but got {', '.join(splits)}"
            )
        if window < 1 or not 0 <= worker < workers:
            raise InvalidOption(
                f"expected a window of 1 or more and a worker below workers, but got "
                f"window={window}, worker={worker}, workers={workers}"
            )
        self.cells, self.generators = _cells(GENERATORS.get(name), dict(options or {}), cells)
        for generator in self.generators:
            HoldOuts.of(generator).check_splits(splits)
        self.seed, self.splits, self.worker, self.workers = seed, splits, worker, workers
        self.schedule, self.window = schedule or near(), window
        self._excluded = {key for row in excluded for key in _leakage_keys(row)}
        self._drawn = 0
        self._passed, self._scores = [0.0] * len(self.cells), [0.0] * len(self.cells)
        self._cell_by_row: dict[int, int] = {}
        """Number of the cell of each remembered row, by the number of the row."""
        self._blocks_used = [0] * len(self.cells)
        """Number of blocks that were used, by cell."""
        self._open_blocks: dict[int, tuple[int, int]] = {}
        """Block in use and number of its rows that were drawn, by cell."""
        self._rows: dict[int, Iterator[Example]] = {}

    @classmethod
    def for_dataset(cls, folder: str | Path, **more: Any) -> "Curriculum":
        """Return a curriculum with the seed and options of a dataset, without its test rows."""
        dataset = Dataset(folder)
        others = (split for split in dataset.manifest.splits if split != TRAIN)
        excluded = (row for split in others for row in dataset.rows(split))
        return cls.for_manifest(dataset.manifest, excluded, folder, **more)

    @classmethod
    def for_manifest(
        cls, manifest: Manifest, excluded: Iterable[Example], folder: object = "it", **more: Any
    ) -> "Curriculum":
        """Return a curriculum with the seed and options of a dataset, without some of its rows."""
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
            excluded=excluded,
            **more,
        )

    def __iter__(self) -> "Curriculum":
        return self

    def __next__(self) -> Example:
        """Draw a cell by the schedule, and return its next row that is not excluded."""
        weights = [*self.schedule(self.estimates())]
        total = sum(weights)
        if len(weights) != len(self.cells) or not (min(weights) >= 0 < total < inf):
            raise InvalidOption(
                f"schedule: expected a weight of 0 or more for each of {len(self.cells)} cells, "
                f"not all 0, but got {weights}"
            )
        draw = Stream("curriculum", self.seed, self.worker, self._drawn)
        self._drawn += 1
        cell = draw.weighted_index([*accumulate(weights)])
        row = self._next_of(cell)
        number = int(row.id.rpartition("-")[2])
        self._cell_by_row.pop(number, None)
        self._cell_by_row[number] = cell
        if len(self._cell_by_row) > _MAX_REMEMBERED_ROWS:
            del self._cell_by_row[next(iter(self._cell_by_row))]
        return row

    def estimates(self) -> list[Estimate]:
        """Return what is known of each cell."""
        return [
            Estimate(options, (passed + 0.5) / (scores + 1), scores)
            for options, passed, scores in zip(self.cells, self._passed, self._scores, strict=True)
        ]

    def update(self, score: float, of: Example | str | int) -> None:
        """Record the score of an answer to a row, by the row, its id or the number of its cell."""
        cell = of if isinstance(of, int) else self.cell_of(of)
        if not (0 <= score <= 1 and 0 <= cell < len(self.cells)):
            raise InvalidOption(
                f"expected a score from 0 to 1 and one of {len(self.cells)} cells, but got "
                f"{score} for cell {cell}"
            )
        self._passed[cell] = self._passed[cell] * (1 - 1 / self.window) + score
        self._scores[cell] = self._scores[cell] * (1 - 1 / self.window) + 1

    def has_drawn(self, row: Example | str) -> bool:
        """Return whether a row is one of the last that were drawn."""
        return self._place_of(row) in self._cell_by_row

    def cell_of(self, row: Example | str) -> int:
        """Return the number of the cell that a row was last drawn from."""
        if not self.has_drawn(row):
            name = row if isinstance(row, str) else row.id
            raise InvalidOption(
                f"row {name} is none of the last {_MAX_REMEMBERED_ROWS} drawn here; give its cell"
            )
        return self._cell_by_row[self._place_of(row)]

    def _place_of(self, row: Example | str) -> int:
        """Return the number of a row in the split `train`, by its id; -1 for other rows."""
        name = row if isinstance(row, str) else row.id
        number = name.rpartition("-")[2]
        place = int(number) if number.isdecimal() else -1
        made = self.generators[self._cell_by_row.get(place, 0)]
        key, languages = (made.name, made.version, self.seed), made.languages(made.options())
        return place if row_id(*key, TRAIN, place, languages) == name else -1

    def _next_of(self, cell: int) -> Example:
        """Return the next usable row of a cell, from as many blocks as it takes."""
        generator = self.generators[cell]
        ends = Limited.of(generator).capacity(self.splits, self.seed)
        size = generator.rows_per_block
        own = range(self.worker, -(-ends[TRAIN] // size) if ends else sys.maxsize, self.workers)
        attempts = len(own) if ends else _MAX_EMPTY_BLOCKS
        for _ in range(attempts + 1 if own else 0):
            if cell not in self._open_blocks:
                # Rows of other cells have the same ids, except in blocks of their own.
                used = self._blocks_used[cell] if ends else sum(self._blocks_used)
                self._blocks_used[cell] += 1
                self._open_blocks[cell] = own[used % len(own)], 0
            index, taken = self._open_blocks[cell]
            if cell not in self._rows:
                stop = min((index + 1) * size, ends[TRAIN] if ends else sys.maxsize)
                rows = generator.examples(
                    stop, start=index * size, seed=self.seed, split=TRAIN, splits=self.splits
                )
                self._rows[cell] = islice(filter(self._is_usable, rows), taken, None)
            if (row := next(self._rows[cell], None)) is not None:
                self._open_blocks[cell] = index, taken + 1
                return row
            del self._rows[cell], self._open_blocks[cell]
        raise InvalidOption(
            f"cells: {generator.name} has no training row of {self.cells[cell]} for worker "
            f"{self.worker} of {self.workers}: each is excluded, has no answer or is another's"
        )

    def _is_usable(self, row: Example) -> bool:
        return bool(answer_key(row).right) and self._excluded.isdisjoint(_leakage_keys(row))

    def _about(self) -> dict[str, Any]:
        """Return what a saved state must agree with."""
        excluded = repr(sorted(self._excluded)).encode("utf-8", "surrogatepass")
        return {
            "generator": f"{self.generators[0].name} {self.generators[0].version}",
            "cells": [generator.options() for generator in self.generators],
            **{"seed": self.seed, "splits": [*self.splits]},
            **{"worker": self.worker, "workers": self.workers, "window": self.window},
            "excluded_rows": hashlib.sha256(excluded).hexdigest(),
        }

    def state(self) -> dict[str, Any]:
        """Return the state to save as JSON, for `resume` to continue with the next row."""
        return self._about() | {
            "drawn": self._drawn,
            "passed": [*self._passed],
            "scores": [*self._scores],
            "blocks_used": [*self._blocks_used],
            "cell_by_row": [[*of] for of in self._cell_by_row.items()],
            "open_blocks": [[cell, *of] for cell, of in self._open_blocks.items()],
        }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state of a curriculum with the same arguments."""
        for name, value in self._about().items():
            if state.get(name) != value:
                known_as = name.replace("_", " ")
                raise InvalidOption(f"state: it was saved with other {known_as}; give the same")
        self._drawn = int(state["drawn"])
        self._passed, self._scores = [*state["passed"]], [*state["scores"]]
        self._blocks_used, self._cell_by_row = [*state["blocks_used"]], dict(state["cell_by_row"])
        self._open_blocks = {cell: (index, taken) for cell, index, taken in state["open_blocks"]}
        self._rows = {}


def _cells(
    cls: type[Generator],
    options: Mapping[str, object],
    cells: Sequence[Mapping[str, object]] | None,
) -> tuple[list[Mapping[str, object]], list[Generator]]:
    """Return the cells with their generators; default ones that conflict with the options go."""
    named = Cells.of(cls.configure(options)).cells() if cells is None else cells
    varied = {option for cell in named for option in cell}
    kept = {option: value for option, value in options.items() if option not in varied}
    generators: list[tuple[Mapping[str, object], Generator]] = []
    why = "give one or more sets of options"
    for cell in named:
        try:
            generators.append((cell, cls.configure({**kept, **cell})))
        except InvalidOption as error:
            if cells is not None:
                raise
            why = str(error)
    if not generators:
        raise InvalidOption(f"cells: {why}")
    return [cell for cell, _ in generators], [generator for _, generator in generators]


def _leakage_keys(row: Example) -> tuple[str, str]:
    """Return what a training row must not share with an excluded row."""
    return row.input, prompting(row).leakage_group(row)

"""Result files of runs that finish in any order."""

from pathlib import Path
from typing import Any

from relsmith.evaluation.result import Result, Run, Setup, encoded, file_name
from relsmith.evaluation.task import Task
from relsmith.storage import files


class Results:
    """A file per model and dataset, rewritten with each of its seeds."""

    def __init__(self, task: type[Task[Any, Any]], out: Path) -> None:
        self.task, self.out = task, out
        self.runs: dict[Path, dict[int, Run]] = {}

    def add(self, setup: Setup, run: Run, extra: str = "") -> Result:
        """Add a run; return the result with all runs so far."""
        path = self.out / f"{file_name(setup)}{extra}.json"
        runs = self.runs.setdefault(path, {})
        runs[run.seed] = run
        files.save(path, encoded([self._of(setup, [runs[seed] for seed in sorted(runs)])]))
        return self._of(setup, [run])

    def _of(self, setup: Setup, runs: list[Run]) -> Result:
        columns, figures = list(self.task.columns), dict(self.task.figures)
        return Result(setup=setup, columns=columns, figures=figures, runs=runs)

"""Repeat the experiments of the analogy paper with all available models, within a time limit.

    python bench/analogies.py DATA OUT [--minutes 10] [--workers 6] [--seeds 3] [--epochs 20]
        [--models NAME=PATH]

DATA is a folder of datasets of gen analogy, such as bats and bats-paper (the same with
--paper-faithful). Models are found in installed packages (minilm, smollm2, glove), or given as
paths below DATA: --models minilm=weights/minilm glove=weights/glove.6B.50d.txt.
Missing ones are skipped. Models are evaluated in parallel on one device; the first seed
of all comes before the second of any, and runs beyond the time limit are skipped. `--only
'bats*'` selects datasets, `--labels '*smollm2*'` models.
"""

import argparse
import contextlib
import fnmatch
import functools
from dataclasses import replace
from pathlib import Path

from pool import in_time
from results import Results

from relsmith.errors import RelsmithError
from relsmith.evaluation import pretrained, report
from relsmith.evaluation.device import find_device
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.analogy.baselines import AnalogyMajority, WordsOnly
from relsmith.evaluation.papers.analogy.encoder import ContextualEncoder
from relsmith.evaluation.papers.analogy.model import AnalogyModel
from relsmith.evaluation.papers.analogy.perplexity import Perplexity
from relsmith.evaluation.papers.analogy.relation import RelationEncoder
from relsmith.evaluation.papers.analogy.task import (
    AnalogyRow,
    AnalogyTask,
)
from relsmith.evaluation.papers.analogy.vectors import Vectors
from relsmith.evaluation.result import Result, Run, Setup
from relsmith.evaluation.runner import run_one
from relsmith.evaluation.task import TaskRows
from relsmith.evaluation.training import Training

PAIR = "What is {c} to {d}?"


Work = tuple[int, AnalogyModel, Path]


@functools.cache
def rows_of(folder: Path) -> tuple[TaskRows[AnalogyRow], TaskRows[AnalogyRow]]:
    """Return a dataset, read once per process."""
    return AnalogyTask().read(folder, "train"), AnalogyTask().read(folder, "test")


def work(job: RunContext, what: Work) -> tuple[Path, Setup, Run]:
    """Train and test one model with one seed, relation by relation."""
    seed, model, folder = what
    train, test = rows_of(folder)
    return folder, *run_one(model, train, [test], replace(job, seed=seed))


def models(paths: dict[str, str], precision: str) -> list[AnalogyModel]:
    """Return the available models, the quick ones first; short names are used in the results."""
    chosen: list[AnalogyModel] = [AnalogyMajority(), WordsOnly()]
    for name in ("glove", "minilm", "smollm2"):
        with contextlib.suppress(RelsmithError):
            where = paths.get(name, name)
            pretrained.find(where)
            if name == "glove":
                chosen.append(Vectors(vectors=where))
            elif name == "minilm":
                chosen += [
                    ContextualEncoder(encoder=where, template=PAIR, precision=precision),
                    ContextualEncoder(encoder=where, precision=precision),
                    RelationEncoder(encoder=where, precision=precision),
                ]
            else:
                chosen.append(Perplexity(lm=where, precision=precision))
    others = {name: path for name, path in paths.items() if name not in pretrained.PACKAGES}
    chosen += [ContextualEncoder(encoder=path, precision=precision) for path in others.values()]
    return chosen


def main() -> None:
    """Evaluate the models."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--patience", type=int, default=3)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--models", nargs="*", default=[], metavar="NAME=PATH")
    parser.add_argument("--only", default="*")
    parser.add_argument("--labels", default="*")
    arguments = parser.parse_args()
    paths = dict(word.split("=", 1) for word in arguments.models)
    training = Training(epochs=arguments.epochs, patience=arguments.patience, batch=arguments.batch)
    job = RunContext(device=str(find_device(arguments.device)), training=training)
    folders = sorted(path.parent for path in arguments.data.glob(f"{arguments.only}/manifest.json"))
    if not folders:
        parser.error(f"{arguments.data}: no dataset is called {arguments.only!r}")
    todo = [
        (seed, model, folder)
        for seed in range(arguments.seeds)
        for model in models(paths, arguments.precision)
        for folder in folders
        if fnmatch.fnmatch(model.label, arguments.labels) and (model.random or not seed)
    ]
    kept = Results(AnalogyTask, arguments.out)
    task = functools.partial(work, job)
    for number, done, seconds in in_time(task, todo, arguments.workers, arguments.minutes):
        folder, setup, run = done
        said = by_probe(kept.add(setup, run))
        name = f"{folder.name} {setup.label}, seed {run.seed}"
        print(f"{number} {name}: {said} ({seconds:.0f} s)", flush=True)


def by_probe(result: Result) -> str:
    """Return percentages of right answers by setting and probe."""
    (table,) = report.by([result], ["setting", "probe"])
    cells = zip(table.columns, table.lines[0].cells, strict=True)
    return ", ".join(f"{head} {100 * cell.mean:.1f}" for head, cell in cells if cell)


if __name__ == "__main__":
    main()

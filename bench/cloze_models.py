"""Table 4 of Bisk et al. anew, with every model, in a given time.

    python bench/cloze_models.py DATA OUT [--minutes 6] [--workers 6] [--seeds 3]

DATA holds two datasets: train, with a split of that name, and valid, likewise. From KidsCook:

    for split in train valid; do
      gen cloze --profile kidscook --input $split.jsonl --whitelist approved.txt \\
        --split $split=1.0 --out DATA/$split
    done

Models are trained side by side on one device; the first seed of all comes before the second of any,
and what is not done when time is up is left out. OUT gets a JSON file for each model after each
seed, and train-MODEL.alignments.jsonl of the transducers; gen report cloze OUT shows them.
`--models a,b` and `--set NAME=VALUE` try other things; `--rows N` cuts both splits.
"""

import argparse
import functools
from pathlib import Path

from pool import in_time

from relsmith.evaluation.cloze.harness import Training
from relsmith.evaluation.cloze.model import ClozeModel
from relsmith.evaluation.cloze.results import (
    Alignment,
    ClozeSetup,
    Evaluation,
    Result,
    Run,
    Split,
    save_alignments,
)
from relsmith.evaluation.device import find_device
from relsmith.evaluation.model import MODELS

# The slowest first, so that no worker is left alone with it in the end.
MODELS_TO_TRAIN = "transducer-param,transducer,seq2seq-attention,seq2seq,lstm-lm,trigram"

Job = tuple[int, str]
Done = tuple[str, ClozeSetup, Run, list[Alignment]]


@functools.cache
def evaluation(data: Path, training: Training, device: str, rows: int | None) -> Evaluation:
    """Both splits, read once in each process."""
    limited = Evaluation(
        (data / "train", "train"),
        [(data / "valid", "valid")],
        find_device(device),
        training=training,
    )
    limited.train = Split(limited.train.data, limited.train.pairs[:rows])
    limited.tests = [Split(test.data, test.pairs[:rows]) for test in limited.tests]
    return limited


def work(
    data: Path, training: Training, device: str, rows: int | None, options: dict[str, str], job: Job
) -> Done:
    """Train and test one model with one seed."""
    seed, name = job
    kind = MODELS.get(name)
    model = kind.configure({key: options[key] for key in options if key in kind.model_fields})
    assert isinstance(model, ClozeModel)
    shared = evaluation(data, training, device, rows)
    run, alignments = shared.run_seed(model, seed)
    return name, shared.setup(model), run, alignments


def main() -> None:
    """Train, and write as results come."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--patience", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--models", default=MODELS_TO_TRAIN)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    training = Training(epochs=arguments.epochs, patience=arguments.patience, batch=arguments.batch)
    options = dict(word.split("=", 1) for word in arguments.set)
    todo = [
        (seed, name)
        for seed in range(arguments.seeds)
        for name in arguments.models.split(",")
        if not (seed and name == "trigram")
    ]
    task = functools.partial(
        work, arguments.data, training, arguments.device, arguments.rows, options
    )
    runs: dict[str, list[Run]] = {}
    for number, done, seconds in in_time(task, todo, arguments.workers, arguments.minutes):
        tell(number, seconds, arguments.out, done, runs.setdefault(done[0], []))


def tell(number: str, seconds: float, out: Path, done: Done, runs: list[Run]) -> None:
    """Print what came out, and write all that is there of the model."""
    name, setup, run, alignments = done
    runs.append(run)
    runs.sort(key=lambda run: run.seed)
    path = out / f"{setup.train.dataset}-{name}.json"
    Result(setup=setup, runs=runs).save(path)
    if alignments and not run.seed:
        save_alignments(path.with_suffix(".alignments.jsonl"), alignments)
    measured = run.tests[0].figures["restricted"]
    figures = " ".join(f"{key} {value:.2f}" for key, value in measured.items())
    span = f" span {run.tests[0].span:.2f}" if run.tests[0].span else ""
    print(
        f"{number} {name}, seed {run.seed}: {figures}{span} "
        f"(best epoch {run.best_epoch} of {run.epochs}, validation {run.validation:.3f}, "
        f"{seconds:.0f} s)",
        flush=True,
    )


if __name__ == "__main__":
    main()

"""The probes of the analogy paper anew, with every model that is at hand, in a given time.

    python bench/analogies.py DATA OUT [--minutes 10] [--seeds 3] [--epochs 20] [--models NAME=PATH]

DATA holds any number of datasets of gen analogy, such as bats and bats-paper (the same with
--paper-faithful). Models are found in installed packages (minilm, smollm2, glove), or given as
paths that travel with the data: --models minilm=weights/minilm glove=weights/glove.6B.50d.txt.
One that is not there is left out. Results are written relation by relation, what is not done when
time is up is left out, and the same command goes on from there.
"""

import argparse
import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from relsmith.errors import RelsmithError
from relsmith.evaluation import pretrained, report
from relsmith.evaluation.analogy import figures
from relsmith.evaluation.analogy.encoder import Encoder
from relsmith.evaluation.analogy.model import AnalogyModel
from relsmith.evaluation.analogy.perplexity import Perplexity
from relsmith.evaluation.analogy.relation import Relation
from relsmith.evaluation.analogy.vectors import Vectors
from relsmith.evaluation.analogy.yardsticks import Majority, WordsOnly
from relsmith.evaluation.device import find_device
from relsmith.evaluation.model import Job
from relsmith.evaluation.result import Result, load
from relsmith.evaluation.runner import Evaluation, Order
from relsmith.evaluation.tasks.analogy import Analogies, by_relation, negatives
from relsmith.evaluation.training import Training

PAIR = "What is {c} to {d}?"


class TimeIsUp(Exception):
    """Raised between two epochs."""


def models(paths: dict[str, str], precision: str) -> list[AnalogyModel]:
    """The models that can be had, the quick ones first; a short name stays in the results."""
    chosen: list[AnalogyModel] = [Majority(), WordsOnly()]
    for name in ("glove", "minilm", "smollm2"):
        with contextlib.suppress(RelsmithError):
            where = paths.get(name, name)
            pretrained.find(where)
            if name == "glove":
                chosen.append(Vectors(vectors=where))
            elif name == "minilm":
                chosen += [
                    Encoder(encoder=where, template=PAIR, precision=precision),
                    Encoder(encoder=where, precision=precision),
                    Relation(encoder=where, precision=precision),
                ]
            else:
                chosen.append(Perplexity(lm=where, precision=precision, sentences=1024))
    others = {name: path for name, path in paths.items() if name not in pretrained.PACKAGES}
    chosen += [Encoder(encoder=path, precision=precision) for path in others.values()]
    return chosen


def main() -> None:
    """Evaluate, then draw what there is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--patience", type=int, default=3)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--models", nargs="*", default=[], metavar="NAME=PATH")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    paths = dict(word.split("=", 1) for word in arguments.models)
    training = Training(epochs=arguments.epochs, patience=arguments.patience, batch=arguments.batch)

    @contextlib.contextmanager
    def bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
        def advance(done: int) -> None:
            if time.monotonic() > end:
                raise TimeIsUp

        yield advance

    job = Job(device=str(find_device(arguments.device)), training=training)
    folders = sorted(path.parent for path in arguments.data.glob("*/manifest.json"))
    data = {
        folder: [Analogies().read(folder, split) for split in ("train", "test")]
        for folder in folders
    }
    with contextlib.suppress(TimeIsUp):
        for model in models(paths, arguments.precision):
            for folder, (train, test) in data.items():
                start = time.monotonic()
                order = Order(folder, bar, arguments.out, seeds=arguments.seeds)
                try:
                    result = Evaluation(model, train, [test], job).run(order)
                except RelsmithError as error:
                    print(f"{folder.name} {model.label}: {error}", flush=True)
                    continue
                took = time.monotonic() - start
                print(f"{folder.name} {model.label}: {took:.0f} s {said(result)}", flush=True)
    results = load([arguments.out])
    with contextlib.suppress(RelsmithError):
        figures.draw_relations(by_relation(results), arguments.out / "relations.png")
    with contextlib.suppress(RelsmithError):
        figures.draw_negatives(negatives(results), arguments.out / "negatives.png")


def said(result: Result) -> str:
    """Per cent right by setting and probe."""
    (table,) = report.by([result], ["setting", "probe"])
    cells = zip(table.columns, table.lines[0].cells, strict=True)
    return ", ".join(f"{head} {100 * cell.mean:.1f}" for head, cell in cells if cell)


if __name__ == "__main__":
    main()

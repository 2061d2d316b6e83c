"""Experiments on what the stories measure, and on what training on them gives.

    python bench/evidence.py DATA OUT [--minutes 9] [--workers 12] [--only 'transfer*'] [--seeds 5]
    python bench/evidence.py --list

DATA has the datasets that docs/results/evidence.md names. A model is trained on one or two stages,
each the rows of a dataset, some of them (`official:500`) or with changed answers:

- `wrong-rules`: answers by a fixed wrong composition table;
- `shuffled`: answers permuted among rows;
- `wrong-in-laws`: 13.7 % of the answers are wrong: relatives by marriage in the other direction,
  as in the task `family_relationships` of reasoning-gym 0.1.25;
- `wrong-at-random`: 13.7 % of the answers are wrong, drawn from all others.

The first seed of all jobs comes before the second of any; jobs beyond the time limit are skipped.
OUT gets a file for each model, its stages and tests, and gen report reads it.
"""

import argparse
import fnmatch
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, ClassVar, NamedTuple

import torch
from pool import in_time
from results import Results

from relsmith.clusters import RowClusters
from relsmith.evaluation.device import deterministic, find_device, random_number
from relsmith.evaluation.model import MODELS, FittedModel, RunContext
from relsmith.evaluation.papers.stories.encoding import EncodedStories, Sizes, StoryVocabulary
from relsmith.evaluation.papers.stories.model import (
    StoryModel,
    StoryNetwork,
    StoryObjective,
    predict,
)
from relsmith.evaluation.papers.stories.task import StoryRow, StoryTask
from relsmith.evaluation.result import RowLabels, Run, Setup
from relsmith.evaluation.runner import run_one
from relsmith.evaluation.task import Fold, TaskRows
from relsmith.evaluation.trainer import train
from relsmith.evaluation.training import Training

WRONG_SHARE = 0.137
"""Share of wrong answers of reasoning-gym's task (docs/audits.md)."""
SMALL = 2000
"""Up to this many rows, batches are smaller and patience is longer."""

BERT = "bert:encoder=minilm:tuned=true:encoder_rate=1e-4"
EDGES = "bert-edges:encoder=minilm:tuned=true:encoder_rate=1e-4"
FACTS = "bert-facts:encoder=minilm:tuned=true:encoder_rate=1e-4"
RULES = "bert-rules:encoder=minilm:tuned=true:encoder_rate=1e-4"
LM = "story-lm:path=smollm2"

OFFICIAL = ("official-089907f8", "official-7c5b0e70")
WORLDS = ("work", "ordering", "space")


class Job(NamedTuple):
    """A model, its training stages, and its test sets."""

    experiment: str
    seed: int
    model: str
    stages: tuple[str, ...]
    tests: tuple[str, ...]


def plan(seeds: int) -> Iterator[Job]:
    """Yield all jobs, the most important first; first stages come before jobs that share them."""
    yield from _each(_first_stages, seeds)
    yield from _each(_supervision, min(3, seeds))
    yield from _each(_transfer, seeds)
    yield from _each(_wrong_labels, seeds)
    yield from _clauses()
    yield from _each(_worlds, min(3, seeds))
    yield from _each(_more_official_rows, min(3, seeds))
    yield from _each(_language_model, min(3, seeds))


def _each(jobs: Callable[[int], Iterator[Job]], seeds: int) -> Iterator[Job]:
    return chain.from_iterable(map(jobs, range(seeds)))


def _first_stages(seed: int) -> Iterator[Job]:
    """Experiments 1 and 2: without any official row."""
    for model in (EDGES, BERT):
        for first in ("chains", "chains:wrong-rules"):
            yield Job("transfer", seed, model, (first,), (*OFFICIAL, "chains"))


def _transfer(seed: int) -> Iterator[Job]:
    """Experiments 1 and 2: our chains, then 500 official rows; and the shuffled-logic control."""
    for model in (EDGES, BERT):
        for first in (("chains",), (), ("chains:wrong-rules",)):
            yield Job("transfer", seed, model, (*first, f"{OFFICIAL[0]}:500"), OFFICIAL)


def _more_official_rows(seed: int) -> Iterator[Job]:
    """Experiment 1 with more official rows."""
    for rows in (2000, 10000):
        for model in (EDGES, BERT):
            for first in (("chains",), ()):
                yield Job("transfer", seed, model, (*first, f"{OFFICIAL[0]}:{rows}"), OFFICIAL)


def _supervision(seed: int) -> Iterator[Job]:
    """Experiment 4: is it the stated facts in training, or the way of reasoning?"""
    for model in (f"{EDGES}:supervised=false", RULES, EDGES, FACTS, BERT):
        yield Job("supervision", seed, model, ("stories",), ("stories",))


def _wrong_labels(seed: int) -> Iterator[Job]:
    """Experiment 5: what wrong labels cost."""
    for change in (":wrong-in-laws", ":wrong-at-random", ""):
        yield Job("wrong-labels", seed, BERT, (f"chains{change}",), ("chains", "extended"))


def _clauses() -> Iterator[Job]:
    """Experiment 3: ten datasets that hold out different clauses, one seed each."""
    for model in ("edge-transformer", "gat", EDGES):
        for number in range(10):
            name = f"clauses-{number}"
            yield Job("clauses", number, model, (name,), (name,))


def _worlds(seed: int) -> Iterator[Job]:
    """Experiment 6: from kinship to other worlds."""
    for first in (("chains",), ("chains:shuffled",), ()):
        for world in WORLDS:
            yield Job("worlds", seed, BERT, (*first, f"{world}:200"), (world,))
    for world in WORLDS:
        yield Job("worlds", seed, BERT, ("chains",), (world,))


def _language_model(seed: int) -> Iterator[Job]:
    """Experiments 1 and 5 with a causal language model, which is slow."""
    for change in ("", ":wrong-in-laws", ":wrong-at-random"):
        yield Job("wrong-labels", seed, LM, (f"chains{change}",), ("chains", "extended"))
    yield Job("transfer", seed, LM, ("chains",), (*OFFICIAL, "chains"))
    for first in (("chains",), ()):
        yield Job("transfer", seed, LM, (*first, f"{OFFICIAL[0]}:500"), OFFICIAL)


class Staged(StoryModel):
    """A model that is trained on several sets of rows, one after another."""

    name: ClassVar = "staged"

    model: str
    stages: tuple[str, ...]
    data: Path

    @property
    def inner(self) -> StoryNetwork:
        """The model that is trained."""
        name, *options = self.model.split(":")
        model = MODELS.get(name).configure(dict(option.split("=", 1) for option in options))
        assert isinstance(model, StoryNetwork)
        return model

    @property
    def label(self) -> str:
        """Return the model's name, its options without those of the encoder, and the stages."""
        name, *options = self.model.split(":")
        told = [o for o in options if o.partition("=")[0] in ("supervised",)]
        return f"{' '.join([name, *told])}, {' then '.join(self.stages)}"

    def files(self) -> dict[str, Path]:
        """Return the files that the model reads."""
        return self.inner.files()

    def digests(self) -> dict[str, str]:
        """Return the digests of these files and of the data of the stages."""
        stages = {stage: stage_rows(self.data, stage, 0).data.digest for stage in self.stages}
        return super().digests() | stages

    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        """Train on each stage in turn."""
        stages = [stage_rows(self.data, stage, job.seed) for stage in self.stages]
        # The same vocabulary everywhere, so that the first stage can be shared.
        if len(stages) == 1 and self.inner.name in ("gat", "edge-transformer", "bert-rules"):
            return self.inner.fit(replace(fold, train=stages[0]), limited(job, stages[0]))
        vocabulary = common_vocabulary(self.data)
        with deterministic(torch.device(job.device)):
            torch.manual_seed(random_number(job.seed, "start"))
            module = self.inner.build(Sizes.of(vocabulary))
        for number, rows in enumerate(stages):
            encoded = EncodedStories.of(rows.rows, vocabulary, job.device)

            def learn(rows: TaskRows[StoryRow] = rows, encoded: EncodedStories = encoded) -> Any:
                objective = StoryObjective(module, encoded, self.inner.learning_rate)
                return train(objective, limited(job, rows)).summary

            shared = number == 0 and len(rows) > SMALL
            done = self._shared(module, learn, job) if shared else learn()

        targets = list(vocabulary.targets)

        def answers(rows: TaskRows[Any]) -> list[str]:
            encoded = EncodedStories.of(rows.rows, vocabulary, job.device)
            numbers = predict(module, encoded, job.training).tolist()
            return [targets[number] for number in numbers]

        return FittedModel(answers, done)

    def _shared(self, module: Any, learn: Callable[[], Any], job: RunContext) -> Any:
        """Train on the first stage, or load the weights if another job has them."""
        name = f"{self.model}-{self.stages[0]}-{job.seed}".replace("/", "-")
        folder = self.data.parent / "weights"
        folder.mkdir(exist_ok=True)
        path, begun = folder / f"{name}.pt", folder / f"{name}.begun"
        try:
            begun.touch(exist_ok=False)
        except FileExistsError:
            while not path.exists():
                time.sleep(1)
            held = torch.load(path, map_location=job.device, weights_only=False)
            module.to(job.device).load_state_dict(held["module"])
            return held["summary"]
        summary = learn()
        new = path.with_suffix(".new")
        torch.save({"module": module.state_dict(), "summary": summary}, new)
        new.rename(path)
        return summary


def limited(job: RunContext, rows: TaskRows[StoryRow]) -> RunContext:
    """Return the job with the training options for so many rows."""
    options = {"epochs": 30, "patience": 6, "batch": 32} if len(rows) <= SMALL else {}
    return replace(job, training=job.training.model_copy(update=options))


@functools.cache
def rows_of(data: Path, name: str, split: str) -> TaskRows[StoryRow]:
    """Return the rows of a dataset or folder of official files."""
    return StoryTask().read(data / name, split)


@functools.cache
def test_rows(data: Path, name: str) -> TaskRows[StoryRow]:
    """Return test rows; of kinship-extended, those whose answers our chains have."""
    rows = rows_of(data, name, "test")
    if name != "extended":
        return rows
    known = {row.target for row in rows_of(data, "chains", "train").rows}
    places = [n for n, row in enumerate(rows.rows) if row.target in known]
    columns = {
        label: [column.values[column.places[n]] for n in places]
        for label, column in rows.data.columns.items()
    }
    clauses = RowClusters("clauses", [rows.rows[n].clause for n in places])
    labels = {"labels": RowLabels.of(columns, clauses), "rows": len(places)}
    taken = rows.take(places)
    return TaskRows(rows.data.model_copy(update=labels), taken.ids, taken.rows)


@functools.cache
def common_vocabulary(data: Path) -> StoryVocabulary:
    """Return the vocabulary of all training rows; tests add the spelling of their words."""
    folders = sorted(folder.name for folder in data.iterdir())
    train = [name for name in folders if not name.startswith(("clauses", "extended"))]
    train = [name for name in train if name != OFFICIAL[1]]
    learnt = [row for name in train for row in rows_of(data, name, "train").rows]
    tested = [
        row
        for name in (*OFFICIAL, *train, "extended")
        if name == "extended" or name in folders
        for row in rows_of(data, name, "test").rows
    ]
    return StoryVocabulary.of(learnt, tested)


@functools.cache
def stage_rows(data: Path, stage: str, seed: int) -> TaskRows[StoryRow]:
    """Return the rows of a stage such as `chains`, `official:500` or `chains:shuffled`."""
    name, _, change = stage.partition(":")
    rows = rows_of(data, name, "train")
    if change.isdecimal():
        places = sorted(
            Random(f"rows {seed}").sample(range(len(rows)), min(len(rows), int(change)))
        )
        return rows.take(places)
    if change:
        answers = CHANGES[change](rows.rows)
        changed = [replace(r, target=a) for r, a in zip(rows.rows, answers, strict=True)]
        return TaskRows(rows.data, rows.ids, changed)
    return rows


def wrong_rules(rows: Sequence[StoryRow]) -> list[str]:
    """Answer by a wrong table: results of pairs of relations permuted among the pairs."""
    random = Random("wrong rules")
    chains = [chain_words(row) for row in rows]
    right = {chain: row.target for chain, row in zip(chains, rows, strict=True) if len(chain) == 2}
    pairs, results = sorted(right), [right[pair] for pair in sorted(right)]
    random.shuffle(results)
    table = dict(zip(pairs, results, strict=True))
    answers = sorted({row.target for row in rows})

    def compose(first: str, second: str) -> str:
        if (first, second) not in table:
            table[first, second] = random.choice(answers)
        return table[first, second]

    return [functools.reduce(compose, chain) for chain in chains]


def chain_words(row: StoryRow) -> tuple[str, ...]:
    """Return the relations from the first person of the query to the second."""
    step = {source: (relation, end) for source, relation, end in row.facts}
    person, words = row.query[0], []
    while person != row.query[1]:
        relation, person = step[person]
        words.append(relation)
    return tuple(words)


def shuffled(rows: Sequence[StoryRow]) -> list[str]:
    """Permute the answers among the rows."""
    answers = [row.target for row in rows]
    Random("shuffled").shuffle(answers)
    return answers


_TURNED = {"mother": ("daughter", "son"), "father": ("daughter", "son")}
_TURNED |= {"daughter": ("mother", "father"), "son": ("mother", "father")}


def wrong_in_laws(rows: Sequence[StoryRow]) -> list[str]:
    """Name for 13.7 % of the rows what the second person is to the first: parents-in-law turned."""
    answers = [row.target for row in rows]
    able = [n for n, row in enumerate(rows) if row.target.removesuffix("-in-law") in _TURNED]
    able = [n for n in able if rows[n].target.endswith("-in-law")]
    count = round(WRONG_SHARE * len(rows))
    if len(able) < count:
        raise ValueError(f"only {len(able)} of {count} rows can be turned round")
    for n in Random("wrong in-laws").sample(able, count):
        female, male = _TURNED[rows[n].target.removesuffix("-in-law")]
        gender = rows[n].genders.get(rows[n].query[0], "female")
        answers[n] = f"{female if gender == 'female' else male}-in-law"
    return answers


def wrong_at_random(rows: Sequence[StoryRow]) -> list[str]:
    """Replace 13.7 % of the answers by others."""
    random = Random("wrong at random")
    answers, kinds = [row.target for row in rows], sorted({row.target for row in rows})
    for n in random.sample(range(len(rows)), round(WRONG_SHARE * len(rows))):
        answers[n] = random.choice([kind for kind in kinds if kind != rows[n].target])
    return answers


CHANGES: dict[str, Callable[[Sequence[StoryRow]], list[str]]] = {
    "wrong-rules": wrong_rules,
    "shuffled": shuffled,
    "wrong-in-laws": wrong_in_laws,
    "wrong-at-random": wrong_at_random,
}


def work(data: Path, training: Training, device: str, job: Job) -> tuple[Job, Setup, Run]:
    """Train and test one model with one seed."""
    model = Staged(model=job.model, stages=job.stages, data=data)
    tests = [test_rows(data, name) for name in job.tests]
    first = stage_rows(data, job.stages[0], job.seed)
    if job.model == LM:
        training = training.model_copy(update={"epochs": 8, "patience": 2, "batch": 32})
    if job.model in ("gat", "edge-transformer"):
        training = training.model_copy(update={"epochs": 200, "patience": 15, "batch": 250})
    setup, run = run_one(model, first, tests, RunContext(job.seed, device, training))
    name, *options = job.model.split(":")
    hyperparameters = {"stages": list(job.stages), **dict(o.split("=", 1) for o in options)}
    update = {"model": name, "hyperparameters": hyperparameters, "train": None}
    return job, setup.model_copy(update=update), run


def main() -> None:
    """Run the jobs, and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--only", default="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--patience", type=int, default=4)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--list", action="store_true", help="print the jobs and stop")
    arguments = parser.parse_args()
    todo = [job for job in plan(arguments.seeds) if fnmatch.fnmatch(job.experiment, arguments.only)]
    if arguments.list:
        for job in todo:
            print(*job[:3], " then ".join(job.stages), "->", *job.tests)
        return
    device = find_device(arguments.device)
    training = Training(
        epochs=arguments.epochs,
        patience=arguments.patience,
        batch=arguments.batch,
        precision="auto",
    ).on(device.type)
    task = functools.partial(work, arguments.data, training, str(device))
    results: dict[str, Results] = {}
    for number, (job, setup, run), seconds in in_time(
        task, todo, arguments.workers, arguments.minutes
    ):
        kept = results.setdefault(
            job.experiment, Results(StoryTask, arguments.out / job.experiment)
        )
        only = kept.add(setup, run)
        figures = " | ".join(
            " ".join(
                f"{only.sums('accuracy', test, {'k': k})[0, :, 0].mean():.2f}"
                for k in data.columns["k"].values
            )
            for test, data in enumerate(setup.tests)
        )
        learnt = run.folds[0]
        print(
            f"{number} {setup.label} seed {run.seed}: {figures} (validation "
            f"{learnt.validation or 0:.3f}, {learnt.best_epoch}/{learnt.epochs} epochs, "
            f"{seconds:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()

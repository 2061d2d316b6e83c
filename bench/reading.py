"""Errors of a model that extracts facts: in extraction, or in reasoning about them.

    python bench/reading.py DATA [--model bert-edges:encoder=minilm:tuned=true:encoder_rate=1e-4]
        [--seeds 3] [--epochs 40] [--patience 8] [--batch 64] [--device auto]

For each k of the test, means over seeds: the share of stated facts that are extracted; the number
of extracted facts about pairs without a stated fact; the accuracy of the model; and the accuracy of
`rules`, which learns compositions in training and gets the extracted facts.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from thesis import model_of, parse_row, rows_of
from torch import Tensor

from relsmith.evaluation.device import deterministic
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.stories.baselines import CompositionTable, compositions, solve
from relsmith.evaluation.papers.stories.encoding import (
    PADDING,
    UNKNOWN,
    EncodedStories,
    Sizes,
    StoryVocabulary,
)
from relsmith.evaluation.papers.stories.model import fit_network, fixed_placeholders
from relsmith.evaluation.papers.stories.models.edge_reader import EdgeReader
from relsmith.evaluation.papers.stories.task import StoryRow
from relsmith.evaluation.task import Fold, TaskRows
from relsmith.evaluation.trainer import autocast
from relsmith.evaluation.training import Training

Read = dict[tuple[int, int], str | None]
"""Extracted relation of two people; None if a fact is stated for them in the other direction."""

MINILM = "bert-edges:encoder=minilm:tuned=true:encoder_rate=1e-4"


class Row(NamedTuple):
    """Counts of one story."""

    stated: int
    as_stated: int
    untold: int
    answered: bool
    by_rules: bool


def row_of(story: StoryRow, read: Read, answered: bool, table: CompositionTable) -> Row:
    """Compare the extracted facts of a story with the stated ones."""
    told = {(source, end): relation for source, relation, end in story.facts}
    untold = [pair for pair in read if not {pair, pair[::-1]} & told.keys()]
    facts = [(source, relation, end) for (source, end), relation in read.items() if relation]
    return Row(
        len(told),
        sum(read.get(pair) == relation for pair, relation in told.items()),
        len(untold),
        answered,
        solve(replace(story, facts=facts), table) == story.target,
    )


@torch.no_grad()
def reading(module: Any, data: EncodedStories, training: Training) -> Iterator[Tensor]:
    """Yield for each story the number of the relation extracted for each pair."""
    module.eval()
    placeholders, device = fixed_placeholders(data), data.words.device
    with deterministic(device), autocast(device, training):
        for rows in torch.split(torch.arange(len(data)), 200):
            batch = data.batch(rows, placeholders)
            best, people = module.read(batch).argmax(-1).cpu(), batch.node_mask.sum(1).tolist()
            yield from (facts[:n, :n] for facts, n in zip(best, people, strict=True))


def test_counts(
    model: EdgeReader, train: TaskRows[StoryRow], test: TaskRows[StoryRow], job: RunContext
) -> list[Row]:
    """Train one model; return the counts of each test story."""
    modules = []

    def build(sizes: Sizes) -> Any:
        modules.append(model.build(sizes))
        return modules[0]

    fitted = fit_network(
        build, model.learning_rate, Fold("", train, [test], [range(len(test))]), job
    )
    vocabulary, table = StoryVocabulary.of(train.rows, test.rows), compositions(train.rows)
    named = {number: relation for relation, number in vocabulary.relations.items()}
    read = reading(modules[0], EncodedStories.of(test.rows, vocabulary, job.device), job.training)
    return [
        row_of(story, pairs_of(facts, named), answer == story.target, table)
        for story, facts, answer in zip(test.rows, read, fitted.answers(test), strict=True)
    ]


def pairs_of(facts: Tensor, named: dict[int, str]) -> Read:
    """Return the extracted relations of all pairs of different people, by name."""
    return {
        (source, end): None if number == UNKNOWN else named[number]
        for source, line in enumerate(facts.tolist())
        for end, number in enumerate(line)
        if number != PADDING and source != end
    }


def table(stories: Sequence[StoryRow], runs: Sequence[Sequence[Row]]) -> str:
    """Return a line per k."""
    numbers, ks = np.array(runs, float), np.array([story.k for story in stories])
    lines = ["  k  as stated  untold  right  rules"]
    for k in sorted(set(ks.tolist())):
        stated, as_stated, untold, answered, ruled = numbers[:, ks == k].mean((0, 1))
        lines.append(f"{k:3} {as_stated / stated:10.3f} {untold:7.2f} {answered:6.2f} {ruled:6.2f}")
    return "\n".join(lines)


def main() -> None:
    """Train with each seed, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default=MINILM)
    parser.add_argument("--seeds", type=int, default=3)
    arguments, device, training = parse_row(parser, epochs=40, patience=8, batch=64)
    model = model_of(arguments.model)
    if not isinstance(model, EdgeReader):
        parser.error(f"--model: {model.name} reads no facts; give bilstm-edges or bert-edges")
    train, (test, *_) = rows_of(arguments.data)
    runs = []
    for seed in range(arguments.seeds):
        runs.append(test_counts(model, train, test, RunContext(seed, device, training)))
        print(f"seeds so far: {seed + 1}\n{table(test.rows, runs)}", flush=True)


if __name__ == "__main__":
    main()

"""The task on stories: rows of gen clutrr and of the official files, and the thesis' tables.

References: figure 3.5 and table 3.8 of the CLUTRR thesis.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from ....block import ROWS_PER_BLOCK
from ....clusters import RowClusters
from ....dataset.manifest import is_dataset
from ....errors import NotADataset, NotFound
from ....example import Example
from ....flat_metadata import Scalar
from ....kb.worlds.kinship import official
from ....kb.worlds.world import find_world
from ....storage import files
from ...report import (
    Place,
    Table,
    by,
    check_versus,
    figure,
    line,
    marked,
    ordered,
    paper,
    tests_of,
    with_notes,
)
from ...result import DataInfo, Result, RowLabels
from ...task import Task, TaskRows, label_columns
from ...training import Training

Word = str | int
"""A word of a story, or the index of the entity named there."""

_TOKEN = re.compile(r"\w+(?:[-'\u2019]\w+)*|[^\w\s]")
NOISE = ("clean", "supporting", "irrelevant", "disconnected")
MODELS = (
    "bilstm-mean bilstm-attention rn mac rmc bert bert-facts bert-lstm transformer story-lm "
    "bilstm-edges bert-edges bert-rules gat edge-transformer majority query-only name-only "
    "position-only story-without-query bag-of-words ends-only ends-logistic rules"
).split()
"""The order of models in tables."""
GIVEN_FACTS = ("gat", "edge-transformer", "ends-logistic", "rules")
"""Models that are given the stated facts instead of the text."""
QUERY_BLIND = "story-without-query"
"""The baseline that reads the story but not the query."""


@dataclass(frozen=True)
class StoryRow:
    """A row; entity indices follow the sorted names, so they reveal nothing."""

    words: list[Word]
    names: list[str]
    query: tuple[int, int]
    facts: list[tuple[int, str, int]]
    k: int
    target: str
    group: str = ""
    """Rows of one group are too similar to be split between training and validation."""
    first: str = ""
    """The id of the first row of its siblings; empty if it has none."""
    genders: Mapping[int, str] = field(default_factory=dict)
    """Genders by entity, as the story shows them."""
    clause: str = ""
    """The relations along the chain."""
    templates: tuple[str, ...] = ()
    """The templates of the sentences that state facts, if they are known."""


class StoryTask(Task[StoryRow, str]):
    """Find the relation between two people of a story."""

    name: ClassVar = "stories"
    made_by: ClassVar = "gen clutrr"
    row_name: ClassVar = "a story with facts and a query"
    training: ClassVar = Training(epochs=500, patience=20, precision="auto")

    @override
    def fits(self, path: Path) -> bool:
        if is_dataset(path):
            return super().fits(path)
        return any(map(official.is_official, _official_files(path, "")[:1]))

    @override
    def parse(self, example: Example, number: int) -> StoryRow:
        metadata = example.metadata
        chains = [metadata["facts"], metadata["side_facts"], *chain(*metadata["noise_facts"])]
        query, k = metadata["query"], int(metadata["k"])
        end = metadata["starts"][-1] - 1
        clause = " ".join(metadata["clause"])
        if metadata.get("asked"):
            raise NotADataset(
                "does not ask for a relation; evaluate datasets made with --answer relation"
            )
        facts = {(x, relation, y) for some in chains for x, relation, y in some}
        # A block has each plan twice, with genders mirrored; the clause is the same then, and who
        # is of one gender. If stories have several questions, the whole block is one group.
        genders = [gender for _, gender in metadata["genders"]]
        same = "".join("01"[gender == genders[0]] for gender in genders)
        block = number // ROWS_PER_BLOCK  # or several blocks
        group = f"{block} {f'{clause} {same}' if not metadata['story'] else ''}"
        people = {name for x, _, y in facts for name in (x, y)} | set(query)
        # Conventions are the same in every row.
        conventions = find_world(metadata["world"]).conventions
        text = example.input[:end].removeprefix(f"{conventions.brief} " if conventions else "")
        story = make_story_row(text, people, facts, tuple(query), k, example.target, group)
        stating = zip(metadata["templates"], metadata["states"], strict=True)
        return replace(
            story,
            first=metadata.get("group") or "",
            genders=_by_entity(story, dict(metadata["genders"])),
            clause=clause,
            templates=tuple(template for template, facts in stating if facts),
        )

    @override
    def labels(self, example: Example, row: StoryRow) -> dict[str, Scalar]:
        metadata = example.metadata
        noise = "+".join(sorted(set(metadata["noise"]))) or "clean"
        labels: dict[str, Scalar] = {"k": metadata["k"], "noise": noise, "target": row.target}
        if metadata.get("group"):
            labels |= {"group": metadata["group"], "perturbation": metadata["perturbation"]}
        return labels

    @override
    def read(self, path: Path, split: str) -> TaskRows[StoryRow]:
        if not is_dataset(path) and _official_files(path, ""):
            return _read_official(path, split)
        rows = super().read(path, split)
        # Siblings must not be split between training and validation.
        groups = {name: story.group for name, story in zip(rows.ids, rows.rows, strict=True)}
        for place, story in enumerate(rows.rows):
            if story.first in groups:
                rows.rows[place] = replace(story, group=groups[story.first])
        return rows

    @override
    def numbers(self, row: StoryRow, answer: str) -> Sequence[float]:
        return (float(answer == row.target),)

    @override
    def tables(self, results: Sequence[Result]) -> list[Table]:
        return accuracy_by_k(results)


def make_story_row(
    text: str,
    people: set[str],
    facts: set[tuple[str, str, str]],
    query: tuple[str, str],
    k: int,
    target: str,
    group: str,
) -> StoryRow:
    """Make a row as models see it: entity indices for names, and facts sorted."""
    names = sorted(people)
    number = {name: index for index, name in enumerate(names)}
    return StoryRow(
        words=tokenize(text, number),
        names=names,
        query=(number[query[0]], number[query[1]]),
        facts=sorted((number[x], relation, number[y]) for x, relation, y in facts),
        k=k,
        target=target,
        group=group,
    )


def _by_entity(story: StoryRow, genders: Mapping[str, str]) -> dict[int, str]:
    return {place: genders[name] for place, name in enumerate(story.names) if name in genders}


def tokenize(text: str, entities: dict[str, int]) -> list[Word]:
    """Split a text into lower-case words, with the index of an entity for its name."""
    longest_first = sorted(entities, key=lambda name: (-len(name), name))
    names = "|".join(re.escape(name) for name in longest_first)
    named = re.compile(rf"\b({names})\b", re.IGNORECASE) if names else None
    numbers = {name.lower(): number for name, number in entities.items()}
    words: list[Word] = []
    for index, part in enumerate(named.split(text) if named else [text]):
        if index % 2:
            words.append(numbers[part.lower()])
        else:
            words += [word.lower() for word in _TOKEN.findall(part)]
    return words


def _official_files(path: Path, split: str) -> list[Path]:
    """Return the official files of a split (a file, or those of a folder), by their names."""
    tables = [path] if path.is_file() else sorted(path.glob("*.csv"))
    return [table for table in tables if table.name.endswith(f"{split}.csv")]


def _read_official(path: Path, split: str) -> TaskRows[StoryRow]:
    tables = _official_files(path, split)
    if not tables:
        raise NotFound(
            f"{path}: no name ends in {split}.csv; give a folder of CLUTRR's files, such as "
            f"1.2,1.3_train.csv and 1.4_test.csv"
        )
    rows = [(table, row) for table in tables for row in official.read(table)]
    stories = []
    for _, row in rows:
        story = make_story_row(
            row.story.replace("[", "").replace("]", ""),
            # Including people of noise, about whom the files state no fact.
            set(row.genders),
            set(row.facts),
            row.query,
            row.k,
            row.target,
            row.id,
        )
        clause = " ".join(relation for _, relation, _ in row.facts)
        genders = _by_entity(story, row.genders)
        stories.append(replace(story, genders=genders, clause=clause))
    columns = label_columns(
        {"k": row.k, "noise": row.noise, "target": row.target} for _, row in rows
    )
    clauses = RowClusters("clauses", [official.clause(row) for _, row in rows])
    data = DataInfo(
        name=path.resolve().name if path.is_dir() else path.stem,
        split=split if path.is_dir() else None,
        digest=files.digest_of(tables[0].parent, tables),
        rows=len(rows),
        labels=RowLabels.of(columns, clauses),
    )
    ids = [f"{table.stem}/{row.id}" for table, row in rows]
    return TaskRows(data, ids, stories)


def accuracy_by_k(results: Sequence[Result]) -> list[Table]:
    """Make a table for each training and test set: accuracy by model and k."""
    notes = _query_blind_note(results), _unseen_noise_note(results)
    return with_notes(by(results, ["k"], "accuracy"), results, *notes)


def _unseen_noise_note(results: Sequence[Result]) -> str:
    """Return a note if models that are given facts are tested on official files with noise."""
    official_noise = any(
        data.generator is None and {*data.column("noise").values} - {"clean"}
        for result in results
        for data in result.setup.tests
    )
    given = [r.setup.label for r in results if r.setup.model in GIVEN_FACTS and official_noise]
    if not given:
        return ""
    return (
        f"{', '.join(dict.fromkeys(given))}: see only facts that the files list, and published "
        f"CLUTRR files list none of the noise"
    )


def _query_blind_note(results: Sequence[Result]) -> str:
    """Return a note with the accuracy of the baseline that does not see the query."""
    blind = [result for result in results if result.setup.model == QUERY_BLIND]
    if not blind:
        return f"accuracy without the query is unknown: evaluate {QUERY_BLIND} too"
    listed = ", ".join(
        f"{estimate.mean:.2f} on {tested} after {trained}"
        for (trained, tested), pairs in tests_of(blind).items()
        for estimate in [figure(pairs[0][0], "accuracy", pairs[0][1])]
        if estimate
    )
    return f"accuracy without the query: {listed} ({QUERY_BLIND})"


def generalization(results: Sequence[Result]) -> list[Table]:
    """Figure 3.5: accuracy by k of models trained on short stories."""
    long = [result for result in results if len(result.setup.tests[0].column("k").values) > 3]
    if not long:
        raise NotFound(
            "no result has a test with more than three values of k; make a dataset with "
            "gen clutrr --preset gen-train23, and results of it with gen eval"
        )
    return with_notes(accuracy_by_k(long), long, paper("stories")["figure_3_5"])


def robustness(results: Sequence[Result], versus: str = "") -> list[Table]:
    """Table 3.8: accuracy by type of noise in training and in test."""
    listed = ordered(results, MODELS)
    check_versus(versus, listed)
    tables = [_noise_table(noise, listed, versus) for noise in NOISE]
    tables = [table for table in tables if table.columns]
    if sum(len(table.columns) for table in tables) < 2:
        raise NotFound(
            "a noise matrix needs results on two or more types of noise; make datasets with "
            "gen clutrr --preset robust-clean, robust-supporting, ..., and results with "
            "gen eval A --test-on B --test-on C"
        )
    note = "paper: the thesis' table 3.8 (where our copy is legible)"
    return with_notes(tables, results, note, _unseen_noise_note(results))


def _noise_table(trained: str, results: Sequence[Result], versus: str) -> Table:
    """Make the table of models trained with one type of noise: accuracy on each type."""
    found: dict[str, dict[str, Place]] = {}
    for result in results:
        seen = result.setup.train and noise_of(result.setup.train)
        for number, data in enumerate(result.setup.tests):
            for tested in data.column("noise").values:
                if seen == trained and tested in NOISE and len(data.column("k").values) <= 3:
                    place = result, number, {"noise": tested}
                    found.setdefault(result.setup.label, {})[str(tested)] = place
    heads = [noise for noise in NOISE if any(noise in places for places in found.values())]
    places = [[some.get(head) for head in heads] for some in found.values()]
    theirs = paper("stories")["table_3_8"]
    lines = []
    for some in places:
        result = next(place[0] for place in some if place)
        published = theirs.get(result.setup.model, {}).get(trained, {})
        ours = [place and figure(place[0], "accuracy", *place[1:]) for place in some]
        lines.append(line(result, ours, [published.get(head) for head in heads]))
    table = Table(f"trained on {trained} stories, tested on", heads, lines)
    return marked(table, places, versus)


def noise_of(data: DataInfo) -> str | None:
    """Return the type of noise of a dataset, `clean` if it has none; None if it has several."""
    if data.generator is None:
        return "clean" if "clean" in data.name else None
    noise = data.options.get("noise")
    kinds = noise if isinstance(noise, list) else [noise]
    kinds = [kind for kind in kinds if kind not in (None, "none")]
    if not kinds:
        return "clean"
    return kinds[0] if len(kinds) == 1 else None

"""The generator of labelled pairs: candidates with the labels of annotators."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from ...block import Block
from ...capabilities import Documentation, HoldOuts, Limited, Prompts, Source
from ...errors import Infeasible, InvalidOption, NotADataset
from ...example import Example
from ...generator import Generator
from ...options import CommaSeparated, External
from ...splits import SHARE, SPLIT_NAME
from ...storage.files import Stamp, stamp
from .aggregation import AggregatedLabel, aggregate, check_rule
from .annotation import Annotations, count_labels, read_annotations
from .generator import Relinf
from .label import ANSWER_WORDS
from .label_judge import label_findings
from .metadata import LabelledMetadata
from .question_splits import (
    HOLD_OUT,
    HoldOut,
    QuestionSizes,
    RowIndex,
    assign_rows,
    check_hold_out,
    held_out_relations,
    question_groups,
)
from .retrieval import relation_key
from .simulation import VERSION, simulate_annotations

QUESTION = "Does the hypothesis follow from the premise?"
CHOICES = ["yes", "no"]

if TYPE_CHECKING:
    from ...scoring.answers import AnswerKey


class RelinfAggregate(Generator, Prompts, Limited, HoldOuts, Documentation):
    """Labelled relation inference: does the hypothesis follow from the premise?

    Candidates of `gen relinf` with the labels of annotators: premise and hypothesis with their
    answer put back in, kept if the annotators agree that the sentence answers the question or that
    it does not. No question and no text is in two splits.
    """

    name: ClassVar[str] = "relinf-aggregate"
    version: ClassVar[int] = 3
    citation: ClassVar[str] = Relinf.citation
    tasks: ClassVar[tuple[str, ...]] = Relinf.tasks
    writes_all_rows: ClassVar[bool] = True
    Metadata: ClassVar[type[BaseModel]] = LabelledMetadata

    candidates: External[str] = Field(description="the folder that gen relinf wrote")
    annotations: External[CommaSeparated[str]] = Field(
        (), description="files of annotations, JSON lines of task, worker, label"
    )
    simulated: int = Field(
        0, ge=0, le=100, description="number of simulated annotators instead, for demonstrations"
    )
    rule: str = Field(
        "all-but-one",
        description="agreement needed: all-but-one, k/n such as 3/5, or majority",
    )
    shares: CommaSeparated[str] = Field(
        (),
        description="share of the pairs per split, as train=0.8,test=0.2; else equal parts",
    )
    hold_out: HoldOut = Field("none", description=HOLD_OUT)

    @field_validator("rule")
    @classmethod
    def _rule_is_known(cls, rule: str) -> str:
        return check_rule(rule)

    @field_validator("shares")
    @classmethod
    def _shares_add_up(cls, shares: tuple[str, ...]) -> tuple[str, ...]:
        parse_shares(shares)
        return shares

    @model_validator(mode="after")
    def _has_annotations(self) -> Self:
        if bool(self.annotations) == bool(self.simulated):
            raise ValueError("annotations: name files of annotations, or ask for simulated ones")
        return self

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield the rows of a block; splits get whole questions."""
        pairs = labelled_pairs(self)
        rows = rows_by_split(self, block.splits, block.seed)[block.split]
        for n, (question, pair) in zip(block.numbers, rows[block.numbers.start :], strict=False):
            yield _example(block.id(n), pairs.by_question[question][pair], pairs)

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Return the number of pairs in each split."""
        sizes = {split: len(rows) for split, rows in rows_by_split(self, splits, seed).items()}
        for split, size in sizes.items():
            if not size:
                total = len(labelled_pairs(self).by_question)
                raise Infeasible(
                    f"no question is left for the split {split!r}: there are {total} "
                    "question(s) in all, and each goes to one split; use fewer splits or more "
                    "candidates"
                )
        return sizes

    def held_out_values(self, seed: int, splits: tuple[str, ...] = ()) -> dict[str, list[str]]:
        """Return the relations of questions that are in other splits than `train`."""
        if self.hold_out == "none":
            return {}
        relations = list(map(_relation, labelled_pairs(self).by_question))
        return held_out_relations(rows_by_split(self, splits, seed), relations)

    def used_values(self, example: Example) -> dict[str, list[str]]:
        """Return the relation of the row's question."""
        return {"relations": [example.metadata["question"]["relation"]]}

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Raise InvalidOption if nothing can be held out."""
        if self.hold_out != "none":
            check_hold_out(splits)

    def default_split(self) -> str:
        """Return the splits named in `shares`, if any."""
        return ",".join(self.shares) or super().default_split()

    def notes(self) -> list[str]:
        """Return notes on ignored annotations, and a warning if they are simulated."""
        notes = list(labelled_pairs(self).votes.notes)
        if self.simulated:
            notes.append(f"the {self.simulated} annotators are SIMULATED; the labels mean nothing")
        return notes

    def sources(self) -> list[Source]:
        """Return the candidates and the annotations."""
        from ...dataset import Dataset

        folder = Dataset(self.candidates)
        rows = sum(folder.manifest.splits.values())
        used = [("candidates", f"{rows} rows", folder.manifest.json_bytes())]
        for path in self.annotations:
            content = Path(path).read_bytes()
            used.append(("annotations", f"{len(content)} bytes", content))
        if self.simulated:
            text = f"{self.simulated} simulated annotators, version {VERSION}"
            used.append(("SIMULATED annotators", VERSION, text.encode()))
        return [
            Source(name=name, version=version, digest=hashlib.sha256(content).hexdigest())
            for name, version, content in used
        ]

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return the answer key for yes or no."""
        from ...scoring.answers import one_of

        return one_of(row.target, row.choices, ANSWER_WORDS, kind="labelled")

    @classmethod
    def leakage_group(cls, row: Example) -> str:
        """Return the number of the question."""
        return Relinf.leakage_group(row)

    def replay(self, example: Example) -> list[str]:
        """Check that the votes match the annotations and the label has most of them."""
        counted = Counter(label for _, label in example.metadata["annotations"])
        if {label: n for label, n in example.metadata["votes"].items() if n} != dict(counted):
            return ["the votes are not those of the annotations"]
        if counted[example.target] < max(counted.values()):
            return [f"fewer said {example.target!r} than something else"]
        return []

    def problems(self, example: Example) -> list[str]:
        """Judge the candidate, and derive the label from the votes again."""
        pairs = labelled_pairs(self)
        metadata = example.metadata
        row = pairs.candidates.get(metadata["candidate"])
        if row is None:
            return [f"{self.candidates} has no row {metadata['candidate']!r}"]
        problems = [
            f"{name} differs from the candidate's"
            for name, value in row.metadata.items()
            if metadata[name] != value
        ]
        if example.input != _text(metadata) or example.choices != CHOICES:
            problems.append("the text is not made of premise, hypothesis and question")
        problems += pairs.generator.problems(row)
        cast = [[vote.worker, vote.label] for vote in pairs.votes.votes.get(metadata["task"], ())]
        return problems + label_findings(example, cast, self.rule)

    @classmethod
    def measures(cls, rows: Iterable[Example], train: Iterable[Example] = ()) -> dict[str, float]:
        """Return the accuracy of the hypothesis-only baseline."""
        from .baseline import partial_inputs

        return partial_inputs(list(rows))


class LabelledPairs(NamedTuple):
    """Candidates, votes, and the labelled pairs by question."""

    generator: Relinf
    candidates: dict[str, Example]
    votes: Annotations
    labels: dict[str, AggregatedLabel | None]
    by_question: list[list[Example]]
    sizes: QuestionSizes


def labelled_pairs(options: RelinfAggregate) -> LabelledPairs:
    """Return the labelled pairs, cached until a file changes."""
    manifest = stamp(str(Path(options.candidates) / "manifest.json"))
    return _load_pairs(options, manifest, tuple(map(stamp, options.annotations)))


@lru_cache(4)
def _load_pairs(
    options: RelinfAggregate, manifest: Stamp, files: tuple[Stamp, ...]
) -> LabelledPairs:
    from ...dataset import Dataset

    try:
        dataset = Dataset(options.candidates)
    except NotADataset as error:
        raise InvalidOption(f"{options.name}: --candidates: {error}") from None
    if dataset.manifest.generator != Relinf.name:
        raise InvalidOption(
            f"{options.name}: --candidates: {options.candidates} was made by "
            f"{dataset.manifest.generator}; give a folder that gen relinf wrote"
        )
    rows = {row.id: row for row in dataset.validated_rows(Relinf)}
    if options.simulated:
        votes = simulate_annotations(rows.values(), options.simulated)
    else:
        tasks = {row.metadata["task"] for row in rows.values()}
        votes = read_annotations(options.annotations, tasks)
    labels = aggregate(votes.votes, options.rule)
    by_question: dict[int, list[Example]] = {}
    for row in rows.values():
        agreed = labels.get(row.metadata["task"])
        if agreed and agreed.label != "nonsense":
            by_question.setdefault(row.metadata["question"]["number"], []).append(row)
    if not by_question:
        raise Infeasible(
            f"the annotators agree on none of {len(rows)} candidates; "
            + ("; ".join(votes.notes) or "choose a weaker --rule")
        )
    listed = [by_question[number] for number in sorted(by_question)]
    generator = Relinf.configure(dataset.manifest.options | {"hold_out": options.hold_out})
    sizes = _group_questions(listed, options.hold_out)
    return LabelledPairs(generator, rows, votes, labels, listed, sizes)


def _group_questions(by_question: list[list[Example]], hold_out: HoldOut) -> QuestionSizes:
    """Return the sizes of questions, grouped by texts that they share, or by relation."""
    keys = (
        {
            *((row.metadata["premise"], row.metadata["hypothesis"]) for row in rows),
            *([relation_key(_relation(rows))] if hold_out == "relations" else []),
        }
        for rows in by_question
    )
    return QuestionSizes(tuple(map(len, by_question)), question_groups(keys))


def _relation(rows: list[Example]) -> str:
    return str(rows[0].metadata["question"]["relation"])


def rows_by_split(
    options: RelinfAggregate, splits: tuple[str, ...], seed: int
) -> dict[str, list[RowIndex]]:
    """Return the pairs of each split."""
    shares = parse_shares(options.shares)
    if shares and set(shares) != set(splits):
        raise Infeasible(
            f"the shares are for {', '.join(shares)}, but the splits are {', '.join(splits)}; "
            f"make them equal"
        )
    return _rows_by_split(labelled_pairs(options).sizes, splits, seed, tuple(shares.items()))


@lru_cache(32)
def _rows_by_split(
    sizes: QuestionSizes,
    splits: tuple[str, ...],
    seed: int,
    shares: tuple[tuple[str, Fraction], ...],
) -> dict[str, list[RowIndex]]:
    return assign_rows(sizes, splits, seed, dict(shares))


def parse_shares(shares: tuple[str, ...]) -> Mapping[str, Fraction]:
    """Return the shares from texts such as `train=0.8`."""
    read: dict[str, Fraction] = {}
    for part in shares:
        name, _, value = (word.strip() for word in part.partition("="))
        if not (SPLIT_NAME.fullmatch(name) and SHARE.fullmatch(value)) or name in read:
            raise ValueError(f"expected shares such as train=0.8,test=0.2, but got {part!r}")
        read[name] = Fraction(value)
    if read and (sum(read.values()) != 1 or not all(read.values())):
        raise ValueError(
            f"expected shares above 0 that add up to 1, but got {','.join(shares)!r}, "
            f"which adds up to {float(sum(read.values())):g}"
        )
    return read


def _text(metadata: dict[str, Any]) -> str:
    return f"Premise: {metadata['premise']}\nHypothesis: {metadata['hypothesis']}\n{QUESTION}"


def _example(id: str, row: Example, pairs: LabelledPairs) -> Example:
    task = row.metadata["task"]
    agreed, votes = pairs.labels[task], pairs.votes.votes[task]
    assert agreed
    return Example(
        id,
        _text(row.metadata),
        list(CHOICES),
        agreed.label,
        {
            **row.metadata,
            "candidate": row.id,
            "votes": dict(count_labels(votes)),
            "annotations": sorted([vote.worker, vote.label] for vote in votes),
            "confidence": agreed.confidence,
        },
    )

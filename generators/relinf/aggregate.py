"""The generator of labelled pairs: candidates and what annotators said of them."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from ...block import Block
from ...errors import Infeasible, InvalidOption, NotADataset
from ...example import Example
from ...generator import Generator, Source
from ...options import CommaSeparated, External
from ...splits import SHARE, SPLIT_NAME
from ...storage.files import Stamp, stamp
from .aggregation import Verdict, aggregate, check_rule
from .annotation import Annotations, read_annotations, tally
from .deck import Card, deal
from .generator import Relinf
from .label import WRITTEN
from .metadata import Labelled
from .simulation import VERSION, simulated
from .verdict import Cast, label_findings

QUESTION = "Does the hypothesis follow from the premise?"
CHOICES = ["yes", "no"]

if TYPE_CHECKING:
    from ...scoring.answers import AnswerKey


class RelinfAggregate(Generator):
    """Labelled relation inference: does the hypothesis follow from the premise?

    The candidates of `gen relinf` with what annotators said of them: premise and hypothesis with
    their answer put back in, kept where the annotators agree that the sentence answers the
    question or that it does not. No question is in two splits.
    """

    name: ClassVar[str] = "relinf-aggregate"
    version: ClassVar[int] = 2
    citation: ClassVar[str] = Relinf.citation
    tasks: ClassVar[tuple[str, ...]] = Relinf.tasks
    writes_all_rows: ClassVar[bool] = True
    Metadata: ClassVar[type[BaseModel]] = Labelled

    candidates: External[str] = Field(description="the folder that gen relinf wrote")
    annotations: External[CommaSeparated[str]] = Field(
        (), description="files of annotations: task, worker, label; or Label Studio's, or MTurk's"
    )
    simulated: int = Field(
        0, ge=0, le=100, description="make up so many annotators instead, for demonstrations"
    )
    rule: str = Field(
        "all-but-one",
        description="who must agree: all-but-one, k/n such as 3/5, majority, or dawid-skene",
    )
    shares: CommaSeparated[str] = Field(
        (),
        description="how much of the pairs a split gets, as train=0.8,test=0.2; else equal parts",
    )

    @field_validator("rule")
    @classmethod
    def _rule_is_known(cls, rule: str) -> str:
        return check_rule(rule)

    @field_validator("shares")
    @classmethod
    def _shares_add_up(cls, shares: tuple[str, ...]) -> tuple[str, ...]:
        read_shares(shares)
        return shares

    @model_validator(mode="after")
    def _someone_annotated(self) -> Self:
        if bool(self.annotations) == bool(self.simulated):
            raise ValueError("annotations: name files of annotations, or ask for simulated ones")
        return self

    def rows(self, block: Block) -> Iterator[Example]:
        """Whole questions are dealt to the splits."""
        made = labelled(self)
        hand = hands(self, block.splits, block.seed)[block.split]
        for n, (question, pair) in zip(block.numbers, hand[block.numbers.start :], strict=False):
            yield _example(block.id(n), made.by_question[question][pair], made)

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """All that the annotators agree on."""
        sizes = {split: len(hand) for split, hand in hands(self, splits, seed).items()}
        for split, size in sizes.items():
            if not size:
                raise Infeasible(
                    f"nothing is left for the split {split!r}: there are "
                    f"{len(labelled(self).by_question)} question(s) in all, and each goes to one "
                    f"split; name fewer splits or more candidates"
                )
        return sizes

    def default_split(self) -> str:
        """Those that the shares are of."""
        return ",".join(self.shares) or super().default_split()

    def notes(self) -> list[str]:
        """What was left out of the annotations, and whether there are any at all."""
        left_out = labelled(self).votes.complaints
        if not self.simulated:
            return left_out
        return [
            *left_out,
            f"the {self.simulated} annotators are SIMULATED; the labels mean nothing",
        ]

    def sources(self) -> list[Source]:
        """The candidates, and who annotated them."""
        from ...dataset import Dataset

        folder = Dataset(self.candidates)
        rows = sum(folder.manifest.splits.values())
        digest = hashlib.sha256(folder.manifest.json_bytes()).hexdigest()
        sources = [Source(name="candidates", version=f"{rows} rows", digest=digest)]
        for path in self.annotations:
            content = Path(path).read_bytes()
            sources.append(
                Source(
                    name="annotations",
                    version=f"{len(content)} bytes",
                    digest=hashlib.sha256(content).hexdigest(),
                )
            )
        if self.simulated:
            text = f"{self.simulated} simulated annotators, version {VERSION}"
            digest = hashlib.sha256(text.encode()).hexdigest()
            sources.append(Source(name="SIMULATED annotators", version=VERSION, digest=digest))
        return sources

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Yes or no."""
        from ...scoring.answers import one_of

        return one_of(row.target, row.choices, WRITTEN, kind="labelled")

    @classmethod
    def leakage_group(cls, row: Example) -> str:
        """The question, whichever way round it is asked."""
        return Relinf.leakage_group(row)

    def replay(self, example: Example) -> list[str]:
        """The votes are those listed, and the label is the one with most of them."""
        counted = Counter(label for _, label in example.metadata["annotations"])
        if {label: n for label, n in example.metadata["votes"].items() if n} != dict(counted):
            return ["the votes are not those of the annotations"]
        if self.rule != "dawid-skene" and counted[example.target] < max(counted.values()):
            return [f"fewer said {example.target!r} than something else"]
        return []

    def problems(self, example: Example) -> list[str]:
        """Look the candidate up and judge it as such; decide the label anew from the votes."""
        made = labelled(self)
        metadata = example.metadata
        row = made.candidates.get(metadata["candidate"])
        if row is None:
            return [f"{self.candidates} has no row {metadata['candidate']!r}"]
        problems = [
            f"{name} differs from the candidate's"
            for name, value in row.metadata.items()
            if metadata[name] != value
        ]
        text = f"Premise: {metadata['premise']}\nHypothesis: {metadata['hypothesis']}\n{QUESTION}"
        if example.input != text or example.choices != CHOICES:
            problems.append("the text is not made of premise, hypothesis and question")
        problems += made.maker.problems(row)
        return problems + label_findings(example, made.cast, self.rule)

    @classmethod
    def measures(cls, rows: Iterable[Example]) -> dict[str, float]:
        """What the hypothesis alone gives away."""
        from .baseline import hypothesis_only

        return hypothesis_only(list(rows))


class Made(NamedTuple):
    """Candidates, votes, and the pairs that are kept, by question."""

    maker: Relinf
    candidates: dict[str, Example]
    votes: Annotations
    cast: Cast
    verdicts: dict[str, Verdict | None]
    by_question: list[list[Example]]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many pairs each question has."""
        return tuple(map(len, self.by_question))

    @property
    def outcomes(self) -> dict[str, int]:
        """How many candidates came to what."""
        counted = Counter(_outcome(self, row) for row in self.candidates.values())
        return {
            name: counted[name] for name in ("yes", "no", "nonsense", "no agreement", "no votes")
        }


def _outcome(made: Made, row: Example) -> str:
    task = row.metadata["task"]
    if task not in made.verdicts:
        return "no votes"
    verdict = made.verdicts[task]
    return verdict.label if verdict else "no agreement"


def labelled(options: RelinfAggregate) -> Made:
    """The pairs, made once for files that do not change."""
    manifest = stamp(str(Path(options.candidates) / "manifest.json"))
    return _labelled(options, manifest, tuple(map(stamp, options.annotations)))


@lru_cache(4)
def _labelled(options: RelinfAggregate, manifest: Stamp, files: tuple[Stamp, ...]) -> Made:
    from ...dataset import Dataset

    try:
        dataset = Dataset(options.candidates)
    except NotADataset as error:
        raise InvalidOption(f"{options.name}: --candidates: {error}") from None
    if dataset.manifest.generator != Relinf.name:
        raise InvalidOption(
            f"{options.name}: --candidates: {options.candidates} was made by "
            f"{dataset.manifest.generator}; name a folder that gen relinf wrote"
        )
    rows = {row.id: row for row in dataset.validated_rows(Relinf)}
    if options.simulated:
        votes = simulated(rows.values(), options.simulated)
    else:
        tasks = {row.metadata["task"] for row in rows.values()}
        votes = read_annotations(options.annotations, tasks)
    verdicts = aggregate(votes.votes, options.rule)
    by_question: dict[int, list[Example]] = {}
    for row in rows.values():
        verdict = verdicts.get(row.metadata["task"])
        if verdict and verdict.label != "nonsense":
            by_question.setdefault(row.metadata["question"]["number"], []).append(row)
    if not by_question:
        raise Infeasible(
            f"the annotators agree on none of {len(rows)} candidates; "
            + ("; ".join(votes.complaints) or "ask for a milder --rule")
        )
    listed = [by_question[number] for number in sorted(by_question)]
    maker = Relinf.configure(dataset.manifest.options)
    cast = Cast(
        {task: [(vote.worker, vote.label) for vote in on] for task, on in votes.votes.items()}
    )
    return Made(maker, rows, votes, cast, verdicts, listed)


def hands(options: RelinfAggregate, splits: tuple[str, ...], seed: int) -> dict[str, list[Card]]:
    """The pairs of each split."""
    shares = read_shares(options.shares)
    if shares and set(shares) != set(splits):
        raise Infeasible(
            f"the shares are for {', '.join(shares)}, but the splits are {', '.join(splits)}; "
            f"make them agree"
        )
    return _hands(labelled(options).sizes, splits, seed, tuple(shares.items()))


@lru_cache(32)
def _hands(
    sizes: tuple[int, ...],
    splits: tuple[str, ...],
    seed: int,
    shares: tuple[tuple[str, Fraction], ...],
) -> dict[str, list[Card]]:
    return deal(sizes, splits, seed, dict(shares))


def read_shares(shares: tuple[str, ...]) -> Mapping[str, Fraction]:
    """Read `train=0.8`, `test=0.2`."""
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


def _example(id: str, row: Example, made: Made) -> Example:
    task = row.metadata["task"]
    verdict, votes = made.verdicts[task], made.votes.votes[task]
    assert verdict
    metadata: dict[str, Any] = row.metadata
    return Example(
        id,
        f"Premise: {metadata['premise']}\nHypothesis: {metadata['hypothesis']}\n{QUESTION}",
        list(CHOICES),
        verdict.label,
        {
            **metadata,
            "candidate": row.id,
            "votes": dict(tally(votes)),
            "annotations": sorted([vote.worker, vote.label] for vote in votes),
            "confidence": verdict.confidence,
        },
    )

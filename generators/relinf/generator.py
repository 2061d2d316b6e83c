"""The generator of candidates from questions, a store of triples and WordNet."""

from collections.abc import Hashable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import BaseModel, Field, model_validator

from ...block import Block
from ...capabilities import Documentation, HoldOuts, Limited, Prompts, Source
from ...errors import InvalidOption
from ...example import Example
from ...generator import Generator
from ...kb.lexicon import wordnet
from ...kb.lexicon.wordnet.taxonomy import Wsd, taxonomy
from ...kb.triples import Triple, TripleStore, open_store
from ...kb.triples.facts import nonsense
from ...options import CommaSeparated, External
from ...storage.files import Stamp, stamp
from .label import ANSWER_WORDS, LABELS
from .metadata import Metadata
from .question import QuestionList, read_questions
from .question_splits import (
    HOLD_OUT,
    HoldOut,
    QuestionSizes,
    RowIndex,
    assign_rows,
    check_hold_out,
    held_out_relations,
    min_split_size,
    question_groups,
)
from .retrieval import FILTERS, Candidate, Filter, expected_label, relation_key, retrieve
from .sentences import (
    hypothesis,
    masked_question,
    masked_sentence,
    question_text,
    reversed_question,
    sentence,
    task_id,
)

# Heavy modules are imported where they are used, which keeps `gen relinf --help` fast.
if TYPE_CHECKING:
    from ...scoring.answers import AnswerKey


class Relinf(Generator, Prompts, Limited, HoldOuts, Documentation):
    """Relation inference: does a sentence with its answer masked answer a question?

    For each question `which TYPE REL ARG`, candidates are the triples of a store that have its
    argument, whose other argument is a kind of TYPE in WordNet, and whose relation is not REL.
    Candidates have no target yet: `gen annotate` shows them to annotators as questionnaires, and
    `gen relinf-aggregate` makes labelled premises and hypotheses from their answers.
    """

    name: ClassVar[str] = "relinf"
    version: ClassVar[int] = 3
    labelled: ClassVar[bool] = False
    tasks: ClassVar[tuple[str, ...]] = ("question-answering", "text-classification")
    citation: ClassVar[str] = (
        "Levy and Dagan, Annotating Relation Inference in Context via Question Answering, ACL 2016"
    )
    Metadata: ClassVar[type[BaseModel]] = Metadata

    questions: External[str] = Field(
        "",
        description="file of questions, TSV (type, relation, argument); default: built-in",
    )
    triples: External[str] = Field(
        "", description="a store made by gen triples build; default: the built-in facts"
    )
    wsd: Wsd = Field(
        "usual",
        description="sense of an answer: a common one, that chosen by Lesk, the first, or any",
    )
    filters: CommaSeparated[Filter] = Field(FILTERS, description="drop triples for these reasons")
    cap: int = Field(
        100_000, ge=1, description="maximum number of triples per argument, the most frequent first"
    )
    reversed: bool = Field(False, description="add every candidate in reverse, as a row of its own")
    hold_out: HoldOut = Field("none", description=HOLD_OUT)

    @model_validator(mode="after")
    def _check_hold_out(self) -> Self:
        if self.hold_out != "none" and self.reversed:
            raise ValueError(
                "hold_out: candidates in reverse ask about relations of triples, which splits "
                "share; drop --reversed"
            )
        return self

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield the rows of a block; splits get whole questions, one after another."""
        retrieved = _retrieved(self)
        rows = _rows_by_split(_sizes(self), block.splits, block.seed)[block.split]
        nonsense_triples = _nonsense_triples(self.triples)
        for n, (question, row) in zip(block.numbers, rows[block.numbers.start :], strict=False):
            yield _example(block.id(n), *retrieved[question][row], nonsense_triples)

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Return a lower bound of the rows of each split, for any seed."""
        return dict.fromkeys(splits, min_split_size(_sizes(self), len(splits)))

    def held_out_values(self, seed: int, splits: tuple[str, ...] = ()) -> dict[str, list[str]]:
        """Return the relations of questions that are in other splits than `train`."""
        if self.hold_out == "none":
            return {}
        relations = [question.relation for question in _questions(self.questions).questions]
        return held_out_relations(_rows_by_split(_sizes(self), splits, seed), relations)

    def used_values(self, example: Example) -> dict[str, list[str]]:
        """Return the relation of the row's question."""
        return {"relations": [example.metadata["question"]["relation"]]}

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Raise InvalidOption if nothing can be held out."""
        if self.hold_out != "none":
            check_hold_out(splits)

    def sources(self) -> list[Source]:
        """Return the questions, the triples and WordNet."""
        asked, store = _questions(self.questions), _store(self.triples)
        return [
            Source(
                name="questions", version=f"{len(asked.questions)} questions", digest=asked.digest
            ),
            Source(name="triples", version=f"{store.size} triples", digest=store.digest),
            wordnet.source(),
        ]

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return the key for the labels of annotators; the expected label is correct."""
        from ...scoring.answers import one_of

        return one_of(
            row.metadata["expected"],
            LABELS,
            ANSWER_WORDS,
            kind="candidate",
            letters=bool(row.choices),
        )

    @classmethod
    def leakage_group(cls, row: Example) -> str:
        """Return the number of the question."""
        return str(row.metadata["question"]["number"])

    def replay(self, example: Example) -> list[str]:
        """Check that the path leads from the answer's sense through hypernyms to the type."""
        metadata = example.metadata
        path, above = metadata["path"], taxonomy().parents
        problems = [
            f"{high} is not right above {low}"
            for low, high in pairwise(path)
            if high not in above(low)
        ]
        if [path[0], path[-1]] != [metadata["sense"], metadata["question"]["sense"]]:
            problems.append("the path does not lead from the answer's sense to the type's")
        return problems

    def problems(self, example: Example) -> list[str]:
        """Judge argument, type and relation again, with NLTK's reader of WordNet."""
        from .candidate_judge import candidate_findings

        asked, store = _questions(self.questions), _store(self.triples)
        return candidate_findings(example, asked, store, self.wsd, _nonsense_triples(self.triples))


CandidateRow = tuple[Candidate, bool]
"""A candidate, and whether question and triple are exchanged."""


def _retrieved(options: Relinf) -> list[list[CandidateRow]]:
    return _retrieve(options, _questions(options.questions), _store(options.triples))


@lru_cache(8)
def _retrieve(options: Relinf, asked: QuestionList, store: TripleStore) -> list[list[CandidateRow]]:
    directions = (False, True) if options.reversed else (False,)
    rows = []
    for question in asked.questions:
        try:
            candidates = retrieve(
                question,
                store,
                taxonomy(),
                wsd=options.wsd,
                filters=options.filters,
                cap=options.cap,
            )
            rows.append([(each, is_reversed) for each in candidates for is_reversed in directions])
        except InvalidOption as error:
            raise InvalidOption(f"{asked.name}: question {question.number}: {error}") from None
    return rows


def _sizes(options: Relinf) -> QuestionSizes:
    return _group_questions(options, _questions(options.questions), _store(options.triples))


@lru_cache(8)
def _group_questions(options: Relinf, asked: QuestionList, store: TripleStore) -> QuestionSizes:
    """Return the sizes of questions, grouped by texts that they share, or by relation."""
    retrieved = _retrieve(options, asked, store)
    keys = (
        {
            *(_text_key(*row) for row in rows),
            *([relation_key(question.relation)] if options.hold_out == "relations" else []),
        }
        for question, rows in zip(asked.questions, retrieved, strict=True)
    )
    return QuestionSizes(tuple(map(len, retrieved)), question_groups(keys))


def _text_key(candidate: Candidate, is_reversed: bool) -> Hashable:
    """Return a key that is equal for rows with the same premise and hypothesis."""
    question, (arg1, relation, arg2, _) = candidate.question, candidate.triple
    said = (arg1.lower(), relation_key(relation), arg2.lower())
    asked = (candidate.answer.lower(), relation_key(question.relation), question.argument.lower())
    return (asked, said) if is_reversed else (said, asked)


@lru_cache(32)
def _rows_by_split(
    sizes: QuestionSizes, splits: tuple[str, ...], seed: int
) -> dict[str, list[RowIndex]]:
    return assign_rows(sizes, splits, seed)


def _questions(path: str) -> QuestionList:
    return _read_questions(path, stamp(path))


@lru_cache(8)
def _read_questions(path: str, stamp: Stamp) -> QuestionList:
    return read_questions(path)


def _store(path: str) -> TripleStore:
    return _open_store(path, stamp(path))


@lru_cache(8)
def _open_store(path: str, stamp: Stamp) -> TripleStore:
    return open_store(Path(path) if path else None, noisy=not path)


@cache
def _nonsense_triples(store: str) -> frozenset[Triple]:
    """Return the built-in triples that make no sense; none for another store."""
    return frozenset() if store else frozenset(nonsense())


def _example(
    id: str, candidate: Candidate, is_reversed: bool, nonsense_triples: frozenset[Triple]
) -> Example:
    question, triple, place = candidate.question, candidate.triple, candidate.answer_at
    synsets = taxonomy()
    said = sentence(triple[:3])
    asked = hypothesis(question, triple[:3], place)
    if is_reversed:
        text = f"{reversed_question(question, triple[:3], place)}\n{masked_question(question)}"
    else:
        text = f"{question_text(question)}\n{masked_sentence(question, triple[:3], place)}"
    return Example(
        id,
        text,
        [],
        "",
        {
            "task": task_id(text),
            "question": {
                "number": question.number,
                "word": question.word,
                "type": question.type,
                "sense": synsets.name(candidate.type_sense),
                "relation": question.relation,
                "argument": question.argument,
            },
            "triple": list(triple[:3]),
            "count": triple.count,
            "answer_at": place,
            "term": candidate.term,
            "sense": synsets.name(candidate.sense),
            "path": [
                synsets.name(sense) for sense in synsets.path(candidate.sense, candidate.type_sense)
            ],
            "expected": "" if is_reversed else expected_label(candidate, nonsense_triples),
            "reversed": is_reversed,
            "premise": asked if is_reversed else said,
            "hypothesis": said if is_reversed else asked,
        },
    )

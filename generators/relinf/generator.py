"""The generator of candidates: questions, a store of triples and WordNet put together."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, Field

from ...block import Block
from ...errors import InvalidOption
from ...example import Example
from ...generator import Generator, Source
from ...kb.lexicon import wordnet
from ...kb.lexicon.wordnet.taxonomy import Wsd, taxonomy
from ...kb.triples import Triple, TripleStore, open_store
from ...kb.triples.facts import nonsense
from ...options import CommaSeparated, External
from ...storage.files import Stamp, stamp
from .deck import Card, deal, least
from .label import LABELS, WRITTEN
from .metadata import Metadata
from .question import Questions, read_questions
from .retrieval import FILTERS, Candidate, Filter, expected, retrieve
from .wording import (
    hypothesis,
    masked,
    masked_question,
    question_text,
    sentence,
    task_of,
    turned_question,
)

# What makes and judges rows is imported where it is used: `gen relinf --help` needs none of it.
if TYPE_CHECKING:
    from ...scoring.answers import AnswerKey


class Relinf(Generator):
    """Relation inference: does a sentence with its answer masked answer a question?

    For each question `which TYPE REL ARG` the triples of a store are retrieved that have its
    argument, whose other argument is a kind of TYPE in WordNet, and whose relation is another.
    The rows are candidates and have no target yet: `gen relinf-questionnaires` asks people, and
    `gen relinf-aggregate` makes labelled premises and hypotheses of what they say.
    """

    name: ClassVar[str] = "relinf"
    version: ClassVar[int] = 2
    labelled: ClassVar[bool] = False
    tasks: ClassVar[tuple[str, ...]] = ("question-answering", "text-classification")
    citation: ClassVar[str] = (
        "Levy and Dagan, Annotating Relation Inference in Context via Question Answering, ACL 2016"
    )
    Metadata: ClassVar[type[BaseModel]] = Metadata

    questions: External[str] = Field(
        "", description="a file of questions, TSV (type, relation, argument) or JSONL; else our own"
    )
    triples: External[str] = Field(
        "", description="a store made by gen triples build; else our own facts"
    )
    wsd: Wsd = Field(
        "usual",
        description="of an answer's senses take one that a reader thinks of, the one that Lesk "
        "chooses, the first, or any",
    )
    filters: CommaSeparated[Filter] = Field(
        FILTERS, description="drop triples that read ill, for these reasons"
    )
    cap: int = Field(
        100_000, ge=1, description="look at so many triples of an argument, the most frequent"
    )
    reversed: bool = Field(
        False, description="ask every candidate the other way round too, as a row of its own"
    )

    def rows(self, block: Block) -> Iterator[Example]:
        """Whole questions are dealt to the splits, their candidates spread over each."""
        retrieved = _retrieved(self)
        hand = _hand(_sizes(self), block.splits, block.split, block.seed)
        senseless = _senseless(self)
        for n, (question, row) in zip(block.numbers, hand[block.numbers.start :], strict=False):
            yield _example(block.id(n), *retrieved[question][row], senseless)

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """So many rows each split has at least, however the questions fall."""
        return dict.fromkeys(splits, least(_sizes(self), len(splits)))

    def sources(self) -> list[Source]:
        """The questions, the triples and WordNet."""
        asked, store = _questions(self.questions), _store(self.triples)
        return [
            Source(name="questions", version=f"{len(asked.listed)} questions", digest=asked.digest),
            Source(name="triples", version=f"{store.size} triples", digest=store.digest),
            wordnet.source(),
        ]

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """What annotators are asked; right is what the list of questions expects of them."""
        from ...scoring.answers import one_of

        return one_of(
            row.metadata["expected"], LABELS, WRITTEN, kind="candidate", letters=bool(row.choices)
        )

    @classmethod
    def leakage_group(cls, row: Example) -> str:
        """The question."""
        return str(row.metadata["question"]["number"])

    def replay(self, example: Example) -> list[str]:
        """The path goes up, step by step, from a sense of the answer to the type."""
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
        """Derive argument, type and relation anew, with NLTK's reader of WordNet."""
        from .judgement import judgement

        asked, store = _questions(self.questions), _store(self.triples)
        return judgement(example, asked, store, self.wsd, _senseless(self))


Turn = tuple[Candidate, bool]
"""A candidate, and whether question and triple change places."""


def _retrieved(options: Relinf) -> list[list[Turn]]:
    """For each question its rows."""
    return _retrieve(options, _questions(options.questions), _store(options.triples))


@lru_cache(8)
def _retrieve(options: Relinf, asked: Questions, store: TripleStore) -> list[list[Turn]]:
    kinds = taxonomy()
    ways = (False, True) if options.reversed else (False,)
    turns = []
    for question in asked.listed:
        try:
            candidates = retrieve(
                question,
                store,
                kinds,
                wsd=options.wsd,
                filters=options.filters,
                cap=options.cap,
            )
            turns.append([(candidate, turned) for candidate in candidates for turned in ways])
        except InvalidOption as error:
            raise InvalidOption(f"{asked.name}: question {question.number}: {error}") from None
    return turns


def _sizes(options: Relinf) -> tuple[int, ...]:
    return tuple(len(turns) for turns in _retrieved(options))


@lru_cache(32)
def _hand(sizes: tuple[int, ...], splits: tuple[str, ...], split: str, seed: int) -> list[Card]:
    return deal(sizes, splits, seed)[split]


def _questions(path: str) -> Questions:
    return _read_once(path, stamp(path))


@lru_cache(8)
def _read_once(path: str, stamp: Stamp) -> Questions:
    return read_questions(path)


def _store(path: str) -> TripleStore:
    return _open_once(path, stamp(path))


@lru_cache(8)
def _open_once(path: str, stamp: Stamp) -> TripleStore:
    return open_store(Path(path) if path else None, noisy=not path)


def _senseless(options: Relinf) -> frozenset[Triple]:
    """The triples that make no sense, of those that come with relsmith."""
    return frozenset() if options.triples else _nonsense()


@cache
def _nonsense() -> frozenset[Triple]:
    return frozenset(nonsense())


def _example(id: str, candidate: Candidate, turned: bool, senseless: frozenset[Triple]) -> Example:
    question, triple, place = candidate.question, candidate.triple, candidate.answer_at
    kinds = taxonomy()
    said = sentence(triple[:3])
    asked = hypothesis(question, triple[:3], place)
    if turned:
        text = f"{turned_question(question, triple[:3], place)}\n{masked_question(question)}"
    else:
        text = f"{question_text(question)}\n{masked(question, triple[:3], place)}"
    return Example(
        id,
        text,
        [],
        "",
        {
            "task": task_of(text),
            "question": {
                "number": question.number,
                "word": question.word,
                "type": question.type,
                "sense": kinds.name(candidate.kind),
                "relation": question.relation,
                "argument": question.argument,
            },
            "triple": list(triple[:3]),
            "count": triple.count,
            "answer_at": place,
            "term": candidate.term,
            "sense": kinds.name(candidate.sense),
            "path": [kinds.name(sense) for sense in kinds.path(candidate.sense, candidate.kind)],
            "expected": "" if turned else expected(candidate, senseless),
            "reversed": turned,
            "premise": asked if turned else said,
            "hypothesis": said if turned else asked,
        },
    )

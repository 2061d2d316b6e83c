"""Metadata of the rows of relinf and relinf-aggregate."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _RelinfModel(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class QuestionMetadata(_RelinfModel):
    """The question of a candidate."""

    number: int = Field(description="its number in the list of questions")
    word: Literal["which", "who", "where", "when"] = Field(description="its question word")
    type: str = Field(description="the type of its answers")
    sense: str = Field(description="sense of the type in WordNet")
    relation: str = Field(description="its relation")
    argument: str = Field(description="its argument")


class Metadata(_RelinfModel):
    """Metadata of a candidate."""

    task: str = Field(description="its id in annotations; equal texts are one task")
    question: QuestionMetadata = Field(
        description="number, word, type, its sense, relation and argument"
    )
    triple: list[str] = Field(
        min_length=3, max_length=3, description="the triple that may answer: arg1, relation, arg2"
    )
    count: int = Field(description="frequency of the triple in the store")
    answer_at: Literal[0, 2] = Field(description="position of the answer in the triple")
    term: str = Field(description="the longest suffix of the answer in WordNet")
    sense: str = Field(description="the sense chosen for the term")
    path: list[str] = Field(description="hypernyms from that sense to the type: the certificate")
    expected: Literal["yes", "no", "nonsense", ""] = Field(
        description="the label that the list of questions predicts; empty if unknown"
    )
    reversed: bool = Field(description="whether question and triple are exchanged")
    premise: str = Field(description="the sentence shown, with its answer")
    hypothesis: str = Field(description="the question as a statement, with the same answer")


class VoteCounts(_RelinfModel):
    """Number of votes for each label."""

    yes: int
    no: int
    nonsense: int


class LabelledMetadata(Metadata):
    """Metadata of a labelled pair."""

    candidate: str = Field(description="id of the candidate's row")
    votes: VoteCounts = Field(description="number of votes for yes, no and nonsense")
    annotations: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = Field(
        description="[worker, label], sorted by worker"
    )
    confidence: float = Field(description="share of votes for the label")

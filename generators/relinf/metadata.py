"""What every row of relinf and of relinf-aggregate says about itself."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class Asked(_Part):
    """A question."""

    number: int = Field(description="its number in the list of questions")
    word: Literal["which", "who", "where", "when"] = Field(description="the word it asks with")
    type: str = Field(description="what is asked for")
    sense: str = Field(description="the type's sense in WordNet")
    relation: str = Field(description="its relation")
    argument: str = Field(description="its argument")


class Metadata(_Part):
    """All that is known about a candidate."""

    task: str = Field(description="what annotations name it by; the same text is the same task")
    question: Asked = Field(description="number, word, type, its sense, relation and argument")
    triple: list[str] = Field(description="the triple that may answer: arg1, relation, arg2")
    count: int = Field(description="how often the triple was read")
    answer_at: Literal[0, 2] = Field(description="which part of the triple is the answer")
    term: str = Field(description="the longest end of the answer that WordNet knows")
    sense: str = Field(description="the sense chosen for it")
    path: list[str] = Field(description="hypernyms from that sense to the type: the certificate")
    expected: Literal["yes", "no", "nonsense", ""] = Field(
        description="what the list of questions expects annotators to say, where it says so"
    )
    reversed: bool = Field(description="whether question and triple have changed places")
    premise: str = Field(description="the sentence that is shown, with its answer")
    hypothesis: str = Field(description="the question's sentence, with that answer")


class Votes(_Part):
    """How many annotators said what."""

    yes: int
    no: int
    nonsense: int


class Labelled(Metadata):
    """All that is known about a labelled pair."""

    candidate: str = Field(description="the candidate's row")
    votes: Votes = Field(description="how many annotators said yes, no and nonsense")
    annotations: list[list[str]] = Field(description="[worker, label] as they came in, by worker")
    confidence: float = Field(description="share of votes for the label, or its probability")

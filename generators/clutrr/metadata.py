"""What every row of clutrr says about itself."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NoisePath(_Part):
    """A path of facts that do not help."""

    type: Literal["supporting", "irrelevant", "disconnected"] = Field(
        description="both ends on the chain, one, or none"
    )
    facts: list[list[str]] = Field(description="its facts, in order")


class Step(_Part):
    """One use of a rule: what it is that follows, and what it follows from."""

    conclusion: list[str] = Field(description="what follows")
    premises: list[int] = Field(description="the numbers of the two facts it follows from")


class Sentence(_Part):
    """A stretch of the text, and what it states."""

    span: list[int] = Field(description="where it starts and ends in the input")
    facts: list[int] = Field(description="the numbers of the facts it states")


class Difficulty(_Part):
    """What makes the row hard."""

    proof_depth: int = Field(description="steps on the longest way from a fact to the answer")
    proofs: int = Field(description="in how many ways the chain can be put together")
    off_path_facts: int = Field(description="facts that are noise")


class Metadata(_Part):
    """All that is known about a row.

    Facts are numbered from 0: those of the chain, those beside it, those of the noise, path after
    path, and what the proof concludes, step after step. They stand as they are told; a proof may
    read them either way round.
    """

    k: int = Field(description="facts from one person to the other; no fewer give the answer")
    noise: list[Literal["supporting", "irrelevant", "disconnected"]] = Field(
        description="kinds of noise in the story"
    )
    clause: list[str] = Field(
        description="the relations along the chain from x of the query to y, without gender"
    )
    facts: list[list[str]] = Field(
        description="the k facts in chain order, as told: [x, r, y] says that y is the r of x"
    )
    beside_facts: list[list[str]] = Field(
        description="facts beside the chain, about which could have been asked just as well"
    )
    noise_facts: list[NoisePath] = Field(description="noise paths: type, and facts in order")
    genders: list[list[str]] = Field(description="[name, gender] of everyone: male or female")
    query: list[str] = Field(description="[x, y]: how is y related to x?")
    proof: list[Step] = Field(description="steps from the facts to the answer: the certificate")
    explanation: list[str] = Field(
        description="where asked for: the proof in words, a sentence for each step"
    )
    sentences: list[Sentence] = Field(description="the text in order, with the facts stated")
    templates: list[str] = Field(description="the frame of each sentence")
    difficulty: Difficulty = Field(
        description="depth of the proof, number of proofs, facts off the chain"
    )
    task: Literal["reasoning", "memory"] = Field(
        description="whether the row asks for what follows or for a fact that is told"
    )
    asked: str = Field(description="in a yes-no or who question: the relation asked about")
    relation: str = Field(description="in a yes-no or who question: the relation that does hold")
    verdict: str = Field(
        description="where rules may not hold, or answers are open: what the judge says"
    )
    possible: list[str] = Field(
        description="beside the verdict: the answers that are certain, or all possible ones"
    )
    story: str = Field(description="where a story has several questions: the id of its first row")
    group: str = Field(description="where a story has siblings: the id of the first of them")
    change: str = Field(
        description="what of the first is changed: words, names, order, noise, inverse or gender"
    )

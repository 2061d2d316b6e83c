"""What every row of clutrr says about itself."""

from itertools import chain, pairwise
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...example import Example


class Metadata(BaseModel):
    """All that is known about a row.

    Facts are numbered from 0: those of the chain, those beside it, those of the noise, path after
    path, and what the proof concludes, step after step. They stand as they are told; a proof may
    read them either way round.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    k: int = Field(description="facts from one person to the other; no fewer give the answer")
    noise: list[Literal["supporting", "irrelevant", "disconnected"]] = Field(
        description="kinds of noise: paths with both ends on the chain, with one, or with none"
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
    noise_facts: list[list[list[list[str]]]] = Field(
        description="for each kind of noise its paths: their facts in order"
    )
    genders: list[list[str]] = Field(
        description="[name, gender] of everyone: male, female or unstated"
    )
    query: list[str] = Field(description="[x, y]: how is y related to x?")
    proof: list[list[int]] = Field(
        description="steps from the facts to the answer, the certificate: the numbers of two facts "
        "that share somebody, from which it follows what the other of the second is to that of the "
        "first"
    )
    concluded: list[str] = Field(description="what that is, for each step")
    explanation: list[str] = Field(
        description="where asked for: the proof in words, a sentence for each step"
    )
    starts: list[int] = Field(
        description="where in the input each stretch of the story starts, and last the question"
    )
    states: list[list[int]] = Field(description="the numbers of the facts that each stretch states")
    templates: list[str] = Field(description="the frame of each stretch")
    proof_depth: int = Field(description="steps on the longest way from a fact to the answer")
    proofs: int = Field(description="in how many ways the chain can be put together")
    task: Literal["reasoning", "memory"] = Field(
        description="whether the row asks for what follows or for a fact that is told"
    )
    asked: str = Field(
        description="in a yes-no or who question: the relation asked about; or the part or rank "
        "asked for; or possible, where all that may hold is asked for"
    )
    relation: str = Field(
        description="in a yes-no or who question, or one for a part or a rank: the relation that "
        "does hold"
    )
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


def stretches(row: Example) -> list[str]:
    """The text of a story, stretch by stretch: each starts after a blank, where the last ends."""
    return [row.input[start : after - 1] for start, after in pairwise(row.metadata["starts"])]


def told(metadata: dict[str, Any]) -> list[list[str]]:
    """All facts that a story tells, as they are numbered."""
    paths = [metadata["facts"], metadata["beside_facts"], *chain(*metadata["noise_facts"])]
    return [fact for path in paths for fact in path]


def conclusions(metadata: dict[str, Any]) -> list[list[str]]:
    """The facts that the proof concludes, step after step; they are numbered after those told."""
    known = told(metadata)
    first = len(known)
    for (before, after), word in zip(metadata["proof"], metadata["concluded"], strict=True):
        known.append(
            [_other(known[before], known[after]), word, _other(known[after], known[before])]
        )
    return known[first:]


def _other(fact: list[str], shared: list[str]) -> str:
    """Whom of a fact the other one does not share."""
    x, _, y = fact
    return y if x in shared[::2] else x

"""What every row of cloze says about itself."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Difficulty(BaseModel):
    """How surprising the answers are, in bits each, given all that stands before them."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    alone: list[float] = Field(description="without the abstract")
    with_abstract: list[float] | None = Field(description="with it, by the model of --lm only")


class Metadata(BaseModel):
    """All that is known about a row."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    source: int = Field(
        description="where the pair stands in the corpus: the byte of a file, the number of a pair"
    )
    group: int = Field(description="where the first pair of the same abstract stands")
    abstract: str = Field(description="the abstract")
    concrete: str = Field(description="the concrete text, whole")
    tokens: Literal["given", "words"] = Field(
        description="tokens as the input gave them, a space apart, or words and signs"
    )
    blanks: list[list[int]] = Field(
        description="[start, end] of each in tokens of the concrete text: the certificate"
    )
    spans: list[list[int]] = Field(description="[start, end] of each in characters")
    answers: list[str] = Field(description="the answer to each blank")
    alternatives: list[list[str]] = Field(
        description="what would do as well, as our own pairs say; none for pairs from a file"
    )
    counts: list[list[int]] = Field(
        description="how often each word of an answer was new, by the whitelist"
    )
    leak: float = Field(
        description="share of the answers all of whose words stand elsewhere in what is shown"
    )
    difficulty: Difficulty | None = Field(description="surprisal of the answers, where asked for")

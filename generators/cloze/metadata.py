"""The metadata of a cloze row."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Span = Annotated[list[int], Field(min_length=2, max_length=2)]


class Difficulty(BaseModel):
    """Surprisal of each answer in bits, given all that precedes it."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    alone: list[float] = Field(description="without the abstract")
    with_abstract: list[float] | None = Field(description="with it; only with --lm")


class Metadata(BaseModel):
    """Metadata of a row."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    source: int = Field(
        description="place of the pair in the corpus: byte offset in a file, or number of the pair"
    )
    group: int = Field(description="place of the first pair of the same abstract")
    abstract: str = Field(description="the abstract")
    concrete: str = Field(description="the concrete text, whole")
    tokens: Literal["given", "words"] = Field(
        description="tokens as given in the input, separated by spaces, or words and signs"
    )
    blanks: list[Span] = Field(
        description="[start, end] of each blank in tokens of the concrete text: the certificate"
    )
    spans: list[Span] = Field(description="[start, end] of each blank in characters")
    answers: list[str] = Field(description="the answer to each blank")
    alternatives: list[list[str]] = Field(
        description="accepted alternatives, from built-in pairs; none for pairs from a file"
    )
    counts: list[list[int]] = Field(
        description="how often each word of an answer was new, by the whitelist"
    )
    leak: float = Field(
        description="share of the answers all of whose words occur elsewhere in the shown text"
    )
    difficulty: Difficulty | None = Field(
        description="surprisal of the answers, unless switched off"
    )

    @model_validator(mode="after")
    def _check_numbers(self) -> Self:
        for name in ("blanks", "spans", "alternatives", "counts"):
            if len(getattr(self, name)) != len(self.answers):
                raise ValueError(f"{name}: expected {len(self.answers)} items, to match answers")
        return self

"""What each row of an analogy dataset holds."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Probe = Literal[
    "random",
    "random-head",
    "random-tail",
    "reverse",
    "type",
    "mismatch",
    "frequency",
    "near",
    "cross",
    "listed",
]
Setting = Literal["supervised", "unsupervised"]
Rule = Literal[
    "random-head",
    "random-tail",
    "reverse",
    "type-head",
    "type-tail",
    "mismatch",
    "frequency",
    "near",
    "cross",
    "listed",
]
Why = Literal[
    "functional",
    "not listed",
    "other type",
    "other relation",
    "exclusion list",
    "wider lexicon",
    "disjoint type",
    "asymmetric",
    "listed as wrong",
    "none",
]
Words = Annotated[list[str], Field(min_length=2, max_length=2)]


class Flags(BaseModel):
    """What the relation is like."""

    symmetric: bool = Field(description="whether it holds both ways")
    cardinality: Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"] = Field(
        description="whether a tail has one head or many, and a head one tail or many"
    )


class Metadata(BaseModel):
    """A query, and the tuple or tuples that are or are not related in the same way."""

    relation: str = Field(description="the relation's name: the stem of its file")
    group: str = Field(description="inflectional, derivational, encyclopedic, lexicographic, ...")
    probe: Probe = Field(description="which probe the row belongs to")
    setting: Setting = Field(description="true or false of one sentence, or the better of several")
    query: Words = Field(description="head and tail of the tuple that is given")
    positive: Words | None = Field(description="another tuple of the relation")
    negative: Words | None = Field(description="a tuple that is not of the relation")
    others: list[Words] = Field(description="further negatives, where there are more options")
    rule: Rule | None = Field(description="what made the negative")
    certificate: Why | None = Field(description="why the negative is false; 'none': it is not")
    false_negative: bool = Field(
        description="whether the negative is true in fact, so that more than one option is right; "
        "only with paper-faithful"
    )
    flags: Flags

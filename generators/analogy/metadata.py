"""The metadata of an analogy row."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Probe = Literal[
    "random",
    "random-head",
    "random-tail",
    "reverse",
    "type",
    "mismatch",
    "hard",
    "cross",
]
Setting = Literal["supervised", "unsupervised"]
Rule = Literal[
    "random-head",
    "random-tail",
    "reverse",
    "type-head",
    "type-tail",
    "mismatch",
    "hard",
    "cross",
]
Certificate = Literal[
    "functional",
    "not listed",
    "other type",
    "other relation",
    "exclusion list",
    "wider lexicon",
    "disjoint type",
    "asymmetric",
    "none",
]
WordPair = Annotated[list[str], Field(min_length=2, max_length=2)]


class WordMetadata(BaseModel):
    """A word of a row of the probe `hard`."""

    word: str
    sense: str = Field(description="its usual sense in WordNet, such as dog.n.01; empty if unknown")
    domain: str = Field(description="WordNet's domain of that sense, such as noun.animal")
    band: int = Field(description="its frequency: the whole part of wordfreq's Zipf frequency")


class Flags(BaseModel):
    """Properties of the relation."""

    symmetric: bool = Field(description="whether it holds in both directions")
    cardinality: Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"] = Field(
        description="whether a tail has one head or many, and a head one tail or many"
    )


class Metadata(BaseModel):
    """A query, and the tuple or tuples that are or are not related in the same way."""

    relation: str = Field(description="the relation's name: the stem of its file")
    group: str = Field(description="inflectional, derivational, encyclopedic, lexicographic, ...")
    probe: Probe = Field(description="the probe of the row")
    setting: Setting = Field(description="true or false of one sentence, or the better of several")
    query: WordPair = Field(description="head and tail of the given tuple")
    positive: WordPair | None = Field(description="another tuple of the relation")
    negative: WordPair | None = Field(description="a tuple that is not of the relation")
    others: list[WordPair] = Field(description="further negatives, if there are more options")
    rule: Rule | None = Field(description="the strategy that made the negative")
    certificate: Certificate | None = Field(
        description="why the negative is false; 'none': it is not"
    )
    false_negative: bool = Field(
        description="whether the negative is in fact true, so that more than one option is right; "
        "only with paper-faithful"
    )
    flags: Flags
    words: list[WordMetadata] = Field(
        description="senses and frequencies of the words, with the probe hard only"
    )

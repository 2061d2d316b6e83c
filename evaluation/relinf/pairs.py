"""Premises and hypotheses: the public files, and datasets of `gen relinf-aggregate`.

References: Levy and Dagan, Annotating Relation Inference in Context via Question Answering, 2016;
Holt, Probabilistic Models of Relational Implication, 2018.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...dataset import Dataset
from ...errors import InvalidInput, NotADataset, NotFound
from ...example import Example

_LABELS = {"true": True, "y": True, "yes": True, "false": False, "n": False, "no": False}
_WANTED = "expected 'arg, relation, arg' TAB 'arg, relation, arg' TAB y or n (True or False)"


class Assertion(NamedTuple):
    """Two arguments and the relation between them."""

    arg1: str
    relation: str
    arg2: str

    @property
    def sentence(self) -> str:
        """The assertion as a sentence."""
        said = " ".join(self)
        return f"{said[:1].upper()}{said[1:]}."


@dataclass(frozen=True)
class Pair:
    """A premise, a hypothesis, and whether the first implies the second."""

    premise: Assertion
    hypothesis: Assertion
    implied: bool


def read_pairs(path: Path, split: str) -> list[Pair]:
    """Read a split of a dataset, or a whole file, which has no splits."""
    if path.is_dir():
        return [_labelled(row, path) for row in Dataset(path).rows(split)]
    try:
        with path.open(encoding="utf-8-sig") as lines:
            pairs = [
                _pair(line.rstrip("\n"), f"{path}:{number}")
                for number, line in enumerate(lines, 1)
                if line.strip()
            ]
    except OSError as error:
        raise NotFound(
            f"cannot read {str(path)!r}: {error.strerror}; name a file of pairs or a dataset"
        ) from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not text in UTF-8; {_WANTED} in each line") from None
    if not pairs:
        raise InvalidInput(f"{path} has no pairs; {_WANTED} in each line")
    return pairs


def _pair(line: str, where: str) -> Pair:
    """A line of the release of Levy and Dagan or of Holt: the hypothesis comes first."""
    columns = line.split("\t")
    if len(columns) != 3:
        raise InvalidInput(f"{where}: {len(columns)} columns instead of 3; {_WANTED}")
    hypothesis, premise, label = columns
    implied = _LABELS.get(label.strip().lower())
    if implied is None:
        raise InvalidInput(f"{where}: the label is {label!r}; {_WANTED}")
    return Pair(_assertion(premise, where), _assertion(hypothesis, where), implied)


def _assertion(text: str, where: str) -> Assertion:
    parts = [part.strip() for part in text.split(", ")]
    if len(parts) != 3 or not all(parts):
        raise InvalidInput(
            f"{where}: {text!r} is not three parts with ', ' between them; {_WANTED}"
        )
    return Assertion(*parts)


def _labelled(row: Example, folder: Path) -> Pair:
    metadata = row.metadata
    try:
        told = Assertion(*metadata["triple"])
        question = metadata["question"]
        answer = told[metadata["answer_at"]]
        asked = Assertion(answer, question["relation"], question["argument"])
        implied = _LABELS[row.target]
        turned = bool(metadata["reversed"])
    except (KeyError, TypeError, IndexError) as error:
        raise NotADataset(
            f"{folder}: row {row.id!r} is no labelled pair ({type(error).__name__}: {error}); "
            f"evaluate rows such as those of gen relinf-aggregate"
        ) from None
    return Pair(asked, told, implied) if turned else Pair(told, asked, implied)

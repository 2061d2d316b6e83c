"""`gen report cloze`, `cloze-phrases` and `cloze-alignments`: results of cloze models."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..storage.files import replacing
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import ForcePlot, Json, integer
from .report import Results, show

if TYPE_CHECKING:
    from ..evaluation.papers.cloze.phrases import Phrase, Phrases

Aligner = Annotated[str, typer.Option("--model", help="The transducer whose alignments to use.")]
Aligned = Annotated[
    str | None, typer.Option(metavar="DIR/SPLIT", help="Texts to use; default: the training texts.")
]


def cloze(folders: Results, json: Json = False) -> None:
    """Print matches, top 5 and surprisal of models on cloze tests (table 4 of Bisk et al.)."""
    from ..evaluation.papers.cloze.task import table_4
    from ..evaluation.result import load

    show(table_4(load(folders, "cloze")), json=json)


def cloze_phrases(
    folders: Results,
    model: Aligner = "transducer",
    split: Aligned = None,
    words: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Words of abstracts; default: the most frequent."),
    ] = None,
    terms: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Terms of concrete texts; default: the most frequent."),
    ] = None,
    least: Annotated[int, integer(1, "Minimum number of alignments.")] = 5,
    count: Annotated[int, integer(1, "Phrases per word.", "-n")] = 6,
    json: Json = False,
) -> None:
    """Print phrases that are aligned more often than by chance (table 3 of Bisk et al.).

    Phrases consist of words aligned to one word of the abstract; they start and end with words
    that are blanked somewhere, and are sorted by pointwise mutual information.
    """
    from ..evaluation.papers.cloze.alignments import load_alignments
    from ..evaluation.papers.cloze.phrases import Phrases

    phrases = Phrases(load_alignments(folders, model, split))
    left = {
        word: phrases.of_abstract(word, least)[:count]
        for word in _words(words, phrases, phrases.abstract)
    }
    right = {
        term: phrases.of_concrete(term, least)[:count]
        for term in _words(terms, phrases, phrases.concrete)
    }
    if json:
        echo_json({"abstract": _dump(left), "concrete": _dump(right)})
        return
    _print("abstract", "concrete, by PMI", left)
    _print("concrete", "abstract, by PMI", right)


def _words(given: str | None, phrases: "Phrases", side: "dict[str, int]") -> list[str]:
    from collections import Counter

    if given:
        return [word.strip() for word in given.split(",")]
    return phrases.common(Counter(side), 10)


def _dump(phrases: "dict[str, list[Phrase]]") -> dict[str, list[dict[str, object]]]:
    return {word: [vars(phrase) for phrase in several] for word, several in phrases.items()}


def _print(left: str, right: str, phrases: "dict[str, list[Phrase]]") -> None:
    from rich.text import Text

    table = new_table(left, right)
    for word, several in phrases.items():
        shown = ", ".join(f"{phrase.phrase} ({phrase.pmi:.1f})" for phrase in several)
        table.add_row(Text(word, "bold"), Text(shown or "none"))
    print_rich(table)


def cloze_alignments(
    folders: Results,
    plot: Annotated[Path, typer.Option(metavar="FILE", help="Image file to draw (png, svg, pdf).")],
    force: ForcePlot = False,
    model: Aligner = "transducer",
    split: Aligned = None,
    rows: Annotated[str, typer.Option(metavar="N,M", help="Indices of the texts, from 0.")] = "0,1",
) -> None:
    """Draw the alignment of words to words of the abstract (figure 2 of Bisk et al.)."""
    from ..errors import InvalidOption
    from ..evaluation.papers.cloze.alignments import chosen, draw_alignments, load_alignments

    try:
        numbers = [int(row) for row in rows.split(",")]
    except ValueError:
        raise InvalidOption(f"--rows: expected numbers such as 0,1, but got {rows!r}") from None
    with replacing(plot, force=force, option="--plot") as image:
        draw_alignments(chosen(load_alignments(folders, model, split), numbers), image)
    output.echo(f"plot: {plot}")

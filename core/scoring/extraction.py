"""Find the passages of a model's text that give its answer.

Models reason before they answer, so the last marked answer counts: "the answer is ...",
`\\boxed{...}`, <answer> tags, JSON, `####`. Without a marker, all sentences are candidates.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from ..storage.text import parse_json
from ..tables import Patterns

_KEYS = ("final_answer", "answer", "answers", "prediction", "relation", "label", "choice", "output")
_P = Patterns(__package__, "patterns.yaml", "extraction")
CORRECTION = _P.correction
"""Words that take back everything before them."""
_ASCII_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2212", "-"),
        **dict.fromkeys("\u2013\u2014", " - "),
        "\u00ad": "",
        "*": "",
    }
)


_MAX_TEXT = 50_000
"""Characters after the reasoning that are read; of longer texts the end is."""
_MAX_ANSWER = 10_000
"""Characters of a marked answer, or of one in JSON."""
_MAX_DIGITS = 4
"""Digits of the number of a blank in JSON."""
_MAX_CLAUSE = 300
"""Characters of a clause that are searched for a negation."""


class Unreadable(Exception):
    """The text has no answer; the message says why."""


class AboutOthers(Unreadable):
    """The passage is about other people."""


class SeveralAnswers(Unreadable):
    """The passage claims several answers."""


class Denied(Unreadable):
    """The passage only says what the answer is not."""


@dataclass(frozen=True)
class AnswerPassage:
    """A passage that may be the answer, and whether the text marks it as the answer."""

    text: str
    marked: bool


def passages(text: str) -> list[AnswerPassage]:
    """Return the last marked passage, or else all sentences; Unreadable if there are none."""
    text = re.sub(r"(\s)\s{20,}", r"\1\1", after_thinking(text))
    text = plain(text[-_MAX_TEXT:])[-_MAX_TEXT:]  # a character may become eighteen
    *before, text = CORRECTION.split(text)
    if before and not re.search(r"\w", text):
        raise Unreadable("it takes its answer back")
    if (whole := _json_answer(text.strip())) is not None:
        return [AnswerPassage(whole, marked=True)]
    if (marked := _last_marked(text)) is not None:
        return [AnswerPassage(bare(_P.in_brackets.sub(r"\1", marked)), marked=True)]
    sentences = [bare(part) for part in split_sentences(text)]
    sentences = [part for part in sentences if part]
    if not sentences:
        raise Unreadable("it is empty")
    return [AnswerPassage(part, marked=False) for part in sentences]


def plain(text: str) -> str:
    """Return the text with ASCII quotes and hyphens, without formatting."""
    text = unicodedata.normalize("NFKC", text)
    text = _P.en_dash_hyphen.sub("-", text).translate(_ASCII_SIGNS)
    for _ in range(3):
        text = _P.latex.sub(r"\1", text)
    return re.sub(r"</?[biu]>|\$|\\[(\[)\]]", "", text)


def bare(text: str) -> str:
    """Return the text without tags, braces, and quotes and signs around it."""
    text = re.sub(r"</?\w+>|\\boxed", " ", text)
    text = " ".join(text.replace("{", " ").replace("}", " ").split())
    return _P.outer_signs.sub("", text).rstrip(" \"':;,#>-").rstrip(".!").rstrip(" \"'")


def split_sentences(text: str) -> list[str]:
    """Return the lines and sentences of a text, with their final sign."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the lines and sentences of a text that have words."""
    ends = [*(end.end() for end in _P.sentence_end.finditer(text)), len(text)]
    spans = pairwise([0, *ends])
    return [(start, end) for start, end in spans if re.search(r"\w", text[start:end])]


_TAG_NAME = (
    r"(?:\w{1,20}[:_-])?(?:thinking|think|thoughts?|reasoning|reason|reflection|scratchpad"
    r"|analysis|cot)"
)


def after_thinking(text: str) -> str:
    """Return the text after the last block of reasoning; Unreadable if that does not end."""
    after, is_open = 0, False
    for match in _P.thinking.finditer(text):
        is_open = match["end"] is None
        after = match.end()
    if is_open:
        raise Unreadable("it never ends thinking")
    return re.sub(r"<\|[^|<>]*\|>|\[END FINAL RESPONSE\]", " ", text[after:])


def _last_marked(text: str) -> str | None:
    """Return the last marked answer; None if no answer is marked."""
    found: list[tuple[int, int, re.Match[str]]] = []
    patterns = (_P.boxed, _P.tag, _P.hashes, _P.flat, _P.checked, _P.ticked, _P.marker, _P.choice)
    for number, pattern in enumerate(patterns):
        matches = reversed(list(pattern.finditer(text)))
        last = next((m for m in matches if pattern is not _P.flat or _json_answer(m[0])), None)
        if pattern is _P.ticked and not (_P.cross.search(text) and _P.marked_line.search(text)):
            continue
        if last is not None:
            found.append((last.start(), number, last))
    if not found:
        return None
    start, number, match = max(found, key=lambda each: each[:2])
    pattern, end = patterns[number], match.end()
    if pattern is _P.boxed:
        return text[end : _closing(text, end) - 1]
    if pattern in (_P.tag, _P.checked, _P.ticked):
        return match[1]
    if pattern is _P.hashes:
        return text[end : _line_end(text, end)]
    if pattern is _P.flat:
        return _json_answer(match[0]) or ""
    return "" if _is_negated(text, start) else _after_marker(text, end)


def _is_negated(text: str, start: int) -> bool:
    """Return whether the clause before the marker negates or hedges it."""
    clauses = _P.clause.split(text[max(0, start - _MAX_CLAUSE) : start])
    return bool(_P.negation.search(clauses[-1]))


def _after_marker(text: str, start: int) -> str:
    """Return the text after a marker: the rest of the sentence, or the lines below."""
    end = _P.sentence_end.search(text, start)
    stop = end.start() + (end[0] == "?") if end else len(text)
    if re.search(r"\w", text[start:stop]):
        return text[start:stop]
    below = re.compile(r"\s*(.+?)(?=\n\s*\n|\Z)", re.DOTALL).match(text, start)
    lines = below[1].strip().split("\n") if below else [""]
    if len(lines) > 1:
        return ", ".join(line.strip(" .") for line in lines)
    return (split_sentences(lines[0]) or [""])[0]


def _closing(text: str, start: int) -> int:
    """Return the end of the brace that is open at `start`."""
    depth = 1
    for place in range(start, min(len(text), start + _MAX_ANSWER)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place + 1
    return len(text) + 1


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _json_answer(text: str) -> str | None:
    """Return the answer in a piece of JSON, empty if it has none; None if it is not JSON."""
    text = re.sub(r"^'{3}(?:json)?\s*|\s*'{3}$", "", text)
    if not text.startswith(("{", "[", '"')) or len(text) > _MAX_ANSWER:
        return None
    try:
        value = parse_json(text)
    except ValueError:
        return None
    if isinstance(value, dict):
        if value and all(name.isdecimal() and len(name) <= _MAX_DIGITS for name in value):
            value = {"answers": [value[name] for name in sorted(value, key=int)]}
        names = {str(name).casefold(): name for name in value}
        only = next(iter(value.values())) if len(value) == 1 else None
        value = next((value[names[key]] for key in _KEYS if key in names), only)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    if isinstance(value, list) and not value:
        return "none"
    return value if isinstance(value, str) else ""

"""Find the passages of a model's text that give its answer.

Models reason before they answer, so the last marked answer counts: "the answer is ...",
`\\boxed{...}`, <answer> tags, JSON, `####`. Without a marker, all sentences are candidates.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ..storage.text import parse_json

_KEYS = ("final_answer", "answer", "answers", "prediction", "relation", "label", "choice", "output")
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
_EN_DASH_HYPHEN = re.compile(r"(?<=\w)\u2013(?=\w)")
"""An en dash used as a hyphen."""
_MARKER = re.compile(
    r"\banswers?\b[ \t]*(?:\([^()\n]*\)[ \t]*)?"
    r"(?:is|are|was|would be|should be|must be|will be|has to be|:|=|->)"
    r"[ \t]*(?:that\b|:|=)?[ \t]*",
    re.IGNORECASE,
)
_HASHES = re.compile(r"^[ \t]*####[ \t]*(?=\S)", re.MULTILINE)
_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{")
_FLAT = re.compile(r"\{[^{}]*\}")
_LATEX = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|operatorname)\s*\{([^{}]*)\}")
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Za-z\d])(?<!\bSt)(?<!\bMr)(?<!\bDr)[.!?](?=[\s\"')\]]|\Z)|\n|(?<=\b[A-Za-z\d])[.](?=\s*\n|\Z)"
)
_RETRACTION = re.compile(
    r"\b(?:wait|actually|correction|scratch that|on second thoughts?|i was wrong|my mistake|"
    r"or rather|let me (?:re|correct)|that is wrong|that's wrong)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|no|hardly|doubt|deny|if|whether|unless|suppose|supposing|assuming|"
    r"\w+n't|can't)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.,;:!?\n]|\b(?:but|so|then|thus|hence|therefore|and)\b", re.IGNORECASE)


class Unreadable(Exception):
    """The text has no answer; the message says why."""


@dataclass(frozen=True)
class AnswerPassage:
    """A passage that may be the answer, and whether the text marks it as the answer."""

    text: str
    marked: bool


def passages(text: str) -> list[AnswerPassage]:
    """Return the last marked passage, or else all sentences; Unreadable if there are none."""
    text = _after_thinking(plain(text))
    if whole := _json_answer(text.strip()):
        return [AnswerPassage(whole, marked=True)]
    places = sorted(_marked(text))
    if places:
        _, end, said = places[-1]
        if _RETRACTION.search(text[end:]):
            raise Unreadable("it takes its answer back")
        return [AnswerPassage(bare(said), marked=True)]
    sentences = [bare(part) for part in split_sentences(text)]
    sentences = [part for part in sentences if part]
    if not sentences:
        raise Unreadable("it is empty")
    return [AnswerPassage(part, marked=False) for part in sentences]


def plain(text: str) -> str:
    """Return the text with ASCII quotes and hyphens, without formatting."""
    text = unicodedata.normalize("NFKC", text)
    text = _EN_DASH_HYPHEN.sub("-", text).translate(_ASCII_SIGNS)
    for _ in range(3):
        text = _LATEX.sub(r"\1", text)
    return re.sub(r"</?[biu]>|\$|\\[(\[)\]]", "", text)


def bare(text: str) -> str:
    """Return the text without tags, braces, and quotes and signs around it."""
    text = re.sub(r"</?\w+>|\\boxed", " ", text)
    text = " ".join(text.replace("{", " ").replace("}", " ").split())
    return text.strip(" \"':;,#>-").rstrip(".!").strip(" \"'")


def split_sentences(text: str) -> list[str]:
    """Return the lines and sentences of a text, with their final sign."""
    parts, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        parts.append(text[start : end.end()])
        start = end.end()
    return [part for part in [*parts, text[start:]] if re.search(r"\w", part)]


def _after_thinking(text: str) -> str:
    before, tag, after = text.rpartition("</think>")
    if tag:
        return after
    if "<think>" in before or "<think>" in after:
        raise Unreadable("it never ends thinking")
    return text


def _marked(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and text of every marked answer."""
    for match in _BOXED.finditer(text):
        end = _closing(text, match.end())
        yield match.start(), end, text[match.end() : end - 1]
    for match in _TAG.finditer(text):
        yield match.start(), match.end(), match[1]
    for match in _HASHES.finditer(text):
        end = _line_end(text, match.end())
        yield match.start(), end, text[match.end() : end]
    for match in _FLAT.finditer(text):
        if said := _json_answer(match[0]):
            yield match.start(), match.end(), said
    for match in _MARKER.finditer(text):
        if not _is_negated(text, match.start()):
            yield match.start(), *_after_marker(text, match.end())
        else:
            yield match.start(), match.end(), ""


def _is_negated(text: str, start: int) -> bool:
    """Return whether the clause before the marker negates or hedges it."""
    clauses = _CLAUSE.split(text[:start])
    return bool(_NEGATION.search(clauses[-1]))


def _after_marker(text: str, start: int) -> tuple[int, str]:
    """Return end and text after a marker: the rest of the sentence, or the lines below."""
    end = _SENTENCE_END.search(text, start)
    stop = end.start() + (end[0] == "?") if end else len(text)
    if re.search(r"\w", text[start:stop]):
        return stop, text[start:stop]
    below = re.compile(r"\s*(.+?)(?=\n\s*\n|\Z)", re.DOTALL).match(text, start)
    if below is None:
        return stop, ""
    lines = below[1].strip().split("\n")
    kept = ", ".join(line.strip(" .") for line in lines) if len(lines) > 1 else lines[0]
    if len(lines) == 1:
        kept = (split_sentences(kept) or [""])[0]
    return below.end(), kept


def _closing(text: str, start: int) -> int:
    """Return the end of the brace that is open at `start`."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place + 1
    return len(text) + 1


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _json_answer(text: str) -> str:
    """Return the answer in a piece of JSON; empty if there is none."""
    text = re.sub(r"^'{3}(?:json)?\s*|\s*'{3}$", "", text)
    if not text.startswith(("{", "[", '"')):
        return ""
    try:
        value = parse_json(text)
    except ValueError:
        return ""
    if isinstance(value, dict):
        names = {str(name).casefold(): name for name in value}
        value = next((value[names[key]] for key in _KEYS if key in names), None)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    if isinstance(value, list) and not value:
        return "none"
    return value if isinstance(value, str) else ""

"""Where in a text of a model its answer stands.

Models think aloud before they answer, so what counts is the last place that says it is the answer:
"the answer is ...", `\\boxed{...}`, <answer> tags, JSON, `####`. Without any, a text is an answer
as a whole, or the first or last of its sentences is.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ..storage.text import parse_json

_KEYS = ("final_answer", "answer", "answers", "prediction", "relation", "label", "choice", "output")
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2212", "-"),
        **dict.fromkeys("\u2013\u2014", " - "),
        "\u00ad": "",
        "*": "",
    }
)
_JOINED = re.compile(r"(?<=\w)\u2013(?=\w)")
"""A dash that is meant for a hyphen."""
_SAID = re.compile(
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
_BACK = re.compile(
    r"\b(?:wait|actually|correction|scratch that|on second thoughts?|i was wrong|my mistake|"
    r"or rather|let me (?:re|correct)|that is wrong|that's wrong)\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    r"\b(?:not|never|cannot|no|hardly|doubt|deny|if|whether|unless|suppose|supposing|assuming|"
    r"\w+n't|can't)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.,;:!?\n]|\b(?:but|so|then|thus|hence|therefore|and)\b", re.IGNORECASE)


class Unreadable(Exception):
    """The text gives no answer, for the reason it says."""


@dataclass(frozen=True)
class Passage:
    """A stretch of a text that gives the answer, and whether the text says that it does."""

    text: str
    marked: bool


def passages(text: str) -> list[Passage]:
    """What may be the answer, best first: where one place is marked, that alone."""
    text = _after_thinking(plain(text))
    if whole := _json(text.strip()):
        return [Passage(whole, marked=True)]
    places = sorted(_marked(text))
    if places:
        _, end, said = places[-1]
        if _BACK.search(text[end:]):
            raise Unreadable("it takes its answer back")
        return [Passage(bare(said), marked=True)]
    sentences = [bare(part) for part in split_sentences(text)]
    sentences = [part for part in sentences if part]
    if not sentences:
        raise Unreadable("it is empty")
    return [Passage(part, marked=False) for part in sentences]


def plain(text: str) -> str:
    """A text with plain quotes and hyphens, and without what sets type."""
    text = unicodedata.normalize("NFKC", text)
    text = _JOINED.sub("-", text).translate(_PLAIN)
    for _ in range(3):
        text = _LATEX.sub(r"\1", text)
    return re.sub(r"</?[biu]>|\$|\\[(\[)\]]", "", text)


def bare(text: str) -> str:
    """A stretch without tags, fences, brackets and quotes around it."""
    text = re.sub(r"</?\w+>|\\boxed", " ", text)
    text = " ".join(text.replace("{", " ").replace("}", " ").split())
    return text.strip(" \"':;,#>-").rstrip(".!").strip(" \"'")


def split_sentences(text: str) -> list[str]:
    """The lines and sentences of a text; one that asks keeps its sign."""
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
    """Every place that says it is the answer: where it starts and ends, and what stands there."""
    for match in _BOXED.finditer(text):
        end = _closing(text, match.end())
        yield match.start(), end, text[match.end() : end - 1]
    for match in _TAG.finditer(text):
        yield match.start(), match.end(), match[1]
    for match in _HASHES.finditer(text):
        end = _line_end(text, match.end())
        yield match.start(), end, text[match.end() : end]
    for match in _FLAT.finditer(text):
        if said := _json(match[0]):
            yield match.start(), match.end(), said
    for match in _SAID.finditer(text):
        if not _undone(text, match.start()):
            yield match.start(), *_said(text, match.end())
        else:
            yield match.start(), match.end(), ""


def _undone(text: str, start: int) -> bool:
    """Whether what stands before in the same clause takes the force from what is said."""
    clauses = _CLAUSE.split(text[:start])
    return bool(_UNDONE.search(clauses[-1]))


def _said(text: str, start: int) -> tuple[int, str]:
    """What follows a marker: the rest of the sentence, or the lines below where none is left."""
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
    """Where the brace that is open at the start is closed."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place + 1
    return len(text) + 1


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _json(text: str) -> str:
    """What a piece of JSON answers, if it is one that does."""
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

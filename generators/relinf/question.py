"""Questions of the form `which TYPE REL ARG`: read from a table or JSON lines, or our own.

Alternatives of ARG stand between slashes, a question for each. A fourth column may say which
relations answer the question, with a tilde before those whose answer comes second:
`food	contains	milk / flour	is made from / ~is an ingredient of`. A fifth lists those that
careful people would label differently: they are not asked about.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from ...errors import InvalidOption
from ...storage.text import parse_json, read

WH_TYPES = {"who": "person", "where": "location", "when": "time"}
"""What the WH-words other than `which` ask for."""

_TYPE = re.compile(
    r"(?:which\s+)?(?:([^#=!\t]+?)\s*=\s*)?([^#=!\t]+?)(?:\s*#\s*([1-9][0-9]?))?"
    r"((?:\s*!\s*[^#=!\t]+?(?:\s*#\s*[1-9][0-9]?)?)*)\s*",
    re.IGNORECASE,
)
_COLUMNS = ("type", "relation", "argument")
_LISTS = ("answered_by", "unsure")


@dataclass(frozen=True)
class Question:
    """`which TYPE REL ARG?`; `sense` says which of the type's senses in WordNet is meant.

    Where people call the type something else than WordNet does, `noun` is WordNet's word; what is
    `without` is not asked for, although it is of the type: food without beverages, a noun and its
    sense each. Relations that are `unsure` are not asked about.
    """

    number: int
    type: str
    relation: str
    argument: str
    sense: int = 1
    word: str = "which"
    noun: str = ""
    answered_by: tuple[str, ...] | None = None
    without: tuple[tuple[str, int], ...] = ()
    unsure: tuple[str, ...] = ()

    @property
    def mask(self) -> str:
        """What stands for an answer."""
        return f"[{self.type.upper()}]"


@dataclass(frozen=True)
class Questions:
    """A list of questions, told apart from others by its digest."""

    name: str
    digest: str
    listed: tuple[Question, ...]


def read_questions(path: str = "") -> Questions:
    """Read a file of questions; without one, our own."""
    if not path:
        return _ours()
    text = read(Path(path), "give a file of questions", "questions")
    return parse_questions(text, Path(path).name)


@cache
def _ours() -> Questions:
    source = files(__package__) / "questions.tsv"
    return parse_questions(source.read_text(encoding="utf-8"), "questions.tsv")


def parse_questions(text: str, name: str) -> Questions:
    """Read questions, one a line; a line that is none is named with its number."""
    as_json = name.endswith((".jsonl", ".ndjson"))
    questions: dict[tuple[str, ...], Question] = {}
    for line, (kind, relation, arguments, *lists) in _lines(text, name, as_json):
        for argument in arguments.split(" / "):
            parts = [kind, relation, argument, *lists]
            question = _question(len(questions) + 1, parts, f"{name}:{line}")
            key = (question.type, str(question.sense), question.relation, question.argument)
            if key in questions:
                raise InvalidOption(
                    f"{name}:{line}: {argument!r:.80} stands there already as question "
                    f"{questions[key].number}; keep one"
                )
            questions[key] = question
    if not questions:
        raise InvalidOption(f"{name}: has no questions; write lines of TYPE, REL and ARG")
    return Questions(name, hashlib.sha256(text.encode()).hexdigest(), tuple(questions.values()))


def _lines(text: str, name: str, as_json: bool) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        parts = _of_json(line, where) if as_json else line.split("\t")
        parts = [" ".join(part.split()) for part in parts]
        if number == 1 and tuple(part.lower() for part in parts[:3]) == _COLUMNS:
            continue
        if not 3 <= len(parts) <= 5 or not all(parts) or not all(map(str.isprintable, parts)):
            raise InvalidOption(
                f"{where}: expected TYPE, REL and ARG with tabs between, but got {line[:80]!r}"
            )
        yield number, parts


def _of_json(line: str, where: str) -> list[str]:
    try:
        row = parse_json(line)
        parts = [row[column] for column in _COLUMNS]
        if "unsure" in row and "answered_by" not in row:
            raise KeyError("answered_by")
        parts += [" / ".join(row[column]) for column in _LISTS if column in row]
    except (ValueError, KeyError, TypeError):
        parts = []
    if not parts or not all(isinstance(part, str) for part in parts):
        raise InvalidOption(
            f"{where}: expected an object with type, relation and argument, but got {line[:80]!r}"
        )
    return parts


def _question(number: int, parts: list[str], where: str) -> Question:
    kind, relation, argument, *lists = parts
    read = _TYPE.fullmatch(kind)
    if not read:
        raise InvalidOption(
            f"{where}: expected a type such as drug or country#2, but got {kind!r:.80}"
        )
    shown, noun = (read.group(1) or "").lower(), read.group(2).lower()
    sense, word = int(read.group(3) or 1), noun if noun in WH_TYPES else "which"
    kind, argument = shown or WH_TYPES.get(noun, noun), argument.rstrip("?")
    noun = noun if shown else ""
    listed = [tuple(some.split(" / ")) for some in lists]
    both = set.intersection(*map(set, listed)) if len(listed) == 2 else None
    if both:
        raise InvalidOption(
            f"{where}: {min(both)!r:.80} both answers the question and is unsure; keep one"
        )
    without = tuple(map(_left_out, read.group(4).split("!")[1:]))
    answers = listed[0] if listed else None
    unsure = listed[1] if len(listed) == 2 else ()
    return Question(number, kind, relation, argument, sense, word, noun, answers, without, unsure)


def _left_out(text: str) -> tuple[str, int]:
    noun, _, sense = text.partition("#")
    return noun.strip().lower(), int(sense or 1)

"""Questions of the form `which TYPE REL ARG`: read from a table, or our own.

Slashes separate alternatives of ARG, a question for each. A fourth column may list relations that
answer the question, with a tilde before those whose answer comes second:
`food	contains	milk / flour	is made from / ~is an ingredient of`.
A fifth lists those that careful people would label differently: they are not asked about.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from ...errors import InvalidOption
from ...storage.text import read

WH_TYPES = {"who": "person", "where": "location", "when": "time"}
"""The types of the question words other than `which`."""

_TYPE = re.compile(
    r"(?:which\s+)?(?:([^#=!\t]+?)\s*=\s*)?([^#=!\t]+?)(?:\s*#\s*([1-9][0-9]?))?"
    r"((?:\s*!\s*[^#=!\t]+?(?:\s*#\s*[1-9][0-9]?)?)*)\s*",
    re.IGNORECASE,
)
_COLUMNS = ("type", "relation", "argument")


@dataclass(frozen=True)
class Question:
    """`which TYPE REL ARG?`; `sense` is the number of the type's sense in WordNet.

    `noun` is WordNet's word for the type, if it differs. `excluded_types` are nouns with their
    senses, such as beverages for food. Relations that are `unsure` are not asked about.
    """

    number: int
    type: str
    relation: str
    argument: str
    sense: int = 1
    word: str = "which"
    noun: str = ""
    answered_by: tuple[str, ...] | None = None
    excluded_types: tuple[tuple[str, int], ...] = ()
    unsure: tuple[str, ...] = ()

    @property
    def mask(self) -> str:
        """The mask of an answer."""
        return f"[{self.type.upper()}]"


@dataclass(frozen=True)
class QuestionList:
    """A list of questions with its digest."""

    name: str
    digest: str
    questions: tuple[Question, ...]


def read_questions(path: str = "") -> QuestionList:
    """Return the questions of a file; the built-in ones without a path."""
    if not path:
        return _builtin_questions()
    text = read(Path(path), "give a file of questions", "questions")
    return parse_questions(text, Path(path).name)


@cache
def _builtin_questions() -> QuestionList:
    source = files(__package__) / "questions.tsv"
    return parse_questions(source.read_text(encoding="utf-8"), "questions.tsv")


def parse_questions(text: str, name: str) -> QuestionList:
    """Return questions, one per line; raise InvalidOption with the line number of a mistake."""
    questions: dict[tuple[str, ...], Question] = {}
    for line, (type_text, relation, arguments, *lists) in _parse_lines(text, name):
        for argument in arguments.split(" / "):
            parts = [type_text, relation, argument, *lists]
            question = _make_question(len(questions) + 1, parts, f"{name}:{line}")
            key = (question.type, str(question.sense), question.relation, question.argument)
            if key in questions:
                raise InvalidOption(
                    f"{name}:{line}: {argument!r:.80} is already question "
                    f"{questions[key].number}; keep one"
                )
            questions[key] = question
    if not questions:
        raise InvalidOption(f"{name}: has no questions; write lines of TYPE, REL and ARG")
    return QuestionList(name, hashlib.sha256(text.encode()).hexdigest(), tuple(questions.values()))


def _parse_lines(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        parts = [" ".join(part.split()) for part in line.split("\t")]
        if number == 1 and tuple(part.lower() for part in parts[:3]) == _COLUMNS:
            continue
        if not 3 <= len(parts) <= 5 or not all(parts) or not all(map(str.isprintable, parts)):
            raise InvalidOption(
                f"{where}: expected TYPE, REL and ARG with tabs between, but got {line[:80]!r}"
            )
        yield number, parts


def _make_question(number: int, parts: list[str], where: str) -> Question:
    type_text, relation, argument, *lists = parts
    read = _TYPE.fullmatch(type_text)
    if not read:
        raise InvalidOption(
            f"{where}: expected a type such as drug or country#2, but got {type_text!r:.80}"
        )
    shown, noun = (read.group(1) or "").lower(), read.group(2).lower()
    sense, word = int(read.group(3) or 1), noun if noun in WH_TYPES else "which"
    type, argument = shown or WH_TYPES.get(noun, noun), argument.rstrip("?")
    noun = noun if shown else ""
    listed = [tuple(some.split(" / ")) for some in lists]
    both = set.intersection(*map(set, listed)) if len(listed) == 2 else None
    if both:
        raise InvalidOption(
            f"{where}: {min(both)!r:.80} both answers the question and is unsure; keep one"
        )
    excluded_types = tuple(map(_parse_excluded, read.group(4).split("!")[1:]))
    answers = listed[0] if listed else None
    unsure = listed[1] if len(listed) == 2 else ()
    return Question(
        number, type, relation, argument, sense, word, noun, answers, excluded_types, unsure
    )


def _parse_excluded(text: str) -> tuple[str, int]:
    noun, _, sense = text.partition("#")
    return noun.strip().lower(), int(sense or 1)

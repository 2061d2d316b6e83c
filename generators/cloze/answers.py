"""How answers to cloze tests are read: a choice, or the words of all blanks in order."""

from ...example import Example
from ...scoring.answers import Blanks, Key, one_of, text_pattern
from .forms import BETWEEN, QUESTIONS


def answer_key(row: Example) -> Key:
    """One of the choices, or words for the blanks with what would do as well."""
    known = row.metadata
    if row.choices:
        return one_of(row.target, row.choices, kind="choice")
    forms = [form for form in ("bank", "all", "one") if QUESTIONS[form] in row.input]
    concrete, pieces, place = known["concrete"], [], 0
    for start, end in known["spans"]:
        pieces.append(concrete[place:start])
        place = end
    accepted = zip(known["answers"], known["alternatives"], strict=True)
    return Blanks(
        row.target,
        forms[0] if forms else "all",
        accepted=tuple((answer, *others) for answer, others in accepted),
        pattern=text_pattern([*pieces, concrete[place:]]),
        between=BETWEEN,
    )

"""Answer keys of cloze tests: a choice, or the words of all blanks in order."""

from ...example import Example
from ...scoring.answers import AnswerKey, Blanks, one_of
from .forms import QUESTIONS, SEPARATOR


def answer_key(row: Example) -> AnswerKey:
    """Return the key of a row: one of the choices, or the words of the blanks."""
    metadata = row.metadata
    if row.choices:
        return one_of(row.target, row.choices, kind="choice")
    forms = [form for form in ("bank", "all", "one") if QUESTIONS[form] in row.input]
    concrete, pieces, place = metadata["concrete"], [], 0
    for start, end in metadata["spans"]:
        pieces.append(concrete[place:start])
        place = end
    accepted = zip(metadata["answers"], metadata["alternatives"], strict=True)
    form = forms[0] if forms else "all"
    return Blanks(
        row.target,
        form,
        # A word bank has every answer, so that no other word counts.
        accepted=tuple(
            (answer, *(others if form != "bank" else ())) for answer, others in accepted
        ),
        pieces=(*pieces, concrete[place:]),
        between=SEPARATOR,
    )

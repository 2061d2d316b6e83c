"""Names in a text: all of them, whole, the longest first."""

import pytest

from relsmith.generators.clutrr.mentions import hidden, names_of


@pytest.mark.parametrize(
    ("text", "people", "shape", "named"),
    [
        ("Ann met Bo.", ["Bo", "Ann"], "<0> met <1>.", ["Ann", "Bo"]),
        ("Ann's Ann-Marie", ["Ann", "Ann-Marie"], "<0>'s <1>", ["Ann", "Ann-Marie"]),
        ("Ann Lee, Ann", ["Ann", "Ann Lee"], "<0>, <1>", ["Ann Lee", "Ann"]),
        ("Ann Leeds saw Lee", ["Ann Lee", "Lee"], "Ann Leeds saw <0>", ["Lee"]),
        ("D'Arcy's D", ["D'Arcy"], "<0>'s D", ["D'Arcy"]),
        ("@entity-1 and @entity-11", ["@entity-1"], "<0> and @entity-11", ["@entity-1"]),
        ("Anna, Joanne, ann", ["Ann"], "Anna, Joanne, ann", []),
        ("Zoë is Ann's", ["Zoë", "Ann"], "<0> is <1>'s", ["Zoë", "Ann"]),
    ],
)
def test_names_are_hidden(text, people, shape, named) -> None:
    assert hidden(text, names_of(people)) == (shape, named)


def test_signs_that_stand_for_people_are_no_names() -> None:
    """Whoever writes <0> into a text names nobody."""
    assert hidden("<0> met Bo.", names_of(["Bo"])) == ("", [])

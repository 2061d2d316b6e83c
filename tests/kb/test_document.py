import pytest
from pydantic import BaseModel

from relsmith.errors import InvalidInput
from relsmith.kb.document import parse_document


class Page(BaseModel):
    title: str
    notes: list[object] = []


def test_deep_nesting_is_refused_before_parsing():
    for text in (
        "notes: " + "[" * 20_000,
        "notes:\n" + "".join(" " * n + "-\n" for n in range(2000)),
    ):
        with pytest.raises(InvalidInput, match=r"page\.yaml:\d+: YAML: .*more than 64 deep"):
            parse_document(f"title: x\n{text}", "page.yaml", Page, InvalidInput)


def test_long_documents_are_refused():
    with pytest.raises(InvalidInput, match="more than 4,194,304 characters"):
        parse_document("title: x\n" + "# no\n" * 1_000_000, "page.yaml", Page, InvalidInput)


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000, "1" * 101])
def test_long_numbers_are_refused(number):
    with pytest.raises(InvalidInput, match=r"page\.yaml:2: notes\.0: .*put it in quotes") as caught:
        parse_document(f"title: x\nnotes: [{number}]", "page.yaml", Page, InvalidInput)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("key", ["? [a]\n: 1", "!!str [a]: 1", "1: 1"])
def test_keys_must_be_text(key):
    with pytest.raises(InvalidInput, match="the key must be text"):
        parse_document(f"title: x\n{key}", "page.yaml", Page, InvalidInput)

"""The pages for reading."""

from pathlib import Path

import pytest

from relsmith import Stream
from relsmith.errors import NotFound
from relsmith.templates.bank import find_bank
from relsmith.templates.gallery import previews
from relsmith.templates.sample import Sampler


def test_the_gallery_is_up_to_date(gen, root: Path):
    page = gen("templates", "gallery").stdout
    assert page.count("\n\n") >= 40
    assert (root / "docs" / "GALLERY.md").read_text() == page, "run make docs"


def test_previews_are_of_what_was_asked_for():
    bank = find_bank("kinship")
    found = list(previews(bank, Stream(0), 30, word="aunt"))
    assert len(found) == 30
    for frame, text in found:
        assert any(word in text for word in ("aunt", "niece", "nephew", "Aunt")), (frame, text)
    themes = {bank.by_id[frame].theme for frame, _ in previews(bank, Stream(0), 9, theme="births")}
    assert themes == {"births"}
    lengths = {
        len(bank.by_id[frame].predicates) for frame, _ in previews(bank, Stream(0), 9, length=3)
    }
    assert lengths == {3}


def test_what_does_not_exist_is_named():
    bank = find_bank("kinship")
    with pytest.raises(NotFound, match="no relation is called 'cousin'; there are: son"):
        list(previews(bank, Stream(0), 1, word="cousin"))
    with pytest.raises(NotFound, match="no theme is called 'wars'; there are: births"):
        list(previews(bank, Stream(0), 1, theme="wars"))


@pytest.mark.parametrize("noise", ["none", "supporting", "irrelevant", "disconnected"])
def test_samples_have_the_noise_they_say(noise):
    sampler, stream = Sampler(find_bank("kinship")), Stream("samples")
    for _ in range(50):
        facts, genders = sampler.sample(4, stream, noise)
        chain, rest = facts[:4], facts[4:]
        main = [chain[0][0], *(y for _, _, y in chain)]
        assert len(set(main)) == 5
        assert [x for x, _, _ in chain] == main[:-1]
        shared = {x for x, _, _ in rest} | {y for _, _, y in rest}
        shared &= set(main)
        assert (
            len(shared) == {"none": 0, "supporting": 2, "irrelevant": 1, "disconnected": 0}[noise]
        )
        held: dict[tuple[str, str], str] = {}
        for x, predicate, y in sampler.engine.closure(facts):
            assert predicate != "SO" or genders[x] != genders[y]
            assert held.setdefault((x, y), predicate) == predicate

"""The judge of stories must know every way in which the bank may tell a fact."""

from itertools import islice, pairwise, product

from relsmith.generators.clutrr.judgement import _says
from relsmith.generators.clutrr.people import pool
from relsmith.kb.kinship import world
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import genders, render, vocabulary
from relsmith.templates.stitcher import Stitcher


def test_no_frame_of_the_bank_is_taken_for_a_wrong_one() -> None:
    bank = find_bank("kinship")
    stitcher = Stitcher(bank)
    people = ["Ann", "Ben", "Cat", "Dan"]
    for frame in bank.frames:
        told = 0
        for clause in islice(product(*map(sorted, frame.predicates)), 40):
            for kinds in genders(bank, clause):
                if not frame.fits(kinds):
                    continue
                told += 1
                names = people[: len(kinds)]
                facts = [
                    (x, world().predicates[name].word(kind), y)
                    for (x, y), name, kind in zip(pairwise(names), clause, kinds[1:], strict=True)
                ]
                text = render(stitcher, frame, False, clause, kinds, names)
                known = dict(zip(names, kinds, strict=True))
                assert _says(text, facts, known), (frame.id, text, facts)
        assert told, frame.id


def test_nobody_is_called_like_a_word_of_the_bank() -> None:
    """Else a town or a dish would pass for a person, in a story and with the judge."""
    words = vocabulary(find_bank("kinship"))
    assert [name for names in pool() for name in names if name.lower() in words] == []

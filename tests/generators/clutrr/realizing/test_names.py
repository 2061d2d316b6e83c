"""Names: built-in, from files, and their assignment to stories."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stories import clutrr

from relsmith import Stream
from relsmith.errors import Infeasible, InvalidInput, InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.realizing.names import Deck, read_names
from relsmith.kb.worlds.kinship import world
from relsmith.kb.worlds.stories import NamePool
from relsmith.templates.bank import find_bank
from relsmith.templates.samples import vocabulary
from relsmith.testing.profile import scaled, thinned
from relsmith.validation import findings


@pytest.fixture
def names_file(tmp_path):
    def write(female: int, male: int = -1, *lines: str):
        male = female if male < 0 else male
        made = [f"F{'abcdefghijklmnopqrstuvwxyz'[n]}ra, female" for n in range(female)]
        made += [f"M{'abcdefghijklmnopqrstuvwxyz'[n]}ro\tmale" for n in range(male)]
        path = tmp_path / "names.txt"
        path.write_text("\n".join([*made, *lines]) + "\n", encoding="utf-8")
        return path

    return write


def test_there_are_many_names_and_none_is_a_word_of_the_bank() -> None:
    """Check that no town or dish could be read as a person."""
    spec, words = world().story_spec, vocabulary(find_bank("kinship"))
    female, male, unstated = spec.names
    assert not unstated
    assert min(len(female), len(male)) >= 150
    assert len(spec.family_names) > 300
    every = [*female, *male, *spec.family_names]
    assert len(set(every)) == len(every)
    assert not {name.lower() for name in every} & words


def test_a_file_of_names_is_read(names_file) -> None:
    found = read_names(names_file(2, 1, "", "  Zoë ,female", "Anne-Marie\tfemale", "O'Neil,male"))
    assert found == NamePool(("Fara", "Fbra", "Zoë", "Anne-Marie"), ("Maro", "O'Neil"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Ann", "expected a name of letters and female or male after a comma, but got 'Ann'"),
        ("Ann,woman", "but got 'Ann,woman'"),
        ("Ann Lee,female", "but got 'Ann Lee,female'"),
        ("4nn,female", "but got '4nn,female'"),
        ("{x},female", "but got '{x},female'"),
        ("Fara,male", "'Fara' occurs twice; delete one"),
    ],
)
def test_a_wrong_line_is_named(names_file, line, words) -> None:
    with pytest.raises(InvalidOption) as caught:
        read_names(names_file(1, 1, line))
    assert words in str(caught.value)
    assert "names.txt:3" in str(caught.value)


def test_a_file_that_is_not_text_is_refused(tmp_path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="binary:1: is not UTF-8"):
        clutrr(names=str(tmp_path / "binary"))


def test_stories_use_only_names_of_the_file(names_file) -> None:
    file = names_file(9, 9, "Anne-Marie,female", "O'Neil,male", "Zoë,female", "Ñuño,male")
    female, male, _ = read_names(file)
    generator = clutrr("k=2..4 noise=supporting", names=str(file))
    used = set()
    for row in generator.examples(150):
        assert findings(generator, row) == []
        genders = dict(row.metadata["genders"])
        used |= set(genders)
        assert all((name in male) == (kind == "male") for name, kind in genders.items())
    assert used == {*female, *male}
    (source,) = generator.sources()
    assert (source.name, source.version) == ("names.txt", "names")


def test_things_have_no_gender_in_a_file(tmp_path) -> None:
    path = tmp_path / "things.txt"
    path.write_text("teacup\nsaucer\nspoon\nnapkin\n")
    generator = clutrr("world=spatial k=2,3", names=str(path))
    for row in generator.examples(50):
        assert findings(generator, row) == []
    path.write_text("teacup\nsaucer, female\nspoon, male\n")
    with pytest.raises(InvalidOption, match="3: expected a name of letters, but got"):
        read_names(path, ())


def test_a_changed_file_is_read_again(names_file) -> None:
    before = clutrr(names=str(names_file(9)))
    assert len(before.pool().male) == 9
    names_file(10)
    assert len(before.pool().male) == 10


def test_a_name_that_is_a_word_of_the_sentences_is_refused(names_file) -> None:
    """Check that reader and judge cannot confuse a name with a word."""
    for name in ("The", "Son", "Grandmother"):
        with pytest.raises(InvalidOption, match=f"{name!r} is a word of the sentences"):
            clutrr(names=str(names_file(9, 9, f"{name},male")))


@pytest.mark.parametrize(
    ("options", "needed"),
    thinned(
        [
            ({"k": "2"}, 3),
            ({"k": "5"}, 6),
            ({"k": "2", "noise": "supporting", "noise_length": "2"}, 4),
            ({"k": "2", "noise": "irrelevant", "noise_length": "2"}, 5),
            ({"k": "2", "noise": "disconnected", "noise_length": "2"}, 6),
            ({"k": "2", "noise": "disconnected", "noise_length": "2", "noise_paths": 3}, 12),
            ({"k": "2", "noise": "all", "noise_length": "2"}, 9),
            ({"k": "2", "hold_out": "names"}, 10),
        ],
        least=3,
    ),
)
def test_just_enough_names_are_enough_and_one_less_is_refused(names_file, options, needed) -> None:
    with pytest.raises(InvalidOption, match="needs as many names of a kind"):
        Clutrr.configure({**options, "names": str(names_file(needed - 1, 20))})
    enough = Clutrr.configure({**options, "names": str(names_file(needed, needed))})
    assert len(list(enough.examples(300))) == 300


def test_too_few_names_for_many_splits_are_refused(names_file) -> None:
    generator = clutrr("k=2", names=str(names_file(3)))
    splits = tuple(f"part-{n}" for n in range(40))
    with pytest.raises(Infeasible, match="too few for 40 splits to share none; give more names"):
        list(generator.examples(256, split=splits[0], splits=splits))


@pytest.mark.parametrize(("side_facts", "names"), [(0, 6), (2, 8)])
def test_no_two_splits_have_stories_about_the_same_people(
    side_facts: int, names: int, names_file
) -> None:
    """Use so few names that random sets of people would coincide."""
    options = {"k": "2", "names": str(names_file(names)), "side_facts": side_facts}
    generator = Clutrr.configure(options)
    chains = {
        split: {
            frozenset(name for name, _ in row.metadata["genders"])
            for row in generator.examples(400, split=split, splits=("train", "test"))
        }
        for split in ("train", "test")
    }
    assert len(chains["train"]) > 20
    assert not chains["train"] & chains["test"]


@settings(max_examples=scaled(60, least=10))
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), max_size=20), st.integers(0, 9))
def test_names_have_the_requested_gender(rows, seed) -> None:
    pool = NamePool(tuple("ABCDEFGHIJKL"), tuple("abcdefghijkl"))
    deck = Deck(pool, Stream("deck", seed))
    for male in rows:
        first = deck.draw(male, [])
        more = deck.draw(male, first)
        assert len({*first, *more}) == 2 * len(male)
        assert [name.islower() for name in first + more] == male + male


def test_placeholders_show_no_gender() -> None:
    shown: dict[str, set[str]] = {}
    for row in clutrr("anonymize=True k=2..4").examples(400):
        for name, kind in row.metadata["genders"]:
            assert name.startswith("@entity-")
            shown.setdefault(name, set()).add(kind)
    assert len(shown) > 50
    assert all(kinds == {"male", "female"} for kinds in shown.values())

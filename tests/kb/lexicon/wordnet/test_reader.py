"""NLTK reads the same WordNet files."""

from relsmith.kb.lexicon.wordnet import locate, nltk_reader


def test_synsets() -> None:
    assert nltk_reader() is nltk_reader(locate())
    above = nltk_reader().synset("dog.n.01").hypernyms()
    assert {synset.name() for synset in above} == {"canine.n.02", "domestic_animal.n.01"}

"""Built-in facts: many, varied, without duplicates, and grammatical by program."""

import re
from collections import Counter

from relsmith.kb.triples import argument_key, open_store
from relsmith.kb.triples.facts import FOLDER, facts, nonsense
from relsmith.kb.triples.triple import clean

PLURAL_AS_THEY_ARE = set(
    "sheep deer elk salmon cattle people reindeer fish squid clothes scissors bacteria moose bison "
    "starfish tuna herring trout goggles moisturizers".split()
)
SINGULAR_IN_S = {"data", "fish", "the Thames", "the Ganges", "the Netherlands", "the United States"}


def test_facts_are_thousands_without_duplicates() -> None:
    found = list(facts())
    twice = [triple for triple, count in Counter(found).items() if count > 1]
    assert not twice
    assert len(found) >= 12_000
    assert sum(1 for _ in open_store().arguments()) >= 1500
    assert open_store().size == len(found)
    assert len({triple.relation for triple in found}) >= 1000
    assert all(clean(part) == part for triple in found for part in triple[:3])


def test_nonsense_is_kept_apart() -> None:
    senseless = list(nonsense())
    assert len(senseless) >= 1000
    assert set(senseless).isdisjoint(facts())
    noisy = open_store(noisy=True)
    assert noisy.size == open_store().size + len(senseless)
    assert all(clean(part) == part for triple in senseless for part in triple[:3])


def test_every_line_has_three_parts() -> None:
    for path in FOLDER.glob("*.txt"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            parts = re.split(r" \| ", line)
            assert line.startswith("#") or len(parts) == 3, f"{path.name}:{number}: {line}"
            assert "/" not in line.replace(" / ", ""), f"{path.name}:{number}: {line}"
            assert "|" not in line.replace(" | ", ""), f"{path.name}:{number}: {line}"


def test_pairs_have_several_relations_and_arguments_several_answers() -> None:
    found = list(facts())
    relations = Counter((triple.arg1, triple.arg2) for triple in found)
    assert sum(relations.values()) / len(relations) >= 2.5
    answers: dict[str, set[str]] = {}
    for triple in found:
        for one, other in ((triple.arg1, triple.arg2), (triple.arg2, triple.arg1)):
            answers.setdefault(argument_key(one), set()).add(argument_key(other))
    assert sum(len(others) >= 3 for others in answers.values()) >= 300


def is_plural(argument: str) -> bool:
    word = argument.partition(" of ")[0].rpartition(" ")[2]
    if argument in SINGULAR_IN_S or not word.islower():
        return False
    return word in PLURAL_AS_THEY_ARE or argument_key(word) != word


def test_verbs_agree_with_their_subjects() -> None:
    for triple in facts():
        verb = triple.relation.split()[0]
        if triple.arg1 == "fish" or not triple.arg1.split()[-1].islower():
            continue
        if verb in ("is", "was", "has", "does"):
            assert not is_plural(triple.arg1), triple
        if verb in ("are", "were", "have", "do"):
            assert is_plural(triple.arg1), triple


def test_arguments_are_found_by_any_inflection() -> None:
    store = open_store()
    found = {(triple.arg1, triple.relation) for triple in store.about("a headache")}
    assert ("aspirin", "relieves") in found
    assert {(triple.arg1, triple.relation) for triple in store.about("the headaches")} == found
    assert any(triple.arg2 == "Ethiopia" for triple in store.about("Eritrea"))
    assert not list(store.about("unicorns"))

"""The rules recover exactly what simple sentences of every shape say."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from relsmith.kb.triples.extraction import Token, extract, is_tree
from relsmith.kb.triples.ngrams import parse_line
from relsmith.kb.triples.text import PIPELINE, _tokens, load_pipeline
from relsmith.testing.profile import scaled

SENTENCES = {
    "active": ("Aspirin relieves headaches.", "aspirin | relieves | headaches"),
    "active, articles": ("The wolf chased a deer.", "the wolf | chased | a deer"),
    "compound": ("Vitamin C prevents scurvy.", "vitamin C | prevents | scurvy"),
    "proper names": ("Isaac Newton studied light.", "Isaac Newton | studied | light"),
    "possessive": ("Einstein's theory changed physics.", "Einstein's theory | changed | physics"),
    "preposition": ("Whales feed on krill.", "whales | feed on | krill"),
    "two prepositions": (
        "The Nile flows through Egypt into the Mediterranean.",
        "the Nile | flows through | Egypt",
        "the Nile | flows into | the Mediterranean",
    ),
    "adverb of place": ("Spain lies next to Portugal.", "Spain | lies next to | Portugal"),
    "phrasal preposition": ("Doctors look after patients.", "doctors | look after | patients"),
    "object and preposition": (
        "Vaccines protect children from measles.",
        "vaccines | protect | children",
        "vaccines | protect children from | measles",
    ),
    "dative": (
        "Mary gave a book to the boy.",
        "Mary | gave | a book",
        "Mary | gave a book to | the boy",
    ),
    "passive with agent": (
        "Hamlet was written by Shakespeare.",
        "Hamlet | was written by | Shakespeare",
    ),
    "passive with preposition": (
        "Chocolate is made from the cocoa bean.",
        "chocolate | is made from | the cocoa bean",
    ),
    "passive, perfect": (
        "The city has been bombed by the allies.",
        "the city | has been bombed by | the allies",
    ),
    "passive with two complements": (
        "Malaria is transmitted to humans by mosquitoes.",
        "Malaria | is transmitted to | humans",
        "Malaria | is transmitted by | mosquitoes",
    ),
    "passive, compound preposition": (
        "Dams are built by beavers out of branches.",
        "dams | are built by | beavers",
        "dams | are built out of | branches",
    ),
    "passive with predicate": (
        "Victoria was named queen of Canada.",
        "Victoria | was named | queen of Canada",
        "Victoria | was named queen of | Canada",
    ),
    "short passive": ("The museum's owned by the city.", "the museum | is owned by | the city"),
    "copula": ("Whales are mammals.", "whales | are | mammals"),
    "copula and adjective": ("Ice is frozen water.", "ice | is | frozen water"),
    "copula, noun of": (
        "Smoking is the cause of cancer.",
        "smoking | is the cause of | cancer",
    ),
    "copula, noun in": (
        "Mars is a planet in the solar system.",
        "Mars | is | a planet",
        "Mars | is a planet in | the solar system",
    ),
    "quality": ("Kanamycin is useful in infections.", "Kanamycin | is useful in | infections"),
    "comparative": ("Russia is larger than Canada.", "Russia | is larger than | Canada"),
    "long comparative": (
        "Gold is more expensive than silver.",
        "gold | is more expensive than | silver",
    ),
    "quality and infinitive": (
        "Iodine is able to kill germs.",
        "iodine | is able to kill | germs",
    ),
    "light verb": ("Coffee has an effect on sleep.", "Coffee | has an effect on | sleep"),
    "light verb, long object": (
        "Insulin plays a role in the regulation of blood sugar.",
        "Insulin | plays a role in | the regulation of blood sugar",
    ),
    "particle": (
        "Scientists carried out the experiment.",
        "scientists | carried out | the experiment",
    ),
    "particle after the object": (
        "The army carried the plan out.",
        "the army | carried out | the plan",
    ),
    "particle and preposition": (
        "The plane took off from London.",
        "the plane | took off from | London",
    ),
    "auxiliary": ("Farmers may grow rice.", "farmers | may grow | rice"),
    "progressive": (
        "The children are playing in the park.",
        "the children | are playing in | the park",
    ),
    "adverb": (
        "Heavy smoking often leads to lung cancer.",
        "heavy smoking | often leads to | lung cancer",
    ),
    "adverb in a passive": (
        "Quinine is widely used in medicine.",
        "quinine | is widely used in | medicine",
    ),
    "infinitive": ("Exercise helps reduce stress.", "exercise | helps reduce | stress"),
    "infinitive with to": (
        "The president wants to visit Berlin.",
        "the president | wants to visit | Berlin",
    ),
    "infinitive after a passive": (
        "Aspirin is used to treat headaches.",
        "aspirin | is used to treat | headaches",
    ),
    "gerund": (
        "Garlic is used for treating infections.",
        "Garlic | is used for treating | infections",
    ),
    "gerund as subject": ("Smoking causes cancer.", "smoking | causes | cancer"),
    "negation": ("Koalas do not eat meat.", "Koalas | do not eat | meat"),
    "short negation": ("Sharks won't attack divers.", "sharks | will not attack | divers"),
    "never": ("Cats never eat lettuce.", "cats | never eat | lettuce"),
    "negated passive": (
        "Rome was not built by Greeks.",
        "Rome | was not built by | Greeks",
    ),
    "negated copula": ("Cats are not dogs.", "cats | are not | dogs"),
    "no object": ("The bottle contains no sugar.", "the bottle | contains no | sugar"),
    "no effect": ("Tea has no effect on fever.", "Tea | has no effect on | fever"),
    "no subject says nothing of snakes": ("No snakes live in Ireland.",),
    "subjects": (
        "Bees and butterflies visit flowers.",
        "bees | visit | flowers",
        "butterflies | visit | flowers",
    ),
    "objects": ("Cows eat grass and hay.", "cows | eat | grass", "cows | eat | hay"),
    "objects of a preposition": (
        "Elephants live in Africa and Asia.",
        "elephants | live in | Africa",
        "elephants | live in | Asia",
    ),
    "agents": (
        "Silk is produced by silkworms and spiders.",
        "silk | is produced by | silkworms",
        "silk | is produced by | spiders",
    ),
    "verbs": (
        "The farmer plants corn and feeds cows.",
        "the farmer | plants | corn",
        "the farmer | feeds | cows",
    ),
    "verbs that share an auxiliary": (
        "The bridge was built and destroyed by the Romans.",
        "the bridge | was destroyed by | the Romans",
    ),
    "clauses": (
        "Newton discovered gravity, and Darwin proposed evolution.",
        "Newton | discovered | gravity",
        "Darwin | proposed | evolution",
    ),
    "or asserts neither": ("Bees or wasps stung the farmer.",),
    "neither asserts neither": ("Neither cats nor dogs eat grass.",),
    "relative clause": (
        "The man who invented the telephone lived in Boston.",
        "the man | invented | the telephone",
        "the man | lived in | Boston",
    ),
    "passive relative clause": (
        "The novel, which was written by Orwell, describes a farm.",
        "the novel | was written by | Orwell",
        "the novel | describes | a farm",
    ),
    "relative clause, object": (
        "The book that Orwell wrote describes a farm.",
        "Orwell | wrote | the book",
        "the book | describes | a farm",
    ),
    "participle": (
        "A book written by Orwell influenced Huxley.",
        "a book | is written by | Orwell",
        "a book | influenced | Huxley",
    ),
    "apposition": (
        "Paris, the capital of France, attracts tourists.",
        "Paris | is the capital of | France",
        "Paris | attracts | tourists",
    ),
    "there are": ("There are kangaroos in Australia.", "kangaroos | are in | Australia"),
    "of in a subject": (
        "The president of France visited Berlin.",
        "the president of France | visited | Berlin",
    ),
    "a year": ("The war ended in 1945.", "the war | ended in | 1945"),
    "the poor": ("The poor need help.", "the poor | need | help"),
    "hyphen": (
        "The x-ray machine was invented by a German physicist.",
        "the x-ray machine | was invented by | a German physicist",
    ),
    "adverbial clause": (
        "Although garlic smells, chefs use garlic.",
        "chefs | use | garlic",
    ),
    "pronouns say nothing": ("She likes it.",),
    "a question asserts nothing": ("Does aspirin treat headaches?",),
    "a command asserts nothing": ("Do not eat the berries.",),
    "a condition asserts nothing": ("If aspirin treats headaches, it helps.",),
    "hearsay asserts nothing": ("He said that aspirin cures cancer.",),
}


def triples_of(sentence: str) -> list[str]:
    document = load_pipeline(PIPELINE)(sentence)
    return [" | ".join(said) for part in document.sents for said in extract(_tokens(part))]


def test_there_are_enough_shapes() -> None:
    assert len([shape for shape in SENTENCES.values() if len(shape) > 1]) >= 40


@pytest.mark.parametrize("shape", SENTENCES)
def test_sentences_say_exactly_this(shape: str) -> None:
    sentence, *wanted = SENTENCES[shape]
    assert triples_of(sentence) == wanted


FRAGMENTS = {
    "dogs/NNS/nsubj/2 eat/VBP/ROOT/0 meat/NN/dobj/2": "dogs | eat | meat",
    "book/NN/nsubjpass/2 written/VBN/ROOT/0 by/IN/prep/2 men/NNS/pobj/3": (
        "book | is written by | men"
    ),
    "books/NNS/nsubjpass/2 written/VBN/ROOT/0 by/IN/prep/2 men/NNS/pobj/3": (
        "books | are written by | men"
    ),
    "letter/NN/nsubjpass/3 was/VBD/auxpass/3 sent/VBN/ccomp/0 to/TO/prep/3 Paris/NNP/pobj/4": (
        "letter | was sent to | Paris"
    ),
    "Paris/NNP/nsubj/3 is/VBZ/cop/3 capital/NN/ROOT/0 of/IN/prep/3 France/NNP/pobj/4": (
        "Paris | is capital of | France"
    ),
    "drug/NN/nsubj/3 is/VBZ/cop/3 useful/JJ/ROOT/0 in/IN/prep/3 fevers/NNS/pobj/4": (
        "drug | is useful in | fevers"
    ),
    "food/NN/nsubj/2 is/VBZ/ROOT/0 rich/JJ/acomp/2 in/IN/prep/3 iron/NN/pobj/4": (
        "food | is rich in | iron"
    ),
    "girls/NNS/nsubj/2 eating/VBG/ROOT/0 rice/NN/dobj/2": "girls | eat | rice",
    "tree/NN/ROOT/0 bearing/VBG/partmod/1 fruit/NN/dobj/2": "tree | bears | fruit",
    "and/or/CC/nsubj/2 eat/VBP/ROOT/0 meat/NN/dobj/2": "",
    "TCP/IP/NNP/nsubj/2 replaced/VBD/ROOT/0 X.25/NN/dobj/2": "TCP/IP | replaced | X.25",
    "house/NN/ROOT/0 on/IN/prep/1 hill/NN/pobj/2": "",
}


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_fragments_say_exactly_this(fragment: str) -> None:
    tokens, total = parse_line(f"head\t{fragment}\t12\t1999,5\t2000,7")
    assert total == 12
    assert [" | ".join(said) for said in extract(tokens)] == [
        said for said in [FRAGMENTS[fragment]] if said
    ]


LABELS = (
    "nsubj nsubjpass dobj prep pobj agent attr acomp xcomp ccomp conj cc aux auxpass neg prt "
    "det amod compound poss case relcl acl appos advmod mark pcomp expl cop punct ROOT "
    "csubj oprd dative"
).split()
TAGS = "NN NNS NNP VB VBD VBN VBG VBZ IN TO DT JJ RB PRP WDT CD EX CC".split()
WORDS = "it no of by 's n't - which if dogs x".split()


@st.composite
def trees(draw: st.DrawFn) -> list[Token]:
    """Any tree at all, its tokens in any order."""
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(size)))
    tokens: dict[int, Token] = {}
    for rank, at in enumerate(order):
        head = order[draw(st.integers(0, rank - 1))] if rank else -1
        word, tag, label = (draw(st.sampled_from(of)) for of in (WORDS, TAGS, LABELS))
        tokens[at] = Token(word, tag, label, head)
    return [tokens[at] for at in range(size)]


@settings(max_examples=scaled(300))
@example(
    [Token("is", "VBZ", "ROOT", -1), Token("-", "NN", "punct", 0), Token("x", "NN", "appos", 1)]
)
@given(trees())
def test_any_tree_is_read_to_an_end(tokens: list[Token]) -> None:
    assert is_tree(tokens)
    for said in extract(tokens):
        assert all(part == " ".join(part.split()) for part in said)
        assert all(said)


def test_what_is_no_tree_is_seen() -> None:
    assert not is_tree([Token("a", "NN", "dep", 1), Token("b", "NN", "dep", 0)])
    assert not is_tree([Token("a", "NN", "dep", 7)])
    assert not is_tree([Token("a", "NN", "dep", 0)])

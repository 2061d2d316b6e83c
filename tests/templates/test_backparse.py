"""Reading the sentences back, with nothing of the stitcher's: names, nouns, possessives, verbs.

Every one-fact frame, for every relation it can state and all genders, must give its fact back
to a small grammar of English; of longer frames, all people and all relation nouns.
"""

import re
from collections import Counter
from itertools import product

import pytest

from relsmith import Stream
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import render
from relsmith.templates.stitcher import Stitcher

BANK = find_bank("kinship")
STITCHER = Stitcher(BANK)
NAMES = {"male": ["Abel", "Cedric", "Edgar", "Gareth"], "female": ["Bea", "Dora", "Fay", "Hanna"]}
GENDER = {name: gender for gender, names in NAMES.items() for name in names}

# Written out here on purpose: predicate (what the noun's bearer is to its holder) and gender.
NOUNS = {
    "son": ("child", "male"),
    "daughter": ("child", "female"),
    "father": ("inv-child", "male"),
    "mother": ("inv-child", "female"),
    "grandson": ("grand", "male"),
    "granddaughter": ("grand", "female"),
    "grandfather": ("inv-grand", "male"),
    "grandmother": ("inv-grand", "female"),
    "husband": ("SO", "male"),
    "wife": ("SO", "female"),
    "brother": ("sibling", "male"),
    "sister": ("sibling", "female"),
    "son-in-law": ("in-law", "male"),
    "daughter-in-law": ("in-law", "female"),
    "father-in-law": ("inv-in-law", "male"),
    "mother-in-law": ("inv-in-law", "female"),
    "brother-in-law": ("sibling-in-law", "male"),
    "sister-in-law": ("sibling-in-law", "female"),
    "nephew": ("un", "male"),
    "niece": ("un", "female"),
    "uncle": ("inv-un", "male"),
    "aunt": ("inv-un", "female"),
    "dad": ("inv-child", "male"),
    "mum": ("inv-child", "female"),
    "grandpa": ("inv-grand", "male"),
    "grandma": ("inv-grand", "female"),
    "granny": ("inv-grand", "female"),
    "grandchild": ("grand", None),
    "bride": ("SO", "female"),
    "groom": ("SO", "male"),
}
INVERSE = {
    "child": "inv-child",
    "grand": "inv-grand",
    "in-law": "inv-in-law",
    "un": "inv-un",
    "SO": "SO",
    "sibling": "sibling",
    "sibling-in-law": "sibling-in-law",
}
INVERSE |= {back: there for there, back in INVERSE.items()}
# Words that join two people evenly.
EVEN = {
    "SO": r"married|marry|marrying|wed|wedding|wedded|honeymoon|husband and wife|man and wife|"
    r"marriage|bride|groom|registrar",
    "sibling": r"siblings?|sisters|brothers|brother and sister",
}

PERSON = r"\b(?:" + "|".join(sorted(GENDER)) + r")\b"
NOUN = r"(?<![-\w])(?P<noun>" + "|".join(sorted(NOUNS, key=len, reverse=True)) + r")(?![-\w])"
BEFORE = re.compile(
    rf"(?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b|\b[Mm]y\b|\bwhose\b)"
    rf"(?P<between>(?: (?!(?:his|her)\b)[\w-]+){{0,4}}?) {NOUN}"
)
AFTER = re.compile(rf"{NOUN} (?:of|to) (?P<holder>{PERSON})(?!'s)")


def people(text):
    return sorted(set(re.findall(PERSON, text)))


def resolve(word, text, position):
    """Whom a possessive means: the person named, or the one of that gender named before."""
    if word.removesuffix("'s") in GENDER:
        return word.removesuffix("'s")
    before = re.findall(PERSON, text[:position])
    if word.lower() in ("his", "her"):
        gender = "male" if word.lower() == "his" else "female"
        found = sorted({name for name in before if GENDER[name] == gender})
        assert len(found) == 1, f"{word!r} could mean {found} in {text!r}"
        return found[0]
    if word == "whose":
        return before[-1]
    return None  # "my": known when the speaker is


def read(text):
    """All facts (x, predicate, y) that a sentence about two people states by the grammar."""
    one, other = people(text)
    facts = set()
    for pattern in (BEFORE, AFTER):
        for match in pattern.finditer(text):
            predicate, gender = NOUNS[match["noun"]]
            holder = resolve(match["holder"], text, match.start())
            if holder is None:
                # Speech: the speaker holds it, and speaks of the person of the noun's gender.
                quote = re.search(rf'" ?(?:said|asked|cried) (?:\w+ )?({PERSON})', text)
                assert quote, text
                holder = quote[1]
            bearer = other if holder == one else one
            assert gender in (None, GENDER[bearer]), f"{match[0]!r} does not fit in {text!r}"
            facts.add((holder, predicate, bearer))
    if not facts:
        for match in re.finditer(NOUN, text):
            # "Uncle Abel", "a grandmother": the noun's bearer is whoever has its gender.
            predicate, gender = NOUNS[match["noun"]]
            bearers = [name for name in (one, other) if gender in (None, GENDER[name])]
            if len(bearers) == 1:
                (bearer,) = bearers
                facts.add((other if bearer == one else one, predicate, bearer))
    for predicate, words in EVEN.items():
        if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE):
            facts.add((one, predicate, other))
    return facts


def same(fact):
    """A fact whichever way round."""
    x, predicate, y = fact
    return min(fact, (y, INVERSE[predicate], x))


def assignments(frame):
    """The frame with every relation it can state, for all genders that fit, and real names.

    Of long frames that take any relations, a few of the more than thousand combinations.
    """
    clauses = list(product(*map(sorted, frame.predicates)))
    if len(clauses) > 11:
        clauses = Stream(frame.id).sample(clauses, 5)
    for clause in clauses:
        for kinds in product(("male", "female"), repeat=len(frame.path)):
            wed = any(name == "SO" and kinds[n] == kinds[n + 1] for n, name in enumerate(clause))
            if wed or not frame.fits(kinds):
                continue
            names = [NAMES[kind][n] for n, kind in enumerate(kinds)]
            yield clause, names, render(STITCHER, frame, False, clause, kinds, names)


ONE = [frame for frame in BANK.frames if len(frame.predicates) == 1]
MORE = [frame for frame in BANK.frames if len(frame.predicates) > 1]


@pytest.mark.parametrize("theme", sorted({frame.theme for frame in ONE}))
def test_one_fact_frames_are_read_back(theme):
    wrong = []
    for frame in ONE:
        if frame.theme != theme:
            continue
        for (predicate,), (x, y), text in assignments(frame):
            facts = {same(fact) for fact in read(text)}
            if facts != {same((x, predicate, y))}:
                wrong.append(f"{frame.id} ({x}, {predicate}, {y}): {facts} from {text}")
                break
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("theme", sorted({frame.theme for frame in MORE}))
def test_longer_frames_name_all_people_and_relations(theme):
    wrong = []
    for frame in MORE:
        if frame.theme != theme:
            continue
        for clause, names, text in assignments(frame):
            if set(people(text)) != set(names):
                wrong.append(f"{frame.id}: {names} in {text}")
            nouns = Counter(NOUNS[m["noun"]][0] for m in re.finditer(NOUN, text))
            for predicate in clause:
                spoken = nouns[predicate] + nouns[INVERSE[predicate]]
                plural = {
                    "child": "sons|daughters|children|kids|parents|parent",
                    "inv-child": "sons|daughters|children|kids|parents|parent",
                }
                words = EVEN.get(predicate) or plural.get(predicate)
                if not spoken and not (words and re.search(rf"\b(?:{words})\b", text, re.I)):
                    wrong.append(f"{frame.id}: {predicate} is not in {text}")
            stray = set(nouns) - set(clause) - {INVERSE[predicate] for predicate in clause}
            if stray:
                wrong.append(f"{frame.id}: {stray} in {text}")
    assert not wrong, "\n" + "\n".join(wrong[:20])


def test_what_the_stitcher_tells_is_read_back_whichever_way_round_it_got_the_fact():
    stream = Stream("read back")
    for n in range(3000):
        predicate = stream.choice(sorted(INVERSE))
        kinds = [stream.choice(("male", "female")) for _ in range(2)]
        if predicate == "SO":
            kinds[1] = "female" if kinds[0] == "male" else "male"
        x, y = (NAMES[kind][n] for n, kind in enumerate(kinds))
        fact = (x, predicate, y) if n % 2 else (y, INVERSE[predicate], x)
        path = (GENDER[fact[0]], fact[1], GENDER[fact[2]])
        (line,) = STITCHER.along([fact[0], fact[2]], path, stream)
        assert {same(read_back) for read_back in read(line.text)} == {same(fact)}, line.text

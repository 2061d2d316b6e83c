"""Reading the sentences back, with nothing of the stitcher's: names, nouns, possessives, verbs.

Every one-fact frame, for every relation it can state and all genders, must give its fact back
to a small grammar of English, or to a phrase written down here where it has a form of its own. Of
longer frames the grammar reads each fact by itself: none that is not stated, and all of them, but
for frames that tell without a noun beside the name; those must name all people and relations.
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

# How facts are told without a noun beside the name. X and Y are people, K what Y is to X, R what X
# is to Y, A an article; before the colon the fact (X, predicate, Y) where no noun tells it.
PHRASES = r"""
: X has kept every letter from Y. (?:He|She|X) could not wish for a better K
: Y, of all people, won the raffle, to the delight of X, whose K
: Y, it turned out, was the K for whom X
: was Y, K to X
: tell X, and as K it was up to Y
: X introduced the speaker, Y, without a word about being R
: came Y, which X, as (?:his|her) R,
: Not as a colleague but as A K, Y told X
: went to Y, K to X
: X has few visitors, but there is A K who comes every week, and that is Y
: X and Y, R and K,
: X in front and Y behind, R and K
: X and Y took the last two seats, R and K,
: One was Y, and the other, being R to the first, was X
: The K about whom X talks so much turned out to be Y
: If X mentions A K with a weakness for hats, Y is meant
: Of Y it is said that X could not have wished for a better K
: To X, Y is more than A K
: Y is to X simply A K who
: In X, Y has A R who
: X found in Y A K who
: being K to X, as Y admits
: Being K to X has its price, and Y pays
: Y came last, .*X was glad to have such A K
: Y is known .* having X as A R
: Y ate what X had cooked, as a loyal K would
: My K is called Y," X told
: Is Y really your K\?" the dentist asked X
: You must be X's K," the landlady said to Y
: Who is Y\?" asked the inspector. "My K," X replied
: Y is my K," said X
: Did you know that Y, of all people, is X's K\?
: How on earth did X come by A K like Y\?
: This is Y, my K," said X
: Whose K are you\?" the guide asked Y. "X's,"
: As your R," X told Y
: I have A K in the navy," said X, meaning Y
: Happy birthday to the finest K in the world," X wrote to Y
: Asked for a relative to ring, X wrote: Y, K
: X\? That is my R," Y explained
: Be nice to Y," X told the host. "That is my K
: Who would have thought that Y had X for A R\?
: form about X, beside "K", stands Y
: the clerk asked X and Y. "Y is my K," X said
: Y signed the card "your loving K", and X put
: about my K," said X, and Y blushed
: anything that Y would not do for X, so dear A R\?
: one for my K," said X, nodding towards Y
: Say hello to your R," the nurse told Y, and X looked up
: stands Y, .* before it X, R and best customer
: X spoke for an hour .* about Y, the K who
: You have A R to be proud of," the mayor told Y, and X pretended
: Is your K in\?" a voice asked X. Y waved
: called X. "It is Y, my K,
: said Y. "No, you are my K," said X
: Could it be that X is Y's R\?
: without my K\?" sighed X, and Y passed
child: X (?:gave|had given) birth to Y
child: X gave birth in a lighthouse, .* named the child Y
child: at the birth of Y, so X had to push
child: Before the birth X carried Y
child: Y was born to X
child: X fathered Y
child: X has been a parent to Y
child: Y has X for a parent
child: birth certificate of Y gives the name of X as a parent
child: X saw Y being born and has been a doting parent
sibling: X and Y (?:were born to|have) .*the same parents
sibling: X shares both parents with Y
sibling: Y was born to the same parents as X
sibling: X and Y, and one pair of parents had painted both
SO: X walked down the aisle towards Y, and both said yes to marriage
SO: registrar asked X and Y
SO: X took Y's surname on the day they wed
SO: in X's hair a week after the wedding to Y
SO: X asked Y, who said yes before the registrar
grand: Y is the child of one of X's children
grand: Y has a parent who is a child of X
grand: X brought up the very parent who brought up Y
grand: One of X's children is a parent of Y
in-law: Y married one of X's children
in-law: One of X's children said yes to Y
in-law: X wept as Y wed one of (?:his|her) children
in-law: one of X's children had married: it is Y
un: Y is the child of one of X's siblings
un: X has a sibling whose child is Y
un: One of X's siblings is a parent of Y
"""
SEVERAL_OF = {
    "child": "sons|daughters|children|parents?",
    "inv-child": "sons|daughters|children|parents?",
    "sibling": "brothers|sisters|siblings|parents",
    "grand": "grandchildren|grandsons|granddaughters|grandparents",
    "inv-grand": "grandchildren|grandsons|granddaughters|grandparents",
    "un": "nephews|nieces|uncles|aunts",
    "inv-un": "nephews|nieces|uncles|aunts",
    "in-law": "sons-in-law|daughters-in-law|one of .* children",
    "inv-in-law": "sons-in-law|daughters-in-law",
    "sibling-in-law": "brothers-in-law|sisters-in-law",
}
# Themes whose longer frames tell of people in these and other ways, and words that tell of several.
FORMS = {"later", "across", "distant", "roles", "spoken", "shared", "plurals", "events"}
SEVERAL = r"sons|daughters|children|kids|parents?|siblings|brothers|sisters|both|generations"

PERSON = r"\b(?:" + "|".join(sorted(GENDER)) + r")\b"
NOUN = r"(?<![-\w])(?P<noun>" + "|".join(sorted(NOUNS, key=len, reverse=True)) + r")(?![-\w])"
BEFORE = re.compile(
    rf"(?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b|\b[Mm]y\b|\bwhose\b)"
    rf"(?P<between>(?: (?!(?:his|her)\b)[\w-]+){{0,4}}?) {NOUN}"
)
AFTER = re.compile(rf"{NOUN} (?:of|to) (?P<holder>{PERSON})(?!'s)")


# The noun with whose it is, and the name of whom it is said.
TOLD = [
    re.compile(pattern)
    for pattern in (
        rf"(?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b|\bwhose\b)(?: own)? {NOUN},? "
        rf"(?P<bearer>{PERSON})",
        rf"(?P<bearer>{PERSON})(?:, who is|,| is| is also|, who as|, whom everybody knows as|, as|"
        rf", being) (?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b) {NOUN}",
        rf"(?P<bearer>{PERSON})(?:, who is|,| is|)(?: the| an?)? {NOUN} (?:of|to) "
        rf"(?:(?:{PERSON}'s|his|her) [\w-]+ )?(?P<holder>{PERSON})(?!'s)",
        rf"(?P<bearer>{PERSON}) is {PERSON}'s [\w-]+ (?:as well as|and) "
        rf"(?P<holder>{PERSON}'s) {NOUN}",
        rf"my {NOUN} (?P<bearer>{PERSON})\?\" asked (?P<holder>{PERSON})",
        rf"(?P<bearer>{PERSON}) [\w ]+, being the {NOUN} of (?P<holder>{PERSON})",
        rf"(?P<holder>{PERSON}) has an? {NOUN} to teach as well, (?P<bearer>{PERSON})",
        rf"\"Ask (?P<bearer>{PERSON}),\" said (?P<holder>{PERSON}), pointing at (?:his|her) {NOUN}",
        rf"(?P<bearer>{PERSON}) is the {NOUN} of {PERSON}'s own [\w-]+, (?P<holder>{PERSON})",
    )
]


def phrases():
    """The phrases as patterns, each with its predicate if no noun tells it."""
    for line in PHRASES.strip().splitlines():
        predicate, _, phrase = line.partition(": ")
        noun = NOUN.replace("?P<noun>", "")
        for sign, pattern in (("X", PERSON), ("Y", PERSON), ("K", noun), ("R", noun)):
            named, again = f"(?P<{sign}>{pattern})", f"(?P={sign})"
            head, *rest = re.split(rf"\b{sign}\b(?!>)", phrase)
            phrase = head + "".join([(again if n else named) + r for n, r in enumerate(rest)])
        yield predicate.removesuffix(":"), re.compile(re.sub(r"\bA\b", "an?", phrase))


PATTERNS = list(phrases())


def told_otherwise(text):
    """All facts that a phrase tells."""
    facts = set()
    for predicate, pattern in PATTERNS:
        for match in pattern.finditer(text):
            x, y = match["X"], match["Y"]
            if predicate:
                facts.add(same((x, predicate, y)))
            for sign, holder, bearer in (("K", x, y), ("R", y, x)):
                if match.groupdict().get(sign):
                    name, gender = NOUNS[match[sign]]
                    assert gender in (None, GENDER[bearer]), f"{match[0]!r} in {text!r}"
                    facts.add(same((holder, name, bearer)))
    return facts


def read_each(text):
    """The facts that a longer text states by a noun next to a name."""
    facts = set()
    for pattern in TOLD:
        for match in pattern.finditer(text):
            holder = resolve(match["holder"], text, match.start("holder"))
            if holder == match["bearer"]:  # "Abel, his wife Dora and ...": a list
                continue
            facts.add(same((holder, NOUNS[match["noun"]][0], match["bearer"])))
    return facts


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
            facts = told_otherwise(text) or {same(fact) for fact in read(text)}
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
                if frame.theme in ("plurals", "events"):
                    words = SEVERAL_OF.get(predicate, words)
                if not spoken and not (words and re.search(rf"\b(?:{words})\b", text, re.I)):
                    wrong.append(f"{frame.id}: {predicate} is not in {text}")
            stray = set(nouns) - set(clause) - {INVERSE[predicate] for predicate in clause}
            if stray:
                wrong.append(f"{frame.id}: {stray} in {text}")
    assert not wrong, "\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("theme", sorted({frame.theme for frame in MORE}))
def test_each_fact_of_a_longer_frame_is_read_back(theme):
    """People, relation and direction; pronouns by the one person they can mean."""
    wrong, exact = [], 0
    for frame in MORE:
        if frame.theme != theme:
            continue
        for clause, names, text in assignments(frame):
            facts = {
                same((x, name, y)) for x, name, y in zip(names, clause, names[1:], strict=False)
            }
            found = read_each(text)
            evenly = re.search(rf"\b(?:{EVEN['SO']}|{SEVERAL})\b", text, re.I)
            exact += found == facts
            if found - facts or (found != facts and theme not in FORMS and not evenly):
                wrong.append(f"{frame.id}: {found} of {facts} in {text}")
    assert not wrong, "\n" + "\n".join(wrong[:20])
    assert exact or theme in FORMS


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
        line, *_ = STITCHER.along([fact[0], fact[2]], path, stream)
        facts = told_otherwise(line.text) or {same(read_back) for read_back in read(line.text)}
        assert facts == {same(fact)}, line.text

"""Sentences parsed back without the stitcher: names, nouns, possessives, verbs.

Every one-fact frame, for every relation it can state and all genders, must give its fact back
to a small grammar of English, or to a phrase written down here where it has a form of its own. Of
longer frames the grammar reads each fact by itself: none that is not stated, and all of them, but
for frames that tell without a noun beside the name; those must name all people and relations.
"""

import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
import yaml

from relsmith import Stream
from relsmith.templates.bank import find_bank
from relsmith.templates.samples import render
from relsmith.templates.stitcher import Stitcher
from relsmith.testing.profile import profile, scaled, thinned

BANK = find_bank("kinship")
STITCHER = Stitcher(BANK)
NAMES = {"male": ["Abel", "Cedric", "Edgar", "Gareth"], "female": ["Bea", "Dora", "Fay", "Hanna"]}
GENDER = {name: gender for gender, names in NAMES.items() for name in names}

# Written by hand on purpose: predicate (relation of the noun's bearer to its holder) and gender.
NOUNS = {
    noun: (predicate, gender)
    for predicate, nouns in {
        "child": "son daughter",
        "inv-child": "father mother dad mum",
        "grand": "grandson granddaughter",
        "inv-grand": "grandfather grandmother grandpa grandma",
        "SO": "husband wife groom bride",
        "sibling": "brother sister",
        "in-law": "son-in-law daughter-in-law",
        "inv-in-law": "father-in-law mother-in-law",
        "sibling-in-law": "brother-in-law sister-in-law",
        "un": "nephew niece",
        "inv-un": "uncle aunt",
    }.items()
    for noun, gender in zip(nouns.split(), ("male", "female") * 2, strict=False)
}
NOUNS |= {"granny": ("inv-grand", "female"), "grandchild": ("grand", None)}
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
# Words that join two people symmetrically.
EVEN = {
    "SO": r"married|marry|marrying|wed|wedding|wedded|honeymoon|husband and wife|man and wife|"
    r"marriage|bride|groom|registrar",
    "sibling": r"siblings?|sisters|brothers|brother and sister",
}

# Facts stated without a noun next to the name.
KINSHIP = yaml.safe_load(Path(__file__).with_name("phrases_of_kinship.yaml").read_text())
PHRASES, TOGETHER = KINSHIP["one fact"], KINSHIP["several facts"]
PLURALS = {
    plural: (predicate, gender)
    for predicate, plurals in {
        "child": "sons daughters children",
        "inv-child": "- - parents",
        "grand": "grandsons granddaughters grandchildren",
        "inv-grand": "- - grandparents",
        "sibling": "brothers sisters siblings",
        "un": "nephews nieces",
        "inv-un": "uncles aunts",
        "in-law": "sons-in-law daughters-in-law",
        "inv-in-law": "- - parents-in-law",
        "sibling-in-law": "brothers-in-law sisters-in-law",
    }.items()
    for plural, gender in zip(plurals.split(), ("male", "female", None), strict=False)
    if plural != "-"
}
# The longer frames of these themes up to this number are checked by readers only.
BY_EYE = {"later": 38, "across": 35, "distant": 38, "roles": 29, "spoken": 42, "events": 40}
SEVERAL_OF = {
    "child": "sons|daughters|children|parents?|born|birth",
    "inv-child": "sons|daughters|children|parents?|born|birth",
    "sibling": "brothers|sisters|siblings|parents",
    "grand": "grandchildren|grandsons|granddaughters|grandparents",
    "inv-grand": "grandchildren|grandsons|granddaughters|grandparents",
    "un": "nephews|nieces|uncles|aunts",
    "inv-un": "nephews|nieces|uncles|aunts",
    "in-law": "sons-in-law|daughters-in-law|parents-in-law|one of .* children",
    "inv-in-law": "sons-in-law|daughters-in-law|parents-in-law|one of .* children",
    "sibling-in-law": "brothers-in-law|sisters-in-law",
}
# Themes whose longer frames state facts in these and other ways, and words for several people.
FORMS = {"later", "across", "distant", "roles", "spoken", "shared", "plurals", "events"}
SEVERAL = r"sons|daughters|children|kids|parents?|siblings|brothers|sisters|both|generations"

PERSON = r"\b(?:" + "|".join(sorted(GENDER)) + r")\b"
NOUN = r"(?<![-\w])(?P<noun>" + "|".join(sorted(NOUNS, key=len, reverse=True)) + r")(?![-\w])"
BEFORE = re.compile(
    rf"(?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b|\b[Mm]y\b|\bwhose\b)"
    rf"(?P<between>(?: (?!(?:his|her)\b)[\w-]+){{0,4}}?) {NOUN}"
)
AFTER = re.compile(rf"{NOUN} (?:of|to) (?P<holder>{PERSON})(?!'s)")


# The noun with its holder, and the name of its bearer.
TOLD = [
    re.compile(pattern)
    for pattern in (
        rf"(?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b|\bwhose\b)(?: own)? {NOUN},? "
        rf"(?P<bearer>{PERSON})",
        rf"(?P<bearer>{PERSON})(?:, who was|,| was(?: also)?|, who as|, whom everybody knows as|"
        rf", as|, being) (?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b) {NOUN}",
        rf"(?P<bearer>{PERSON})(?:, who was|,| was|)(?: the| an?)? {NOUN} (?:of|to) "
        rf"(?:(?:{PERSON}'s|his|her) [\w-]+ )?(?P<holder>{PERSON})(?!'s)",
        rf"(?P<bearer>{PERSON}) was {PERSON}'s [\w-]+ (?:as well as|and) "
        rf"(?P<holder>{PERSON}'s) {NOUN}",
        rf"my {NOUN} (?P<bearer>{PERSON})\?\" asked (?P<holder>{PERSON})",
        rf"\"[^\"]*\b[Mm]y {NOUN} (?P<bearer>{PERSON})\b[^\"]*\" said (?P<holder>{PERSON})",
        rf"\b(?P<bearer>{PERSON}) is my {NOUN},\" said (?P<holder>{PERSON})",
        rf"(?P<bearer>{PERSON}) [\w ]+, being the {NOUN} of (?P<holder>{PERSON})",
        rf"(?P<holder>{PERSON}) had an? {NOUN} to teach as well, (?P<bearer>{PERSON})",
        rf"\"Ask (?P<bearer>{PERSON}),\" said (?P<holder>{PERSON}), pointing at (?:his|her) {NOUN}",
        rf"(?P<bearer>{PERSON}) was the {NOUN} of {PERSON}'s own [\w-]+, (?P<holder>{PERSON})",
    )
]


SHARED = re.compile(rf"\b(?:[Tt]heir|[Oo]ur) {NOUN},? (?P<bearer>{PERSON})")
PLURAL = rf"(?<![-\w])(?P<noun>{'|'.join(sorted(PLURALS, key=len, reverse=True))})(?![-\w])"
LISTED = [
    re.compile(rf"(?P<holder>{PERSON}'s|\b[Hh]is\b|\b[Hh]er\b) {PLURAL}"),
    re.compile(rf"{PLURAL} (?:of|to) (?P<holder>{PERSON})"),
    re.compile(rf"(?P<holder>{PERSON}) (?:had|got \w+ \w+ from both) {PLURAL}"),
]


def phrases(lines):
    """Yield the phrases as patterns, each with its predicate if it has no noun."""
    for line in lines.strip().splitlines():
        predicate, _, phrase = line.partition(": ")
        noun = NOUN.replace("?P<noun>", "")
        for sign, pattern in zip("XYZKR", [*[PERSON] * 3, noun, noun], strict=True):
            named, again = f"(?P<{sign}>{pattern})", f"(?P={sign})"
            head, *rest = re.split(rf"\b{sign}\b(?!>)", phrase)
            phrase = head + "".join([(again if n else named) + r for n, r in enumerate(rest)])
        yield predicate.removesuffix(":"), re.compile(re.sub(r"\bA\b", "an?", phrase))


PATTERNS = list(phrases(PHRASES))
PATTERNS_TOGETHER = PATTERNS + list(phrases(TOGETHER))


def facts_of_phrases(text, patterns=PATTERNS):
    """Return all facts stated by phrases."""
    facts = set()
    for predicate, pattern in patterns:
        for match in pattern.finditer(text):
            x, y = match["X"], match["Y"]
            if predicate:
                facts.add(same((x, predicate, y)))
            told = match.groupdict()
            for sign, holder, bearer in (("K", x, y), ("K", told.get("Z"), y), ("R", y, x)):
                if told.get(sign) and holder:
                    name, gender = NOUNS[match[sign]]
                    assert gender in (None, GENDER[bearer]), f"{match[0]!r} in {text!r}"
                    facts.add(same((holder, name, bearer)))
    return facts


def read_each(text):
    """Return the facts that a longer text states by a noun next to a name."""
    facts = set()
    for pattern in TOLD:
        for match in pattern.finditer(text):
            holder = resolve(match["holder"], text, match.start("holder"))
            if holder == match["bearer"]:  # "Abel, his wife Dora and ...": a list
                continue
            facts.add(same((holder, NOUNS[match["noun"]][0], match["bearer"])))
    return facts


def facts_of_shared_nouns(text):
    """Return facts about two people at once: `their`, or a noun for both."""
    facts = set()
    for match in SHARED.finditer(text):
        name, gender = NOUNS[match["noun"]]
        assert gender in (None, GENDER[match["bearer"]]), text
        facts |= {same((x, name, match["bearer"])) for x in people(text) if x != match["bearer"]}
    for match in (match for pattern in LISTED for match in pattern.finditer(text)):
        name, gender = PLURALS[match["noun"]]
        holder = resolve(match["holder"], text, match.start("holder"))
        others = [person for person in people(text) if person != holder]
        assert all(gender in (None, GENDER[person]) for person in others), text
        facts |= {same((holder, name, person)) for person in others}
    return facts


def people(text):
    return sorted(set(re.findall(PERSON, text)))


def resolve(word, text, position):
    """Return the possessor: the person named, or the one of that gender mentioned before."""
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
    """Return all facts (x, predicate, y) that a sentence about two people states."""
    one, other = people(text)
    facts = set()
    for pattern in (BEFORE, AFTER):
        for match in pattern.finditer(text):
            predicate, gender = NOUNS[match["noun"]]
            holder = resolve(match["holder"], text, match.start())
            if holder is None:
                # Speech: the speaker is the holder, and speaks of the person of the noun's gender.
                quote = re.search(rf'" ?(?:said|asked|cried) (?:\w+ )?({PERSON})', text)
                assert quote, text
                holder = quote[1]
            bearer = other if holder == one else one
            assert gender in (None, GENDER[bearer]), f"{match[0]!r} does not fit in {text!r}"
            facts.add((holder, predicate, bearer))
    if not facts:
        for match in re.finditer(NOUN, text):
            # "Uncle Abel", "a grandmother": the bearer of the noun is the person of its gender.
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
    """Return a fact in both directions."""
    x, predicate, y = fact
    return min(fact, (y, INVERSE[predicate], x))


def assignments(frame):
    """Yield the frame with every relation it can state, for all genders that fit, and real names.

    Of long frames for any relation, a few of more than a thousand combinations.
    """
    clauses = list(product(*map(sorted, frame.predicates)))
    if len(clauses) > 11:
        clauses = Stream(frame.id).sample(clauses, scaled(5, least=2))
    genders = product(("male", "female"), repeat=len(frame.path))
    step = 3 if profile() == "quick" else 1  # all genders in turn
    fitting = [
        (clause, kinds)
        for clause, kinds in product(clauses, genders)
        if frame.fits(kinds)
        and not any(name == "SO" and kinds[n] == kinds[n + 1] for n, name in enumerate(clause))
    ]
    for clause, kinds in fitting[::step]:
        names = [NAMES[kind][n] for n, kind in enumerate(kinds)]
        yield clause, names, render(STITCHER, frame, False, clause, kinds, names)


BACKGROUND = [frame for frame in BANK.frames if not frame.scene]
ONE = [frame for frame in BACKGROUND if len(frame.predicates) == 1]
MORE = [frame for frame in BACKGROUND if len(frame.predicates) > 1]
IN_SCENES = thinned([frame for frame in BANK.frames if frame.scene and frame.predicates], least=90)


@pytest.mark.parametrize("theme", sorted({frame.theme for frame in ONE}))
def test_one_fact_frames_are_read_back(theme):
    wrong = []
    for frame in ONE:
        if frame.theme != theme:
            continue
        for (predicate,), (x, y), text in assignments(frame):
            facts = facts_of_phrases(text) or {same(fact) for fact in read(text)}
            if facts != {same((x, predicate, y))}:
                wrong.append(f"{frame.id} ({x}, {predicate}, {y}): {facts} from {text}")
                break
    assert not wrong, "\n" + "\n".join(wrong)


def test_frames_of_scenes_state_their_facts_and_no_others():
    """Check that all people and relations are named, and no others."""
    wrong = []
    for frame in IN_SCENES:
        for clause, names, text in assignments(frame):
            nouns = {NOUNS[match["noun"]][0] for match in re.finditer(NOUN, text)}
            either = set(clause) | {INVERSE[predicate] for predicate in clause}
            if (
                set(people(text)) != set(names)
                or not nouns <= either
                or (not all({name, INVERSE[name]} & nouns for name in clause))
            ):
                wrong.append(f"{frame.id}: {clause} of {names} in {text}")
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
    """Compare people, relation and direction; pronouns by the one person they can mean."""
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


@pytest.mark.parametrize("theme", sorted({frame.theme for frame in MORE} & FORMS))
def test_each_fact_of_a_longer_frame_is_read_in_its_own_form(theme):
    """Check that the parse has all facts and no others."""
    wrong = []
    for frame in MORE:
        if frame.theme != theme or int(frame.id.split("-")[1]) <= BY_EYE.get(theme, 0):
            continue
        for clause, names, text in assignments(frame):
            facts = {
                same((x, name, y)) for x, name, y in zip(names, clause, names[1:], strict=False)
            }
            found = read_each(text) | facts_of_phrases(text, PATTERNS_TOGETHER)
            if theme in ("shared", "plurals"):
                found |= facts_of_shared_nouns(text)
            if found != facts:
                wrong.append(f"{frame.id}: {found} of {facts} in {text}")
                break
    assert not wrong, "\n" + "\n".join(wrong)


def test_realized_facts_are_parsed_back_in_either_direction():
    stream = Stream("read back")
    for n in range(3000):
        predicate = stream.choice(sorted(INVERSE))
        kinds = [stream.choice(("male", "female")) for _ in range(2)]
        if predicate == "SO":
            kinds[1] = "female" if kinds[0] == "male" else "male"
        x, y = (NAMES[kind][n] for n, kind in enumerate(kinds))
        fact = (x, predicate, y) if n % 2 else (y, INVERSE[predicate], x)
        path = (GENDER[fact[0]], fact[1], GENDER[fact[2]])
        line, *_ = STITCHER.realize_path([fact[0], fact[2]], path, stream)
        facts = facts_of_phrases(line.text) or {same(read_back) for read_back in read(line.text)}
        assert facts == {same(fact)}, line.text

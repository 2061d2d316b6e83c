"""Frames of extended families parsed back by a small independent grammar of English."""

import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest
import yaml

from relsmith.templates.bank import find_bank
from relsmith.templates.samples import render
from relsmith.templates.stitcher import Stitcher
from relsmith.testing.profile import profile

BANK = find_bank("kinship-extended")
NAMES = {
    "male": ["Abel", "Cedric", "Edgar", "Gareth"],
    "female": ["Bea", "Dora", "Fay", "Hanna"],
}
GENDER = {name: gender for gender, names in NAMES.items() for name in names}

# Written by hand on purpose: predicate (relation of the noun's bearer to its holder) and gender.
WORDS = {
    "child": "son daughter",
    "inv-child": "father mother",
    "grand": "grandson granddaughter",
    "inv-grand": "grandfather grandmother",
    "great-grand": "great-grandson great-granddaughter",
    "inv-great-grand": "great-grandfather great-grandmother",
    "SO": "husband wife",
    "ex-SO": "ex-husband ex-wife",
    "sibling": "brother sister",
    "half-sibling": "half-brother half-sister",
    "step-child": "stepson stepdaughter",
    "inv-step-child": "stepfather stepmother",
    "step-sibling": "stepbrother stepsister",
    "in-law": "son-in-law daughter-in-law",
    "inv-in-law": "father-in-law mother-in-law",
    "sibling-in-law": "brother-in-law sister-in-law",
    "un": "nephew niece",
    "inv-un": "uncle aunt",
    "great-un": "great-nephew great-niece",
    "inv-great-un": "great-uncle great-aunt",
    "godchild": "godson goddaughter",
    "inv-godchild": "godfather godmother",
}
NOUNS = {
    noun: (name, gender)
    for name, every in WORDS.items()
    for noun, gender in zip(every.split(), NAMES, strict=True)
}
NOUNS |= {
    "first cousin": ("cousin", None),
    "first cousin once removed": ("cousin-once-removed", None),
    "first cousin twice removed": ("cousin-twice-removed", None),
    "second cousin": ("second-cousin", None),
    "second cousin once removed": ("second-cousin-once-removed", None),
    "second cousin twice removed": ("second-cousin-twice-removed", None),
}


def inverse(name):
    if name in ("SO", "ex-SO") or "sibling" in name or "cousin" in name:
        return name
    return name.removeprefix("inv-") if name.startswith("inv-") else f"inv-{name}"


NAME = rf"({'|'.join(GENDER)})\b"
NOUN = re.compile(rf"\b({'|'.join(sorted(NOUNS, key=len, reverse=True))})\b(?!-)")
HOLDER = rf"(?:{NAME}'s|(?:[Hh]is|[Hh]er))"

PRONOUNS = {"his": "male", "her": "female"}

# Text before and after a noun, and which names are those of its holder and bearer:
# h and b before, H and B after. If a pronoun is the holder, it is the other person of its gender.
CONTEXTS = [
    (rf"(?<!')\b(?P<b>{NAME}),? (?:who is |as )?(?P<h>{HOLDER}) $", r""),
    (rf"(?P<h>{HOLDER}) $", rf",? (?P<B>{NAME})(?!')"),
    (rf"(?:being|as) (?P<h>{HOLDER}) $", rf", (?P<B>{NAME})"),
    (rf"\b(?P<b>{NAME})(?:, after all,)? (?:is|was) (?P<h>{HOLDER}) $", r""),
    (rf"\b(?P<b>{NAME}) is my $", rf'[,.]+" said (?P<H>{NAME})'),
    (rf'said (?P<h>{NAME}), "and (?P<b>{NAME}) is my $', r""),
]

KINSHIP = yaml.safe_load(Path(__file__).with_name("phrases_of_kinship.yaml").read_text())
EVENLY = {
    "SO": [r"X is married to Y"],
    "ex-SO": [r"X is divorced from Y", r"The divorce of X and Y"],
}


ANY_NOUN = rf"(?P<noun>{'|'.join(sorted(NOUNS, key=len, reverse=True))})(?![\w-])"


@cache
def phrases(x, y):
    """Return a pattern for each phrase about two people, and whether its noun relates x to y."""
    patterns = []
    he = {"male": "[Hh]e", "female": "[Ss]he"}[GENDER[y]]
    his = {"male": "[Hh]is", "female": "[Hh]er"}[GENDER[x]]
    people = {"X": x, "Y": y, "THEY": f"(?:{he}|{y})", "THEIRS": f"(?:{his}|{x}'s)"}
    for phrase in filter(None, KINSHIP["extended"].split("\n")):
        named = re.sub(r"\b(?:X|Y|THEY|THEIRS)\b", lambda slot: people[slot[0]], phrase)
        for slot, other in (("K", "R"), ("R", "K")):
            if re.search(rf"\b{slot}\b", named):
                text = re.sub(rf"\b{other}\b", ".*", named)
                text = re.sub(rf"\b{slot}\b", lambda _: ANY_NOUN, text)
                patterns.append((re.compile(text), slot == "R"))
    return patterns


def said(text, x, y):
    """Return the facts (x, noun, y) of the listed phrases."""
    words = set()
    for phrase, turned in phrases(x, y):
        match = phrase.search(text)
        holder, bearer = (y, x) if turned else (x, y)
        if match and NOUNS[match["noun"]][1] in (None, GENDER[bearer]):
            words.add((holder, match["noun"], bearer))
    return words


def readings(text, people):
    """Return the facts (x, noun, y) by the grammar, and the number of unparsed nouns."""
    facts, unplaced = [], []
    for match in NOUN.finditer(text):
        noun, gender = match[1], NOUNS[match[1]][1]
        before, after = text[: match.start()], text[match.end() :]
        for front, back in CONTEXTS:
            left, right = re.search(front, before), re.match(back, after)
            if not left or not right:
                continue
            groups = left.groupdict() | right.groupdict()
            bearer = groups.get("b") or groups.get("B")
            holder = groups.get("h") or groups.get("H")
            if holder.lower() in PRONOUNS:
                its = PRONOUNS[holder.lower()]
                holders = [p for p in people if GENDER[p] == its and p != bearer]
            else:
                holders = [holder.removesuffix("'s")]
            if bearer in holders or (gender and GENDER[bearer] != gender):
                continue
            facts.append((holders, noun, bearer))
            break
        else:
            unplaced.append(noun)
    return facts, unplaced


def told(clause, people):
    return {(x, name, y) for x, name, y in zip(people, clause, people[1:], strict=False)}


def either_way(x, noun, y):
    name = NOUNS[noun][0]
    return {(x, name, y), (y, inverse(name), x)}


def renderings(length):
    """Yield every frame with this number of facts, with fitting relations and genders."""
    stitcher = Stitcher(BANK)
    genders = list(product(BANK.world.genders, repeat=length + 1))
    for frame in BANK.frames:
        if len(frame.predicates) != length or frame.scene:  # scenes are those of kinship
            continue
        every = [sorted(names) for names in frame.predicates]
        chosen = (
            list(product(*every)) if length == 1 else list(zip(*map(_turned, every), strict=False))
        )
        step = 5 if length > 1 and profile() == "quick" else 1  # all genders in turn
        for clause, kinds in list(product(chosen, genders))[::step]:
            people = [NAMES[kind][n] for n, kind in enumerate(kinds)]
            if frame.realizations(kinds):
                text = render(stitcher, frame, False, clause, kinds, people)
                yield frame, clause, people, text


def _turned(names, seen=[0]):  # noqa: B006 - counts on, so that no two facts have one relation
    seen[0] += 5
    return names[seen[0] % len(names) :] + names[: seen[0] % len(names)]


def test_every_frame_of_one_fact_states_it_and_nothing_else():
    frames, unread = set(), []
    for frame, clause, people, text in renderings(1):
        frames.add(frame.id)
        ((x, name, y),) = told(clause, people)
        facts, unplaced = readings(text, people)
        words = {(holder, noun, bearer) for some, noun, bearer in facts for holder in some}
        if unplaced or not facts:
            words |= said(text, x, y) | said(text, y, x)
        for even, phrases in EVENLY.items():
            if any(re.search(p.replace("X", x).replace("Y", y), text) for p in phrases):
                words.add((x, WORDS[even].split()[list(NAMES).index(GENDER[y])], y))
        read = [either_way(*fact) for fact in words]
        if not read or any((x, name, y) not in both for both in read):
            unread.append((frame.id, text, words))
    assert len(frames) > 120
    assert not {frame: rest for frame, *rest in unread}


@pytest.mark.parametrize("length", [2, 3])
def test_longer_frames_state_each_of_their_facts_once(length):
    frames, unread = set(), []
    for frame, clause, people, text in renderings(length):
        frames.add(frame.id)
        facts, unplaced = readings(text, people)
        wanted = told(clause, people)
        left = set(wanted)
        for holders, noun, bearer in facts:
            fits = {
                fact for holder in holders for fact in either_way(holder, noun, bearer) & wanted
            }
            if len(fits) != 1 and not fits & left:
                unread.append((frame.id, text, (holders, noun, bearer)))
            left -= fits
        by_role = {name for _, name, _ in left}
        roles = {NOUNS[noun][0] for noun in unplaced}
        # "aunt of the former", "wife of the second": the names stand before.
        if unplaced and not re.search(r"(?:of )?the (?:former|latter|first|second|third)\b", text):
            unread.append((frame.id, text, unplaced))
        if not by_role <= roles | {inverse(role) for role in roles}:
            unread.append((frame.id, text, left))
    assert len(frames) > {2: 25, 3: 5}[length]
    assert not {frame: rest for frame, *rest in unread}

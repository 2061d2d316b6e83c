"""Compare verdicts of `gen audit` with the family trees of reasoning-gym, which it needs.

    python bench/audit.py [ROWS] [SEED]

The package makes each row from a tree of people with genders, parents and spouses. Here a search
of that tree decides what the first person of the question is to the second, without the text, the
names or any code of the judge. Printed is how often an answer is right by the tree, and whether the
audit calls it entailed: for each range of family sizes, and for files in the formats of bAbI and of
PhantomWiki that are written here from the same trees, half of the answers wrong.
"""

import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from relsmith.generators.clutrr.audit import reasoning_gym
from relsmith.generators.clutrr.audit.report import Audit, audit
from relsmith.generators.clutrr.audit.settings import Settings

RANGES = ((4, 8), (9, 12), (3, 11))
WORDS = {
    "parent": ("father", "mother"),
    "child": ("son", "daughter"),
    "spouse": ("husband", "wife"),
    "sibling": ("brother", "sister"),
    "grandparent": ("grandfather", "grandmother"),
    "grandchild": ("grandson", "granddaughter"),
    "pibling": ("uncle", "aunt"),
    "nibling": ("nephew", "niece"),
    "parent-in-law": ("father-in-law", "mother-in-law"),
    "child-in-law": ("son-in-law", "daughter-in-law"),
    "sibling-in-law": ("brother-in-law", "sister-in-law"),
}


def people_around(person: Any) -> dict[str, set[Any]]:
    """Return, by kind of relative, everybody whose relative of this kind somebody is."""

    def over(people: set[Any], step: str) -> set[Any]:
        found = set()
        for each in people:
            found |= {each.spouse} - {None} if step == "spouse" else set(getattr(each, step))
        return found

    me = {person}
    parents, children, spouse = over(me, "parents"), over(me, "children"), over(me, "spouse")
    siblings = over(parents, "children") - me
    return {
        "parent": children,
        "child": parents,
        "spouse": spouse,
        "sibling": siblings,
        "grandparent": over(children, "children"),
        "grandchild": over(parents, "parents"),
        "pibling": over(siblings, "children"),
        "nibling": over(over(parents, "parents"), "children") - parents,
        "parent-in-law": over(children, "spouse"),
        "child-in-law": over(spouse, "parents"),
        "sibling-in-law": over(siblings, "spouse")
        | {x for partner in spouse for x in over(over({partner}, "parents"), "children") - spouse},
    }


def tree(module: Any, config: Any, number: int) -> tuple[Any, Any, list[Any]]:
    """Return the two people of the question of a row, and everybody of its tree."""
    dataset = module.FamilyRelationshipsDataset(config)
    rng = random.Random(config.seed + number)
    size = rng.randint(config.min_family_size, config.max_family_size)
    family = dataset._generate_family(rng, size)
    first, second, _ = dataset._get_relationship_question(rng, family)
    return first, second, sorted(family, key=lambda person: person.name)


def right_words(first: Any, second: Any) -> set[str]:
    """Return the words for what the first person is to the second."""
    gender = is_female(first)
    return {WORDS[kind][gender] for kind, of in people_around(first).items() if second in of}


def is_female(person: Any) -> bool:
    """Return whether a person is a woman."""
    return bool(person.gender.value == "female")


def agreement(title: str, rights: list[bool], found: list[str]) -> None:
    """Print how often the tree and the audit say the same."""
    pairs = Counter(zip(rights, found, strict=True))
    read = sum(count for (_, verdict), count in pairs.items() if verdict != "unreadable")
    same = sum(
        count
        for (is_right, verdict), count in pairs.items()
        if is_right == (verdict == "entailed") and verdict not in ("unreadable", "impossible")
    )
    print(f"{title}: {len(rights)} rows, {read} read, agreement {100 * same / (read or 1):.2f} %")
    for (is_right, verdict), count in sorted(pairs.items()):
        print(f"  {'right' if is_right else 'wrong'} by the tree, {verdict}: {count}")


def audited(path: Path | None, form: str, values: dict[str, int]) -> list[dict[str, Any]]:
    """Return the verdicts on the rows of a file, or of the package."""
    settings = Settings(values={name: str(value) for name, value in values.items()})
    return [row for _, row in audit(Audit("", form), path, settings)]


def babi(trees: list[tuple[Any, Any, list[Any]]], path: Path, rng: random.Random) -> list[bool]:
    """Write a story and a question for each tree; return which answers are right."""
    rights, lines = [], []
    for first, second, family in trees:
        facts = [(x, "father", y) for x in family for y in x.parents if not is_female(y)]
        facts += [(x, "mother", y) for x in family for y in x.parents if is_female(y)]
        facts += [(x, "wife", x.spouse) for x in family if x.spouse and is_female(x.spouse)]
        facts += [(y, WORDS["child"][is_female(x)], x) for x in family for y in x.parents]
        told = [
            rng.choice(("{y} is the {r} of {x}.", "{x}'s {r} is {y}.", "{y} is {x}'s {r}."))
            for _ in facts
        ]
        told = [
            text.format(x=x.name, r=word, y=y.name)
            for text, (x, word, y) in zip(told, facts, strict=True)
        ]
        word = rng.choice(WORDS[rng.choice(list(WORDS))])
        right = right_words(first, second)
        answer = rng.choice(sorted(right)) if right and rng.random() < 0.5 else word
        told.append(f"What is {first.name} to {second.name}?\t{answer}\t1")
        rights.append(answer in right)
        lines += [f"{number} {text}\n" for number, text in enumerate(told, 1)]
    path.write_text("".join(lines))
    return rights


def phantomwiki(trees: list[Any], folder: Path, rng: random.Random) -> list[bool]:
    """Write the facts of all trees and questions about them; return which answers are right."""
    facts, rows, rights = [], [], []
    for number, (_, asked, family) in enumerate(trees):
        names = {person: f"{person.name} T{number}" for person in family}
        facts += [f"gender('{names[x]}', '{x.gender.value}')." for x in family]
        facts += [f"parent('{names[x]}', '{names[y]}')." for x in family for y in x.parents]
        facts += [f"married('{names[x]}', '{names[x.spouse]}')." for x in family if x.spouse]
        kind = rng.choice([kind for kind in WORDS if kind not in ("sibling-in-law",)])
        female = rng.random() < 0.5
        right = {
            names[x] for x in family if is_female(x) == female and asked in people_around(x)[kind]
        }
        answer = set(right)
        if rng.random() < 0.5:
            answer ^= {names[rng.choice(family)]}
        question = f"Who is the {WORDS[kind][female]} of {names[asked]} ?"
        rows.append({"question": question, "answer": sorted(answer), "prolog": {}})
        rights.append(answer == right)
    (folder / "facts.pl").write_text("\n".join(facts))
    (folder / "questions.json").write_text(json.dumps(rows))
    return rights


def main() -> None:
    """Print counts of rows by what the tree and the audit say."""
    rows, seed = (int(word) for word in (*sys.argv[1:], "10000", "7")[:2])
    module = reasoning_gym._load()
    for least, most in RANGES:
        values = {"size": rows, "seed": seed, "min_family_size": least, "max_family_size": most}
        start = time.process_time()
        seen = audited(None, "reasoning-gym", values)
        seconds = time.process_time() - start
        config = module.FamilyRelationshipsConfig(**values)
        trees = [tree(module, config, number) for number in range(rows)]
        rights = [
            row["answer"] in right_words(first, second)
            for row, (first, second, _) in zip(seen, trees, strict=True)
        ]
        title = (
            f"reasoning-gym, family sizes {least} to {most}, {1000 * seconds / rows:.2f} ms each"
        )
        agreement(title, rights, [row["verdict"] for row in seen])
    few, rng = trees[: rows // 10], random.Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder, "qa.txt")
        rights = babi(few, path, rng)
        agreement("bAbI", rights, [row["verdict"] for row in audited(path, "babi", {})])
        rights = phantomwiki(few, Path(folder), rng)
        found = audited(Path(folder, "questions.json"), "phantomwiki", {})
        agreement("PhantomWiki", rights, [row["verdict"] for row in found])


if __name__ == "__main__":
    main()

"""Compare verdicts of `gen audit` on reasoning-gym with the trees that its rows were made from.

    python bench/audit.py [ROWS] [SEED]

The package makes each row from a tree of people with genders, parents and spouses. Here a search
of that tree decides what the first person of the question is to the second, without the text, the
names or any code of the judge. It prints, for each range of family sizes, how often an answer is
right by the tree and whether the audit calls it entailed. It needs reasoning-gym.
"""

import random
import sys
import time
from collections import Counter
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


def right_words(module: Any, config: Any, number: int) -> set[str]:
    """Return the words for what the first person of a row is to the second, by the tree."""
    dataset = module.FamilyRelationshipsDataset(config)
    rng = random.Random(config.seed + number)
    size = rng.randint(config.min_family_size, config.max_family_size)
    family = dataset._generate_family(rng, size)
    first, second, _ = dataset._get_relationship_question(rng, family)
    is_female = first.gender.value == "female"
    return {WORDS[kind][is_female] for kind, of in people_around(first).items() if second in of}


def main() -> None:
    """Print counts of rows by what the tree and the audit say."""
    rows, seed = (int(word) for word in (*sys.argv[1:], "10000", "7")[:2])
    module = reasoning_gym._load()
    for least, most in RANGES:
        values = {"size": rows, "seed": seed, "min_family_size": least, "max_family_size": most}
        start = time.process_time()
        settings = Settings(values={name: str(value) for name, value in values.items()})
        seen = [row for _, row in audit(Audit("", "reasoning-gym"), None, settings)]
        seconds = time.process_time() - start
        config = module.FamilyRelationshipsConfig(**values)
        pairs = Counter(
            (row["answer"] in right_words(module, config, number), row["verdict"])
            for number, row in enumerate(seen)
        )
        agreed = pairs[True, "entailed"] + sum(
            count
            for (is_right, verdict), count in pairs.items()
            if not is_right and verdict in ("contradicted", "undetermined")
        )
        print(f"family sizes {least} to {most}, {rows} rows, {1000 * seconds / rows:.2f} ms a row")
        for (is_right, verdict), count in sorted(pairs.items()):
            print(f"  {'right' if is_right else 'wrong'} by the tree, {verdict}: {count}")
        print(f"  agreement: {100 * agreed / rows:.2f} %")


if __name__ == "__main__":
    main()

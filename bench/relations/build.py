"""Compile the relation sets that ship, from packages and from our own lists, into a new folder.

    python bench/relations/build.py OUT

A test compares the folder with `kb/relations/data`. The lists that we wrote ourselves are taken
from there. Needs the development dependencies.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml
from forms import affixes, inflections
from meanings import meanings
from places import places

from relsmith.kb.relations import SHIPPED, Relation, load
from relsmith.kb.relations.readers import FALSE_SUFFIX, INDEX_FILE

OWN_SOURCE = "written for relsmith"
"""Source of the lists that we wrote ourselves."""


def compile_relations() -> Iterator[Relation]:
    """Yield every relation, from packages and from our own lists."""
    yield from inflections()
    yield from affixes()
    yield from places()
    yield from (relation for relation in load(SHIPPED) if relation.source == OWN_SOURCE)
    yield from meanings()


def write_relations(relations: Iterable[Relation], out: Path) -> None:
    """Write a folder that `load` reads."""
    index = {}
    for relation in relations:
        print(f"{relation.name}: {len(relation.tails)} heads, {len(relation.pairs)} pairs")
        folder = out / relation.group
        folder.mkdir(parents=True, exist_ok=True)
        lines = (f"{head}\t{'/'.join(tails)}\n" for head, tails in relation.tails.items())
        (folder / f"{relation.name}.txt").write_text("".join(lines), encoding="utf-8")
        if relation.excluded:
            lines = ("\t".join(map("/".join, block)) + "\n" for block in relation.excluded)
            false = folder / f"{relation.name}{FALSE_SUFFIX}"
            false.write_text("".join(lines), encoding="utf-8")
        index[relation.name] = {
            "group": relation.group,
            "symmetric": relation.symmetric,
            **({"asymmetric": True} if relation.asymmetric else {}),
            "kind": relation.kind,
            "types": list(relation.types or ()),
            "disjoint": relation.disjoint,
            "canonical": relation.canonical,
            **({"open": relation.open} if relation.open else {"closed": relation.closed}),
            "source": relation.source,
            "licence": relation.licence,
        }
    text = yaml.safe_dump({"relations": index}, sort_keys=False, allow_unicode=True, width=100)
    (out / INDEX_FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    new = Path(sys.argv[1])
    new.mkdir(parents=True)
    write_relations(compile_relations(), new)

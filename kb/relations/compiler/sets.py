"""Compilation of all relation sets, and their writer."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from ....storage import files
from ..readers import FALSE_SUFFIX, INDEX_FILE, SHIPPED, load
from ..relation import Relation

OWN_SOURCE = "written for relsmith"
"""Source of the lists that we wrote ourselves."""


def compile_relations(wordnet: bool) -> Iterator[Relation]:
    """Yield every relation, from packages and from our own lists."""
    from .forms import affixes, inflections
    from .places import places

    yield from inflections()
    yield from affixes()
    yield from places()
    yield from (relation for relation in load(SHIPPED) if relation.source == OWN_SOURCE)
    if wordnet:
        from .lexicon import lexicon, meanings

        yield from meanings()
        yield from lexicon()


def write_relations(relations: Iterable[Relation], out: Path, force: bool = False) -> int:
    """Write a folder that `load` reads, and return the number of relations."""
    index = {}
    with files.replacing(out, force=force) as successor:
        for relation in relations:
            folder = successor / relation.group
            folder.mkdir(parents=True, exist_ok=True)
            lines = (f"{head}\t{'/'.join(tails)}\n" for head, tails in relation.tails.items())
            (folder / f"{relation.name}.txt").write_text("".join(lines), encoding="utf-8")
            if relation.excluded:
                lines = ("\t".join(map("/".join, block)) + "\n" for block in relation.excluded)
                (folder / f"{relation.name}{FALSE_SUFFIX}").write_text(
                    "".join(lines), encoding="utf-8"
                )
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
        (successor / INDEX_FILE).write_text(text, encoding="utf-8")
    return len(index)

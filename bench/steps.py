"""Measure the reader of steps on chains of thought whose claims people have listed.

Usage: steps.py [SET...] prints, for the sets a, b and c of bench/chains_of_thought.json.gz or some
of them, the claims found, those read but not listed, and the verdicts. With SHOW=1 in the
environment, print the claims that differ.

Writers who had not seen the reader wrote the chains: language models, each about 40 rows of all
worlds in eight styles. The reader was tuned on set a, then on b; nobody looked at c.
"""

import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from relsmith.example import Example
from relsmith.generators.clutrr.metadata import world_of
from relsmith.scoring.scorer import steps
from relsmith.scoring.steps import VERDICTS, StepClaim

Key = tuple[str, str, str]

CHAINS = Path(__file__).with_name("chains_of_thought.json.gz")
SETS = ("a", "b", "c")


def key(row: Example, x: str, relation: str, y: str) -> Key:
    """Return a claim in a form that is the same for its inverse."""
    world = world_of(row)
    predicate, gender = world.meanings.get(relation, (relation, None))
    genders = dict(row.metadata["genders"])
    wrong = gender if gender and y in genders and genders[y] not in (gender, "unstated") else ""
    inverse = world.inverse(predicate) if predicate in world.predicates else None
    return (y, inverse, x) if x > y and inverse and not wrong else (x, predicate + wrong, y)


@dataclass
class Measurement:
    """Counts over chains of thought."""

    counts: Counter[str] = field(default_factory=Counter)
    by_style: dict[str, Counter[str]] = field(default_factory=dict)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Verdicts: listed and given."""

    @property
    def found(self) -> float:
        """Share of the listed claims that are found."""
        return self.counts["found"] / self.counts["claims"]

    @property
    def wrong(self) -> float:
        """Share of the given claims that are not listed, or have another verdict."""
        return self.counts["wrong"] / self.counts["given"]


def measure(sets: Collection[str], *, show: bool = False) -> Measurement:
    """Read the chains of these sets, and compare the claims with the listed ones."""
    content = json.loads(gzip.decompress(CHAINS.read_bytes()))
    rows = {name: [Example(**row) for row in some] for name, some in content["rows"].items()}
    found = Measurement()
    for case in content["chains"]:
        if case["set"] in sets:
            row = rows[case["set"]][case["row"]]
            own = _compare(row, case, steps(row, case["text"]).claims, found.confusion, show)
            found.counts += own
            found.by_style.setdefault(case["style"], Counter()).update(own)
    return found


def main() -> None:
    """Print a table by style, and a table of verdicts."""
    found = measure(sys.argv[1:] or SETS, show=bool(os.environ.get("SHOW")))
    print("| style | claims | found | read, but not listed |")
    print("|---|---|---|---|")
    for style, some in [*sorted(found.by_style.items()), ("all", found.counts)]:
        share = some["found"] / max(some["claims"], 1)
        wrong = some["wrong"] / max(some["given"], 1)
        print(f"| {style} | {some['claims']:,} | {share:.1%} | {wrong:.1%} |")
    print("\n| listed as | " + " | ".join(f"judged {name}" for name in VERDICTS) + " |")
    print("|---|" + "---|" * len(VERDICTS))
    for wanted in VERDICTS:
        cells = " | ".join(f"{found.confusion[wanted, given]:,}" for given in VERDICTS)
        print(f"| {wanted} | {cells} |")


def _compare(
    row: Example,
    case: dict[str, Any],
    found: tuple[StepClaim, ...],
    confusion: Counter[tuple[str, str]],
    show: bool,
) -> Counter[str]:
    """Count the listed claims, those of them that are found, and given claims that are wrong."""
    wanted: dict[Key, str] = {}
    for claim in case["claims"]:
        parts = claim if isinstance(claim, list) else [claim["x"], claim["relation"], claim["y"]]
        verdict = "" if isinstance(claim, list) else claim.get("verdict", "")
        wanted[key(row, *parts[:3])] = verdict
    given = {key(row, claim.x, claim.relation, claim.y): claim for claim in found}
    wrong = set(given.keys() - wanted.keys())
    for name in given.keys() & wanted.keys():
        if wanted[name]:
            confusion[wanted[name], given[name].verdict] += 1
            if wanted[name] != given[name].verdict:
                wrong.add(name)
    missing = wanted.keys() - given.keys()
    if show and (wrong or missing):
        print(f"--- {case['set']} [{case['style']}] {row.metadata['world']}\n{case['text']}")
        for name in sorted(missing):
            print(f"  missing {name}")
        for name in sorted(wrong):
            claim = given[name]
            said = case["text"][claim.start : claim.end]
            print(f"  WRONG {name} {claim.verdict} (listed: {wanted.get(name)}): {said!r}")
    return Counter(
        texts=1,
        claims=len(wanted),
        found=len(wanted.keys() & given.keys()),
        given=len(given),
        wrong=len(wrong),
    )


if __name__ == "__main__":
    main()

"""Measure the reader of steps on chains of thought whose claims people have listed.

Usage: steps.py FILE... Each line of a file has `row` (a row, or its number in rows.jsonl beside the
file), `text`, `style` and `claims`: [x, relation, y] or a dictionary, which may have a `verdict`.
With SHOW=1 in the environment, print the claims that differ.
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from relsmith.example import Example
from relsmith.generators.clutrr.asking.answers import world_of
from relsmith.scoring.scorer import steps
from relsmith.scoring.steps import VERDICTS, StepClaim

Key = tuple[str, str, str]


def key(row: Example, x: str, relation: str, y: str) -> Key:
    """Return a claim in a form that is the same for its inverse."""
    world = world_of(row)
    predicate, gender = world.meanings.get(relation, (relation, None))
    genders = dict(row.metadata["genders"])
    wrong = gender if gender and y in genders and genders[y] not in (gender, "unstated") else ""
    inverse = world.inverse(predicate) if predicate in world.predicates else None
    return (y, inverse, x) if x > y and inverse and not wrong else (x, predicate + wrong, y)


def main() -> None:
    """Print the share of wrong claims and verdicts, the share of claims found, and a table."""
    counts: Counter[str] = Counter()
    by_style: dict[str, Counter[str]] = {}
    confusion: Counter[tuple[str, str]] = Counter()
    seconds = []
    for file in map(Path, sys.argv[1:]):
        rows = file.with_name("rows.jsonl")
        known = [json.loads(line) for line in rows.open(encoding="utf-8")] if rows.exists() else []
        for number, line in enumerate(file.open(encoding="utf-8"), 1):
            case = json.loads(line)
            row = Example(**(known[case["row"]] if isinstance(case["row"], int) else case["row"]))
            start = time.perf_counter()
            found = steps(row, case["text"]).claims
            seconds.append(time.perf_counter() - start)
            own = _compare(row, case, found, confusion, f"{file.name}:{number}")
            counts += own
            by_style.setdefault(case["style"], Counter()).update(own)
    print(f"{'style':24} {'texts':>6} {'claims':>7} {'found':>8} {'given':>6} {'wrong':>7}")
    for style, some in [*sorted(by_style.items()), ("all", counts)]:
        found_share = some["found"] / max(some["claims"], 1)
        wrong_share = some["wrong"] / max(some["given"], 1)
        sizes = f"{some['texts']:6} {some['claims']:7} {found_share:8.1%}"
        print(f"{style:24} {sizes} {some['given']:6} {wrong_share:7.2%}")
    print(f"slowest text: {max(seconds) * 1000:.0f} ms; mean {sum(seconds) / len(seconds):.4f} s")
    if confusion:
        print("verdicts: rows are those listed, columns ours")
        print(" " * 14 + "".join(f"{name:>14}" for name in VERDICTS))
        for wanted in VERDICTS:
            cells = "".join(f"{confusion[wanted, given]:14}" for given in VERDICTS)
            print(f"{wanted:14}{cells}")


def _compare(
    row: Example,
    case: dict[str, Any],
    found: tuple[StepClaim, ...],
    confusion: Counter[tuple[str, str]],
    where: str,
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
    if os.environ.get("SHOW") and (wrong or missing):
        print(f"--- {where} [{case['style']}] {row.metadata['world']}\n{case['text']}")
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

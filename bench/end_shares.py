"""Write the shares of end facts for each world, and print how much they reveal.

`least` is the accuracy of a reader who knows the end facts of a chain and its length, if end facts
are chosen so that it is as low as possible: by linear programming over the chains that occur.

    python bench/end_shares.py [WORLD ...]
"""

import json
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_array

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.options import story_worlds
from relsmith.generators.clutrr.planning import end_balance, feasibility
from relsmith.kb.worlds.scene import members

FOLDER = Path(end_balance.__file__).parent / "end_shares"


def least_accuracy(answers: end_balance.Answers) -> float:
    """Return the least accuracy of the best reader of end facts, over all choices of end facts."""
    triples = [(ends, answer) for ends, among in answers.items() for answer in members(among)]
    pairs, asked = list(answers), sorted({answer for _, answer in triples})
    size = len(triples)
    # Variables: the share of each triple, then for each pair that of its most frequent answer.
    at_most = lil_array((size, size + len(pairs)))
    frequency = lil_array((len(asked), size + len(pairs)))
    for n, (ends, answer) in enumerate(triples):
        at_most[n, n], at_most[n, size + pairs.index(ends)] = 1, -1
        frequency[asked.index(answer), n] = 1
    found = linprog(
        np.r_[np.zeros(size), np.ones(len(pairs))],
        A_ub=at_most.tocsr(),
        b_ub=np.zeros(size),
        A_eq=frequency.tocsr(),
        b_eq=np.full(len(asked), 1 / len(asked)),
    )
    return float(found.fun)


def main() -> None:
    """Write a file per world."""
    for name in sys.argv[1:] or [world.name for world in story_worlds()]:
        tables = {}
        for k in range(3, end_balance.MAX_BALANCED_K + 1):
            options = Clutrr.configure({"world": name, "k": k})
            rules = feasibility.rules_of(name, options.rules)
            if not end_balance.is_balanced(rules, k):
                continue
            answers = feasibility.possible_ends(feasibility.search_chainers(options), k)
            shares = end_balance.balanced_shares(rules, answers)
            least, ours = least_accuracy(answers), end_balance.best_accuracy(shares)
            print(f"{name:18} k = {k}  least {least:.3f}  ours {ours:.3f}", flush=True)
            rounded = [[*key, round(share, 4)] for key, share in shares.items() if share >= 0.0001]
            tables[str(k)] = {"least": round(least, 4), "ours": round(ours, 4), "shares": rounded}
        if tables:
            text = json.dumps({options.rules: tables}, separators=(",", ":"))
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.json").write_text(text.replace('"shares"', '\n"shares"') + "\n")


if __name__ == "__main__":
    main()

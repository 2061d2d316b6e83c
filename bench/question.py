"""Accuracy of the exact guesser, which does not see the question, by k.

    python bench/question.py [ROWS]

The guesser knows every stated fact and the frequency of each type of query, and gives
the likeliest answer. The last lines are chains of the thesis, where the query is always the ends.
"""

import sys

from relsmith.generators.clutrr import Clutrr

KINDS: tuple[dict[str, str], ...] = (
    {},
    {"noise": "supporting"},
    {"noise": "irrelevant"},
    {"noise": "disconnected"},
    {"noise": "all"},
    {"style": "plain"},
    {"style": "facts"},
    {"order": "shuffled"},
    {"world": "spatial"},
    {"world": "time"},
    {"world": "work"},
    {"world": "ordering"},
    {"world": "spatial", "noise": "all", "noise_length": "2"},
    {"world": "space"},
    {"direction": "forward"},
    {"side_facts": "5"},
    {"side_facts": "1"},
    {"questions": "3"},
    {"side_facts": "0"},
    {"side_facts": "0", "direction": "forward"},
    {"side_facts": "0", "direction": "forward", "world": "spatial"},
)


def main() -> None:
    """Print a line per kind of row, with a column for each k."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    ks = (2, 3, 4, 6, 8, 10)
    print(f"{'percent right':44}" + "".join(f"{f'k = {k}':>8}" for k in ks))
    for options in KINDS:
        shares = []
        for k in ks:
            made = Clutrr.configure({"k": str(k), "people": "70", **options}).examples(rows)
            shares += Clutrr.measures(made).values()
        label = " ".join(f"{name}={value}" for name, value in options.items()) or "by default"
        print(f"{label:44}" + "".join(f"{share:8.1f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()

"""How well the order of the sentences tells the facts of the chain from side facts.

A logistic regression sees of each fact the position of its sentence, and which of the four
sentences around it mention one of its people. It learns from one half of the stories and is tested
on the other; its balanced accuracy is .5 if the order says nothing.

    python bench/order.py WORLD
"""

import sys

import numpy as np

from relsmith.example import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import stated_facts

AROUND = (-2, -1, 1, 2)


def story(row: Example) -> tuple[list[list[str]], list[list[int]], list[set[str]]]:
    """Return the facts, and of each sentence that states some their numbers and its people."""
    metadata = row.metadata
    facts = stated_facts(metadata)
    lines = [numbers for numbers in metadata["states"] if numbers]
    return facts, lines, [{name for n in line for name in facts[n][::2]} for line in lines]


def samples(row: Example) -> list[tuple[list[float], bool]]:
    """Return the features of each fact of the chain (True) and each side fact (False)."""
    facts, lines, people = story(row)
    chain, core = row.metadata["k"], row.metadata["k"] + len(row.metadata["side_facts"])
    found: list[tuple[list[float], bool]] = []
    for place, numbers in enumerate(lines):
        around = [place + n for n in AROUND]
        for number in [n for n in numbers if n < core]:
            two = {*facts[number][::2]}
            near = [0 <= n < len(lines) and bool(two & people[n]) for n in around]
            share = place / max(1, len(lines) - 1)
            pairs = [a and b for n, a in enumerate(near) for b in near[:n]]
            features = [1, place == 0, place == len(lines) - 1, share, share**2, *near, *pairs]
            found.append(([*map(float, features)], number < chain))
    return found


def sharing(row: Example) -> list[bool]:
    """Return whether each sentence after the first shares a person with one of the two before."""
    _, _, people = story(row)
    return [
        bool(people[n] & set().union(*people[max(0, n - 2) : n])) for n in range(1, len(people))
    ]


def balanced_accuracy(rows: list[Example]) -> float:
    """Return the balanced accuracy of the regression on the second half of some stories."""
    every = [pair for row in rows for pair in samples(row)]
    x = np.array([features for features, _ in every])
    y = np.array([label for _, label in every])
    half = len(y) // 2
    weight = np.where(y[:half], 0.5 / y[:half].mean(), 0.5 / (1 - y[:half].mean()))
    beta = np.zeros(x.shape[1])
    for _ in range(15):  # Newton's method, with a little ridge
        p = 1 / (1 + np.exp(-x[:half] @ beta))
        hessian = (x[:half] * (weight * p * (1 - p))[:, None]).T @ x[:half] + np.eye(len(beta))
        beta += np.linalg.solve(hessian, x[:half].T @ (weight * (y[:half] - p)) - beta)
    guess, right = x[half:] @ beta > 0, y[half:]
    return float((guess[right].mean() + 1 - guess[~right].mean()) / 2)


def main(world: str = "kinship", rows: str = "1500") -> None:
    """Print the balanced accuracy, and how many sentences share a person with the two before."""
    for order in ("connected", "shuffled"):
        for noise in ("none", "supporting"):
            for k in ("2..4", "3", "6"):
                options = {"world": world, "order": order, "noise": noise, "k": k}
                stories = list(Clutrr.configure(options).examples(int(rows)))
                shares = [each for row in stories for each in sharing(row)]
                print(
                    f"{world}, {order}, noise {noise}, k = {k}: accuracy "
                    f"{balanced_accuracy(stories):.3f}, sharing {sum(shares) / len(shares):.1%}"
                )


if __name__ == "__main__":
    main(*sys.argv[1:])

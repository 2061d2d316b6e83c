"""Shares of the candidates of `gen relinf`: by domain, and by candidate and by distinct sentence.

    python bench/relinf_shares.py

A sentence is the premise, with the answer filled in; several questions may ask about it. It answers
if it answers one of them. Domains are groups of the questions' types.
"""

from collections import Counter, defaultdict

from relsmith import Example
from relsmith.generators.relinf import Relinf, generator

DOMAINS = {
    "people": "person",
    "animals": "animal bird insect",
    "countries": "country",
    "food and plants": "food beverage vegetable seasoning fruit plant tree",
    "health": "drug symptom disease body_part",
    "places": "city river",
}
"""Types of questions by domain; all others are things."""


def main() -> None:
    """Print the tables."""
    domain_of = {kind: domain for domain, kinds in DOMAINS.items() for kind in kinds.split()}
    options = Relinf()
    rows = list(options.examples(options.capacity(("train",), 0)["train"]))
    questions = generator._questions("").questions
    domains, labels = Counter[str](), Counter[str]()
    by_sentence: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        asked = questions[int(row.metadata["question"]["number"]) - questions[0].number]
        kind = (asked.noun or asked.type).replace(" ", "_")
        domains[domain_of.get(kind, "things")] += 1
        labels[label(row)] += 1
        by_sentence[row.metadata["premise"]].add(label(row))
    print(f"{len(rows):,} candidates of {len(questions)} questions")
    for domain, count in domains.most_common():
        print(f"{domain}: {100 * count / len(rows):.1f} %")
    of_sentences = Counter(
        next(name for name in ("yes", "no", "nonsense") if name in found)
        for found in by_sentence.values()
    )
    for what, counts in (("candidate", labels), ("distinct sentence", of_sentences)):
        total, sense = sum(counts.values()), counts["yes"] + counts["no"]
        print(
            f"by {what} ({total:,}): {100 * counts['nonsense'] / total:.1f} % make no sense; "
            f"{100 * counts['yes'] / sense:.1f} % of the others answer"
        )


def label(row: Example) -> str:
    """Return the expected label."""
    return str(row.metadata["expected"])


if __name__ == "__main__":
    main()

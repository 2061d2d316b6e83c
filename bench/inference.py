"""The figure of relation inference: every method alone, after the lemma baseline, and after rules.

    python bench/inference.py PAIRS RULES OUT [--vectors FILE] [--triples STORE]

PAIRS is a file or dataset of pairs, RULES a file of rules. Without --vectors, word vectors are
trained on WordNet's glosses, which takes some minutes once (OUT/glosses.txt). OUT gets a result for
each method (kept if present) and figure.png.
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from relsmith.evaluation.device import find_device
from relsmith.evaluation.papers.inference.curve import counts, draw, ranking
from relsmith.evaluation.papers.inference.layered import RuleList
from relsmith.evaluation.papers.inference.lemma import Lemma
from relsmith.evaluation.papers.inference.model import InferenceModel
from relsmith.evaluation.papers.inference.relation_embeddings import (
    RelationEmbeddings,
    SkipGramTraining,
    train,
)
from relsmith.evaluation.papers.inference.word_embeddings import WordEmbeddings
from relsmith.evaluation.runner import EvalConfig, evaluate
from relsmith.kb.lexicon.wordnet import lemmatise, locate

WINDOW = 3
SELDOM = 5


def gloss_vectors(path: Path, device: str) -> None:
    """Write vectors of words by co-occurrence in WordNet's glosses and examples."""
    texts = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (locate() / f"data.{part}").read_text().splitlines():
            head, bar, gloss = line.partition(" | ")
            if bar:
                members = head.split()[4 : 4 + 2 * int(head.split()[3], 16) : 2]
                words = re.findall(r"[a-z]+", gloss.lower())
                texts.append([lemmatise(word, "v") for word in words])
                names = [name.lower().partition("(")[0] for name in members]
                texts += [[name, *texts[-1][:WINDOW]] for name in names if name.isalpha()]
    often = {
        word
        for word, count in Counter(w for text in texts for w in text).items()
        if count >= SELDOM
    }
    counts: Counter[tuple[str, str]] = Counter()
    for text in texts:
        frequent = [word for word in text if word in often]
        for place, word in enumerate(frequent):
            near = (
                frequent[max(0, place - WINDOW) : place] + frequent[place + 1 : place + 1 + WINDOW]
            )
            counts.update((word, neighbour) for neighbour in near)
    # Frequent pairs are subsampled, as word2vec does with frequent words.
    eased = {pair: max(1, round(count**0.75)) for pair, count in counts.items()}
    start = time.monotonic()
    vectors = train(eased, SkipGramTraining(size=100, epochs=3, batch=4096), device)
    print(f"{len(often):,} words, {sum(eased.values()):,} pairs, {time.monotonic() - start:.0f} s")
    with path.open("w") as file:
        for word in vectors.numbers:
            file.write(f"{word} {' '.join(f'{x:.4f}' for x in vectors[word].tolist())}\n")


def methods(asked: argparse.Namespace, vectors: Path) -> list[InferenceModel]:
    """Return every method of the figure: alone, after the lemma baseline, and after rules."""
    rules = (asked.rules,)
    layers = [{}, {"lemma": True}, {"lemma": True, "rules": rules, "steps": 2}]
    chosen: list[InferenceModel] = [Lemma(), RuleList(rules=rules)]
    chosen += [RuleList(rules=rules, lemma=True, steps=steps) for steps in (1, 2)]
    chosen += [RelationEmbeddings(triples=asked.triples, **layer) for layer in layers]
    chosen += [WordEmbeddings(vectors=vectors, **layer) for layer in layers]
    return chosen


def progress(what: str, steps: int) -> AbstractContextManager[Callable[[int], None]]:
    """Show progress with the elapsed time."""
    start = time.monotonic()
    return nullcontext(lambda done: print(f"{what}: {time.monotonic() - start:.0f} s", flush=True))


def main() -> None:
    """Score the pairs by every method, and draw the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pairs", type=Path)
    parser.add_argument("rules", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--triples", type=Path)
    parser.add_argument("--split", default="test")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    vectors = asked.vectors or asked.out / "glosses.txt"
    if not vectors.exists():
        gloss_vectors(vectors, str(find_device("auto")))
    order = EvalConfig(asked.pairs, progress, asked.out, test=asked.split, seeds=3)
    results = evaluate(methods(asked, vectors), order)
    for result in results:
        seeds = [counts(result, run=run) for run in range(len(result.runs))]
        right = ", ".join(f"{seed.right} of {seed.taken}" for seed in seeds)
        area, recall = ranking(result)
        print(
            f"{result.setup.label}: {right}, area {area.mean:.3f}, recall at 0.8 {recall.mean:.3f}"
        )
    draw(results, asked.out / "figure.png")


if __name__ == "__main__":
    main()

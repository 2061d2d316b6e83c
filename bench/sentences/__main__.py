"""Print the size and variety of a sentence bank, and measure the prose of its stories.

    python bench/sentences WORLD [EVERY [STORIES]]

Overlap is measured in every EVERY-th group (61), and prose in STORIES stories (2000).
"""

import sys
from collections.abc import Iterator

from forms import EXAMPLES
from prose import ProseSegment, ProseStatistics, measure_prose
from renderings import BankStatistics, measure

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import story_segments
from relsmith.kb.worlds.stories import DATED_PREFIX
from relsmith.kb.worlds.world import World
from relsmith.templates.bank import find_bank


def segments(world: str, stories: int) -> Iterator[ProseSegment]:
    """Yield the segments of stories with 2 to 10 facts."""
    for row in Clutrr.configure({"world": world, "k": "2..10"}).examples(stories):
        metadata = row.metadata
        stated, genders = metadata["facts"] + metadata["side_facts"], dict(metadata["genders"])
        for template, text, numbers in zip(
            metadata["templates"], story_segments(row), metadata["states"], strict=True
        ):
            if not template.startswith(DATED_PREFIX):
                yield ProseSegment(template, text, [stated[n] for n in numbers], genders)


def print_size(figures: BankStatistics, every: int) -> None:
    """Print the numbers of frames, renderings and words, and how much renderings overlap."""
    print(f"frames                 {figures.frames}")
    for length, count in figures.frames_by_length.items():
        of_clauses = f"{figures.clauses[length]} clauses, {figures.groups[length]} with genders"
        print(f"  of {length} fact(s)         {count}, for {of_clauses}")
    print(f"renderings             {figures.renderings}")
    for name, mean, least in (
        ("per clause", figures.mean_per_clause, figures.least_per_clause),
        ("with genders", figures.mean_per_group, figures.least_per_group),
    ):
        print(f"  {name:20} {mean:.1f}, at least {least}")
    print(f"distinct words         {figures.words}")
    print(f"words per rendering    {figures.mean_length:.1f}")
    for title, overlap in (("words only", figures.words_only), ("all tokens", figures.all_tokens)):
        shared = f"unigrams {overlap.unigrams:.4f}, bigrams {overlap.bigrams:.4f}"
        print(f"overlap, {title}    {shared}, in one group of {every}")


def print_prose(prose: ProseStatistics, stories: int, world: World) -> None:
    """Print the forms of facts, how often each relation is stated, and the use of frames."""
    print(f"in {stories} stories        {prose.sentences} sentences, {prose.facts} facts")
    print(f"unused frames          {prose.unused}")
    print("facts by form")
    for form, share in sorted(prose.forms.items(), key=lambda item: -item[1]):
        if share:
            print(f"  {form:20} {share:6.1%}   {EXAMPLES[form]}")
    print(f"a name twice           {prose.echo:.1%} of segments, within a sentence")
    print(f"he, she, him           {prose.pronouns:.1f} in 100 sentences")
    print(f"no fact                {prose.fact_free:.1%} of sentences")
    if prose.skew:
        skew = prose.skew
        print(f"skew                   {skew.ratio:.1f}, of {skew.most} to {skew.least}")
    print(f"stated relations       evenness {prose.evenness:.2f}, 1 if all are equal")
    words = dict(zip(world.predicates, world.words, strict=True))
    for both in dict.fromkeys(frozenset((p, world.inverse(p) or p)) for p in world.predicates):
        listed = ", ".join(dict.fromkeys(word for each in sorted(both) for word in words[each]))
        print(f"  {listed:40} {sum(prose.told[each] for each in both):6.1%}")


def main(world: str = "kinship", every: str = "61", stories: str = "2000") -> None:
    """Measure the bank of a world."""
    bank = find_bank(world)
    print_size(measure(bank, int(every)), int(every))
    if bank.world.stories is not None:
        prose = measure_prose(bank, segments(world, int(stories)))
        print_prose(prose, int(stories), bank.world)


if __name__ == "__main__":
    main(*sys.argv[1:])

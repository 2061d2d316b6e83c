"""Write the gallery: a page of example rows, each with the command that makes it.

python bench/gallery.py > docs/GALLERY.md
"""

from collections.abc import Iterator
from textwrap import wrap

from relsmith import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.output.graph import forward_chain
from relsmith.kb.worlds.world import World, find_world

_WIDTH = 96
_ROWS_PER_TITLE = 2


def _noisy(kind: str) -> dict[str, str]:
    return {"k": "3", "noise": kind}


# Seeds give different stories; the kinds of noise share a seed, so they have the same story.
_PAGE: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("Two facts", 0, {"k": "2"}),
    ("Three facts", 1, {"k": "3"}),
    ("Five facts", 2, {"k": "5"}),
    ("Ten facts, in two scenes", 3, {"k": "10", "noise": "supporting"}),
    ("No noise", 4, {"k": "3"}),
    ("Supporting noise: the same, and another way between two", 4, _noisy("supporting")),
    ("Irrelevant noise: a path that leads away", 4, _noisy("irrelevant")),
    ("Disconnected noise: other people altogether", 4, _noisy("disconnected")),
    ("A fact that is told, to be remembered", 5, {"k": "4", "task": "memory"}),
    ("Yes or no", 15, {"k": "3", "answer": "yes-no"}),
    ("Answers that may be open", 7, {"k": "3", "unknown_share": "0.2"}),
    ("Everyone who is so related", 16, {"k": "2", "answer": "who", "gender": "given"}),
    ("Answers to choose from", 8, {"k": "4", "choices": "3"}),
    ("Genders given, names taken away", 9, {"k": "3", "gender": "given", "anonymize": "true"}),
    ("Told plainly", 10, {"k": "4", "style": "plain"}),
    ("Bare facts", 11, {"k": "4", "style": "facts", "noise": "irrelevant"}),
    ("Things on a grid", 12, {"world": "spatial", "k": "3"}),
    ("Things on a grid, with noise", 13, {"world": "spatial", "k": "4", "noise": "supporting"}),
    ("Things on a grid, told plainly", 14, {"world": "spatial", "k": "5", "style": "plain"}),
    ("Events in time", 17, {"world": "time", "k": "3"}),
    ("Events and instants", 28, {"world": "time-points", "k": "3"}),
    ("Events by clock times and dates", 29, {"world": "time-dates", "k": "3"}),
    ("Events in time, perhaps open", 18, {"world": "time", "k": "2", "unknown_share": "0.5"}),
    ("Families with half and step relations", 23, {"world": "kinship-extended", "k": "3"}),
    ("Places on a map", 19, {"world": "space", "k": "3"}),
    ("At work", 21, {"world": "work", "k": "3"}),
    ("At work, answers that may be open", 22, {"world": "work", "k": "3", "unknown_share": "0.4"}),
    ("People compared", 25, {"world": "ordering", "k": "3"}),
    ("People compared, perhaps open", 26, {"world": "ordering", "k": "3", "unknown_share": "0.5"}),
)


def gallery() -> str:
    """Return the page in Markdown: a few rows of each kind of story."""
    parts = [
        "# Gallery",
        _filled(
            "Rows of `gen clutrr` as they come: what is asked stands last, the answer below it, "
            "and then the facts that lead to it. Below each title is the command that shows its "
            "rows. Written by `python bench/gallery.py`; a test sees that it is up to date."
        ),
    ]
    for title, number, options in _PAGE:
        flags = "".join(f" --{name.replace('_', '-')} {value}" for name, value in options.items())
        flags = f"{flags.replace(' true', '')} --seed {number} -n {_ROWS_PER_TITLE}"
        parts += [f"## {title}", f"`gen show clutrr{flags}`"]
        generator = Clutrr.configure(options)
        for example in generator.examples(_ROWS_PER_TITLE, seed=number):
            parts += _shown(example, find_world(generator.world))
    return "\n\n".join(parts) + "\n"


def _shown(example: Example, world: World) -> Iterator[str]:
    """Yield the text as a quotation, then the answer with the facts of the chain."""
    row = example.metadata
    yield _filled(example.input, "> ")
    relation = f" ({row['relation']})" if row["relation"] else ""
    choices = f" (of {', '.join(example.choices)})" if example.choices else ""
    facts = forward_chain(row, world)
    chain = [fact for fact in facts if fact[::2] == row["query"]] or facts
    steps = "".join(f" → {word} {name}" for _, word, name in chain)
    yield _filled(f"**{example.target}**{relation}{choices}: {chain[0][0]}{steps}")


def _filled(text: str, before: str = "") -> str:
    lines = wrap(text, _WIDTH, break_on_hyphens=False)
    return "\n".join(before + line for line in lines)


if __name__ == "__main__":
    print(gallery(), end="")

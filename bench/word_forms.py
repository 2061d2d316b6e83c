"""Look up all word forms of the sentences of a language in a dictionary that is not ours.

The dictionary is simplemma's (pip install simplemma). The words that it does not know are listed;
they are compounds, proper names or mistakes.

python bench/word_forms.py de
"""

import sys
from importlib import import_module

from relsmith.kb.worlds.languages import find_language
from relsmith.templates.bank import find_bank
from relsmith.templates.samples import vocabulary


def main(code: str) -> None:
    """Print the words that are not in the dictionary."""
    is_known = import_module("simplemma").is_known
    words: set[str] = set()
    for world in find_language(code).worlds:
        words |= vocabulary(find_bank(world, code))
    unknown = [
        word
        for word in sorted(words)
        if not is_known(word, lang=code) and not is_known(word.capitalize(), lang=code)
    ]
    print(f"{len(unknown)} of {len(words)} word forms are unknown:")
    print(" ".join(unknown))


if __name__ == "__main__":
    main(sys.argv[1])

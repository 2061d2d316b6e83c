"""Look up all word forms of the sentences of a language in a dictionary that is not ours.

The dictionary is simplemma's (pip install simplemma). The words that it does not know are listed;
they are compounds, proper names or mistakes.

python bench/word_forms.py de
"""

import sys
from collections.abc import Iterator
from importlib import import_module

from relsmith.kb.worlds.languages import find_language
from relsmith.templates.bank import Bank, find_bank
from relsmith.templates.language import _WORD
from relsmith.templates.tokens import GenderedWord, PlainText, flatten


def written_words(bank: Bank) -> Iterator[str]:
    """Yield every word of the frames and lists of a bank, as written."""
    texts = [phrase for phrases in bank.language.lists.values() for phrase in phrases]
    for frame in bank.frames:
        for token in flatten(frame.tokens):
            if isinstance(token, PlainText):
                texts.append(token.text)
            elif isinstance(token, GenderedWord):
                texts += token.words
    for text in texts:
        yield from _WORD.findall(text)


def main(code: str) -> None:
    """Print the words that are in no dictionary."""
    is_known = import_module("simplemma").is_known
    words = {
        word
        for world in find_language(code).worlds
        for word in written_words(find_bank(world, code))
    }
    unknown = sorted(
        word
        for word in words
        if not any(is_known(form, lang=code) for form in (word, word.lower(), word.capitalize()))
    )
    print(f"{len(unknown)} of {len(words)} word forms are unknown:")
    print(" ".join(unknown))


if __name__ == "__main__":
    main(sys.argv[1])

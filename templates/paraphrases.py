"""Paraphrases in the template format of the original CLUTRR, as a bank.

A file is JSON: relations along a path of people joined by `-` (`father-mother`), under them the
genders of those people (`male-male-female`), under them sentences in which `ENT_0_male` and so on
stand for the people. docs/templates.md shows one.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from ..errors import InvalidBank
from ..kb.worlds.world import World
from ..storage.text import parse_json, read
from .bank import LONGEST, Bank, find_bank
from .frame import Frame
from .language import Head, Language, words_of
from .stitcher import Stitcher
from .tokens import Name, Token, Words
from .wording import Genders

THEME = "paraphrases"

_ENTITY = re.compile(r"ENT_(\d+)_([a-z]+)")
_MISSPELT = {"neice": "niece"}  # in the original's files
_MOST_MISTAKES = 20


def load_paraphrases(path: Path) -> Bank:
    """Read a file of paraphrases about families, or raise one error that lists its mistakes."""
    data = _read(path)
    home = find_bank("kinship")
    language = Language(home.head, home.world.genders, {})
    reader = _Reader(home.world, home.head, language)
    mistakes = [f"{path}: {what}" for what in reader.read(data)]
    if mistakes:
        more = len(mistakes) - _MOST_MISTAKES
        shown = mistakes[:_MOST_MISTAKES] + [f"{path}: ... and {more} more"] * (more > 0)
        raise InvalidBank("\n".join(shown))
    if not reader.frames:
        raise InvalidBank(f"{path} holds no sentences; give a file of paraphrases")
    return Bank(home.world, home.head, language, reader.frames.values())


def gaps(bank: Bank) -> list[str]:
    """The single facts that no frame of a bank tells: what stories may then not be made of."""
    stitcher = Stitcher(bank)
    untold = []
    for name, predicate in bank.world.predicates.items():
        for kinds in product(bank.world.genders, repeat=2):
            possible = name not in bank.head.opposite or kinds[0] != kinds[1]
            if possible and not stitcher.clause([name], kinds):
                untold.append(f"{predicate.word(kinds[1])} of a {kinds[0]} person")
    return untold


def _read(path: Path) -> Any:
    def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in pairs:
            if key in values:
                raise InvalidBank(f"{path}: {key!r} is there twice; join the two")
            values[key] = value
        return values

    text = read(path, "give a JSON file")
    try:
        return parse_json(text, partial(json.loads, object_pairs_hook=without_doubles))
    except ValueError as error:
        raise InvalidBank(f"{path} {error}; give a JSON file") from None


class _Reader:
    """Makes frames of sentences, and notes what is wrong with them."""

    def __init__(self, world: World, head: Head, language: Language) -> None:
        self.world, self.language = world, language
        self.frames: dict[str, Frame] = {}
        longest_first = sorted([*world.meanings, *_MISSPELT], key=len, reverse=True)
        self.relation = re.compile("|".join(map(re.escape, longest_first)))
        self.pronouns = {
            gender: {pronoun.words[gender] for pronoun in head.pronouns.values()}
            for gender in world.genders
        }

    def read(self, data: Any) -> Iterator[str]:
        if not isinstance(data, dict):
            yield "expected relations at the top level, as in {'father-mother': {...}}"
            return
        for relations, by_gender in data.items():
            where = repr(relations)
            named = self._relations(relations)
            if not 1 <= len(named) <= LONGEST:
                words = ", ".join(self.world.meanings)
                yield f"{where}: expected one to {LONGEST} of {words}, joined by -"
            elif not isinstance(by_gender, dict):
                yield f"{where}: expected genders below it, as in {{'male-female': [...]}}"
            else:
                for genders, texts in by_gender.items():
                    yield from self._texts(f"{where}, {genders!r}", named, genders, texts)

    def _relations(self, key: str) -> list[str]:
        """The words of a key; none where it is not made of words joined by a hyphen."""
        words = []
        start = 0
        while match := self.relation.match(key, start):
            words.append(_MISSPELT.get(match[0], match[0]))
            start = match.end() + 1
            if start > len(key):
                return words
            if key[match.end()] != "-":
                break
        return []

    def _texts(self, where: str, named: list[str], genders: str, texts: Any) -> Iterator[str]:
        meant = [self.world.meanings[word] for word in named]
        kinds = genders.split("-")
        if len(kinds) != len(named) + 1 or set(kinds) - set(self.world.genders):
            yield f"{where}: expected {len(named) + 1} genders, joined by -"
        elif wrong := [n for n, (_, kind) in enumerate(meant) if kind != kinds[n + 1]]:
            yield f"{where}: a {named[wrong[0]]} is not {kinds[wrong[0] + 1]}; mend the genders"
        elif not isinstance(texts, list):
            yield f"{where}: expected a list of sentences"
        else:
            for number, text in enumerate(texts, start=1):
                what = self._text(named, [name for name, _ in meant], kinds, text)
                if what:
                    yield f"{where}, sentence {number}: {what}"

    def _text(
        self, named: list[str], predicates: list[str], kinds: list[str], text: Any
    ) -> str | None:
        """Keep a sentence as a frame, or say what is wrong with it."""
        if not isinstance(text, str) or not text.strip():
            return f"expected a sentence, but got {text!r}"
        path = tuple("abcdefgh"[: len(kinds)])
        tokens: list[Token] = []
        rest = 0
        text = " ".join(text.split())
        for match in _ENTITY.finditer(text):
            number, gender = int(match[1]), match[2]
            if number >= len(path):
                return f"{match[0]} is one too many; there are {len(path)} people"
            if gender != kinds[number]:
                return f"{match[0]} is {kinds[number]} here; mend the slot or move the sentence"
            if match.start() > rest:
                tokens.append(Words(text[rest : match.start()]))
            tokens.append(Name(path[number]))
            rest = match.end()
        missing = set(path) - {token.slot for token in tokens if isinstance(token, Name)}
        if missing:
            number = path.index(min(missing))
            return f"ENT_{number}_{kinds[number]} is not in {text!r}; name everybody"
        # Else it would run into the sentence after it.
        end = "" if text[rest:].rstrip("\"'”»)").endswith((".", "!", "?")) else "."
        if text[rest:] + end:
            tokens.append(Words(text[rest:] + end))
        key = "-".join([*named, *kinds])
        digest = hashlib.sha256(f"{key}: {text}".encode()).hexdigest()[:8]
        slots = dict(zip(path, kinds, strict=True))
        shown = self._shown(words_of(_ENTITY.sub("", text)), predicates, tuple(kinds))
        frame = Frame(
            f"{'-'.join(named)}-{''.join(kind[0] for kind in kinds)}-{digest}",
            THEME,
            _ENTITY.sub(lambda entity: f"{{{path[int(entity[1])]}}}", text) + end,
            path,
            tuple(frozenset({name}) for name in predicates),
            slots,
            tuple(tokens),
            self.language,
            unshown=frozenset(slot for n, slot in enumerate(path) if n not in shown),
        )
        self.frames.setdefault(frame.id, frame)
        return None

    def _shown(self, words: list[str], predicates: list[str], kinds: Genders) -> set[int]:
        """Whose gender the words show: a noun only they can be called, or the one pronoun."""
        nouns: list[set[str]] = [set() for _ in kinds]
        for n, name in enumerate(predicates):
            nouns[n + 1].add(self.world.predicates[name].word(kinds[n + 1]))
            inverse = self.world.inverse(name)
            if inverse:
                nouns[n].add(self.world.predicates[inverse].word(kinds[n]))
        shown = set()
        for n, kind in enumerate(kinds):
            others = set().union(*nouns[:n], *nouns[n + 1 :])
            called = (nouns[n] - others) & set(words)
            alone = kinds.count(kind) == 1 and self.pronouns[kind or ""] & set(words)
            if called or alone:
                shown.add(n)
        return shown

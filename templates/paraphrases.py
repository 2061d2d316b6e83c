"""Paraphrases in the template format of the original CLUTRR, as a bank.

A file is JSON: relations along a path of people joined by `-` (`father-mother`), under them the
genders of those people (`male-male-female`), under them sentences with slots `ENT_0_male` and so on
for the people. docs/templates.md shows one.
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
from .bank import MAX_FACTS, Bank, find_bank
from .frame import Frame
from .language import BankHeader, Language, words_of
from .realization import Genders
from .stitcher import Stitcher
from .tokens import Name, PlainText, Token

THEME = "paraphrases"

_ENTITY = re.compile(r"ENT_(\d+)_([a-z]+)")
_SPELLING = {"neice": "niece"}  # in the original's files
_MAX_MISTAKES = 20


def load_paraphrases(path: Path) -> Bank:
    """Read a file of kinship paraphrases as a bank, or raise one error that lists its mistakes."""
    data = _read(path)
    kinship = find_bank("kinship")
    language = Language(kinship.header, kinship.world.genders, {})
    parser = _ParaphraseParser(kinship.world, kinship.header, language)
    mistakes = [f"{path}: {what}" for what in parser.parse(data)]
    if mistakes:
        more = len(mistakes) - _MAX_MISTAKES
        listed = mistakes[:_MAX_MISTAKES] + [f"{path}: ... and {more} more"] * (more > 0)
        raise InvalidBank("\n".join(listed))
    if not parser.frames:
        raise InvalidBank(f"{path} holds no sentences; give a file of paraphrases")
    return Bank(kinship.world, kinship.header, language, parser.frames.values())


def unstated_facts(bank: Bank) -> list[str]:
    """Return the single facts that no frame of a bank states; stories cannot have them."""
    stitcher = Stitcher(bank)
    unstated = []
    for name, predicate in bank.world.predicates.items():
        for genders in product(bank.world.genders, repeat=2):
            possible = name not in bank.header.opposite or genders[0] != genders[1]
            if possible and not stitcher.matching_frames([name], genders):
                unstated.append(f"{predicate.word(genders[1])} of a {genders[0]} person")
    return unstated


def _read(path: Path) -> Any:
    def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in pairs:
            if key in values:
                raise InvalidBank(f"{path}: {key!r} occurs twice; merge the two")
            values[key] = value
        return values

    text = read(path, "give a JSON file")
    try:
        return parse_json(text, partial(json.loads, object_pairs_hook=refuse_duplicates))
    except ValueError as error:
        raise InvalidBank(f"{path} {error}; give a JSON file") from None


class _ParaphraseParser:
    """Makes frames of sentences, and reports their mistakes."""

    def __init__(self, world: World, header: BankHeader, language: Language) -> None:
        self.world, self.language = world, language
        self.frames: dict[str, Frame] = {}
        longest_first = sorted([*world.meanings, *_SPELLING], key=len, reverse=True)
        self.relation = re.compile("|".join(map(re.escape, longest_first)))
        self.pronouns = {
            gender: {pronoun.words[gender] for pronoun in header.pronouns.values()}
            for gender in world.genders
        }

    def parse(self, data: Any) -> Iterator[str]:
        if not isinstance(data, dict):
            yield "expected relations at the top level, as in {'father-mother': {...}}"
            return
        for relations, by_gender in data.items():
            where = repr(relations)
            words = self._relations(relations)
            if not 1 <= len(words) <= MAX_FACTS:
                known = ", ".join(self.world.meanings)
                yield f"{where}: expected one to {MAX_FACTS} of {known}, joined by -"
            elif not isinstance(by_gender, dict):
                yield f"{where}: expected genders below it, as in {{'male-female': [...]}}"
            else:
                for key, texts in by_gender.items():
                    yield from self._texts(f"{where}, {key!r}", words, key.split("-"), texts)

    def _relations(self, key: str) -> list[str]:
        """Return the relation words that hyphens join in a key; none if it has others."""
        words = []
        start = 0
        while match := self.relation.match(key, start):
            words.append(_SPELLING.get(match[0], match[0]))
            start = match.end() + 1
            if start > len(key):
                return words
            if key[match.end()] != "-":
                break
        return []

    def _texts(self, where: str, words: list[str], genders: list[str], texts: Any) -> Iterator[str]:
        meant = [self.world.meanings[word] for word in words]
        if len(genders) != len(words) + 1 or set(genders) - set(self.world.genders):
            yield f"{where}: expected {len(words) + 1} genders, joined by -"
        elif wrong := [n for n, (_, gender) in enumerate(meant) if gender != genders[n + 1]]:
            yield f"{where}: a {words[wrong[0]]} is not {genders[wrong[0] + 1]}; fix the genders"
        elif not isinstance(texts, list):
            yield f"{where}: expected a list of sentences"
        else:
            for number, text in enumerate(texts, start=1):
                what = self._text(words, [name for name, _ in meant], genders, text)
                if what:
                    yield f"{where}, sentence {number}: {what}"

    def _text(
        self, words: list[str], predicates: list[str], genders: list[str], text: Any
    ) -> str | None:
        """Add a sentence as a frame; return its mistake if it has one."""
        if not isinstance(text, str) or not text.strip():
            return f"expected a sentence, but got {text!r}"
        path = tuple("abcdefgh"[: len(genders)])
        tokens: list[Token] = []
        end_of_slot = 0
        text = " ".join(text.split())
        for match in _ENTITY.finditer(text):
            number, gender = int(match[1]), match[2]
            if number >= len(path):
                return f"{match[0]} is one too many; there are {len(path)} people"
            if gender != genders[number]:
                return f"{match[0]} is {genders[number]} here; fix the slot or move the sentence"
            if match.start() > end_of_slot:
                tokens.append(PlainText(text[end_of_slot : match.start()]))
            tokens.append(Name(path[number]))
            end_of_slot = match.end()
        missing = set(path) - {token.slot for token in tokens if isinstance(token, Name)}
        if missing:
            number = path.index(min(missing))
            return f"ENT_{number}_{genders[number]} is not in {text!r}; name everybody"
        # Otherwise it would run into the next sentence.
        end = "" if text[end_of_slot:].rstrip("\"'”»)").endswith((".", "!", "?")) else "."
        if text[end_of_slot:] + end:
            tokens.append(PlainText(text[end_of_slot:] + end))
        key = "-".join([*words, *genders])
        digest = hashlib.sha256(f"{key}: {text}".encode()).hexdigest()[:8]
        slots = dict(zip(path, genders, strict=True))
        revealed = self._revealed(words_of(_ENTITY.sub("", text)), predicates, tuple(genders))
        frame = Frame(
            f"{'-'.join(words)}-{''.join(gender[0] for gender in genders)}-{digest}",
            THEME,
            _ENTITY.sub(lambda entity: f"{{{path[int(entity[1])]}}}", text) + end,
            path,
            tuple(frozenset({name}) for name in predicates),
            slots,
            tuple(tokens),
            self.language,
            unrevealed=frozenset(slot for n, slot in enumerate(path) if n not in revealed),
        )
        self.frames.setdefault(frame.id, frame)
        return None

    def _revealed(self, words: list[str], predicates: list[str], genders: Genders) -> set[int]:
        """Return the people whose gender a noun for them alone or the only pronoun reveals."""
        nouns: list[set[str]] = [set() for _ in genders]
        for n, name in enumerate(predicates):
            nouns[n + 1].add(self.world.predicates[name].word(genders[n + 1]))
            if inverse := self.world.inverse(name):
                nouns[n].add(self.world.predicates[inverse].word(genders[n]))
        revealed = set()
        for n, gender in enumerate(genders):
            others = set().union(*nouns[:n], *nouns[n + 1 :])
            called = (nouns[n] - others) & set(words)
            alone = genders.count(gender) == 1 and self.pronouns[gender or ""] & set(words)
            if called or alone:
                revealed.add(n)
        return revealed

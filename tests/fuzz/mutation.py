"""What becomes of a good file or command line when it is spoilt, in one of many ways."""

import gzip
import json
import random
from typing import Any

WEIRD = [
    "",
    " ",
    "0",
    "-1",
    "²",
    "٣",
    "1.2.3",
    "1e999",
    "nan",
    "9" * 5000,
    "0x" + "f" * 5000,
    "null",
    "[]",
    "{}",
    "[" * 3000,
    "{a: " * 200,
    "[[[[[[" * 20 + "]]]]]]" * 20,
    '"',
    "'",
    ",",
    "\t",
    ":",
    "-",
    "---",
    "&a [*a]",
    "!!int x",
    "? [a]",
    "=1+1",
    "\x1b[31m",
    "\x9b2J",
    "\u202e",
    "\u2028",
    "\x00",
    "\x85",
    "\x1c",
    "a" * 300,
    "a/../b",
    "$" * 3,
    "[/red]",
    "ENT_9_male",
    "é" * 100,
    "\U0001d4b3",
]
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    2**63,
    2**70,
    1.5,
    "",
    " ",
    "²",
    "x",
    "\x1b[2J",
    "a\nb",
    [],
    {},
    [None],
    [[]],
    {"": None},
    {"a": [1]},
    ["x", "y"],
    "9" * 5000,
    [["x", "y", "z"]],
    [0, 1],
]
BYTES = [b"\xff", b"\x00", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\xed\xa0\x80", b"\xc3", b"\\"]


def spoil(data: bytes, chance: random.Random) -> bytes:
    """A file's bytes, spoilt once or a few times; what is packed may be spoilt within."""
    if data[:2] == b"\x1f\x8b" and chance.random() < 0.6:
        return gzip.compress(spoil(gzip.decompress(data), chance), mtime=0)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        data = chance.choice([_bytes, _lines, _values, _values, _cells, _cells])(data, chance)
    return data


def spoil_words(words: list[str], pool: list[str], chance: random.Random) -> list[str]:
    """A command line with words replaced, dropped, doubled, moved or put in."""
    words = list(words)
    for _ in range(chance.choice([1, 1, 2, 3])):
        place = chance.randrange(len(words) + 1)
        word = chance.choice(pool if chance.random() < 0.6 else _TYPED)
        match chance.randrange(6):
            case 0:
                words.insert(place, word)
            case 1 | 2:
                words[place : place + 1] = [word]
            case 3:
                del words[place : place + 1]
            case 4:
                words[place:place] = words[place - 1 : place]
            case _:
                words[place : place + 1] = [spelt(words[place : place + 1], chance)]
    return [word.replace("\0", "") for word in words]


_TYPED = [word for word in WEIRD if "\0" not in word and len(word) < 6000]


def spelt(words: list[str], chance: random.Random) -> str:
    """A word with a letter amiss."""
    letters = list(words[0]) if words else ["-"]
    place = chance.randrange(len(letters) + 1)
    letters[place : place + chance.randrange(2)] = [chance.choice("=,.-_/ é\x1b\udcff0²@")]
    return "".join(letters)


def _bytes(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    end = min(len(data), place + chance.choice([1, 1, 8, 100]))
    match chance.randrange(7):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + data[end:]
        case 2:
            return data[:end] + data[place:]
        case 3:
            flipped = bytes([byte ^ (1 << chance.randrange(8)) for byte in data[place : place + 1]])
            return data[:place] + flipped + data[place + 1 :]
        case 4:
            return data[:place] + chance.choice(BYTES) + data[end:]
        case 5:
            return data.replace(b"\n", chance.choice([b"\r", b"\r\n", b"\n\n", b""]))
        case _:
            return data[:place] + chance.choice(WEIRD).encode() + data[place:]


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[other])
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case _:
            lines[place] = chance.choice(WEIRD).encode()
    return b"\n".join(lines)


def _cells(data: bytes, chance: random.Random) -> bytes:
    """Spoil what stands between two separators of any kind."""
    separator = chance.choice([b"\t", b",", b": ", b" ", b"\n", b"/", b'"'])
    cells = data.split(separator)
    place = chance.randrange(len(cells))
    if chance.random() < 0.2:
        del cells[place]
    else:
        cells[place] = chance.choice(WEIRD).encode()
    return separator.join(cells)


def _values(data: bytes, chance: random.Random) -> bytes:
    """Spoil a value somewhere in JSON: the whole file's, or that of a line."""
    lines = data.split(b"\n")
    for whole in (True, False):
        place = chance.randrange(len(lines))
        try:
            value = json.loads(data if whole else lines[place])
        except (ValueError, RecursionError):
            continue
        text = json.dumps(_spoilt(value, chance)).encode()
        if whole:
            return text
        lines[place] = text
        return b"\n".join(lines)
    return _cells(data, chance)


def _spoilt(value: Any, chance: random.Random) -> Any:
    if not value or not isinstance(value, dict | list) or chance.random() < 0.15:
        return chance.choice(VALUES)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = chance.choice(keys)
    if chance.random() < 0.2:
        del value[key]
    else:
        value[key] = _spoilt(value[key], chance)
    return value

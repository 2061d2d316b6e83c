"""Random corruptions of files and command lines."""

import gzip
import json
import random
from typing import Any

ODD_STRINGS = [
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
ODD_VALUES: list[Any] = [
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
ODD_BYTES = [
    b"\xff",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"\r\n",
    b"\xed\xa0\x80",
    b"\xc3",
    b"\\",
]


def corrupt(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes of a file, corrupted one to four times; of gzip files, often the content."""
    if data[:2] == b"\x1f\x8b" and rng.random() < 0.6:
        return gzip.compress(corrupt(gzip.decompress(data), rng), mtime=0)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = rng.choice(
            [
                _change_bytes,
                _change_lines,
                _change_values,
                _change_values,
                _change_cells,
                _change_cells,
            ]
        )(data, rng)
    return data


def corrupt_words(words: list[str], pool: list[str], rng: random.Random) -> list[str]:
    """Return a command line with words inserted, replaced, removed, repeated or misspelt."""
    words = list(words)
    for _ in range(rng.choice([1, 1, 2, 3])):
        start = rng.randrange(len(words) + 1)
        word = rng.choice(pool if rng.random() < 0.6 else _ODD_WORDS)
        match rng.randrange(6):
            case 0:
                words.insert(start, word)
            case 1 | 2:
                words[start : start + 1] = [word]
            case 3:
                del words[start : start + 1]
            case 4:
                words[start:start] = words[start - 1 : start]
            case _:
                words[start : start + 1] = [misspelt(words[start : start + 1], rng)]
    return [word.replace("\0", "") for word in words]


_ODD_WORDS = [word for word in ODD_STRINGS if "\0" not in word and len(word) < 6000]


def misspelt(words: list[str], rng: random.Random) -> str:
    """Return the first word with one character inserted or replaced."""
    letters = list(words[0]) if words else ["-"]
    start = rng.randrange(len(letters) + 1)
    letters[start : start + rng.randrange(2)] = [rng.choice("=,.-_/ é\x1b\udcff0²@")]
    return "".join(letters)


def _change_bytes(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice([1, 1, 8, 100]))
    match rng.randrange(7):
        case 0:
            return data[:start]
        case 1:
            return data[:start] + data[end:]
        case 2:
            return data[:end] + data[start:]
        case 3:
            flipped = bytes([byte ^ (1 << rng.randrange(8)) for byte in data[start : start + 1]])
            return data[:start] + flipped + data[start + 1 :]
        case 4:
            return data[:start] + rng.choice(ODD_BYTES) + data[end:]
        case 5:
            return data.replace(b"\n", rng.choice([b"\r", b"\r\n", b"\n\n", b""]))
        case _:
            return data[:start] + rng.choice(ODD_STRINGS).encode() + data[start:]


def _change_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    index, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[index]
        case 1:
            lines.insert(index, lines[other])
        case 2:
            lines[index], lines[other] = lines[other], lines[index]
        case _:
            lines[index] = rng.choice(ODD_STRINGS).encode()
    return b"\n".join(lines)


def _change_cells(data: bytes, rng: random.Random) -> bytes:
    """Replace or remove the text between two separators."""
    separator = rng.choice([b"\t", b",", b": ", b" ", b"\n", b"/", b'"'])
    cells = data.split(separator)
    index = rng.randrange(len(cells))
    if rng.random() < 0.2:
        del cells[index]
    else:
        cells[index] = rng.choice(ODD_STRINGS).encode()
    return separator.join(cells)


def _change_values(data: bytes, rng: random.Random) -> bytes:
    """Replace or remove a value in JSON: in the file as a whole, or in one of its lines."""
    lines = data.split(b"\n")
    for whole in (True, False):
        index = rng.randrange(len(lines))
        try:
            value = json.loads(data if whole else lines[index])
        except (ValueError, RecursionError):
            continue
        text = json.dumps(_with_changed_value(value, rng)).encode()
        if whole:
            return text
        lines[index] = text
        return b"\n".join(lines)
    return _change_cells(data, rng)


def _with_changed_value(value: Any, rng: random.Random) -> Any:
    if not value or not isinstance(value, dict | list) or rng.random() < 0.15:
        return rng.choice(ODD_VALUES)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = rng.choice(keys)
    if rng.random() < 0.2:
        del value[key]
    else:
        value[key] = _with_changed_value(value[key], rng)
    return value

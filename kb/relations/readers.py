"""Readers of relation sets: BATS folders and TSV."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from ...errors import InvalidRelations, NotFound
from ...storage.files import Stamp, stamp
from ...storage.text import open_plain, read
from ..document import parse_document
from .bats import traits
from .relation import Block, Pair, Relation

SHIPPED = "shipped"
"""Name of the relation sets that come with relsmith."""

INDEX_FILE = "relations.yaml"
"""Name of the file that describes the relations of a folder."""

FALSE_SUFFIX = ".false"
"""Suffix of the file with the false pairs of an open relation."""

DATA = Path(__file__).with_name("data")
"""Folder of the relation sets that come with relsmith."""

_SUFFIXES = (".txt", ".tsv")
_OWN_GROUP = "own"
_MIN_SYMMETRIC_SHARE = 0.5

_Stamps = tuple[tuple[Path, Stamp], ...]


class IndexEntry(BaseModel):
    """Description of one relation in an index."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    group: str = _OWN_GROUP
    symmetric: bool | None = None
    kind: str = ""
    types: tuple[str, str] | None = None
    source: str = ""
    licence: str = ""
    asymmetric: bool = False
    canonical: bool = False
    disjoint: bool = False
    closed: str = ""
    open: Literal["", "exclusion list", "wider lexicon", "disjoint type"] = ""

    @model_validator(mode="after")
    def _is_either(self) -> Self:
        if self.closed and self.open:
            raise ValueError("a relation is closed or open, not both; delete one of them")
        if self.asymmetric and self.symmetric:
            raise ValueError("a relation is symmetric or asymmetric, not both; delete one of them")
        return self


class IndexFile(BaseModel):
    """Index of a folder: descriptions of relations by name."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    relations: dict[str, IndexEntry]


@dataclass
class _Draft:
    """A relation while its file is read, with counts for its notes."""

    name: str
    group: str | None = None
    listed: list[Pair] = field(default_factory=list)
    seen: dict[Pair, int] = field(default_factory=dict)
    repeats: int = 0
    empty: int = 0
    underscores: int = 0

    def add(self, head: str, tails: Iterable[str], file: "_File", line: int) -> None:
        """Add the tails of a head; empty and repeated ones are counted."""
        head = self.word(head)
        if not head:
            raise file.error(line, "the head is empty; write it or delete the line")
        answered = False
        for tail in map(self.word, tails):
            if not tail:
                self.empty += 1
                continue
            answered = True
            pair = (head, tail)
            self.repeats += pair in self.seen
            self.seen[pair] = line
            self.listed.append(pair)
        if not answered:
            raise file.error(line, f"{head!r} has no answer; write one or delete the line")

    def word(self, text: str) -> str:
        """Return a word with single spaces instead of underscores and runs of spaces."""
        if "_" in text:
            self.underscores += 1
        return " ".join(text.replace("_", " ").split())


@dataclass(frozen=True)
class _File:
    """The lines of a file of relations, with notes about it."""

    path: Path
    lines: list[str]
    notes: list[str]

    def error(self, line: int, message: str) -> InvalidRelations:
        """Return an error about a line of the file."""
        return InvalidRelations(f"{self.path}:{line}: {message}")

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not blank, with their numbers."""
        return ((number, line) for number, line in enumerate(self.lines, 1) if line.strip())


def load(where: str | Path) -> tuple[Relation, ...]:
    """Read the relations of a file or of all files below a folder; SHIPPED reads our own."""
    path = DATA if str(where) == SHIPPED else Path(where)
    if not path.exists():
        raise NotFound(
            f"no relation set is at {str(where)!r}; give a file, a folder, or {SHIPPED!r} for "
            f"those that come with relsmith"
        )
    files, beside = _files(path)
    if not files:
        raise InvalidRelations(
            f"{where} holds no relations; expected files that end in {', '.join(_SUFFIXES)}"
        )
    return _load(path, _stamps(files), _stamps(beside))


def _stamps(files: list[Path]) -> _Stamps:
    return tuple((file, stamp(file)) for file in files)


def digest(where: str | Path) -> str:
    """Return the digest of all files that `load` reads, and of their names."""
    path = DATA if str(where) == SHIPPED else Path(where)
    total = hashlib.sha256()
    for file in chain(*_files(path)):
        data = file.read_bytes()
        shown = str(file.relative_to(path)) if path.is_dir() else file.name
        total.update(f"{shown}\0{len(data)}\0".encode() + data)
    return total.hexdigest()


def _files(path: Path) -> tuple[list[Path], list[Path]]:
    """Return the files of relations at a path, and those beside them: index and false pairs."""
    if path.is_file():
        files, beside = [path], [path.with_name(INDEX_FILE), path.with_suffix(FALSE_SUFFIX)]
    else:
        every = sorted(file for file in path.rglob("*") if not file.name.startswith("."))
        files = [file for file in every if file.suffix in _SUFFIXES and file.is_file()]
        beside = [path / INDEX_FILE, *(file for file in every if file.suffix == FALSE_SUFFIX)]
    return files, [file for file in beside if file.is_file()]


@lru_cache(maxsize=16)
def _load(path: Path, files: _Stamps, beside: _Stamps) -> tuple[Relation, ...]:
    index: dict[str, IndexEntry] = {}
    if beside and beside[0][0].name == INDEX_FILE:
        file = beside[0][0]
        index = parse_document(read(file), str(file), IndexFile, InvalidRelations)[0].relations
    relations: dict[str, Relation] = {}
    places: dict[str, Path] = {}
    for file, _ in files:
        for relation in _read(file, path, index):
            if relation.name in relations:
                raise InvalidRelations(
                    f"{file}: relation {relation.name!r} is also in {places[relation.name]}; "
                    f"rename one of them"
                )
            relations[relation.name], places[relation.name] = relation, file
    if path.is_dir():
        missing = sorted(set(index) - set(relations))
        if missing:
            raise InvalidRelations(
                f"{path / INDEX_FILE}: there is no relation {missing[0]!r}; "
                f"add its file or delete it"
            )
    return tuple(relations.values())


def _read(path: Path, root: Path, index: dict[str, IndexEntry]) -> Iterator[Relation]:
    text = read(path)
    notes = []
    with open_plain(path) as opened:
        if b"\r" in opened.read():
            notes.append("lines end in CRLF")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        notes.append("the last line has no end")
    if any(not line.strip() for line in lines):
        notes.append("blank lines are skipped")
    file = _File(path, lines, notes)
    drafts = _reader(file)(file)
    if not drafts:
        raise InvalidRelations(f"{path} holds no pair; add lines of head TAB tail or delete it")
    for draft in drafts:
        relation = _make_relation(draft, file, root, index.get(draft.name))
        yield _with_exclusions(relation, path.with_name(draft.name + FALSE_SUFFIX))


def _with_exclusions(relation: Relation, path: Path) -> Relation:
    """Return the relation with the false pairs of the file beside its own, if any."""
    if not path.is_file():
        return relation
    if not relation.open:
        raise InvalidRelations(
            f"{path}: {relation.name!r} is not open, so that nothing needs to be excluded; say "
            f"'open: exclusion list' in {INDEX_FILE}, or delete the file"
        )
    known = {word for pair in relation.pairs for word in pair}
    file = _File(path, read(path).splitlines(), [])
    blocks: list[Block] = []
    for number, line in enumerate(file.lines, 1):
        parts = [tuple(word.strip() for word in part.split("/")) for part in line.split("\t")]
        if len(parts) != 2 or not all(word for part in parts for word in part):
            expected = "expected head/head/... TAB tail/tail/..."
            raise file.error(number, f"{expected}, but got {_shorten(line)}")
        for word in chain(*parts):
            if word not in known:
                what = f"{word!r} is no word of {relation.name!r}"
                raise file.error(number, f"{what}; add it there or delete it here")
        for head in parts[0]:
            if tails := set(relation.tails.get(head, ())) & set(parts[1]):
                what = f"{head!r} : {min(tails)!r} is also listed as true"
                raise file.error(number, f"{what}; delete one of them")
        blocks.append((parts[0], parts[1]))
    return replace(relation, excluded=tuple(blocks))


def _reader(file: _File) -> Callable[[_File], list[_Draft]]:
    return _read_tsv if file.path.suffix == ".tsv" else _read_bats


def _make_relation(draft: _Draft, file: _File, root: Path, entry: IndexEntry | None) -> Relation:
    counted = {
        "empty answers are skipped": draft.empty,
        "repeated answers count once": draft.repeats,
        "words with _ are read with spaces": draft.underscores,
    }
    notes = [*file.notes, *(f"{count} {what}" for what, count in counted.items() if count)]
    given = entry.model_dump(exclude_unset=True, exclude_none=True) if entry else {}
    fields: dict[str, Any] = {
        "group": draft.group or _group(file.path, root),
        "source": file.path.name,
        "kind": draft.name,
        "symmetric": _symmetric_share(draft.seen) >= _MIN_SYMMETRIC_SHARE,
    }
    fields |= (traits(draft.name) or {}) | given
    fields["kind"] = fields["kind"] or draft.name
    return Relation(
        draft.name,
        listed=tuple(draft.listed),
        notes=tuple(notes),
        **fields,
    )


def _group(path: Path, root: Path) -> str:
    below = path.parent if root.is_file() else path.parent.relative_to(root)
    return below.name if root.is_dir() and below.name else _OWN_GROUP


def _symmetric_share(pairs: Collection[Pair]) -> float:
    return sum((tail, head) in pairs and head != tail for head, tail in pairs) / len(pairs)


def _read_bats(file: _File) -> list[_Draft]:
    draft = _Draft(file.path.stem)
    for number, line in file.numbered_lines():
        parts = line.split("\t")
        if len(parts) != 2:
            raise file.error(number, f"expected head TAB tail/tail/..., but got {_shorten(line)}")
        draft.add(parts[0], parts[1].split("/"), file, number)
    return [draft] if draft.listed else []


def _read_tsv(file: _File) -> list[_Draft]:
    rows = ((number, line.split("\t")) for number, line in file.numbered_lines())
    return _read_columns(file, rows)


_COLUMNS = ("head", "tail", "relation", "group")


def _read_columns(file: _File, rows: Iterable[tuple[int, list[str]]]) -> list[_Draft]:
    """Read pairs by column: head and tail, or the columns that a header names."""
    columns = ["head", "tail"]
    drafts: dict[str, _Draft] = {}
    for n, (number, row) in enumerate(rows):
        cells = [cell.strip() for cell in row]
        if n == 0 and {"head", "tail"} <= {cell.casefold() for cell in cells}:
            columns = [cell.casefold() for cell in cells]
            unknown = [column for column in columns if column not in _COLUMNS]
            if unknown:
                raise file.error(
                    number, f"no column is called {unknown[0]!r}; there are {', '.join(_COLUMNS)}"
                )
            continue
        if len(cells) != len(columns):
            raise file.error(
                number,
                f"expected {len(columns)} columns ({', '.join(columns)}), but got {len(cells)}",
            )
        _add_row(drafts, dict(zip(columns, cells, strict=True)), file, number)
    return list(drafts.values())


def _add_row(drafts: dict[str, _Draft], cells: dict[str, str], file: _File, number: int) -> None:
    name = cells.get("relation") or file.path.stem
    group = cells.get("group") or None
    draft = drafts.setdefault(name, _Draft(name, group))
    if draft.group != group:
        raise file.error(
            number,
            f"relation {name!r} is of group {draft.group!r} above, "
            f"but of {group!r} here; make them agree",
        )
    draft.add(cells["head"], [cells["tail"]], file, number)


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")

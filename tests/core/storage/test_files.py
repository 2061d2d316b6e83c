"""Files are complete or absent, runs are exclusive, and foreign files are kept."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from relsmith.errors import AlreadyExists, CannotWrite
from relsmith.storage import files


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)


@pytest.mark.usefixtures("full_disk")
def test_writing_is_atomic(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="No space"):
        files.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert entries(tmp_path) == ["file"]


def test_a_folder_is_made_atomically(tmp_path: Path) -> None:
    with files.atomic_path(tmp_path / "folder") as unfinished:
        unfinished.mkdir()
        (unfinished / "file").write_text("text")
        assert entries(tmp_path) == [unfinished.name]
    assert (tmp_path / "folder" / "file").read_text() == "text"
    with pytest.raises(KeyError), files.atomic_path(tmp_path / "other") as unfinished:
        unfinished.mkdir()
        (unfinished / "half").write_text("half")
        raise KeyError
    assert entries(tmp_path) == ["folder"]


def test_leftovers_of_killed_runs_are_removed(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    (tmp_path / f"half.1{files.TEMPORARY_SUFFIX}").write_text("")
    (tmp_path / f"folder.2{files.TEMPORARY_SUFFIX}" / "deep").mkdir(parents=True)
    files.remove_temporary(tmp_path)
    assert entries(tmp_path) == ["kept"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_existing_files_are_replaced_by_force_only(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "deep" / "out"

    def make(text: str, *, force: bool) -> None:
        with files.replacing(out, force=force) as successor:
            assert successor.name == out.name
            if kind == "folder":
                successor.mkdir()
            (successor / "file" if kind == "folder" else successor).write_text(text)

    make("version 1", force=False)
    with pytest.raises(AlreadyExists, match="already exists; pass --force"):
        make("version 2", force=False)
    assert (out / "file" if kind == "folder" else out).read_text() == "version 1"
    make("version 2", force=True)
    assert (out / "file" if kind == "folder" else out).read_text() == "version 2"
    assert entries(out.parent) == ["out"]


def test_force_keeps_other_kinds_and_folders_with_other_files(tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir()
    (folder / "mine").write_text("mine")
    file.write_text("mine")
    with (
        pytest.raises(AlreadyExists, match="is a folder, so --force"),
        files.replacing(folder, force=True) as successor,
    ):
        successor.write_text("")
    with (
        pytest.raises(AlreadyExists, match="is a file, so --force"),
        files.replacing(file, force=True) as successor,
    ):
        successor.mkdir()
    with (
        pytest.raises(AlreadyExists, match="also has 'mine', so --force"),
        files.replacing(folder, force=True) as successor,
    ):
        successor.mkdir()
    with (
        pytest.raises(AlreadyExists, match="mine is another type of file, so --force"),
        files.replacing(folder, force=True) as successor,
    ):
        successor.mkdir()
        (successor / "mine").write_text("theirs")
    with (
        pytest.raises(AlreadyExists, match="file is another type of file, so --force"),
        files.replacing(file, force=True) as successor,
    ):
        successor.write_text("theirs")
    assert (folder / "mine").read_text() == file.read_text() == "mine"
    assert entries(tmp_path) == ["file", "folder"]


@pytest.mark.parametrize(
    "out", ["data", "data/rows", "link", "hard", "linked/rows", "data/../data/rows"]
)
def test_an_input_is_never_replaced(tmp_path: Path, out: str) -> None:
    rows = tmp_path / "data" / "rows"
    rows.parent.mkdir()
    rows.write_text("rows")
    (tmp_path / "link").symlink_to(rows)
    (tmp_path / "linked").symlink_to(rows.parent)
    (tmp_path / "hard").hardlink_to(rows)
    with (
        pytest.raises(AlreadyExists, match="is, or contains, an input"),
        files.replacing(tmp_path / out, force=True, inputs=[rows]) as successor,
    ):
        successor.write_text("other")
    assert rows.read_text() == "rows"


def test_files_moved_aside_by_a_killed_run_are_restored(tmp_path: Path) -> None:
    out, work = tmp_path / "out", tmp_path / f".out{files.TEMPORARY_SUFFIX}"
    (work / "old").mkdir(parents=True)
    (work / "old" / "mine").write_text("mine")
    (work / "new" / "out").mkdir(parents=True)
    with pytest.raises(AlreadyExists, match="already exists"), files.replacing(out):
        pass
    assert (out / "mine").read_text() == "mine"
    assert entries(tmp_path) == ["out"]
    (work / "new").mkdir(parents=True)
    files.recover(out)
    assert entries(tmp_path) == ["out"]


def test_files_in_the_way_are_kept(tmp_path: Path) -> None:
    work = tmp_path / f".out{files.TEMPORARY_SUFFIX}"
    work.mkdir()
    (work / "mine").write_text("mine")
    with (
        pytest.raises(AlreadyExists, match=r"has 'mine'; move that elsewhere"),
        files.replacing(tmp_path / "out", force=True),
    ):
        pass
    assert entries(work) == ["mine"]


def test_the_target_of_a_symlink_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("version 1")
    (tmp_path / "link").symlink_to("folder")
    with files.replacing(tmp_path / "link", force=True) as successor:
        successor.mkdir()
        (successor / "file").write_text("version 2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_text() == "version 2"
    assert entries(tmp_path) == ["folder", "link"]


def test_the_working_directory_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AlreadyExists, match="is the current folder"):
        files.save(Path(), b"")
    assert entries(tmp_path) == []


def test_files_created_meanwhile_are_not_replaced(tmp_path: Path) -> None:
    with (
        pytest.raises(AlreadyExists, match="already exists"),
        files.replacing(tmp_path / "out") as successor,
    ):
        successor.write_text("ours")
        (tmp_path / "out").write_text("mine")
    assert (tmp_path / "out").read_text() == "mine"


def test_write_errors_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(CannotWrite, match=r"^cannot write \S+below: \S+file is a file; choose"),
        files.replacing(tmp_path / "file" / "below"),
    ):
        pass


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_cache_is_made_atomically_and_cleaned(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "cache" / "part"
    (tmp_path / "cache" / f".part{files.TEMPORARY_SUFFIX}" / "part").mkdir(parents=True)
    for text in ("first", "second"):
        with files.cache_path(path) as unfinished:
            if kind == "folder":
                unfinished.mkdir()
            (unfinished / "file" if kind == "folder" else unfinished).write_text(text)
            assert text == "second" or not path.exists()
    # Readers never find an empty folder; a replaced file was a damaged one.
    kept = (path / "file").read_text() if kind == "folder" else path.read_text()
    assert kept == ("first" if kind == "folder" else "second")
    assert entries(path.parent) == ["part"]


@pytest.mark.parametrize("link", ["", files.LOCK])
def test_a_work_folder_that_is_a_link_is_refused(tmp_path: Path, link: str) -> None:
    work, theirs = tmp_path / f".out{files.TEMPORARY_SUFFIX}", tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "mine").write_text("mine")
    if link:
        work.mkdir()
    (work / link).symlink_to(theirs / "mine" if link else theirs)
    with (
        pytest.raises(AlreadyExists, match="is a symbolic link, which relsmith does not use"),
        files.replacing(tmp_path / "out", force=True),
    ):
        pass
    files.recover(tmp_path / "out")
    assert (work / link).is_symlink()
    assert (theirs / "mine").read_text() == "mine"
    assert entries(theirs) == ["mine"]


HOLDER = """
import sys, time
from pathlib import Path
from relsmith.storage import files
with files.locked(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_lock_is_released_when_its_holder_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(AlreadyExists, match="busy"), files.locked(tmp_path, "busy"):
            pass
        holder.kill()
    with (
        files.locked(tmp_path, "busy"),
        pytest.raises(AlreadyExists, match="busy"),
        files.locked(tmp_path, "busy"),
    ):
        pass
    assert not tmp_path.exists(), "an empty folder is left behind"


def test_a_digest_covers_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    cat = tmp_path / "below" / "cat"
    cat.write_bytes(b"cat 1 0\n")
    assert files.digest(cat) == hashlib.sha256(b"cat 1 0\n").hexdigest()
    seen = {files.digest(tmp_path)}
    cat.write_bytes(b"cat 1 1\n")
    seen.add(files.digest(tmp_path))
    cat.rename(tmp_path / "cat")
    seen.add(files.digest(tmp_path))
    (tmp_path / "dog").write_bytes(b"")
    seen.add(files.digest(tmp_path))
    assert len(seen) == 4
    for names in ("dog", "cat"), ("cat", "dog"):
        assert files.digest_of(tmp_path, map(tmp_path.joinpath, names)) == files.digest(tmp_path)


def test_a_stamp_changes_when_a_file_does(tmp_path: Path) -> None:
    path = tmp_path / "file"
    seen = {files.stamp(path)}
    path.write_text("one")
    seen.add(files.stamp(path))
    path.write_text("three")
    seen.add(files.stamp(str(path)))
    assert len(seen) == 3
    assert files.stamp(path) == files.stamp(path)

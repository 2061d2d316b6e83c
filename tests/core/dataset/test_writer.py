import gzip
import json
import os
import shutil
from functools import partial

import pytest
from broken_generators import Uncertified, Wrong
from tiny_generator import Stopping, Tiny

from relsmith import Dataset, Local, verify, write
from relsmith.errors import AlreadyExists, CannotWrite, CheckFailed, Infeasible, RelsmithError
from relsmith.testing.profile import scaled
from relsmith_comparatives import Comparatives

SPLITS = {"train": 300, "test": 40}


def stop(out, generator=None, *, shards=2, after=1, **options) -> None:
    """Start a dataset and interrupt it after some shards."""
    with pytest.raises(KeyboardInterrupt):
        write(generator or Tiny(), out, SPLITS, shards=shards, engine=Stopping(after), **options)


def test_the_same_request_gives_the_same_bytes(tmp_path, contents):
    for name in ("one", "two"):
        write(Tiny(), tmp_path / name, SPLITS, seed=4)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert list(contents(tmp_path / "one")) == [
        "README.md",
        "manifest.json",
        "test-00000-of-00001.jsonl",
        "train-00000-of-00001.jsonl",
    ]


def test_workers_change_no_byte(tmp_path, contents):
    write(Comparatives(), tmp_path / "one", SPLITS, shards=3)
    write(Comparatives(), tmp_path / "three", SPLITS, shards=3, engine=Local(3))
    assert contents(tmp_path / "one") == contents(tmp_path / "three")


def test_shards_change_no_row(tmp_path, joined):
    write(Tiny(), tmp_path / "1", SPLITS)
    write(Tiny(), tmp_path / "7", SPLITS, shards=7)
    assert len(Dataset(tmp_path / "7").manifest.files) == 14
    assert joined(tmp_path / "7") == joined(tmp_path / "1")


def test_gzip_unpacks_to_the_same_rows(tmp_path, joined):
    write(Tiny(), tmp_path / "plain", SPLITS, shards=2)
    write(Tiny(), tmp_path / "packed", SPLITS, shards=2, encoding="jsonl.gz")
    assert gzip.decompress(joined(tmp_path / "packed")) == joined(tmp_path / "plain")


def test_there_are_at_most_as_many_shards_as_rows(tmp_path):
    manifest = write(Tiny(), tmp_path / "data", {"train": 9, "test": 2}, shards=5)
    assert [file.rows for file in manifest.files] == [1, 2, 2, 2, 2, 1, 1]


def test_splits_differ(tmp_path):
    write(Tiny(), tmp_path / "data", {"train": 50, "test": 50})
    dataset = Dataset(tmp_path / "data")
    assert not {r.input for r in dataset.rows("train")} & {r.input for r in dataset.rows("test")}


def test_progress_reaches_the_last_row(tmp_path):
    seen = []
    write(Tiny(), tmp_path / "data", SPLITS, shards=2, engine=Local(1, seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == 340


def test_a_dataset_is_replaced_only_by_force(tmp_path, contents):
    write(Tiny(), tmp_path, SPLITS)
    before = contents(tmp_path)
    for generator in (Tiny(), Tiny(most=3)):
        with pytest.raises(AlreadyExists, match="already holds a dataset; pass --force"):
            write(generator, tmp_path, SPLITS)
    assert contents(tmp_path) == before


def test_force_replaces_a_dataset_and_leaves_what_is_not_its_own(tmp_path, contents):
    write(Tiny(), tmp_path / "new", SPLITS, seed=2)
    write(Tiny(), tmp_path / "out", {"train": 50, "dev": 5}, shards=3, encoding="jsonl.gz")
    (tmp_path / "out" / "notes.txt").write_bytes(b"mine")
    write(Tiny(), tmp_path / "out", SPLITS, seed=2, force=True)
    assert contents(tmp_path / "out") == contents(tmp_path / "new") | {"notes.txt": b"mine"}


@pytest.mark.parametrize("after", [0, 1, 4])
def test_the_old_dataset_is_kept_until_the_new_is_complete(tmp_path, contents, after):
    write(Tiny(), tmp_path, SPLITS)
    before = contents(tmp_path)
    stop(tmp_path, Tiny(most=2), after=after, force=True)
    now = contents(tmp_path)
    assert {name: now.get(name) for name in before} == before
    assert list(verify(tmp_path, judge=Tiny)) == []


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "files",
    [
        {"notes.txt": b"mine"},
        {"train-00000-of-00001.jsonl": b"mine"},
        {"README.md": b"mine", "manifest.json": b'{"manifest_version": 3, "name": "extension"}'},
        {"README.md": b"mine", ".unfinished/thoughts.txt": b"mine"},
    ],
    ids=["notes", "shard", "manifest of something else", "unfinished something else"],
)
def test_a_foreign_folder_is_never_touched(tmp_path, contents, files, force):
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    with pytest.raises(AlreadyExists):
        write(Tiny(), tmp_path, SPLITS, force=force)
    assert contents(tmp_path) == files


@pytest.mark.parametrize("standing", ["nothing", "a dataset", "an unfinished one"])
def test_a_symlinked_work_folder_is_not_followed(tmp_path, contents, standing):
    out, theirs = tmp_path / "out", tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "request.json").write_bytes(b"mine")
    out.mkdir()
    if standing == "a dataset":
        write(Tiny(), out, SPLITS)
    elif standing == "an unfinished one":
        stop(theirs.parent / "stopped")
        shutil.copytree(tmp_path / "stopped" / ".unfinished", theirs, dirs_exist_ok=True)
    (out / ".unfinished").symlink_to(theirs)
    before = contents(theirs)
    for force in (False, True):
        with pytest.raises(AlreadyExists, match="unfinished is a symbolic link"):
            write(Tiny(), out, SPLITS, shards=2, force=force)
    assert contents(theirs) == before
    (out / ".unfinished").unlink()
    write(Tiny(), out, SPLITS, force=standing == "a dataset")


def test_a_symlinked_unfinished_shard_is_remade(tmp_path, contents):
    write(Tiny(), tmp_path / "whole", SPLITS, shards=2)
    stop(tmp_path / "out", after=3)
    shard = tmp_path / "out" / ".unfinished" / "train-00001-of-00002.jsonl"
    shard.rename(tmp_path / "elsewhere")
    shard.symlink_to(tmp_path / "elsewhere")
    write(Tiny(), tmp_path / "out", SPLITS, shards=2)
    assert not any(path.is_symlink() for path in (tmp_path / "out").iterdir())
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_an_empty_folder_is_accepted(tmp_path):
    (tmp_path / "data").mkdir()
    assert write(Tiny(), tmp_path / "data", SPLITS).splits == SPLITS


def test_an_unfinished_dataset_of_another_request_needs_force(tmp_path, contents):
    write(Tiny(), tmp_path / "whole", SPLITS, shards=2)
    stop(tmp_path / "out", Tiny(most=2))
    before = contents(tmp_path / "out")
    with pytest.raises(AlreadyExists, match="unfinished dataset made with other options"):
        write(Tiny(), tmp_path / "out", SPLITS, shards=2)
    assert contents(tmp_path / "out") == before
    write(Tiny(), tmp_path / "out", SPLITS, shards=2, force=True)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


@pytest.mark.parametrize("options", [{"seed": 1}, {"shards": 3}, {"encoding": "jsonl.gz"}])
def test_any_changed_option_is_another_request(tmp_path, options):
    stop(tmp_path)
    with pytest.raises(AlreadyExists, match="unfinished"):
        write(Tiny(), tmp_path, SPLITS, **({"shards": 2} | options))


@pytest.mark.parametrize("encoding", ["jsonl", "jsonl.gz"])
@pytest.mark.parametrize("after", range(5))
def test_a_stopped_run_resumes(tmp_path, contents, after, encoding):
    write(Tiny(), tmp_path / "whole", SPLITS, shards=2, encoding=encoding)
    out = tmp_path / "out"
    stop(out, after=after, encoding=encoding)
    assert not (out / "manifest.json").exists()
    nodes = {path.name: path.stat().st_ino for path in (out / ".unfinished").glob("t*-of-*")}
    write(Tiny(), out, SPLITS, shards=2, encoding=encoding)
    assert contents(out) == contents(tmp_path / "whole")
    kept = [name for name in nodes if name in contents(out)]
    assert len(kept) == after
    assert all((out / name).stat().st_ino == nodes[name] for name in kept)


@pytest.mark.parametrize("damage", [b"", b"half a ro"])
def test_a_damaged_unfinished_shard_is_made_again(tmp_path, contents, damage):
    write(Tiny(), tmp_path / "whole", SPLITS, shards=2)
    stop(tmp_path / "out", after=3)
    (tmp_path / "out" / ".unfinished" / "train-00001-of-00002.jsonl").write_bytes(damage)
    write(Tiny(), tmp_path / "out", SPLITS, shards=2)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_every_damaged_unfinished_shard_is_remade(tmp_path, contents):
    write(Tiny(), tmp_path / "whole", SPLITS, shards=2)
    out = tmp_path / "out"
    write(Tiny(), out, SPLITS, shards=2)
    stop(out, after=3, force=True)
    (out / ".unfinished" / "train-00001-of-00002.jsonl").write_bytes(b"half a ro")
    write(Tiny(), out, SPLITS, shards=2, force=True)
    assert contents(out) == contents(tmp_path / "whole")


class Killed(BaseException):
    pass


@pytest.fixture
def killed_at(monkeypatch):
    """Make all changes of the file system from the n-th fail; return whether it was reached."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # many runs, without power failures

    def arm(n: int, act) -> bool:
        count = 0

        def dying(call):
            def counted(*args, **keywords):
                nonlocal count
                count += 1
                if count > n:
                    raise Killed
                return call(*args, **keywords)

            return counted

        with monkeypatch.context() as patch:
            for name in ("replace", "rename", "unlink", "mkdir", "rmdir"):
                patch.setattr(os, name, dying(getattr(os, name)))
            try:
                act()
            except Killed:
                return True
        return False

    return arm


def test_a_run_killed_at_any_step_ends_in_the_same_bytes(tmp_path, contents, killed_at):
    def run(out):
        return write(Tiny(), out, {"train": 20, "test": 10}, shards=2)

    run(tmp_path / "whole")
    whole = contents(tmp_path / "whole")
    for step in range(1000):
        out = tmp_path / f"{step}"
        if not killed_at(step, partial(run, out)):
            break
        now = contents(out)
        if "manifest.json" in now:
            assert {name: now.get(name) for name in whole} == whole
        if now != whole:
            run(out)
        assert contents(out) == whole
    assert step > 15


def test_a_replacement_killed_at_any_step_leaves_the_old_or_the_new_or_none(
    tmp_path, contents, killed_at
):
    def run(out, most):
        write(Tiny(most=most), out, {"train": 20 + most}, shards=most, force=True)

    run(tmp_path / "old", 2)
    run(tmp_path / "new", 3)
    old, new = contents(tmp_path / "old"), contents(tmp_path / "new")
    out = tmp_path / "out"
    for step in range(1000):
        run(out, 2)
        if not killed_at(step, partial(run, out, 3)):
            break
        now = contents(out)
        if "manifest.json" in now:
            whole = old if now["manifest.json"] == old["manifest.json"] else new
            assert {name: now.get(name) for name in whole} == whole
        run(out, 3)
        assert contents(out) == new
    assert step > 15


def test_an_unfinished_dataset_whose_shards_are_all_in_place_is_refused_too(
    tmp_path, monkeypatch, contents
):
    from relsmith.storage import files

    real = files.write

    def dying(path, *rest):
        if path.name == "manifest.json":
            raise Killed
        real(path, *rest)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(files, "write", dying)
        write(Tiny(), tmp_path, SPLITS)
    before = contents(tmp_path)
    assert "train-00000-of-00001.jsonl" in before
    with pytest.raises(AlreadyExists, match="unfinished"):
        write(Tiny(most=2), tmp_path, SPLITS)
    assert contents(tmp_path) == before


def test_leftovers_of_an_interrupted_cleanup_are_removed(tmp_path, contents):
    write(Tiny(), tmp_path / "whole", SPLITS)
    out = tmp_path / "out"
    write(Tiny(), out, SPLITS)
    (out / ".unfinished").mkdir()
    write(Tiny(), out, SPLITS, force=True)
    assert contents(out) == contents(tmp_path / "whole")


def test_stale_temporary_files_are_removed(tmp_path, contents):
    write(Tiny(), tmp_path / "whole", SPLITS, shards=2)
    stop(tmp_path / "out")
    stale = tmp_path / "out" / ".unfinished" / "train-00001-of-00002.jsonl.99999.tmp"
    stale.touch()
    stop(tmp_path / "out")
    assert not stale.exists()
    write(Tiny(), tmp_path / "out", SPLITS, shards=2)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_failing_row_leaves_no_dataset(tmp_path):
    with pytest.raises(CheckFailed, match="tiny-v1-s0-train-5: "):
        write(Uncertified(), tmp_path / "out", SPLITS)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".unfinished"]


def test_judge_judges_every_row(tmp_path):
    write(Wrong(), tmp_path / "unjudged", SPLITS)
    with pytest.raises(CheckFailed, match="the text cannot be read"):
        write(Wrong(), tmp_path / "judged", SPLITS, judge=True)


def test_judge_does_not_resume_an_unjudged_run(tmp_path):
    stop(tmp_path, Wrong(), after=4)
    with pytest.raises((CheckFailed, AlreadyExists)):
        write(Wrong(), tmp_path, SPLITS, shards=2, judge=True)
    with pytest.raises(CheckFailed, match="the text cannot be read"):
        write(Wrong(), tmp_path, SPLITS, shards=2, judge=True, force=True)


def test_more_rows_than_exist_are_refused_at_once(tmp_path):
    generator = Comparatives(people=3, dimensions=("age",), ask="most")
    capacity = generator.capacity(("train", "test"), 0)["train"]
    with pytest.raises(Infeasible, match=f"{capacity} distinct rows for each of 2 split"):
        write(generator, tmp_path / "out", {"train": capacity + 1, "test": 1})
    assert not (tmp_path / "out").exists()


def test_the_last_distinct_row_can_be_written():
    generator = Comparatives(people="3..4", dimensions=("age",), ask="most")
    splits = ("a", "b", "c")
    last = generator.capacity(splits, 0)["a"]
    for split in splits:
        rows = list(generator.examples(last, start=last - 3, split=split, splits=splits))
        assert len({row.input for row in rows}) == 3


@pytest.mark.parametrize("splits", [{}, {"train": 0}, {"train": -1}, {"Train": 5}, {"../x": 5}])
@pytest.mark.parametrize("generator", [Tiny(), Comparatives()], ids=["tiny", "comparatives"])
def test_impossible_splits_are_refused_before_anything_is_touched(
    tmp_path, contents, generator, splits
):
    write(Tiny(), tmp_path / "out", SPLITS)
    before = contents(tmp_path)
    with pytest.raises(RelsmithError) as caught:
        write(generator, tmp_path / "out", splits, force=True)
    assert "\n" not in str(caught.value)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("shards", [0, -1])
def test_impossible_shards_are_refused(tmp_path, shards):
    with pytest.raises(RelsmithError, match=f"--shards: expected at least 1, but got {shards}"):
        write(Tiny(), tmp_path / "out", SPLITS, shards=shards)


@pytest.mark.parametrize("seed", [2**63, 2**64, -(2**64)])
def test_a_large_seed_works_or_is_refused_in_one_line(tmp_path, seed):
    try:
        manifest = write(Tiny(), tmp_path / "out", SPLITS, seed=seed)
    except RelsmithError as error:
        assert str(seed) in str(error)
        return
    assert manifest.seed == seed


def test_a_file_in_place_of_the_folder_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    for out in (tmp_path / "file", tmp_path / "file" / "data"):
        with pytest.raises(CannotWrite, match=r"file is a file; choose another") as caught:
            write(Tiny(), out, SPLITS)
        assert "\n" not in str(caught.value)


FULL_DISK = """
import resource, sys
from relsmith import Local, write
from relsmith.errors import CannotWrite
from relsmith_comparatives import Comparatives

limit = int(sys.argv[3])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    write(Comparatives(), sys.argv[1], {"train": 500, "test": 20}, encoding=sys.argv[2],
          engine=Local(int(sys.argv[4])))
except CannotWrite as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("encoding", "limit", "workers"),
    [
        ("jsonl", 50_000, 1),
        ("jsonl.gz", 9_000, 1),
        pytest.param("jsonl", 50_000, 2, marks=pytest.mark.slow),
        pytest.param("jsonl", 100, 1, marks=pytest.mark.slow),
    ],
)
def test_a_full_disk_is_one_line_and_the_run_resumes(
    tmp_path, contents, python, encoding, limit, workers
):
    out = tmp_path / "out"
    done = python(FULL_DISK, out, encoding, limit, workers)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"cannot write into {out}: File too large")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert {path.name for path in out.iterdir()} <= {".unfinished"}
    work = out / ".unfinished"
    assert not (work / f"train-00000-of-00001.{encoding}").exists()
    assert not list(work.glob("*.tmp")) or workers > 1
    write(Comparatives(), out, {"train": 500, "test": 20}, encoding=encoding)
    write(Comparatives(), tmp_path / "whole", {"train": 500, "test": 20}, encoding=encoding)
    assert contents(out) == contents(tmp_path / "whole")


PEAK = """
import sys
from pathlib import Path
from relsmith import write
from tiny_generator import Tiny

write(Tiny(), sys.argv[1], {"train": int(sys.argv[2])}, shards=1, judge=True)
# Not ru_maxrss, which a process inherits from the one that started it.
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(tmp_path, python):
    small = int(python(PEAK, tmp_path / "small", 2_000).stdout)
    rows = scaled(40_000, least=20_000)
    large = int(python(PEAK, tmp_path / "large", rows).stdout)
    assert large - small < 4_000, f"{small} kB for 2,000 rows, {large} kB for {rows:,}"


def test_no_row_contains_a_path_or_date(tmp_path):
    manifest = write(Tiny(), tmp_path / "data", {"train": 1})
    assert set(json.loads(manifest.json_bytes())) == {
        "format",
        "generator",
        "version",
        "distribution",
        "options",
        "seed",
        "splits",
        "sources",
        "withheld",
        "notes",
        "files",
    }

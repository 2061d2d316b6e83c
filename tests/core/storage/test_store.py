"""Datasets in stores are complete or absent, resume to the same bytes, and keep foreign files."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from s3_server import BUCKET, KEYS, moody_proxy, s3_server
from tiny_generator import Stopping, Tiny

from relsmith import Dataset, Local, Manifest, diff, export, make, verify, write
from relsmith.dataset.statistics import compute_statistics
from relsmith.errors import AlreadyExists, CannotWrite, InvalidOption, MissingExtra, NotADataset
from relsmith.storage.store import TIMEOUT_VARIABLE, RemotePath, parse_location
from relsmith.testing.profile import profile

GEN = str(Path(sys.executable).with_name("gen"))
SPLITS = {"train": 300, "test": 40}


@pytest.fixture
def place(request):
    """Return an empty folder in the memory of this process."""
    place = parse_location(f"memory://{re.sub('[^a-z0-9]', '-', request.node.name)}/data")
    yield place
    remove(place.parent)


def remove(place: RemotePath) -> None:
    place._request(lambda fs, path: fs.rm(path, recursive=True) if fs.exists(path) else None)


def stored(place: RemotePath) -> dict[str, bytes]:
    """Return every file of a store below a path, with its bytes."""

    def ask(fs, path):
        names = fs.find(path)
        return {name.removeprefix(path).strip("/"): fs.cat_file(name) for name in names}

    return place._request(ask)


@pytest.fixture
def whole(tmp_path, contents):
    """Return the files of the same request in a local folder."""
    write(Tiny(), tmp_path / "whole", SPLITS, shards=2)
    return contents(tmp_path / "whole")


def test_a_store_holds_what_a_folder_does(place, whole, tmp_path):
    manifest = write(Tiny(), str(place), SPLITS, shards=2)
    assert stored(place) == whole
    assert manifest == Manifest.load(place)
    assert list(verify(str(place), judge=Tiny)) == []
    assert list(diff(str(place), tmp_path / "whole")) == []
    dataset = Dataset(str(place))
    assert len(dataset) == 340
    assert dataset["test"][7] == Dataset(tmp_path / "whole")["test"][7]
    assert compute_statistics(str(place)).splits["rows"].to_dict() == SPLITS


@pytest.mark.parametrize("encoding", ["jsonl.gz", "jsonl.zst", "parquet"])
def test_every_format_is_read_from_a_store(place, encoding, tmp_path, contents):
    write(Tiny(), str(place), SPLITS, encoding=encoding)
    write(Tiny(), tmp_path / "here", SPLITS, encoding=encoding)
    assert stored(place) == contents(tmp_path / "here")
    assert list(Dataset(str(place))) == list(Dataset(tmp_path / "here"))
    assert Dataset(str(place))[250] == Dataset(tmp_path / "here")[250]


class Killed(BaseException):
    """Raised in place of a power failure."""


def killed_at(moment: int, monkeypatch) -> None:
    """Stop before the n-th change of the store."""
    count = 0

    def kill(change):
        def changed(*arguments, **options):
            nonlocal count
            count += 1
            if count == moment:
                raise Killed
            return change(*arguments, **options)

        return changed

    for name in ("put", "write_bytes", "unlink", "remove"):
        monkeypatch.setattr(RemotePath, name, kill(getattr(RemotePath, name)))


@pytest.mark.parametrize("standing", ["nothing", "another dataset", "half of another"])
def test_a_dataset_killed_at_any_moment_is_complete_or_absent(place, whole, standing, monkeypatch):
    moment, over = 0, False
    step = 4 if profile() == "quick" else 1
    while not over:
        remove(place)
        if standing == "another dataset":
            write(Tiny(most=2), str(place), SPLITS, shards=3)
        elif standing == "half of another":
            with pytest.raises(KeyboardInterrupt):
                write(Tiny(most=2), str(place), SPLITS, shards=2, engine=Stopping(2))
        moment += step
        force = standing != "nothing"
        with monkeypatch.context() as patch:
            killed_at(moment, patch)
            try:
                write(Tiny(), str(place), SPLITS, shards=2, force=force)
                over = True
            except Killed:
                pass
        try:
            dataset = Dataset(str(place))
        except NotADataset:
            pass
        else:
            assert list(verify(str(place), judge=Tiny)) == [], f"half there at {moment}"
            assert dataset.manifest.options["most"] in (2, 9)
        if not over:
            write(Tiny(), str(place), SPLITS, shards=2, force=force)
            assert stored(place) == whole, f"killed at {moment}"
    assert moment > 12


def test_finished_shards_are_not_remade(place, whole, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        write(Tiny(), str(place), SPLITS, shards=2, engine=Stopping(3))
    put: list[str] = []
    before = RemotePath.put
    monkeypatch.setattr(
        RemotePath, "put", lambda self, file: [put.append(self.name), before(self, file)]
    )
    write(Tiny(), str(place), SPLITS, shards=2)
    assert put == ["test-00001-of-00002.jsonl"]
    assert stored(place) == whole


def test_a_damaged_shard_is_remade(place, whole):
    with pytest.raises(KeyboardInterrupt):
        write(Tiny(), str(place), SPLITS, shards=2, engine=Stopping(3))
    harmed = place / "train-00001-of-00002.jsonl"
    data = bytearray(harmed.read_bytes())
    data[100] ^= 1
    harmed.write_bytes(bytes(data))
    write(Tiny(), str(place), SPLITS, shards=2)
    assert stored(place) == whole


def test_changes_during_a_run_are_noticed_before_the_manifest(place, whole):
    class Meddling:
        def map_shards(self, work, specs):
            yield from Local().map_shards(work, specs)
            (place / "train-00000-of-00002.jsonl").write_bytes(b"{}\n")

    with pytest.raises(CannotWrite, match=r"train-00000-of-00002\.jsonl is not what was uploaded"):
        write(Tiny(), str(place), SPLITS, shards=2, engine=Meddling())
    with pytest.raises(NotADataset):
        Dataset(str(place))
    write(Tiny(), str(place), SPLITS, shards=2)
    assert stored(place) == whole


def test_a_run_ends_when_another_takes_over_the_folder(place):
    class Overtaken:
        def map_shards(self, work, specs):
            for number, record in enumerate(Local().map_shards(work, specs)):
                yield record
                if number == 1:
                    write(Tiny(most=2), str(place), SPLITS, shards=2, force=True)

    with pytest.raises(CannotWrite, match="another run has claimed it"):
        write(Tiny(), str(place), SPLITS, shards=2, engine=Overtaken())
    assert list(verify(str(place), judge=Tiny)) == []
    assert Dataset(str(place)).manifest.options == {"most": 2}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "name", ["notes.txt", "train-00000-of-00001.jsonl", ".unfinished/thoughts.txt"]
)
def test_a_foreign_folder_is_never_touched(place, force, name):
    (place / name).write_bytes(b"mine")
    (place / "README.md").write_bytes(b"mine")
    with pytest.raises(AlreadyExists, match="--force does not replace it"):
        write(Tiny(), str(place), SPLITS, force=force)
    assert stored(place) == {name: b"mine", "README.md": b"mine"}


def test_a_dataset_is_replaced_only_by_force_and_other_files_stay(place, whole):
    write(Tiny(), str(place), {"train": 50, "dev": 5}, shards=3)
    (place / "notes.txt").write_bytes(b"mine")
    before = stored(place)
    with pytest.raises(AlreadyExists, match="already holds a dataset; pass --force"):
        write(Tiny(), str(place), SPLITS, shards=2)
    assert stored(place) == before
    write(Tiny(), str(place), SPLITS, shards=2, force=True)
    assert stored(place) == whole | {"notes.txt": b"mine"}


def test_an_unfinished_dataset_of_other_options_is_kept(place):
    with pytest.raises(KeyboardInterrupt):
        write(Tiny(), str(place), SPLITS, shards=2, engine=Stopping(1))
    before = stored(place)
    with pytest.raises(AlreadyExists, match="made with other options"):
        write(Tiny(), str(place), SPLITS, shards=3)
    assert stored(place) == before


def test_foreign_files_and_damage_are_found_in_a_store(place):
    write(Tiny(), str(place), SPLITS)
    (place / "train-00000-of-00009.jsonl").write_bytes(b"{}\n")
    (place / "test-00000-of-00001.jsonl").unlink()
    found = list(verify(str(place), judge=Tiny))
    assert "train-00000-of-00009.jsonl: not in the manifest" in found
    assert "test-00000-of-00001.jsonl: missing" in found


def test_in_memory_stores_are_refused_for_several_workers(place):
    with pytest.raises(CannotWrite, match="that all workers share"):
        write(make("comparatives"), str(place), SPLITS, shards=2, engine=Local(2))
    with pytest.raises(NotADataset):
        Dataset(str(place))


def test_exports_read_from_stores_but_do_not_write_to_them(place, tmp_path, contents):
    write(make("comparatives"), str(place), SPLITS)
    write(make("comparatives"), tmp_path / "here", SPLITS)
    export(str(place), "csv", tmp_path / "one")
    export(tmp_path / "here", "csv", tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    with pytest.raises(InvalidOption, match="only datasets can be written"):
        export(str(place), "csv", "s3://bucket/csv")


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("s3://AKIA:geheim@bucket/data", "s3://...: a URL must not contain a password"),
        ("az://box/data?sig=geheim", "az://...: a URL must not contain a password"),
        ("s3://", "s3://: name a folder in the store"),
        ("s3://bucket/data[1]", "a URL must not contain '['"),
        ("nosuch://bucket/data", "nosuch://: unknown protocol"),
    ],
)
def test_an_unusable_url_is_one_line_without_secrets(gen, tmp_path, url, complaint):
    for words in (("comparatives", "--rows", 5, "--out", url), ("verify", url), ("stats", url)):
        run = gen(*words)
        assert (run.returncode, run.stderr.count("\n")) == (2, 1), run.stderr
        assert complaint in run.stderr
        assert "geheim" not in run.stderr + run.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_store_whose_package_is_missing_is_named():
    with pytest.raises(MissingExtra, match="pip install gcsfs"):
        parse_location("gs://bucket/data")


class ResourceNotFoundError(Exception):
    """Raise FileNotFoundError as the package for Azure does."""


def test_missing_files_on_azure_are_not_retried(place):
    asked = []

    def ask(fs, path):
        asked.append(path)
        raise ResourceNotFoundError("The specified container does not exist.\nRequestId:1\n<xml>")

    with pytest.raises(FileNotFoundError, match=r"container does not exist\.: 'memory://"):
        place._request(ask)
    assert len(asked) == 1


def test_a_file_url_is_a_path(tmp_path):
    assert parse_location(f"file://{tmp_path}/data") == tmp_path / "data"
    assert parse_location("data/one") == Path("data/one")


# A real server


@pytest.fixture(scope="module")
def server():
    with s3_server() as port:
        yield port


@pytest.fixture
def s3(server, monkeypatch, request):
    """Return a folder of the server, with the keys in the environment."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server}")
    monkeypatch.setenv(TIMEOUT_VARIABLE, "20")
    from relsmith.storage.store import _filesystem

    _filesystem.cache_clear()
    _filesystem("s3").clear_instance_cache()
    _filesystem.cache_clear()
    yield parse_location(f"s3://{BUCKET}/{request.node.name.partition('[')[0]}")
    _filesystem.cache_clear()


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_dataset_in_s3_is_made_and_read_by_every_command(s3, gen, tmp_path, contents, workers):
    words = ("comparatives", "--split", "train=900,test=90", "--shards", 3)
    made = gen(*words, "--workers", workers, "--out", s3)
    assert made.returncode == 0, made.stderr
    assert gen(*words, "--workers", 1, "--out", "here").returncode == 0
    assert stored(s3) == contents(tmp_path / "here")
    verified = gen("verify", s3, "--workers", 1)
    assert (verified.returncode, verified.stdout) == (
        0,
        f"{s3}: 990 rows in 6 files, no findings\n",
    )
    assert gen("diff", s3, "here").returncode == 0
    assert (
        gen("show", s3, "-n", 2, "--json").stdout == gen("show", "here", "-n", 2, "--json").stdout
    )
    assert gen("stats", s3, "--json").stdout == gen("stats", "here", "--json").stdout
    assert gen("export", s3, "--to", "csv", "--out", "tables").returncode == 0
    assert gen("export", "here", "--to", "csv", "--out", "tables-here").returncode == 0
    assert contents(tmp_path / "tables") == contents(tmp_path / "tables-here")
    everything = b"".join(stored(s3).values()) + (made.stdout + made.stderr).encode()
    for secret in (KEYS["AWS_SECRET_ACCESS_KEY"], KEYS["AWS_ACCESS_KEY_ID"]):
        assert secret.encode() not in everything


def test_missing_bucket_or_key_is_one_line(s3, gen, monkeypatch):
    run = gen("comparatives", "--rows", 5, "--out", "s3://none-of-mine/data")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1), run.stderr
    assert "The specified bucket does not exist" in run.stderr
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    run = gen("comparatives", "--rows", 5, "--out", s3)
    assert (run.returncode, run.stderr.count("\n")) == (2, 1), run.stderr
    assert "Unable to locate credentials" in run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("mood", ["slow down", "fails"])
def test_a_store_with_temporary_failures_is_retried(
    s3, server, monkeypatch, mood, tmp_path, contents
):
    with moody_proxy(server) as (port, moods):
        moods.mood, moods.left = mood, 3
        place = f"{s3}-{mood.replace(' ', '-')}"
        run = gen_by(port, "comparatives", "--rows", 20, "--workers", 1, "--out", place)
        assert run.returncode == 0, run.stderr
        assert moods.refused == 3
    assert Dataset(place).manifest.splits == {"train": 20}


def gen_by(port: int, *words: object, seconds: int = 40) -> subprocess.CompletedProcess[str]:
    environment = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", TIMEOUT_VARIABLE: str(seconds)}
    return subprocess.run(
        [GEN, *map(str, words)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("methods", [("GET", "HEAD"), ("PUT",)], ids=" ".join)
@pytest.mark.parametrize("mood", ["fails", "slow down", "hangs"])
def test_a_failing_store_is_one_line_and_the_run_resumes(s3, server, mood, methods):
    place = f"{s3}-{mood.replace(' ', '-')}-{len(methods)}"
    words = ("comparatives", "--rows", 20, "--workers", 1, "--out", place)
    with moody_proxy(server) as (port, moods):
        moods.mood, moods.left, moods.methods = mood, -1, methods
        run = gen_by(port, *words, seconds=4)
        assert (run.returncode, run.stderr.count("\n")) == (2, 1), run.stderr
        assert run.stderr.startswith(f"gen: cannot write into {place}: ")
        assert "continues where it stopped" in run.stderr
        assert moods.refused > 1
        moods.mood = "well"
        assert gen_by(port, *words).returncode == 0
    assert list(verify(place)) == []


@pytest.mark.slow
def test_a_run_killed_repeatedly_ends_in_the_same_bytes(s3, tmp_path, contents):
    request = [GEN, "comparatives", "--rows", "90000", "--shards", "30", "--workers", "2", "-q"]
    subprocess.run([*request, "--out", tmp_path / "here"], check=True)
    moments, killed = random.Random(3), 0
    for _ in range(8):
        run = subprocess.Popen([*request, "--out", str(s3)], start_new_session=True)
        time.sleep(moments.uniform(2, 6))
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            killed += 1
        assert run.wait() in (0, -signal.SIGKILL)
        if run.returncode == 0:
            break
        with pytest.raises(NotADataset):
            Dataset(str(s3))
    subprocess.run([*request, "--out", str(s3)], check=False)
    assert killed > 1
    assert stored(s3) == contents(tmp_path / "here")

import gzip
import hashlib
import random

import pytest
from broken_generators import Uncertified, Unwritable, Wrong
from tiny_generator import Tiny

from relsmith import Example
from relsmith.dataset.shard import Shard, finished_record, make_shard
from relsmith.errors import CannotWrite, CheckFailed


@pytest.fixture
def shard(tmp_path):
    """Return a shard with rows 250 to 520, to be written into a work folder."""

    def make(generator=None, *, encoding="jsonl", judge=False):
        work = tmp_path / "data" / ".unfinished"
        work.mkdir(parents=True, exist_ok=True)
        name = f"train-00000-of-00001.{encoding}"
        return Shard(
            generator or Tiny(), 1, ("train",), "train", 250, 520, name, encoding, work, judge
        )

    return make


def test_the_file_matches_its_record(shard):
    ticks = []
    made = shard()
    record = make_shard(made, ticks.append)
    data = (made.work / made.name).read_bytes()
    file = record.file
    assert file.sha256 == hashlib.sha256(data).hexdigest()
    assert (file.rows, file.bytes, file.split) == (270, len(data), "train")
    assert ticks[-1] == 270
    assert [Example.parse(line) for line in data.splitlines()] == list(
        Tiny().examples(520, start=250, seed=1)
    )
    assert finished_record(made) == record


def test_gzip_holds_the_same_rows_and_no_timestamp(shard):
    plain, packed = shard(), shard(encoding="jsonl.gz")
    make_shard(plain, print)
    record = make_shard(packed, print)
    data = (packed.work / packed.name).read_bytes()
    assert gzip.decompress(data) == (plain.work / plain.name).read_bytes()
    assert record.file.bytes == len(data)
    assert data[3:8] == b"\0\0\0\0\0"


def test_a_finished_file_is_not_written_again(shard):
    made = shard()
    record = make_shard(made, print)
    before = (made.work / made.name).stat().st_ino
    assert make_shard(made, print) == record
    assert (made.work / made.name).stat().st_ino == before


@pytest.mark.parametrize("place", ["work", "out"])
def test_a_damaged_file_is_written_again(shard, place):
    made = shard()
    record = make_shard(made, print)
    sound = (made.work / made.name).read_bytes()
    path = made.work / made.name
    if place == "out":
        path = path.replace(made.work.parent / made.name)
        assert finished_record(made) == record
    path.write_bytes(sound[:-1])
    assert finished_record(made) is None
    assert make_shard(made, print) == record
    assert (made.work / made.name).read_bytes() == sound


@pytest.mark.parametrize("record", [b"", b"{}", b"[", None])
def test_without_a_sound_record_a_file_is_written_again(shard, record):
    made = shard()
    make_shard(made, print)
    path = made.work / f"{made.name}.json"
    path.unlink() if record is None else path.write_bytes(record)
    assert finished_record(made) is None
    assert make_shard(made, print).file.rows == 270


def test_every_flipped_bit_of_a_file_and_its_record_is_noticed(shard):
    made = shard()
    record = make_shard(made, print)
    stream = random.Random(0)
    for path in (made.work / made.name, made.work / f"{made.name}.json"):
        sound = path.read_bytes()
        places = range(len(sound)) if len(sound) < 1000 else stream.sample(range(len(sound)), 60)
        for place in places:
            flipped = bytearray(sound)
            flipped[place] ^= 1 << stream.randrange(8)
            path.write_bytes(flipped)
            assert finished_record(made) in (None, record)
            if path.suffix == ".jsonl":
                assert finished_record(made) is None
        path.write_bytes(sound)


@pytest.mark.parametrize("encoding", ["jsonl", "jsonl.gz"])
@pytest.mark.parametrize("generator", [Uncertified(), Unwritable()])
def test_a_failed_shard_leaves_nothing(shard, generator, encoding):
    made = shard(generator, encoding=encoding)
    with pytest.raises(CheckFailed) as caught:
        make_shard(made, print)
    assert "\n" not in str(caught.value)
    assert list(made.work.iterdir()) == []


def test_judging_is_done_only_when_asked_for(shard):
    with pytest.raises(CheckFailed, match="tiny-v1-s1-train-250: the text cannot be read"):
        make_shard(shard(Wrong(), judge=True), print)
    make_shard(shard(Wrong()), print)


def test_a_lost_work_folder_is_one_line(shard):
    made = shard()
    made.work.rmdir()
    with pytest.raises(CannotWrite, match=r"cannot write .*No such file or directory"):
        make_shard(made, print)

import shlex

import pytest
from tiny_generator import Tiny

from relsmith import GENERATORS, Manifest, Source, write
from relsmith.dataset.card import card, reproduction_command
from relsmith.splits import parse_splits
from relsmith.testing.profile import thinned
from relsmith_comparatives import Comparatives


def again(words: str, out, generator=None) -> Manifest:
    """Run the command through the library."""
    gen, name, *rest = shlex.split(words)
    assert gen == "gen"
    given = dict(zip(rest[::2], rest[1::2], strict=True))
    assert given.pop("--out") == "DIR"
    splits = parse_splits(given.pop("--split"))
    seed, shards = int(given.pop("--seed")), given.pop("--shards", None)
    encoding = given.pop("--format", "jsonl")
    options = {flag.removeprefix("--").replace("-", "_"): given[flag] for flag in given}
    cls = generator or GENERATORS.get(name)
    return write(
        cls.configure(options),
        out,
        splits,
        seed=seed,
        shards=int(shards) if shards else None,
        encoding=encoding,
    )


@pytest.mark.parametrize(
    ("options", "request_"),
    [
        ({}, {}),
        ({"people": "3..4", "dimensions": "age,luck", "extra": 1, "ask": "most"}, {"seed": -3}),
        ({}, {"shards": 3}),
        ({}, {"shards": 3, "encoding": "jsonl.gz"}),
        ({}, {"shards": 50}),
    ],
)
def test_the_command_makes_the_same_bytes(tmp_path, contents, options, request_):
    generator = Comparatives.configure(options)
    manifest = write(generator, tmp_path / "one", {"train": 40, "test": 9}, **request_)
    again(reproduction_command(manifest), tmp_path / "two")
    assert contents(tmp_path / "two") == contents(tmp_path / "one")


@pytest.mark.parametrize("request_", thinned([{"shards": 3}, {}, {"shards": 1}, {"shards": 2}]))
def test_the_command_makes_the_same_shards_of_a_large_dataset(tmp_path, request_):
    manifest = write(Tiny(), tmp_path / "one", {"train": 20_001, "test": 9}, **request_)
    assert again(reproduction_command(manifest), tmp_path / "two", Tiny) == manifest


def test_the_command_is_in_the_card(tmp_path):
    manifest = write(Comparatives(extra=1), tmp_path, {"train": 4, "test": 2}, seed=9)
    text = (tmp_path / "README.md").read_text()
    assert text == card(manifest)
    assert f"```sh\n{reproduction_command(manifest)}\n```" in text
    assert reproduction_command(manifest) == (
        "gen comparatives --people 3..6 "
        "--dimensions height,age,speed,strength,wealth,volume,tidiness,luck --ask both "
        "--extra 1 --order shuffled --split train=4,test=2 --seed 9 --out DIR"
    )


@pytest.mark.parametrize("encoding", ["jsonl", "jsonl.gz"])
def test_the_front_matter_names_the_files_of_each_split(tmp_path, encoding):
    write(Tiny(), tmp_path, {"train": 4, "test": 2}, shards=2, encoding=encoding)
    front = (tmp_path / "README.md").read_text().split("---")[1]
    for split in ("train", "test"):
        assert f"  - split: {split}\n    path: {split}-*.{encoding}\n" in front + "\n"
        assert len(list(tmp_path.glob(f"{split}-*.{encoding}"))) == 2


def test_plugins_and_sources_are_named(tmp_path):
    manifest = write(Comparatives(), tmp_path, {"train": 4})
    assert "with the plugin relsmith-comparatives" in card(manifest)
    assert "## Sources" not in card(manifest)
    source = Source(name="WordNet", version="3.1", digest="abc", licence="its own")
    sourced = manifest.model_copy(update={"sources": [source], "distribution": "relsmith"})
    assert "| WordNet | 3.1 | its own | `abc` |" in card(sourced)
    assert "plugin" not in card(sourced)


def test_flags_of_every_kind(tmp_path):
    manifest = write(Tiny(), tmp_path, {"train": 4})
    options = {"a_b": True, "c": False, "d": None, "e": [], "f": "two words", "g": 0.5}
    words = reproduction_command(manifest.model_copy(update={"options": options}))
    assert "--a-b --no-c --e '' --f 'two words' --g 0.5 --split" in words

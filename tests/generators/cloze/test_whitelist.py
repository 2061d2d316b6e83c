"""The whitelist: kept words with reasons, and the official figures."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relsmith.errors import InvalidInput, NotFound, install_command
from relsmith.generators.cloze.corpus import BuiltInCorpus, ClozePair, marked_pair
from relsmith.generators.cloze.whitelist import (
    COLUMNS,
    make_whitelist,
    marked_words,
    read_whitelist,
)

KIDSCOOK = Path(__file__).parents[3].parent / "shared" / "data" / "kidscook"
PAIRS = [
    {"abstract": "Boil eggs.", "concrete": "Put 12 eggs in the wire basket for two minutes."},
    {"abstract": "Cut eggs.", "concrete": "Cutting the boiled eggs takes a wire basket."},
    {"abstract": "Use a basket.", "concrete": "Take the basket for a minute and a wire basket."},
]


def kept(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines()
    assert tuple(lines[0].split("\t")) == COLUMNS
    return {line.split("\t")[0]: line.split("\t")[-1] for line in lines[1:]}


def test_words_and_reasons(jsonl, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    make_whitelist([jsonl(*PAIRS)], out, least=2, npmi=0)
    reasons = kept(out)
    assert reasons["12"] == reasons["two"] == "number"
    assert reasons["the"] == reasons["a"] == "stop word"
    assert reasons["."] == "no word"
    assert reasons["eggs"] == "rare"
    assert reasons["cutting"] == "rare", "cut is in the abstract"
    assert reasons["wire"] == "yes"
    assert reasons["basket"] == "yes"
    assert reasons["wire basket"] == "yes"
    lines = {line.split("\t")[0]: line.split("\t") for line in out.read_text().splitlines()}
    assert lines["basket"][1:5] == ["2", "4", "1", "0.500"]


def test_units_are_kept_and_lists_take_precedence(jsonl, tmp_path: Path) -> None:
    allow, deny, out = (tmp_path / name for name in ("allow.txt", "deny.txt", "out.tsv"))
    allow.write_text("two\nEGGS\n")
    deny.write_text("wire\nminutes\n")
    make_whitelist([jsonl(*PAIRS)], out, least=1, share=0.9, allow=allow, deny=deny)
    reasons = kept(out)
    assert reasons["two"] == reasons["eggs"] == "yes"
    assert reasons["wire"] == reasons["minutes"] == "denied"
    assert reasons["minute"] == "yes"
    assert reasons["basket"] == "often in the abstract"


@pytest.mark.parametrize(
    ("option", "text", "complaint"),
    [
        ("allow", "pot\nwire basket\n", ":2: --allow expects one word per line"),
        ("allow", '{"word": "pot"}\n', ":1: --allow expects one word per line"),
        ("deny", "word\tkept\npot\tyes\n", ":1: --deny expects one word or phrase per line"),
    ],
)
def test_lists_of_words_are_checked(
    jsonl, tmp_path: Path, option: str, text: str, complaint: str
) -> None:
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(InvalidInput) as error:
        make_whitelist([jsonl(*PAIRS)], tmp_path / "out", **{option: tmp_path / "list.txt"})
    assert f"list.txt{complaint}" in str(error.value)
    assert not (tmp_path / "out").exists()


def test_only_train_is_counted_by_default(jsonl, tmp_path: Path) -> None:
    rows = [{**pair, "split": "train" if at else "test"} for at, pair in enumerate(PAIRS)]
    path, out = jsonl(*rows), tmp_path / "out.tsv"
    make_whitelist([path], out, least=1)
    assert "minutes" not in kept(out)
    make_whitelist([path], out, least=1, every_split=True, force=True)
    assert kept(out)["minutes"] == "yes"
    test_only = jsonl(rows[0], name="test.jsonl")
    with pytest.raises(InvalidInput, match="--every-split"):
        make_whitelist([test_only], out, force=True)


def test_a_table_and_a_plain_list_come_back(jsonl, plain, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    made = make_whitelist([jsonl(*PAIRS)], out, least=2, npmi=0)
    back = read_whitelist(str(out))
    assert back.digest == made.digest
    assert back.novel == {"wire": 3, "basket": 2}
    assert back.links == {("wire", "basket")}
    listed = read_whitelist(plain("pot", "wire whisk", ""))
    assert listed.novel == {"pot": 0}
    assert listed.words == {"pot", "wire", "whisk"}


def test_invalid_whitelists_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    for data in (b"word\tcount\npot\t3\n", b"\xff\xfe", "\t".join(COLUMNS).encode() + b"\npot\t3"):
        path.write_bytes(data)
        with pytest.raises(InvalidInput, match=r"list\.tsv"):
            read_whitelist(str(path))
    with pytest.raises(NotFound, match="cannot read"):
        read_whitelist(str(tmp_path / "nowhere"))


def test_marks_are_a_whitelist_that_counts_them() -> None:
    class Two(BuiltInCorpus):
        def pairs(self, *_: object) -> Iterator[ClozePair]:
            yield marked_pair(0, "Mix.", "Use a [wire whisk|fork] and a [bowl].")
            yield marked_pair(1, "Wash.", "Put the [whisk] in the bowl, and [Wire] it.")

    listed = marked_words(Two())
    assert listed.novel == {"bowl": 1, "wire": 2, "whisk": 2}


@pytest.mark.skipif(not KIDSCOOK.exists(), reason="KidsCook is not here")
def test_counting_reproduces_the_official_list(tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    paths = [str(KIDSCOOK / f"{split}.jsonl") for split in ("train", "valid")]
    make_whitelist(paths, out, profile="kidscook", every_split=True)
    words = set(read_whitelist(str(out)).novel)
    official = set((KIDSCOOK / "approved.txt").read_text().split())
    assert len(official) == 1071
    assert len(words) == 1215
    assert len(official - words) == 47


@pytest.mark.skipif(not KIDSCOOK.exists(), reason="KidsCook is not here")
def test_collocations_are_separated_from_mere_neighbours(tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    make_whitelist([str(KIDSCOOK / "train.jsonl")], out)
    phrases = read_whitelist(str(out)).links
    for phrase in ("wire whisk", "cutting board", "golden brown", "measuring cup"):
        assert tuple(phrase.split()) in phrases
    for phrase in ("whisk till", "spoon stir", "knife cut", "carefully grab"):
        assert tuple(phrase.split()) not in phrases


@pytest.mark.parametrize("words", [["--profile", "kidscook"], []])
def test_spacy_is_imported_only_where_it_is_used(words: list[str], tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["spacy"] = sys.modules["spacy_lookups_data"] = None
from relsmith.cli.main import main
sys.argv = ["gen", "cloze-whitelist", "--out", {str(tmp_path / "w.tsv")!r}, *{words!r}]
main()
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if words:
        assert run.returncode == 2 and install_command("cloze") in run.stderr
        assert len(run.stderr.splitlines()) == 1
    else:
        assert run.returncode == 0, run.stderr

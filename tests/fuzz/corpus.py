"""Valid files of every kind that `gen` reads, and the commands that read them."""

import gzip
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

TEXTS = {
    "pairs.jsonl": "".join(
        json.dumps({"abstract": f"Boil {n} eggs.", "concrete": f"Put {n} eggs in the wire basket."})
        + "\n"
        for n in range(6)
    ),
    "words.txt": "basket\nwire\nput\n",
    "words.tsv": "word\tnovel\tconcrete\tabstract\tshare\tnpmi\tkept\n"
    "basket\t5\t5\t0\t1.000\t\tyes\nwire basket\t5\t5\t0\t1.000\t0.900\tyes\n"
    "put\t9\t9\t0\t1\t\tstop\n",
    "names.txt": "".join(f"F{chr(97 + n)}na,female\nM{chr(97 + n)}no,male\n" for n in range(20)),
    "questions.tsv": "type\trelation\targument\n"
    "drug\ttreats\theadache\ncountry#1\tborders\tFrance\n",
    "triples.tsv": "arg1\trelation\targ2\tcount\n"
    + "".join(f"{drug}\ttreats\theadaches\t3\n" for drug in ("aspirin", "codeine", "a drug")),
    "triples.csv": 'arg1,relation,arg2\naspirin,treats,"pain, mostly"\n',
    "E01 [capitals].txt": "athens\tgreece\noslo\tnorway/sweden\n",
    "relations.tsv": "head\ttail\trelation\tgroup\n"
    + "".join(f"cat{n}\tmeow{n}\tsounds\town\ndog{n}\tpup{n}\tyoung\town\n" for n in range(9)),
    "vectors.txt": "36 2\n"
    + "".join(f"{word}{n} 0.{n} {n}\n" for n in range(9) for word in ("cat", "meow", "dog", "pup")),
    "suite.yaml": "name: pair\ndatasets:\n  short:\n    generator: comparatives\n"
    "    options: {people: 3}\n    rows: 4\n",
    "stepgame.json": json.dumps(
        {
            "0": {
                "story": ["A is above B.", "B is at C's 3 o'clock."],
                "question": "What is the relation of the agent A to the agent C?",
                "label": "upper-right",
            }
        }
    ),
    "family.jsonl": json.dumps(
        {
            "question": "James is married to Mary. They have a child called John.\n\n"
            "What is James to John? Respond only with the word.",
            "answer": "father",
            "metadata": {"family_size": 3},
        }
    )
    + "\n",
    "babi.txt": "1 The lamp is above the box.\n2 Is the box below the lamp?\tyes\t1\n"
    "1 Mary is the mother of John.\n2 Who is the mother of John?\tMary\t1\n",
    "wiki.json": json.dumps(
        [{"question": "Who is the mother of Al ?", "answer": ["Bea"], "prolog": {"query": []}}]
    ),
    "facts.pl": "parent('Al', 'Bea').\ngender('Bea', female).\nmother(X, Y) :-\n  parent(X, Y).\n",
    "mapping.yaml": "format: 1\nfacts: facts\nquery: [of, who]\nanswer: is\n"
    "words: {mama: mother}\n",
    "mapped.jsonl": '{"facts": [["Al", "mama", "Bea"]], "of": "Al", "who": "Bea", "is": "aunt"}\n',
}
DATASETS = {
    "plain": "comparatives --rows 6",
    "gzipped": "comparatives --rows 6 --format jsonl.gz",
    "zstd": "comparatives --rows 6 --format jsonl.zst",
    "table": "comparatives --rows 6 --format parquet",
    "stories": "clutrr --k 2,3 --noise all --split train=6,test=3",
    "analogies": "analogy --rows 6",
    "blanks": "cloze --rows 5",
    "candidates": "relinf --rows 12",
    "labelled": "relinf-aggregate --candidates candidates --simulated 5",
}
EVALUATIONS = {
    "story-result": "stories --model majority",
    "analogy-result": "analogies --model analogy-majority",
    "cloze-result": "blanks --model trigram",
    "relinf-result": "labelled --model lemma",
}
"""Options of `gen eval` by the name of the result file."""
_GEN = "from relsmith.cli.entry import main; main()"
SHARDS = dict.fromkeys(DATASETS, "jsonl") | {
    "gzipped": "jsonl.gz",
    "zstd": "jsonl.zst",
    "table": "parquet",
}
_DATASET_READERS = (
    "show {d} -n 9|show {d} --json|stats {d}|diff {d} {good}|verify {d} --workers 1"
    "|verify {d} --no-judge --workers 1|view {d} --static out --sample 9"
)
_EXPORTS = {
    "stories": "csv csv-spreadsheet clutrr-csv clutrr-hf",
}
READERS = {
    "pairs.jsonl": "show cloze --input {f} --whitelist words.txt -n 2"
    "|cloze-whitelist {f} --least 1 --out out",
    "words.txt": "show cloze --whitelist {f} -n 1"
    "|cloze-whitelist pairs.jsonl --allow {f} --out out",
    "words.tsv": "show cloze --whitelist {f} -n 1"
    "|show cloze --whitelist {f} --select surprisal -n 1",
    "names.txt": "show clutrr --names {f} -n 1",
    "questions.tsv": "show relinf --questions {f} -n 2",
    "triples.tsv": "triples build {f} --out out",
    "triples.tsv.gz": "triples build {f} --out out",
    "triples.csv": "triples build {f} --out out",
    "store": "triples query headaches --store {f}|show relinf --triples {f} -n 1",
    "E01 [capitals].txt": "relations list {f}",
    "relations.tsv": "relations list {f} --json|show analogy --relations {f} -n 1",
    "vectors.txt": "show analogy --relations relations.tsv --neighbours {f} --probe hard -n 1",
    "world.yaml": "world check {f}|world check {f} --json",
    "suite.yaml": "run {f} --out out --workers 1",
    **dict.fromkeys(
        ("audit.csv", "stepgame.json", "family.jsonl", "babi.txt", "wiki.json"), "audit {f} --json"
    ),
    "facts.pl": "audit wiki.json --set facts={f}",
    "mapping.yaml": "audit mapped.jsonl --mapping {f}",
    "mapped.jsonl": "audit {f} --mapping mapping.yaml",
    "answers.jsonl": "score {f} stories|score {f} stories --by k,noise --json"
    "|view stories --static out --predictions {f}",
    "result.json": "report by {f} --by k|report compare result.json {f}"
    "|report paper generalization {f}|report paper robustness {f}|report by {f} --json",
    "story-result.json": "report paper generalization {f}|report paper robustness {f}"
    "|report compare story-result.json {f}",
    "analogy-result.json": "report paper analogy-groups {f}|report paper analogy-negatives {f}"
    "|report paper analogy-negatives {f}",
    "cloze-result.json": "report paper cloze-models {f}|report by {f} --by blanks",
    "relinf-result.json": "report paper inference {f}|report by {f} --json",
    "votes.jsonl": "relinf-aggregate --candidates candidates --annotations {f} --out out"
    " --workers 1",
    **{
        f"{name}/{file}": _DATASET_READERS.replace("{good}", name)
        + "|show {d} --graph" * (name == "stories")
        + "".join(
            f"|export {{d}} --to {form} --out out" for form in _EXPORTS.get(name, "csv").split()
        )
        + "|annotate init out --task relinf --from {d}" * (name == "candidates")
        + "|relinf-aggregate --candidates {d} --simulated 5 --out out --workers 1"
        * (name == "candidates")
        for name, ending in SHARDS.items()
        for file in ("manifest.json", f"train-00000-of-00001.{ending}")
    },
}
"""Commands that read a file, separated by |: {f} is the corrupted file, {d} the dataset with it."""


def make_files(folder: Path, gen: Callable[[str], int], root: Path) -> None:
    """Make all files in a folder; `gen` runs a command there and returns its exit code."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "triples.tsv.gz").write_bytes(gzip.compress(TEXTS["triples.tsv"].encode(), mtime=0))
    (folder / "world.yaml").write_bytes((root / "kb/worlds/kinship/kinship.yaml").read_bytes())
    commands = [f"{line} --workers 1 -q --out {name}" for name, line in DATASETS.items()]
    commands += ["triples build triples.tsv --out store -q"]
    commands += ["export stories --to clutrr-csv --out audit -q"]
    for line in commands:
        assert gen(line) == 0, line
    (folder / "audit.csv").write_bytes(next((folder / "audit").glob("*.csv")).read_bytes())
    rows = (folder / "candidates/train-00000-of-00001.jsonl").read_text().splitlines()
    tasks = [json.loads(row)["metadata"]["task"] for row in rows]
    votes = [(task, worker, "yes") for task in tasks for worker in ("ann", "bob", "cy")]
    objects = [
        json.dumps(dict(zip(("task", "worker", "label"), vote, strict=True))) for vote in votes
    ]
    (folder / "votes.jsonl").write_text("\n".join(objects) + "\n")
    sqlite3.connect(folder / "other.sqlite").close()
    test_rows = (folder / "stories/test-00000-of-00001.jsonl").read_text().splitlines()
    ids = [json.loads(row)["id"] for row in test_rows]
    answers = "".join(json.dumps({"id": name, "answer": "aunt"}) + "\n" for name in ids)
    (folder / "answers.jsonl").write_text(answers)
    assert gen("score answers.jsonl stories --out result.json") == 0
    for name, line in EVALUATIONS.items():
        options = f"--no-baselines --test train --seeds 1 --epochs 1 --out {name} -q"
        words = ["eval", *line.split(), *options.split()]
        # In a separate process, so that the cases do not inherit what models import.
        subprocess.run([sys.executable, "-c", _GEN, *words], cwd=folder, check=True)
        result = next((folder / name).glob("*.json"))
        result.rename(folder / f"{name}.json")


COMMAND_LINES = [
    "list",
    "list --json",
    "describe clutrr",
    "describe kinship",
    "export suite.yaml --to hub",
    "new generator tallness --out out",
    "verify plain --sample 2 --workers 1",
    "stats stories --json",
    "stats plain",
    "diff plain gzipped --rows 1",
    "export stories --to csv --out out",
    "show stories --graph -n 1",
    "show clutrr --k 2..3 -n 1 --noise all --seed 3",
    "show clutrr --k 3 -n 1 --graph",
    "clutrr --k 2,3 --rows 3 --out out --workers 1 --split train=2,test=1",
    "clutrr --preset gen-train23 --split train=2,test=1 --out out --workers 1",
    "clutrr --k 2 --rows 3 --hold-out names --names names.txt --out out --workers 1",
    "analogy --rows 3 --relations relations.tsv --tuples 4 --out out --workers 1",
    "cloze --rows 2 --input pairs.jsonl --fields abstract,concrete --whitelist words.txt --out out",
    "relinf --rows 3 --questions questions.tsv --filters pronoun --out out --workers 1",
    "relinf-aggregate --candidates candidates --simulated 5 --rule 4/5 --out out --workers 1",
    "comparatives --people 3..5 --rows 3 --shards 2 --format jsonl.gz --out out --workers 1",
    "run suite.yaml --out out --workers 1 --no-verify",
    "audit audit.csv --json",
    "cloze-whitelist pairs.jsonl --least 1 --share .1 --npmi .2 --fields abstract,concrete --out o",
    "world check world.yaml --rules sound",
    "relations show relations relations.tsv",
    "triples build triples.csv --format csv --columns arg1=1,relation=2,arg2=3 --out o",
    "triples query headaches --store store --cap 2",
    "score answers.jsonl stories --split test --by k --json",
    "report by result.json --by k,noise --figure accuracy",
    "report compare result.json result.json --by k --json",
]
"""Command lines, most of them valid, to be corrupted."""

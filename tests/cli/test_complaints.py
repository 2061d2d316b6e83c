"""Errors of any command are one line with our prefix and exit code 2."""

import re
import shlex
import subprocess
from collections.abc import Callable

import pytest

from relsmith import write
from relsmith_comparatives import Comparatives

Run = subprocess.CompletedProcess[str]

PYDANTIC = re.compile(r"[Ii]nput should|[Vv]alue error|\[Errno|string should|\^|extra inputs|\.0:")

MISTAKES = {
    # the flag, the value and the remedy
    "clutrr --noise foo": "--noise: expected 'none', 'supporting', .* but got 'foo'$",
    "clutrr --noise supporting,irelevant": "but got 'irelevant'; did you mean 'irrelevant'?$",
    "clutrr --hold-out nmes": "--hold-out: expected .*; did you mean 'names'?$",
    "clutrr --choices abc": "--choices: expected none, all, or a number from 1 to 99, but got 'ab",
    "clutrr --noise-paths 9": "--noise-paths: expected 3 or less, but got '9'",
    "clutrr --noise-paths x": "--noise-paths: expected a whole number, but got 'x'",
    "clutrr --marriage 0.1": "--marriage: expected more than 0.2, but got '0.1'",
    "clutrr --k 1": "--k: expected 2 or more, but got '1'",
    "clutrr --k 4..2": "--k: expected low..high, but got '4..2'; did you mean '2..4'?",
    "clutrr --world kinshp": "--world: .* did you mean 'kinship'?",
    "clutrr --preset gen-train": "clutrr has no preset 'gen-train'; did you mean 'gen-train23'?",
    "clutrr --names none.txt": "names: cannot read 'none.txt': No such file or directory; give",
    "cloze --input none.jsonl": "--input: there is no file 'none.jsonl'; name one that is there",
    "cloze --whitelist none": "--whitelist: there is no file 'none'; name one",
    "cloze --fields a": "--fields: expected two names, such as headline,text",
    "cloze --form bnk": "--form: expected 'all', .*; did you mean 'bank'?",
    "cloze --cap x": "--cap: expected a number, but got 'x'",
    "cloze --cap 0": "--cap: expected more than 0.0, but got '0'",
    "analogy --template foo": "--template: expected what, as, .* but got 'foo'",
    "analogy --setting supervisd": "--setting: expected .*; did you mean 'supervised'?",
    "analogy --tuples 1": "--tuples: expected 4 or more, but got '1'",
    "analogy --relations none": "no relation set is at 'none'; give a file",
    "relinf --filters pronouns": "--filters: expected .*; did you mean 'pronoun'?",
    "relinf --cap 0": "--cap: expected 1 or more, but got '0'",
    "relinf --triples none": "there is no triple store 'none'; make one with gen triples build",
    "relinf-aggregate": "relinf-aggregate: --candidates: missing; add it",
    "relinf-aggregate --candidates d": "--annotations: name files of annotations, or ask for",
    "relinf-aggregate --candidates d --simulated 5": "d was made by comparatives; give a folder",
    "relinf-aggregate --candidates d --simulated 5 --rule x": "--rule: expected all-but-one, .*'x'",
    "relinf-aggregate --candidates d --simulated 999": "--simulated: expected 100 or less, but got",
    "relinf-aggregate --candidates d --simulated 5 --shares a=2": "--shares: .* but got 'a=2'",
    "comparatives --people 1": "--people: expected 3 to 12, but got",
    # options of every generator
    "comparatives --rows x": "--rows: expected a whole number of 1 or more, but got 'x'",
    "comparatives --rows": "--rows: needs a value",
    "comparatives --force=3": "--force: takes no value",
    "report compare a b c": "^gen: unexpected argument 'c'; leave it out; see gen",
    "comparatives --roes 5": "there is no option --roes; did you mean '--rows'?; see gen compar",
    "comparatives --format jsnl": "--format: expected one of 'jsonl', .* did you mean 'jsonl'?",
    "comparatives --split tran": "--split: expected name=rows or name=share .* but got 'tran'",
    "comparatives --out /proc/x": r"cannot write /proc/x: cannot create files in /proc \(.*; ch",
    "comparatives --out d/README.md": "cannot write d/README.md: d/README.md is a file; choose ano",
    "comparatives --out d/README.md/x": r"cannot write d/README.md/x: \S*README.md is a file; ch",
    # commands
    "show ''": "no generator and no folder is called ''",
    "vrify d": "no command or generator is called 'vrify'; did you mean 'verify'?",
    "verify": "DIR: missing; add it; see gen verify --help",
    "describe clutr": "no generator or world is called 'clutr'; did you mean 'clutrr'? there are: ",
    "show clutr": "no generator and no folder is called 'clutr'; did you mean 'clutrr'?",
    "show d --split tran": "d has no split 'tran'; did you mean 'train'? there are: train",
    "show d -n 0": "-n: expected a whole number of 1 or more, but got '0'; see gen show d --help",
    "diff d d --rows x": "--rows: expected a whole number of 0 or more, but got 'x'",
    "export d --to cvs": "no exporter is called 'cvs'; did you mean 'csv'?",
    "export d --to csv --out /proc/x": "cannot write /proc/x: cannot create files in /proc",
    "world chek kinship": "gen world has no command 'chek'; did you mean 'check'?",
    "describe kinshp": "no generator or world is called 'kinshp'; did you mean 'kinship'?",
    "world check none.yaml": "cannot read 'none.yaml': No such file or direct",
    "world check kinship --rules soud": "no rule set 'soud'; did you mean 'sound'? there are",
    "templates lint --world kinshp": "'kinshp'; did you mean 'kinship'?",
    "triples build d/README.md --format cvs": "--format: nothing is called 'cvs'; did you mean 'c",
    "triples build none": "there is no file 'none'; name files of triples",
    "relations lst": "gen relations has no command 'lst'; did you mean 'list'?",
    "report nope": "gen report has no command 'nope'; there are: by, compare, ",
    "audit none.csv": "cannot read 'none.csv': No such file or directory; give a file of rows",
    "audit": "name files; only --format reasoning-gym makes its rows",
    "audit d/README.md": "README.md: no known format; name one with --format",
    "audit --format clutr d": "--format: nothing is called 'clutr'; did you mean 'clutrr'?",
    "audit --format clutrr d/README.md": "README.md has no column 'id'; give an official",
    "audit --format mapped d/README.md": "--format: mapped needs --mapping FILE.yaml",
    "audit d/README.md --mapping none.yaml": "--mapping: cannot read 'none.yaml': No such file",
    "audit --format reasoning-gym --set size": "--set: expected NAME=VALUE, but got 'size'",
    "audit --format stepgame d/README.md": "d/README.md: it is not JSON",
    "audit --examples -1": "--examples: expected a whole number of 0 or more, but got '-1'",
    "cloze-whitelist none.csv": "there is no file 'none.csv'; name a file of pairs",
    "cloze-whitelist --share 7": "--share: expected a number from 0 to 1, but got '7'",
    "cloze-whitelist --npmi x": "--npmi: expected a number from -1 to 1, but got 'x'",
    "cloze-whitelist --profile kidscok": "--profile: expected one of .*; did you mean 'kidscook'?",
    "eval d --model gta": "no model is called 'gta'; did you mean 'gat'?",
    "eval d --model gat --set round=2": "gat: round: no such field; did you mean 'rounds'?",
    "eval d --model gat --set rounds=x": "gat: rounds: expected a whole number, but got 'x'",
    "run none.yaml": "cannot read 'none.yaml': No such file or directory; give a YAML file",
}


@pytest.fixture(scope="module")
def runs(
    in_a_row: Callable[..., list[Run]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Run]:
    """Run all commands in one process, because starting is slow."""
    folder = tmp_path_factory.mktemp("complaints")
    write(Comparatives(), folder / "d", {"train": 5})
    calls = in_a_row(folder, [shlex.split(words) for words in MISTAKES])
    assert [path.name for path in folder.iterdir()] == ["d"], "something was written"
    return dict(zip(MISTAKES, calls, strict=True))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(words, said, marks=[pytest.mark.torch] * words.startswith("eval "))
        for words, said in MISTAKES.items()
    ],
)
def test_errors_are_one_line_with_our_prefix(runs, words: str, said: str) -> None:
    run = runs[words]
    line = run.stderr
    assert run.returncode == 2, line
    assert line.startswith("gen: ")
    assert line.count("\n") == 1, line
    assert re.search(said.replace("?", r"\?"), line.rstrip("\n")), line
    assert not PYDANTIC.search(line), line


def test_python_errors_name_the_field() -> None:
    from relsmith.errors import InvalidOption
    from relsmith.generators.clutrr import Clutrr

    with pytest.raises(
        InvalidOption, match=r"^clutrr: noise_paths: expected 3 or less, but got 9$"
    ):
        Clutrr.configure({"noise_paths": 9})
    with pytest.raises(InvalidOption, match=r"^clutrr: nose: no such field; did you mean 'no"):
        Clutrr.configure({"nose": "all"})

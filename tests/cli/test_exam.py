"""`gen exam` from the command line, from a suite to the verification of a revealed exam."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from relsmith.exam.holder import Holder

SUITE = """
name: tour
datasets:
  short:
    generator: comparatives
    options: {people: 3..4}
    rows: 12
"""


@pytest.fixture
def exam(gen, tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(SUITE)
    made = gen("exam", "new", "suite.yaml", "--out", "exam", "--submissions", 2, "--workers", 1)
    assert made.returncode == 0, made.stderr
    assert "exam: 12 questions; keep this folder secret" in made.stdout
    return tmp_path / "exam"


def hidden(exam: Path) -> list[str]:
    """Return what no output may have before the reveal."""
    holder = Holder(exam)
    return [holder.sealed.secret.key.hex(), str(holder.sealed.secret.seed("short"))]


def test_an_exam_from_the_suite_to_its_verification(gen, exam: Path, tmp_path: Path) -> None:
    commitment = Holder(exam).exam.commitment()
    said = [gen("exam", "publish", "exam", "--out", "published")]
    assert said[-1].stdout == "published: 12 questions, no answers\n"
    lines = (tmp_path / "published/questions.jsonl").read_text().splitlines()
    questions = [json.loads(line) for line in lines]
    answers = [{"id": each["id"], "answer": each["choices"][0]} for each in questions]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    check = ("exam", "check", "exam", "answers.jsonl", "--candidate")
    said.append(gen(*check, "Ann", "--json"))
    entry = json.loads(said[-1].stdout)
    assert entry["scores"]["all"]["questions"] == 12
    said.append(gen(*check, "Bo"))
    assert "95 % interval" in said[-1].stdout and "submission 2, receipt" in said[-1].stdout
    (tmp_path / "wrong.jsonl").write_text('{"id": "x", "answer": "y"}')
    said.append(gen("exam", "check", "exam", "wrong.jsonl", "--candidate", "Ann"))
    assert (said[-1].returncode, said[-1].stderr) == (
        2,
        "gen: wrong.jsonl:1: tour has no row 'x'\n",
    )
    said.append(gen("exam", "verify", "published", "--commitment", commitment))
    assert "only the number of questions and any --commitment were checked" in said[-1].stdout
    said.append(gen("exam", "verify", "published", "--receipt", entry["receipt"]))
    assert (said[-1].returncode, "not revealed yet" in said[-1].stderr) == (2, True)
    said.append(gen("exam", "verify", "published", "--commitment", "0" * 64))
    assert (said[-1].returncode, said[-1].stdout[:20]) == (1, "exam.json: its sha25")
    said.append(gen("exam", "reveal", "exam", "--out", "revealed"))
    assert (said[-1].returncode, said[-1].stderr.startswith("gen: --yes:")) == (2, True)
    for run in said:
        assert not any(text in run.stdout + run.stderr for text in hidden(exam))
    assert gen("exam", "reveal", "exam", "--out", "revealed", "--yes").returncode == 0
    receipt = "--receipt", entry["receipt"], "--commitment", commitment
    verified = gen("exam", "verify", "revealed", *receipt)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "submission 2 Bo:" in verified.stdout and "is what was sealed" in verified.stdout
    late = gen(*check, "Ann")
    assert (late.returncode, "has been revealed" in late.stderr) == (2, True)
    path = tmp_path / "revealed/answers.jsonl"
    path.write_text(path.read_text().replace('"target":"', '"target":"not ', 1))
    forged = gen("exam", "verify", "revealed")
    assert forged.returncode == 1
    assert "answers.jsonl:1: differs" in forged.stdout and "not what was sealed" in forged.stderr


def test_failures_do_not_show_the_seed_even_with_a_traceback(
    gen, exam: Path, tmp_path: Path
) -> None:
    path = next((exam / "sealed").glob("*.jsonl"))
    path.write_text(path.read_text().replace('"choices":["', '"choices":["","', 1)[:-90])
    (tmp_path / "answers.jsonl").write_text('{"id": "x", "answer": "y"}')
    for words in (
        ("publish", "exam", "--out", "published"),
        ("check", "exam", "answers.jsonl", "--candidate", "Ann"),
        ("reveal", "exam", "--out", "revealed", "--yes"),
        ("trace", "exam", "answers.jsonl"),
    ):
        for debug in ([], ["--debug"]):
            run = gen("exam", *words, *debug)
            assert run.returncode, words
            assert not any(text in run.stdout + run.stderr for text in hidden(exam)), words


def test_a_reveal_with_other_packages_warns(gen, exam: Path) -> None:
    path = exam / "exam.json"
    path.write_text(path.read_text().replace('"relsmith": "', '"relsmith": "9.'))
    run = gen("exam", "reveal", "exam", "--out", "revealed", "--yes")
    assert run.stderr.startswith("warning: relsmith: the exam was sealed with 9.")


def test_a_leak_is_traced(gen, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(
        "name: worded\ndatasets: {a: {generator: clutrr, rows: 16, options: "
        "{k: 2, siblings: words, conventions: none, style: plain}}}"
    )
    new = "suite.yaml", "--out", "exam", "--wordings", "--workers", 1
    assert "exam: 8 questions" in gen("exam", "new", *new).stdout
    for name in ("Ann", "Bo"):
        gen("exam", "publish", "exam", "--out", name, "--candidate", name)
    first = gen("exam", "trace", "exam", "Bo/questions.jsonl").stdout.splitlines()[0]
    assert re.fullmatch(r"Bo: (\d) of \1 wordings, by chance at most \S+", first)


@pytest.mark.slow
def test_the_page_on_exams_works_as_written(gen, root: Path, tmp_path: Path) -> None:
    page = (root / "docs/exams.md").read_text()
    suite = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    commands = re.search(r"```sh\n(.*?)```", page, re.DOTALL)
    assert suite and commands
    (tmp_path / "exam.yaml").write_text(suite[1].replace("rows: 500", "rows: 8"))
    for line in commands[1].splitlines():
        words = line.partition("#")[0].split()[1:]
        if "check" in words:
            first = (tmp_path / "autumn-public/questions.jsonl").read_text().splitlines()[0]
            answer = {"id": json.loads(first)["id"], "answer": "aunt"}
            (tmp_path / "answers.jsonl").write_text(json.dumps(answer))
        if "SHA256" in words:
            words[words.index("SHA256")] = Holder(tmp_path / "autumn").exam.commitment()
        run = gen(*words)
        assert run.returncode == 0, (line, run.stderr)
    assert "is what was sealed" in run.stdout


PLACE = """
name: place
datasets:
  short: {generator: clutrr, options: {k: 2, choices: '2', style: plain}, rows: 90}
"""
MODEL = """
import json, sys
for number, line in enumerate(sys.stdin):
    row = json.loads(line)
    print(json.dumps({"id": row["id"], "answer": WHAT}))
"""


@pytest.mark.parametrize(("what", "most"), [("'nobody'", 40), ("row['choices'][0]", 70)])
def test_a_placement_stops_at_the_margin(gen, tmp_path: Path, what: str, most: int) -> None:
    (tmp_path / "place.yaml").write_text(PLACE)
    (tmp_path / "model.py").write_text(MODEL.replace("WHAT", what))
    words = ["exam", "place", "place.yaml", "--out", "ann", "--batch", 10]
    placed = gen(*words, "--command", f'"{sys.executable}" model.py', "--margin", 15, "--json")
    assert placed.returncode == 0, placed.stderr
    found = json.loads(placed.stdout)
    assert found["done"] and 20 <= found["questions"] <= most
    assert max(found["share"] - found["low"], found["high"] - found["share"]) <= 0.15
    assert found["questions"] == sum(each["asked"] for each in found["strata"])
    last = gen(*words, "--margin", 15)
    assert last.stdout.startswith(f"{found['questions']} questions: accuracy ")


def test_a_placement_by_files(gen, tmp_path: Path) -> None:
    (tmp_path / "place.yaml").write_text(PLACE)
    words = ["exam", "place", "place.yaml", "--out", "ann"]
    assert "ann/questions.jsonl: 20 questions" in gen(*words).stdout
    rows = [
        json.loads(line) for line in (tmp_path / "ann/questions.jsonl").read_text().splitlines()
    ]
    lines = [json.dumps({"id": row["id"], "answer": "nobody"}) for row in rows]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    limited = gen(*words, "--answers", "answers.jsonl", "--margin", 2, "--limit", 30)
    assert "20 questions: accuracy 0 %" in limited.stdout
    assert "ann/questions.jsonl: 10 questions" in limited.stdout
    twice = gen(*words, "--answers", "answers.jsonl")
    assert twice.returncode == 2 and "is answered twice" in twice.stderr
    both = gen(*words, "--answers", "answers.jsonl", "--command", "true")
    assert "--answers: has no effect with --command" in both.stderr


def test_the_page_on_placement_works_as_written(gen, root: Path, tmp_path: Path) -> None:
    page = (root / "docs/placement.md").read_text()
    suite = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    commands = re.search(r"```sh\n(.*?)```", page, re.DOTALL)
    assert suite and commands
    (tmp_path / "placement.yaml").write_text(suite[1].replace("rows: 500", "rows: 10"))
    (tmp_path / "model.py").write_text(MODEL.replace("WHAT", "'aunt'"))
    for line in commands[1].splitlines():
        words = shlex.split(line.partition("#")[0])[1:]
        words = [word.replace("python", f'"{sys.executable}"') for word in words]
        if "--answers" in words:
            shown = (tmp_path / "bo/questions.jsonl").read_text().splitlines()
            lines = [json.dumps({"id": json.loads(each)["id"], "answer": "aunt"}) for each in shown]
            (tmp_path / "answers.jsonl").write_text("\n".join(lines))
        run = gen(*words)
        assert run.returncode == 0, (line, run.stderr)
        assert "questions" in run.stdout

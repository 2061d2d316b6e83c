"""An exam in a real browser and from the command line: link, questions, answers, leaderboard."""

import re
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import expect

from relsmith.exam.holder import Holder
from relsmith.web.server import listen

from ..conftest import PHONE, Open, fits, get, violations
from .conftest import encoded, right_answers

GEN = Path(sys.executable).with_name("gen")


@pytest.mark.slow
def test_a_candidate_takes_an_exam(holder: Holder, tabs: Open, tmp_path: Path) -> None:
    with listen(port=0) as free:
        port = free.getsockname()[1]
    home = f"http://127.0.0.1:{port}"
    invited = subprocess.run(
        [GEN, "exam", "invite", holder.folder, "Ann", "--url", home],
        capture_output=True,
        text=True,
        check=True,
    )
    link = invited.stdout.split("\t")[1].strip()
    command = [GEN, "exam", "serve", holder.folder, "--port", str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stderr
        assert home in process.stdout.readline()
        get(home, timeout=60)
        try:
            page = tabs(link, viewport=PHONE)
            expect(page.get_by_role("heading", name="Ann")).to_be_visible()
            assert violations(page) == [] and fits(page)
            with page.expect_download() as started:
                page.get_by_role("link", name="Questions").click()
            questions = started.value.path().read_text().splitlines()
            assert len(questions) == holder.exam.questions
            answers = tmp_path / "answers.jsonl"
            right = right_answers(holder)
            answers.write_bytes(encoded({orjson.loads(line)["id"]: "x" for line in questions}))
            for expected, content in (("0 %", None), ("100 %", encoded(right))):
                if content:
                    answers.write_bytes(content)
                page.get_by_label("File of answers").set_input_files(answers)
                page.get_by_role("button", name="Send").click()
                expect(page.get_by_text(re.compile(f"all: {expected}"))).to_be_visible()
            expect(page.get_by_text("All 2 submissions are used.")).to_be_visible()
            assert violations(page) == [] and fits(page)
            page.get_by_role("link", name="tour").click()
            expect(page.get_by_role("row", name=re.compile("Ann 100 %"))).to_be_visible()
            assert violations(page) == [] and fits(page)
        finally:
            process.terminate()
        assert process.stderr.read() == ""
    assert [entry["scores"]["all"]["score"] for entry in holder.log()] == [0, 100]

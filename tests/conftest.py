"""Shared fixtures: the command line, and Hypothesis settings.

Properties are tested on the same cases each time, so a green commit stays green. `make search`
tests new ones. RELSMITH_PROFILE sets their number (core/testing/profile.py).
"""

import ast
import gc
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import median

import pytest
from hypothesis import HealthCheck, settings

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("bench", "bench/sentences")]

from relsmith import Generator, make, write
from relsmith.testing.profile import profile, scaled

gc.set_threshold(100_000, 20, 100)  # imports and collection create few cycles

# More threads than free cores make torch many times slower, also in child processes.
os.environ.setdefault("OMP_NUM_THREADS", "1")


settings.register_profile(
    "relsmith",
    deadline=None,
    derandomize=profile() != "search",
    max_examples=scaled(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("relsmith")

QUICK_SECONDS = 5.0
"""Maximum seconds of one phase of a quick test, on a machine with REFERENCE_SECONDS."""
SLOW_QUICK_TESTS = (
    "tests/core/storage/test_store.py::test_a_dataset_in_s3_is_made_and_read_by_every_command",
    "tests/core/exporting/test_inspect_tasks.py::test_right_answers_score_one_and_wrong_ones_zero",
    "tests/test_docs.py::test_the_readme_works_as_written",
)
"""Prefixes of node ids of quick tests that may take longer; at most ten."""
REFERENCE_SECONDS = 0.035
"""Time of `_loop_seconds` on an idle machine; slower or busier ones get more time."""

SCALING = frozenset(
    "scaled thinned profile given check_generator check_fault check_judge check_rows".split()
)
"""Functions that make the size of a test depend on the profile."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--beyond-quick",
        action="store_true",
        help="run slow tests and those whose size depends on the profile, no others",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    beyond_quick, searches = config.getoption("--beyond-quick"), profile() == "search"
    kept, left = [], []
    for item in items:
        runs = searches or not item.get_closest_marker("search")
        if beyond_quick and not (item.get_closest_marker("slow") or _scales(item)):
            runs = False
        (kept if runs else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


def pytest_collection_finish() -> None:
    """Exclude imported modules from garbage collection."""
    gc.collect()
    gc.freeze()


def _scales(item: pytest.Item) -> bool:
    """Return whether the size of a test depends on the profile, directly or not."""
    names = {getattr(item, "originalname", item.name), *getattr(item, "fixturenames", ())}
    return not names.isdisjoint(_scaling_names(item.path))


@cache
def _scaling_names(path: Path) -> frozenset[str]:
    """Return the names in a test module and its conftests that use SCALING, directly or not."""
    above = path.parent if path.name == "conftest.py" else path
    known = set(SCALING)
    for folder in above.parents:
        if folder.is_relative_to(ROOT / "tests") and (folder / "conftest.py").exists():
            known |= _scaling_names(folder / "conftest.py")
    definitions = [
        (
            {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
            | {node.arg for node in ast.walk(part) if isinstance(node, ast.arg)},
            _defined(part),
        )
        for part in ast.parse(path.read_text("utf-8")).body
    ]
    size = 0
    while len(known) > size:
        size = len(known)
        for uses, names in definitions:
            if not uses.isdisjoint(known):
                known |= names
    return frozenset(known)


def _defined(part: ast.stmt) -> set[str]:
    if isinstance(part, ast.FunctionDef | ast.ClassDef):
        return {part.name}
    targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", None)]
    return {node.id for node in targets if isinstance(node, ast.Name)}


def _loop_seconds() -> float:
    """Time a fixed piece of work."""
    start = time.perf_counter()
    sum(number * number for number in range(500_000))
    return time.perf_counter() - start


_phases: dict[tuple[str, str], float] = {}
_loops = [_loop_seconds()]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if "slow" not in report.keywords:
        _phases[report.nodeid, report.when] = report.duration
    if len(_phases) % 500 == 0:
        _loops.append(_loop_seconds())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail quick tests that take too long."""
    if profile() != "quick" or hasattr(session.config, "workerinput"):
        return
    assert len(SLOW_QUICK_TESTS) <= 10
    limit = QUICK_SECONDS * max(1.0, median(_loops) / REFERENCE_SECONDS)
    late = {
        f"{nodeid} ({when}, {seconds:.1f} s)"
        for (nodeid, when), seconds in _phases.items()
        if seconds > limit and not nodeid.startswith(SLOW_QUICK_TESTS)
    }
    if late:
        print(f"\nquick tests above {limit:.1f} s; make them quicker, or mark them slow:")  # noqa: T201
        print("\n".join(sorted(late)))  # noqa: T201
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def slowness() -> float:
    """How many times as long as on the reference machine work takes now, at least 1."""
    return max(1.0, min(_loop_seconds() for _ in range(3)) / REFERENCE_SECONDS)


def pytest_unconfigure() -> None:
    """Collect resources that libraries left open, which Python would report at exit."""
    with warnings.catch_warnings(action="ignore"):
        gc.collect()


ROOT = Path(__file__).parents[1]
WORDS = {"COLUMNS": "100", "TERM": "dumb"}
GEN = str(Path(sys.executable).with_name("gen"))
FRESH = ("PYTHON", "RELSMITH_NO_PLUGINS", "RELSMITH_WORDNET")
"""Prefixes of environment variables that the running server cannot apply."""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def heed_signals() -> None:
    """Make child processes of tests handle signals.

    A shell starts background processes with Ctrl-C ignored, and `gen` ignores signals while it
    exits, which also happens in tests that call it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def gen_server() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, ROOT / "tests" / "gen_server.py"],
        env=os.environ | WORDS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        yield server
        assert server.stdin
        server.stdin.close()


@pytest.fixture(scope="session")
def gen_in(tmp_path_factory: pytest.TempPathFactory, gen_server: subprocess.Popen[str]) -> Run:
    """Run `gen` in a folder, with output to a file if `stdout` is given.

    With a variable that Python or the loaded modules read at their start, `gen` runs in a new
    process.
    """
    assert gen_server.stdin
    assert gen_server.stdout

    def run(
        folder: Path, *words: object, stdout: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        command = [GEN, *map(str, words)]
        if any(name.startswith(FRESH) for name in environment):
            return subprocess.run(
                command,
                cwd=folder,
                env=os.environ | WORDS | environment,
                capture_output=True,
                text=True,
                check=False,
            )
        printed = tmp_path_factory.mktemp("printed")
        files = [printed / "out", printed / "err"]
        request = {
            "words": command[1:],
            "folder": str(folder),
            "environment": os.environ | WORDS | environment,
            "files": [stdout or str(files[0]), str(files[1])],
        }
        print(json.dumps(request), file=gen_server.stdin, flush=True)
        status = int(gen_server.stdout.readline())
        out, err = (file.read_text() if file.exists() else "" for file in files)
        return subprocess.CompletedProcess(command, status, out, err)

    return run


@pytest.fixture
def gen(tmp_path: Path, gen_in: Run) -> Run:
    """Run `gen` in an empty folder."""
    return partial(gen_in, tmp_path)


IN_A_ROW = """
import io, json, sys
from relsmith.cli.main import main
seen = []
for words in json.load(sys.stdin):
    pair = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe"]
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = pair
    sys.argv = ["gen", *words]
    try:
        main()
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.stdout, sys.stderr = before
    seen.append([code, *(stream.buffer.getvalue().decode() for stream in pair)])
print(json.dumps(seen))
"""


def run_in_a_row(
    folder: Path, calls: Iterable[Sequence[object]], *python: str, **environment: str
) -> list[subprocess.CompletedProcess[str]]:
    """Run several commands of `gen` in one new process, because starting is slow."""
    commands = [[str(word) for word in words] for words in calls]
    run = subprocess.run(
        [sys.executable, *python, "-c", IN_A_ROW],
        cwd=folder,
        env=os.environ | WORDS | environment,
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, ""), run.stderr
    return [
        subprocess.CompletedProcess(words, *outcome)
        for words, outcome in zip(commands, json.loads(run.stdout), strict=True)
    ]


@pytest.fixture(scope="session")
def in_a_row() -> Callable[..., list[subprocess.CompletedProcess[str]]]:
    return run_in_a_row


FEW = "animal,country,plural,+ less"
"""A subset of relations for tests of analogies; preparing all takes seconds."""
QUESTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "relation": ("clutrr", {"k": "2..4"}),
    "relation, noise": ("clutrr", {"noise": "all"}),
    "relation, choices": ("clutrr", {"choices": "4", "unknown_share": 0.3}),
    "relation, unknown": ("clutrr", {"unknown_share": 0.5}),
    "relation, spatial": ("clutrr", {"world": "spatial"}),
    "relation, time": ("clutrr", {"world": "time"}),
    "relation, space": ("clutrr", {"world": "space"}),
    "relation, work": ("clutrr", {"world": "work"}),
    "relation, ordering": ("clutrr", {"world": "ordering"}),
    "who, ordering": ("clutrr", {"world": "ordering", "answer": "who", "unknown_share": 0.3}),
    "relation, no names": ("clutrr", {"anonymize": True}),
    "yes-no": ("clutrr", {"answer": "yes-no", "unknown_share": 0.3}),
    "who": ("clutrr", {"answer": "who", "gender": "given", "unknown_share": 0.3}),
    "who, no names": ("clutrr", {"answer": "who", "gender": "given", "anonymize": True}),
    "verify-steps": ("clutrr", {"task": "verify-steps"}),
    "true-false": ("analogy", {"only": FEW, "setting": "supervised"}),
    "true-false, question": ("analogy", {"only": FEW, "setting": "supervised", "form": "question"}),
    "which": ("analogy", {"only": FEW, "setting": "unsupervised"}),
    "which, colon": ("analogy", {"only": FEW, "setting": "unsupervised", "template": "colon"}),
    "which, question": ("analogy", {"only": FEW, "setting": "unsupervised", "form": "question"}),
    "all": ("cloze", {"form": "all"}),
    "one": ("cloze", {"form": "one"}),
    "bank": ("cloze", {"form": "bank"}),
    "choice": ("cloze", {"form": "choice"}),
    "candidate": ("relinf", {}),
    "labelled": ("relinf-aggregate", {"simulated": 5}),
    "default": ("comparatives", {}),
}


@cache
def question_generator(question: str, candidates: Path) -> Generator:
    """Return the generator of a question type, cached with all that it has read."""
    name, options = QUESTIONS[question]
    more = {"candidates": str(candidates)} if name == "relinf-aggregate" else {}
    return make(name, **options, **more)


@pytest.fixture(scope="session")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return candidates of relinf, for labelled rows."""
    folder = tmp_path_factory.mktemp("candidates") / "data"
    write(make("relinf"), folder, {"train": 120})
    return folder

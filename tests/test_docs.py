"""Docs stay correct: commands are run, help texts compared, options complete."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest
import typer

from relsmith import GENERATORS, Dataset, Mix, Range, make, write
from relsmith.cli.main import app
from relsmith.errors import install_command
from relsmith.testing.profile import profile
from relsmith_comparatives import Comparatives

from .conftest import WORDS

BIN = Path(sys.executable).parent
Run = Callable[..., subprocess.CompletedProcess[str]]


def commands() -> list[str]:
    """Return every command, including the generators', and each kind of `show`."""

    def below(command: Any, words: tuple[str, ...]) -> Iterator[str]:
        yield " ".join(words)
        for name, inner in getattr(command, "commands", {}).items():
            yield from below(inner, (*words, name))

    ours = [
        name for name, entry in GENERATORS.entries.items() if "relsmith 0" in entry.distribution
    ]
    return [*below(typer.main.get_command(app), ()), *ours, "comparatives", "show comparatives"]


HELPS = """
import io, json, sys
from contextlib import redirect_stdout

import typer
from relsmith.cli.main import app, main

make = typer.main.get_command
tree = make(app)  # once: to make it takes longer than all the rest
typer.main.get_command = lambda other: tree if other is app else make(other)
texts = []
for words in json.load(sys.stdin):
    sys.argv = ["gen", *words, "--help"]
    with redirect_stdout(io.StringIO()) as text:
        try:
            main()
        except SystemExit as end:
            assert not end.code, words
    texts.append(text.getvalue())
json.dump(texts, sys.stdout)
"""


def helps(folder: Path, commands: list[list[str]]) -> list[str]:
    """Return the help text of each command, from one process."""
    run = subprocess.run(
        [sys.executable, "-c", HELPS],
        input=json.dumps(commands),
        cwd=folder,
        env=os.environ | WORDS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [
        "\n".join(line.rstrip() for line in text.strip().splitlines())
        for text in json.loads(run.stdout)
    ]


def commands_page(folder: Path, dataset: str) -> str:
    asked = {f"gen {command}".strip(): command.split() for command in commands()}
    asked["gen show DIR"] = ["show", dataset]
    pages = zip(asked, helps(folder, list(asked.values())), strict=True)
    text = "".join(f"\n## {title}\n\n```text\n{text}\n```\n" for title, text in pages)
    return f"""# Commands

Written by `make docs` from the commands themselves. A generator's options come from its
fields, so a plugin's generator has pages like those of `comparatives` here.
{text}"""


def test_every_command_and_option_is_documented(gen: Run, root: Path, tmp_path: Path) -> None:
    write(Comparatives(), tmp_path / "DIR", {"train": 1})
    path = root / "docs" / "commands.md"
    page = commands_page(tmp_path, "DIR")
    if os.environ.get("UPDATE_DOCS"):
        path.write_text(page)
    assert path.read_text() == page, "run make docs"
    # The command itself says the same.
    said = "\n".join(map(str.rstrip, gen("verify", "--help").stdout.strip().splitlines()))
    assert f"```text\n{said}\n```" in page


def option_type(annotation: Any) -> str:
    """Return the type of an option as Python users write its values."""
    parts = get_args(annotation)
    if annotation is Mix:
        return "str | int | Sequence[int] | Mix"
    if annotation is Range:
        return "str | int | Range"
    if get_origin(annotation) is tuple:
        return f"str | Sequence[{option_type(parts[0])}]"
    if get_origin(annotation) is Literal:
        return f"Literal[{', '.join(json.dumps(part) for part in parts)}]"
    if parts:
        return " | ".join(map(option_type, parts))
    return "None" if annotation is NoneType else annotation.__name__


def options_stub() -> str:
    """Return core/generator_options.pyi, the types of the options of `relsmith.make`."""
    built_in = [entry for entry in GENERATORS.entries.values() if entry.is_builtin]
    classes = {
        entry.point.attr: entry for entry in sorted(built_in, key=lambda entry: entry.point.value)
    }
    text = (
        '"""Options of `relsmith.make` by generator; written by make docs."""\n'
        "from collections.abc import Sequence\n"
        "from typing import Literal, TypedDict\n\n"
    )
    for name, entry in classes.items():
        module = entry.point.module.removeprefix("relsmith")
        text += f"from {module} import {name} as {name}\n"
    text += "from .options import Mix, Range\n"
    for name, entry in classes.items():
        text += f"class {name}Options(TypedDict, total=False):\n"
        for field, info in entry.load().model_fields.items():
            text += f"    {field}: {option_type(info.annotation)}\n"
            text += f"    {json.dumps(info.description, ensure_ascii=False)}\n"
    command = [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", "options.pyi"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def test_the_options_of_make_have_types(root: Path) -> None:
    path = root / "core" / "generator_options.pyi"
    stub = options_stub()
    if os.environ.get("UPDATE_DOCS"):
        path.write_text(stub, "utf-8")
    assert path.read_text("utf-8") == stub, "run make docs"


MADE = re.compile(r"<!-- ((?:gen|python bench/\w+\.py) .+?) -->\n(.*?)<!-- end -->", re.DOTALL)
"""A part of a page that a command prints."""


def made_parts() -> list[Any]:
    """Return a parameter for each page and command; commands on many rows are slow."""
    root = Path(__file__).parents[1]
    found = [
        (page, part[1])
        for page in sorted((root / "docs").rglob("*.md"))
        for part in MADE.finditer(page.read_text())
    ]
    return [
        pytest.param(
            page,
            command,
            id=command.removesuffix(" --markdown").split("/")[-1],
            marks=[pytest.mark.slow] if re.search("analogy|inference", command) else [],
        )
        for page, command in found
    ]


@pytest.mark.parametrize(("page", "command"), made_parts())
def test_tables_equal_the_output_of_the_command(
    page: Path, command: str, gen_in: Run, root: Path
) -> None:
    program, *arguments = shlex.split(command)
    words = [
        str(path.relative_to(root))
        for word in arguments
        for path in (sorted(root.glob(word)) if "*.json" in word else [root / word])
    ]
    if program == "gen":
        run = gen_in(root, *words)
    else:
        run = subprocess.run(
            [sys.executable, *words], cwd=root, capture_output=True, text=True, check=False
        )
    assert run.returncode == 0, run.stderr
    text = page.read_text()
    begin = f"<!-- {command} -->\n"
    new = re.sub(
        rf"{re.escape(begin)}.*?<!-- end -->",
        lambda _: f"{begin}\n{run.stdout.strip()}\n\n<!-- end -->",
        text,
        flags=re.DOTALL,
    )
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(new)
    assert page.read_text() == new, "run make docs"


def end_facts_table(root: Path) -> str:
    """Return how often readers of end facts are right, from the files of bench/end_shares.py."""
    lines = ["| world | | k = 3 | 4 | 5 | 6 | 7 | 8 and more |", f"|{'---|' * 8}"]
    worlds: dict[str, list[str]] = {}
    folder = root / "generators" / "clutrr" / "planning" / "end_shares"
    for path in sorted(folder.iterdir(), key=lambda path: path.stem):
        tables = json.loads(path.read_text())["sound"]
        assert [*tables] == list("345678")
        rows = [
            f"{kind} | {' | '.join(f'{100 * table[kind]:.0f}' for table in tables.values())} |"
            for kind in ("least", "ours")
        ]
        worlds.setdefault("\n| | ".join(rows), []).append(path.stem)
    return "\n".join([*lines, *(f"| {', '.join(worlds[rows])} | {rows}" for rows in worlds)])


def test_the_table_of_end_facts_is_that_of_its_files(root: Path) -> None:
    page = root / "docs" / "clutrr.md"
    pattern = re.compile(r"(?<=<!-- end shares -->\n\n).*?(?=\n\n<!-- end -->)", re.DOTALL)
    new, tables = pattern.subn(end_facts_table(root), page.read_text())
    assert tables == 1
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(new)
    assert page.read_text() == new, "run make docs"


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE)


def smaller(words: list[str]) -> list[str]:
    """Return the command with few rows if the profile is `quick`."""
    if profile() != "quick":
        return words
    if words[0] == "verify":
        return [*words, "--workers", "1"]
    if words[0] not in GENERATORS.entries or "--out" not in words:
        return words
    line = re.sub(r"--rows \d{3,}", "--rows 40", shlex.join(words))
    line = re.sub(r"(train|test)=\d\d+", r"\1=20", line)
    if "--preset" in words:
        line += " --split train=40,test=20"
    elif "=0." in line and "--rows" not in words:
        line += " --rows 40"
    return [*shlex.split(line), "--workers", "1"]


LONG = ("clutrr --preset", "analogy --rows", "--out again")
"""Parts of lines that take seconds even with few rows; the quick tier skips them."""


def run_line(gen: Run, line: str) -> None:
    """Run a line of a page in a shell; the quick tier uses few rows."""
    run = gen(*smaller(shlex.split(line, comments=True)[1:]))
    assert run.returncode == 0, f"{line}\n{run.stdout}{run.stderr}"


def gen_lines(path: Path) -> list[str]:
    lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith("gen ")]


def to_run(lines: list[str]) -> list[str]:
    """Return all lines, or in the quick tier the fast ones."""
    if profile() != "quick":
        return lines
    without = [line for line in lines if not any(part in line for part in LONG)]
    return [line for line in without if not line.startswith("gen diff tour again")]


@pytest.mark.filterwarnings("default")
def test_the_readme_works_as_written(gen: Run, root: Path, tmp_path: Path) -> None:
    lines = gen_lines(root / "README.md")
    assert len(lines) >= 8
    for line in to_run(lines):
        run_line(gen, line)
    environment = os.environ | {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
    for block in blocks(root / "README.md", "python"):
        if profile() == "quick" and "import relsmith" not in block:
            continue  # other programs, which take seconds to import
        subprocess.run([sys.executable, "-c", block], cwd=tmp_path, env=environment, check=True)


def test_the_row_in_the_readme_is_the_first_of_make_demo(root: Path) -> None:
    (block,) = blocks(root / "README.md", "json")
    (demo,) = re.findall(r"gen clutrr (.*?) --rows", (root / "Makefile").read_text())
    words = iter(demo.split())
    options = {word.removeprefix("--"): next(words) for word in words}
    row = make("clutrr", **options)[0].record()
    shown = json.loads(block)
    assert shown == row | {"metadata": {name: row["metadata"][name] for name in shown["metadata"]}}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_page_on_python_works_as_written(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "\n".join(blocks(root / "docs" / "python.md", "python"))
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    # The figures in the text are those of the output.
    (told,) = re.findall(r"^# (clutrr: k: .*)$", code, re.MULTILINE)
    assert told in run.stdout.splitlines()
    (shown,) = re.findall(r"# (<Dataset .*>)$", code, re.MULTILINE)
    assert shown == repr(Dataset("stories", "test"))


def test_all_extras_can_be_installed_together(root: Path) -> None:
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    (every,) = extras["all"]
    assert set(re.fullmatch(r"relsmith\[(.*)\]", every)[1].split(",")) == {*extras} - {"all", "rl"}
    assert "| `all` | every extra but `rl` |" in (root / "docs" / "install.md").read_text()


def test_extras_are_named_as_in_the_errors(root: Path) -> None:
    # errors.py names the source of relsmith in one place; the pages agree with it.
    source = install_command("stats").partition("[")[0].rpartition("'")[2]
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    told = [
        (page.name, *found)
        for page in pages(root)
        for found in re.findall(r"'([\w.]*)\[([a-z,]+)\]'", page.read_text())
    ]
    assert len(told) >= 10
    for page, where, names in told:
        assert where == source, f"{page}: '{where}[{names}]'"
        assert set(names.split(",")) <= set(extras["optional-dependencies"]), page


def pages(root: Path) -> list[Path]:
    """Return our pages."""
    return [
        *root.glob("*.md"),
        *root.glob("docs/*.md"),
        *root.glob("docs/tools/*.md"),
        *root.glob("examples/**/*.md"),
    ]


def test_links_resolve(root: Path) -> None:
    """Links lead to existing files and, on pages of the site, to other pages (mkdocs_pages.py)."""
    shown = [root / "docs", root / "examples"]
    shown += [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    for page in pages(root):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in target:
                path = page.parent.joinpath(target).resolve()
                assert path.exists(), f"{page.name}: {target}"
                assert any(map(path.is_relative_to, shown)), f"{page.name}: {target} is no page"


@pytest.mark.slow
def test_the_guide_to_frames_works_as_written(gen: Run, root: Path, tmp_path: Path) -> None:
    page = root / "docs" / "templates.md"
    code = next(block for block in blocks(page, "python") if "stitcher.realize_path" in block)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    for line in to_run(gen_lines(page)):
        if " stats" not in line:  # takes minutes, and is tested with fewer groups
            run_line(gen, line)


@pytest.mark.parametrize(
    "name",
    [
        "scoring",
        "steps",
        "tools/verifiers",
        "tools/chat",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in "prompts time ordering tools/trl tools/curriculum".split()
        ),
    ],
)
def test_pages_work_as_written(name: str, gen: Run, root: Path, tmp_path: Path) -> None:
    page = root / "docs" / f"{name}.md"
    for line in gen_lines(page):
        run_line(gen, line)
    for block in blocks(page, "python"):
        subprocess.run([sys.executable, "-W", "error", "-c", block], cwd=tmp_path, check=True)


@pytest.mark.slow
def test_the_page_on_cloze_works_as_written(gen: Run, root: Path, tmp_path: Path) -> None:
    pair = {"abstract": "Boil the eggs.", "concrete": "Put them in a pot of water on the stove."}
    (tmp_path / "pairs.jsonl").write_text(f"{json.dumps(pair)}\n" * 9)
    lines = gen_lines(root / "docs" / "cloze.md")
    assert len(lines) >= 7
    for line in lines:
        run_line(gen, line)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["inspect", "lm-eval", "hub"])
def test_the_pages_on_other_programs_work_as_written(
    gen: Run, root: Path, tmp_path: Path, page: str
) -> None:
    """Offline, with the programs' test models; tests/core/exporting uses a real one."""
    path = root / "docs" / "tools" / f"{page}.md"
    environment = os.environ | {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
    lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
    assert len(lines) >= 2
    for line in lines:
        if line.startswith("gen "):
            run_line(gen, line)
            continue
        program, *words = shlex.split(line)
        words = _offline(words)
        done = subprocess.run(
            [sys.executable, "-m", _MODULES[program], *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        assert "acc" in done.stdout
    for block in blocks(path, "python"):
        if "pretrained" not in block:
            subprocess.run([sys.executable, "-c", block], cwd=tmp_path, env=environment, check=True)


def _offline(words: list[str]) -> list[str]:
    """Return the command line with an available model and without options of other models."""
    line = shlex.join(words)
    line = re.sub(r"--model hf --model_args \S+", "--model dummy", line)
    line = re.sub(r"--model (?!dummy)\S+( -M \S+)*", "--model mockllm/model", line)
    return shlex.split(line if "--limit" in line else f"{line} --limit 3")


_MODULES = {"inspect": "inspect_ai", "lm_eval": "lm_eval"}


@pytest.mark.slow
@pytest.mark.torch
def test_the_page_on_reports_works_as_written(gen: Run, root: Path, tmp_path: Path) -> None:
    page = root / "docs" / "tools" / "report.md"
    first, told = gen_lines(page)
    run_line(gen, first)
    (code,) = blocks(page, "python")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    run = gen(*shlex.split(told)[1:])
    assert run.returncode == 0, run.stderr
    (words,) = blocks(page, "text")
    if os.environ.get("UPDATE_DOCS"):
        shown = page.read_text().replace(f"```text\n{words}```", f"```text\n{run.stdout}```")
        page.write_text(shown)
        words = run.stdout
    assert run.stdout == words, "run make docs"


@pytest.mark.slow
def test_the_guide_to_stories_works_as_written(gen: Run, root: Path, tmp_path: Path) -> None:
    for block in blocks(root / "docs" / "clutrr.md", "sh"):
        for line in block.replace("--preset gen-train23", _FEW).splitlines():
            if line.startswith("gen "):
                run_line(gen, line)
            else:
                subprocess.run(["bash", "-c", line], cwd=tmp_path, check=True)


_FEW = "--preset gen-train23 --split train=200,test=90"  # the whole takes long


@pytest.mark.slow
def quoted(command: str) -> str:
    """Return the rows that a command shows, as the guide quotes them; long ones shortened."""
    words = iter(shlex.split(command.removeprefix("gen show clutrr ")))
    options: dict[str, object] = {}
    rows = 1
    for word in words:
        if word == "-n":
            rows = int(next(words))
        else:
            name = word.removeprefix("--").replace("-", "_")
            options[name] = name == "explain" or next(words)
    quotes = []
    for row in make("clutrr", **options).examples(rows):
        text = row.input.split()
        if len(text) > 150:
            text = [*text[:40], "…", *text[-40:], f"({len(text)} words)"]
        change = f"*{row.metadata['perturbation']}*: " if row.metadata["perturbation"] else ""
        lines = [f"{change}{' '.join(text)} **{row.target}**", *row.metadata["explanation"]]
        quotes.append("\n>\n".join(f"> {line}" for line in lines))
    return "\n\n".join(quotes)


def test_the_rows_in_the_guide_to_stories_are_real(root: Path) -> None:
    page = root / "docs" / "clutrr.md"
    pattern = re.compile(r"<!-- rows: (gen .*?) -->\n.*?<!-- end -->", re.DOTALL)
    written = page.read_text("utf-8")
    right = pattern.sub(
        lambda found: f"<!-- rows: {found[1]} -->\n{quoted(found[1])}\n<!-- end -->", written
    )
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(right, "utf-8")
        written = right
    assert len(pattern.findall(written)) >= 7
    assert written == right, "make docs writes them anew"


def test_the_picture_of_siblings_is_drawn_from_real_rows(root: Path) -> None:
    drawn = subprocess.run(
        [sys.executable, "bench/picture.py"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    picture = root / "docs" / "siblings.svg"
    if os.environ.get("UPDATE_DOCS"):
        picture.write_text(drawn, "utf-8")
    assert picture.read_text("utf-8") == drawn, "make docs draws it anew"


def write_lane(page: Path, folder: Path) -> Path:
    """Return the files of the package in the guide to worlds."""
    named = re.findall(r"(?ms)^`(\S+)`:\n\n```\w+\n(.*?)^```$", page.read_text())
    assert len(named) == 6
    for name, text in named:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "lane-world"


LANE = """
import sys
from relsmith.cli.main import main

for words in (
    "world check lane",
    "clutrr --world lane --k 2..3 --noise supporting --rows 20 --quiet --workers 1 --out lanes",
    "verify lanes --workers 1",
):
    sys.argv = ["gen", *words.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
"""


def test_the_world_of_the_guide_is_valid(root: Path, tmp_path: Path) -> None:
    """The quick version: nothing is installed, and one process runs a few commands."""
    package = write_lane(root / "docs" / "worlds.md", tmp_path)
    points = tomllib.loads((package / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [f"{name} = {value}" for name, value in points["relsmith.worlds"].items()]
    info = package / "lane_world-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lane-world\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[relsmith.worlds]", *lines, ""]))
    run = subprocess.run(
        [sys.executable, "-c", LANE],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "lane, rule set plain: 2 rules, 0 finding(s)" in run.stdout
    assert "20 rows in 1 file, no findings" in run.stdout


@pytest.mark.slow
def test_the_guide_to_worlds_works_as_written(root: Path, tmp_path: Path) -> None:
    """Its files make a package, its commands run, and its rows are correct."""
    page = root / "docs" / "worlds.md"
    write_lane(page, tmp_path)
    _, commands = blocks(page, "sh")  # tests/cli/test_new.py runs the first ones
    target = f"--target {shlex.quote(str(tmp_path / 'site'))}"
    beside = f"python -m pip install -q --no-deps --no-build-isolation {target}"
    more = "gen clutrr --world lane --quiet --rows 100 --force --out more"
    script = [
        "set -e",
        commands.replace("pip install", beside),
        *(f"{more} {options}\ngen verify more" for options in _TOLD),
    ]
    run = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{tmp_path / 'site'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "lane, rule set plain: 2 rules, 0 finding(s)" in run.stdout
    rows = list(Dataset(tmp_path / "lanes").rows())
    assert {row.target for row in rows} == {"to the left of", "to the right of"}
    for row in rows:  # all steps of a chain go the same way, and so does the whole
        ways = {word for _, word, _ in row.metadata["facts"]}
        assert ways | {row.target} <= {"to the left of", "to the right of"}


_TOLD = [
    "--noise all --rules plain",
    "--answer yes-no --task mixed",
    "--unknown-share 0.5 --style plain",
    "--style facts --hold-out names,clauses --split train=60,test=40",
]


def test_every_option_of_stories_is_explained(root: Path) -> None:
    text = (root / "docs" / "clutrr.md").read_text()
    clutrr = GENERATORS.get("clutrr")
    for name in clutrr.model_fields:
        assert f"--{name.replace('_', '-')}" in text, name
    for name in clutrr.Metadata.model_fields:
        assert f"`{name}`" in text, name


def test_the_generator_in_the_plugin_guide_makes_right_rows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, *_ = blocks(root / "docs" / "plugins.md", "python")
    (tmp_path / "faster_rows.py").write_text(module)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = import_module("faster_rows").Faster()
    rows = made[:20]
    assert len({row.input for row in rows}) == 20
    assert [problem for row in rows for problem in made.problems(row)] == []


@pytest.mark.slow
def test_the_generator_in_the_plugin_guide_is_conformant(root: Path, tmp_path: Path) -> None:
    module, *_ = blocks(root / "docs" / "plugins.md", "python")
    (tmp_path / "faster.py").write_text(module)
    check = "from relsmith.testing import check_generator; from faster import Faster"
    run = subprocess.run(
        [sys.executable, "-c", f"{check}; check_generator(Faster)"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_the_plugin_guide_pins_the_real_digest(root: Path) -> None:
    tests = (root / "examples/plugin/tests/test_comparatives.py").read_text()
    (golden,) = re.findall(r'^GOLDEN = "(\w+)"', tests, re.MULTILINE)
    assert golden in (root / "docs/plugins.md").read_text()


def test_every_part_of_a_generator_is_explained(root: Path) -> None:
    from relsmith import Generator
    from relsmith.capabilities import Capability

    text = (root / "docs" / "plugins.md").read_text()
    own = {"name", "version", "Metadata", "citation", "presets", *Generator.__abstractmethods__}
    assert len(Generator.__abstractmethods__) == 3
    kinds = Capability.__subclasses__()
    assert len(kinds) == 8
    for part in own.union(*({kind.__name__, *vars(kind)} for kind in kinds)):
        assert part.startswith("__") or f"`{part}" in text, part


def test_the_architecture_page_names_existing_files(root: Path) -> None:
    page = (root / "docs" / "architecture.md").read_text()
    paths = re.findall(r"`((?:\.?\w[\w.-]*/)+(?:[\w.-]+)?|\w+\.(?:py|yml|toml))`", page)
    assert len(paths) > 60
    generated = (".unfinished/", ".venv/wheel", "prompts.yaml")
    assert [path for path in paths if path not in generated and not (root / path).exists()] == []
    # "`Name` (`file.py`" or "`Class.method` (`file.py`": the file defines the name.
    named = re.findall(r"`([\w.]+)`\s+\(`([\w/]+\.py)`", page)
    assert len(named) >= 12
    for name, path in named:
        source = (root / path).read_text()
        assert re.search(rf"(?m)^\s*(def|class) {name.rpartition('.')[2]}\b", source), (name, path)

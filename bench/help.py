"""CPU seconds of fast commands, as multiples of importing their libraries.

Targets: 2.15 times the import of typer, rich and pydantic for help texts, lists and completion, 3.4
times for one row. On the machine where `gen --version` took 0.4 s when they were set, that is 0.5
and 0.8 s.

python bench/help.py
"""

import math
import os
import resource
import subprocess
import sys
from pathlib import Path

GEN = str(Path(sys.executable).with_name("gen"))
LIBRARIES = "import typer.main, rich.console, pydantic.fields, pydantic.main"
HELP, ROW = 2.15, 3.4
COMMANDS = {
    **dict.fromkeys(("--version", "--help", "list", "describe clutrr"), HELP),
    **{f"{name} --help": HELP for name in ("clutrr", "analogy", "cloze", "relinf")},
    "show clutrr -n 1": ROW,
}
COMPLETION = {"_GEN_COMPLETE": "complete_bash", "COMP_WORDS": "gen show cl", "COMP_CWORD": "2"}
ROUNDS = 7


def cpu_seconds(words: list[str], **environment: str) -> float:
    """Return the user and system time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=False, capture_output=True, env=os.environ | environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the least time of each command over several rounds; exit 1 if a target is missed."""
    runs = {f"gen {command}": [GEN, *command.split()] for command in COMMANDS}
    runs |= {"libraries": [sys.executable, "-c", LIBRARIES], "completion": [GEN]}
    targets = {f"gen {command}": target for command, target in COMMANDS.items()}
    least = dict.fromkeys(runs, math.inf)
    for _ in range(ROUNDS):
        for name, words in runs.items():
            spent = cpu_seconds(words, **(COMPLETION if name == "completion" else {}))
            least[name] = min(spent, least[name])
    missed = []
    for name, spent in least.items():
        ratio = spent / least["libraries"]
        print(f"{name:<22} {spent:6.2f} s {ratio:6.2f} x")
        missed += [name] if ratio > targets.get(name, HELP) else []
    sys.exit(f"slower than the target: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()

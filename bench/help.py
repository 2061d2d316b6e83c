"""CPU seconds of commands that should answer at once, as multiples of `gen --version`.

Targets: 2.6 times `gen --version` for help texts, lists and completion, 4 times for one row.

python bench/help.py
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

GEN = str(Path(sys.executable).with_name("gen"))
COMMANDS = {
    "--help": 2.6,
    "list": 2.6,
    "describe clutrr": 2.6,
    **{f"{name} --help": 2.6 for name in ("clutrr", "analogy", "cloze", "relinf")},
    "show clutrr -n 1": 4.0,
}
COMPLETION = {"_GEN_COMPLETE": "complete_bash", "COMP_WORDS": "gen show cl", "COMP_CWORD": "2"}
ROUNDS = 7


def cpu_seconds(words: list[str], **environment: str) -> float:
    """The user and system time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=False, capture_output=True, env=os.environ | environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the least time of each command over some rounds; exit 1 where a target is missed."""
    least: dict[str, float] = {}
    for _ in range(ROUNDS):
        for command in ("--version", *COMMANDS):
            spent = cpu_seconds([GEN, *command.split()])
            least[command] = min(spent, least.get(command, spent))
        spent = cpu_seconds([GEN], **COMPLETION)
        least["completion"] = min(spent, least.get("completion", spent))
    missed = []
    for command, spent in least.items():
        ratio, target = spent / least["--version"], COMMANDS.get(command, 2.6)
        print(f"gen {command:<18} {spent:6.2f} s {ratio:6.2f} x")
        missed += [command] if ratio > target else []
    sys.exit(f"slower than the target: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()

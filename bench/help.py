"""What `gen --help` costs, in CPU seconds beside those of an empty Python. Target: under 0.5.

python bench/help.py
"""

import resource
import subprocess
import sys
from pathlib import Path


def cpu_seconds(*words: str) -> float:
    """The least CPU time of five runs."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    """Print both."""
    print(f"python -c pass {cpu_seconds(sys.executable, '-c', 'pass'):8.2f} s")
    print(
        f"gen --help     {cpu_seconds(str(Path(sys.executable).with_name('gen')), '--help'):8.2f} s"
    )


if __name__ == "__main__":
    main()

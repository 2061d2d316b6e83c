"""Kill every command that writes at random moments, again and again, then let it end.

    python tests/kill_at_random.py FOLDER KILLS [SEED]

By turns SIGKILL, SIGTERM and SIGINT, by turns the command alone and its workers with it. Each
command is killed some times in a row and then left to end: it must end in the bytes of one that
nobody disturbed, with nothing left over. After SIGTERM and SIGINT it must have said one line and
have the exit code of that signal, or be done. By hand, not in the tests: it takes what it takes.
"""

import importlib
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import crash_everywhere
import gen_server
from crash_everywhere import RESUMED, Trial, contents

IN_A_ROW = 5
WORKERS = {
    "dataset": "comparatives --extra VARIANT --split train=6000,test=1000 --shards 8 --workers 2",
    "store": "triples build triplesVARIANT.tsv --workers 2",
}


def killed(trial: Trial, chance: random.Random, longest: float, *, force: bool) -> str:
    """Start the command and stop it some time later; say how that went."""
    how = chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    whole_group = chance.random() < 0.5
    words = crash_everywhere.words(trial.writer, 0, force=force)
    child = os.fork()
    if not child:
        os.setsid()
        from relsmith.cli.signals import leave, on_signals

        on_signals(leave)
        gen_server.run(
            words, str(trial.folder), dict(os.environ), [os.devnull, str(trial.folder / "said")]
        )
    time.sleep(chance.uniform(0, longest))
    (os.killpg if whole_group else os.kill)(child, how)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = (trial.folder / "said").read_text() if (trial.folder / "said").exists() else ""
    if code == -how:  # SIGKILL, or before `gen` had its first moment
        return f"{how.name} killed"
    if code == 128 + how:
        assert said.startswith("gen: interrupted"), said
        assert said.count("\n") == 1, said
        return f"{how.name} interrupted"
    assert code in (0, 2), (trial.writer, how, code, said)
    return f"{how.name} too late"


def main(folder: Path, kills: int, seed: int) -> None:
    """Go round the writers until there were so many kills."""
    # A shell starts what is in the background deaf to SIGINT, and gen would stay so.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    crash_everywhere.WRITERS.update(WORKERS)
    for name in (*gen_server.LIGHT, "torch"):
        importlib.import_module(name)
    crash_everywhere.prepare(folder, crash_everywhere.WRITERS)
    chance, outcomes, ends = random.Random(seed), Counter[str](), 0
    trials, longest = [], {}
    for writer in crash_everywhere.WRITERS:
        trials.append(Trial(folder, writer))
        trials[-1].set_up({})
        start = time.monotonic()
        assert trials[-1].run(0, force=False) == 0
        longest[writer] = 1.1 * (time.monotonic() - start)
    while outcomes.total() < kills:
        for trial in trials:
            force = trial.writer not in RESUMED and chance.random() < 0.5
            trial.set_up(trial.wholes[1] if force else {})
            for _ in range(IN_A_ROW):
                outcome = killed(trial, chance, longest[trial.writer], force=force)
                outcomes[outcome] += 1
            assert trial.run(0, force=force) in (0, 2)
            said = (folder / "said").read_text()
            assert contents(trial.place) == trial.wholes[0], f"{trial.writer}: {said}"
            ends += 1
        print(ends, "ends alike after", dict(outcomes), flush=True)  # noqa: T201 (the answer)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int((*sys.argv, "0")[3]))

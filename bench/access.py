"""Time to read single rows of stories in random order: python bench/access.py.

Cold: a row of a block that was not made before, in a process that has made other rows. Again: a row
of a block that was made before.
"""

import random
import time

from relsmith import make

ROWS = 60_000
WARM_UP, READ = 50, 200

for options in ({}, {"k": "2..10", "noise": "supporting"}, {"world": "time"}, {"world": "space"}):
    stories, draw = make("clutrr", **options), random.Random(1)
    for _ in range(WARM_UP):
        stories[draw.randrange(ROWS)]
    times = []
    for _ in range(READ):
        number = draw.randrange(ROWS)
        start = time.process_time()
        stories[number]
        times.append(1000 * (time.process_time() - start))
    start = time.process_time()
    for _ in range(READ):
        stories[number]
    again = 1000 * (time.process_time() - start) / READ
    times.sort()
    shown = " ".join(f"{name} {value}" for name, value in options.items()) or "defaults"
    print(
        f"{shown:28} cold: median {times[READ // 2]:.1f} ms, 95 % {times[READ * 19 // 20]:.1f} ms, "
        f"most {times[-1]:.1f} ms; again {again:.3f} ms"
    )

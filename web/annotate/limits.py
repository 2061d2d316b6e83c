"""How often somebody may ask for something."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_MOST_KNOWN = 10_000


class Limit:
    """So many requests at once, then so many a second, for each name; the idle are forgotten."""

    def __init__(
        self, burst: float, each_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.burst, self.each_second, self.clock = burst, each_second, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = threading.Lock()

    def wait(self, name: str) -> float:
        """Count a request; how many seconds too early it is, 0 where it is not."""
        with self._turn:
            now = self.clock()
            left, before = self._left.pop(name, (self.burst, now))
            left = min(self.burst, left + (now - before) * self.each_second)
            allowed = left >= 1
            self._left[name] = (left - allowed, now)
            if len(self._left) > _MOST_KNOWN:
                self._left.popitem(last=False)
            return 0.0 if allowed else (1 - left) / self.each_second

"""Rate limits of requests."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_MAX_NAMES = 10_000


class RateLimit:
    """A token bucket for each name: `burst` requests at once, then `each_second`."""

    def __init__(
        self, burst: float, each_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.burst, self.each_second, self.clock = burst, each_second, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, name: str) -> float:
        """Count a request and return the seconds to wait before it is allowed; 0 if it is."""
        with self._lock:
            now = self.clock()
            left, before = self._left.pop(name, (self.burst, now))
            left = min(self.burst, left + (now - before) * self.each_second)
            allowed = left >= 1
            self._left[name] = (left - allowed, now)
            if len(self._left) > _MAX_NAMES:
                self._left.popitem(last=False)
            return 0.0 if allowed else (1 - left) / self.each_second

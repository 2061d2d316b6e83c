"""Rate limits of requests."""

from relsmith.web.limits import RateLimit


def test_a_burst_is_allowed_and_then_one_at_a_time() -> None:
    now = [0.0]
    limit = RateLimit(burst=3, each_second=2, clock=lambda: now[0])
    assert [limit.wait("ann") for _ in range(4)] == [0, 0, 0, 0.5]
    assert limit.wait("ben") == 0, "others are not held up"
    now[0] = 0.25
    assert limit.wait("ann") == 0.25
    now[0] = 0.5
    assert [limit.wait("ann") for _ in range(2)] == [0, 0.5]
    now[0] = 60
    assert [limit.wait("ann") for _ in range(4)] == [0, 0, 0, 0.5], "no more is saved up"

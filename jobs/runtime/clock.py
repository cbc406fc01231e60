"""The two clocks by which a worker judges its own lease, without asking the database."""

import time
from typing import NamedTuple

# Unlike the monotonic clock, the boot-time clock goes on while a laptop sleeps.
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Moment(NamedTuple):
    """Seconds on the boot-time clock and on the wall clock, taken together."""

    boot: float
    wall: float


def moment() -> Moment:
    return Moment(time.clock_gettime(_BOOT_CLOCK), time.time())


def passed(since: Moment, until: Moment) -> float:
    """Seconds between two moments, by whichever clock saw more: each may have been stopped or set back."""
    return max(until.boot - since.boot, until.wall - since.wall)

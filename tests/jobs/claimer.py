"""A worker reduced to its claims, as a process: ``python -m tests.jobs.claimer NAME SEED`` with the test's database.

It waits for a line on its input, then claims and ends jobs until none is left, and prints the ids that it ended as
done, one a line. With ``--die-after N`` its first claim is of N + 1 jobs; it prints ``holding``, ends N of them and
kills itself with the last in its hands, whatever the others do meanwhile.
"""

import argparse
import os
import random
import signal
import sys
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from jobs.claimed import ClaimedJob


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("seed", type=int)
    parser.add_argument("--lease-seconds", type=float, default=30)
    parser.add_argument("--die-after", type=int)
    options = parser.parse_args()
    django.setup()
    print("ready", flush=True)
    sys.stdin.readline()
    work(options.name, random.Random(options.seed), options.lease_seconds, options.die_after)


def work(name: str, chance: random.Random, lease_seconds: float, die_after: int | None) -> None:
    from jobs import claim
    from jobs.models import Job
    from jobs.states import ACTIVE

    while Job.objects.filter(status__in=ACTIVE).exists():
        claim.reclaim()
        free = chance.randint(1, 8) if die_after is None else die_after + 1
        held = claim.claim(worker=name, serves=claim.Serves(), free=free, lease_seconds=lease_seconds)
        if die_after is not None:
            assert len(held) > die_after, "There are too few jobs to die with one."
            print("holding", flush=True)
        for job in held[:die_after]:
            end(job)
        if die_after is not None:
            os.kill(os.getpid(), signal.SIGKILL)


def end(job: "ClaimedJob") -> None:
    """As done, and say so; where the machine was so slow that the lease ran out, somebody else ends it."""
    from jobs import transitions
    from jobs.handlers import LeaseLost

    try:
        transitions.succeed(job)
    except LeaseLost:
        return
    print(job.id, flush=True)


if __name__ == "__main__":
    main()

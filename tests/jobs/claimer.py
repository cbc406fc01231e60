"""A worker reduced to its claims, as a process: ``python -m tests.jobs.claimer NAME SEED`` with the test's database.

It waits for a line on its input, then claims and ends jobs until none is left, and prints the ids that it ended as
done, one a line. With ``--die-after N`` it kills itself with N jobs done and at least one in its hands.
"""

import argparse
import os
import random
import signal
import sys

import django


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
    from jobs import claim, transitions
    from jobs.models import Job
    from jobs.states import ACTIVE

    done = 0
    while Job.objects.filter(status__in=ACTIVE).exists():
        claim.reclaim()
        held = claim.claim(worker=name, serves=claim.Serves(), free=chance.randint(1, 8), lease_seconds=lease_seconds)
        for job in held:
            if done == die_after:
                os.kill(os.getpid(), signal.SIGKILL)
            transitions.succeed(job)
            print(job.id, flush=True)
            done += 1


if __name__ == "__main__":
    main()

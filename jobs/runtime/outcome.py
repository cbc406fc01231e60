"""From what a handler returned or raised to how its attempt ends."""

import asyncio

from jobs import endings
from jobs.claimed import ClaimedJob
from jobs.endings import Ending
from jobs.errors import Failure, failure_of
from jobs.handlers import JobCancelled, LeaseLost, Snooze
from jobs.payloads import InvalidJson, to_json
from jobs.runtime.run import Run


def ending_of_result(result: object) -> Ending:
    """A handler that returned has succeeded, unless what it returned cannot be stored; then it fails for good."""
    if result is None:
        return endings.succeeded()
    try:
        return endings.succeeded(to_json(result, what="result", mask=True))
    except InvalidJson as error:
        return endings.failed(failure_of(error), again_in=None)


def ending_of_error(run: Run, error: BaseException) -> Ending | None:
    """The ending for what the handler raised; None when the attempt was over before and there is nothing to write."""
    if isinstance(error, JobCancelled):
        return endings.cancelled()
    if isinstance(error, Snooze):
        return endings.snoozed(again_in=error.seconds)
    if run.over and isinstance(error, (LeaseLost, asyncio.CancelledError)):
        return endings.timed_out(again_in=run.backoff()) if run.past_deadline else None
    permanent = run.spec is not None and run.spec.is_permanent(error)
    return endings.failed(failure_of(error), again_in=None if permanent else run.backoff())


def ending_without_handler(job: ClaimedJob, run: Run) -> Ending:
    """No handler in the whole project: an error like any other, in case a later version brings one."""
    failure = Failure("UnknownKind", f'No handler is registered for job kind "{job.kind}".')
    return endings.failed(failure, again_in=run.backoff())

"""``story`` says five things and is done; ``patience`` goes on until somebody cancels it."""

import time

from jobs.handlers import JobContext, job_handler


@job_handler("story")
def tell(context: JobContext) -> dict[str, int]:
    for number in range(1, 6):
        context.append_event("sentence", {"number": number})
        context.progress(number / 5, f"sentence {number}")
    return {"sentences": 5}


@job_handler("patience")
def wait(context: JobContext) -> None:
    context.append_event("waiting")
    while True:
        context.raise_if_cancelled()
        time.sleep(0.02)

from benchmarks.bench_jobs.marks import mark
from jobs.handlers import JobContext, job_handler


@job_handler("bench_noop")
async def noop(context: JobContext) -> None:
    mark(context.job.payload["i"])

"""The worker process: claim, run, finish, renew. ``BackgroundJobRuntime`` puts the threads together."""

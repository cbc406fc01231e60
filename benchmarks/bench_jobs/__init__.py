"""The job kinds that ``benchmarks/queue.py`` measures; installed by ``ONCALL_EXTRA_APPS``, never in production."""

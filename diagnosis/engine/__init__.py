"""The engine: pure functions over a state object. It reads no clock, no database and no network; it asks ``Tools``.

Each stage takes the ``State`` so far and ``Tools``, and returns what it found. ``diagnosis.job_handlers`` drives the
stages and commits each result once.
"""

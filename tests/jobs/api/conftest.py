"""A job kind that runs, so that jobs can be queued and retried."""

from collections.abc import Iterator

import pytest

from jobs.handlers import JobContext
from jobs.testing import registered


@pytest.fixture
def sample_kind() -> Iterator[str]:
    with registered("sample") as handler:

        @handler
        def run(context: JobContext) -> None:
            return None

        yield "sample"

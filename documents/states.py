"""The statuses of a document and of an index task. Pure; ``documents.transitions`` is the only writer of either.

A task follows its job word for word. A document follows its task: while it has an index that serves, the end of an
attempt leaves it ``indexed``, whatever that end was.
"""

from typing import Final

PENDING: Final = "pending"
RUNNING: Final = "running"
SUCCEEDED: Final = "succeeded"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"

TASK_STATUSES: Final = (PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED)
TASK_ACTIVE: Final = frozenset({PENDING, RUNNING})
TASK_RETRYABLE: Final = frozenset({FAILED, CANCELLED})

INDEXING: Final = "indexing"
INDEXED: Final = "indexed"
NO_TEXT: Final = "no_text"

DOCUMENT_STATUSES: Final = (PENDING, INDEXING, INDEXED, FAILED, NO_TEXT)

# What a job's status is called on its task.
TASK_STATUS_OF_JOB: Final = {
    "queued": PENDING,
    "running": RUNNING,
    "succeeded": SUCCEEDED,
    "failed": FAILED,
    "cancelled": CANCELLED,
}


class Stage:
    """What an attempt is doing; its events have these types."""

    READ: Final = "read"
    EXTRACT: Final = "extract"
    CHUNK: Final = "chunk"
    EMBED: Final = "embed"
    FLIP: Final = "flip"

    ALL: Final = (READ, EXTRACT, CHUNK, EMBED, FLIP)

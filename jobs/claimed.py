"""A claim as its worker holds it. It imports no other part of the runtime, and every part of the runtime holds one."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """One claim: what the handler needs of the job, and the fence (id, epoch, worker) that every write must prove."""

    id: str
    epoch: int
    attempt: int
    max_attempts: int
    owner_user_id: int | None
    kind: str
    resource_type: str
    resource_id: str
    payload: dict[str, Any]
    timeout_seconds: float
    event_seq: int
    worker: str

    @property
    def key(self) -> tuple[str, int]:
        """Which claim this is: a worker may hold two of one job, an old one that it lost and the new one."""
        return self.id, self.epoch


def claimed(row: tuple[Any, ...], worker: str) -> ClaimedJob:
    """A row of ``sql.CLAIMED_COLUMNS`` as the claim of ``worker``."""
    return ClaimedJob(
        id=row[0],
        epoch=row[1],
        attempt=row[2],
        max_attempts=row[3],
        owner_user_id=row[4],
        kind=row[5],
        resource_type=row[6],
        resource_id=row[7],
        payload=json.loads(row[8]),
        timeout_seconds=row[9],
        event_seq=row[10],
        worker=worker,
    )

"""The attempts of one worker: those that take a slot, and those whose code still runs although they are over."""

import threading
import time
from collections.abc import Iterable

from jobs.claim import Serves
from jobs.handlers import reserved_kinds
from jobs.runtime.run import Run

_Key = tuple[str, int]


def _key(run: Run) -> _Key:
    return run.job.id, run.job.epoch


class Held:
    def __init__(self, *, concurrency: int, serves: Serves) -> None:
        self.concurrency = concurrency
        self._serves = serves
        self._mutex = threading.Lock()
        self._runs: dict[_Key, Run] = {}
        self._executing: dict[_Key, Run] = {}

    def add(self, run: Run) -> None:
        with self._mutex:
            self._runs[_key(run)] = run

    def remove(self, run: Run) -> None:
        with self._mutex:
            self._runs.pop(_key(run), None)

    def handler_started(self, run: Run) -> None:
        with self._mutex:
            self._executing[_key(run)] = run

    def handler_returned(self, run: Run) -> None:
        with self._mutex:
            self._executing.pop(_key(run), None)

    def runs(self) -> list[Run]:
        with self._mutex:
            return list(self._runs.values())

    def known(self) -> set[_Key]:
        """Every (id, epoch) that this worker holds or still executes."""
        with self._mutex:
            return {*self._runs, *self._executing}

    def longest_fence(self) -> float:
        """For how many seconds a handler has been inside ``fenced()``, slot or no slot."""
        with self._mutex:
            entered = [since for run in self._executing.values() if (since := run.fenced_since) is not None]
        return time.monotonic() - min(entered) if entered else 0.0

    def abandoned(self) -> int:
        """How many handlers go on running without a slot."""
        with self._mutex:
            return sum(key not in self._runs for key in self._executing)

    def __len__(self) -> int:
        return len(self._runs)

    def free(self, *, leaving: Iterable[Run]) -> tuple[int, int]:
        """(free slots, those of them open to kinds that are not reserved) once the ``leaving`` runs are gone."""
        gone = {_key(run) for run in leaving}
        with self._mutex:
            kinds = [run.job.kind for key, run in self._runs.items() if key not in gone]
        free = self.concurrency - len(kinds)
        if self.concurrency == 1 or not self._serves.has_reserved:
            return free, free
        reserved = reserved_kinds()
        others = sum(kind not in reserved for kind in kinds)
        return free, min(free, self.concurrency - 1 - others)

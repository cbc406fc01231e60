"""Every question of a diagnosis, asked once: stored with its answer under the job's fence, counted, limited."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from diagnosis.datasources.protocol import SourceFailed
from diagnosis.engine.types import Answer
from diagnosis.log import DiagnosisLog
from diagnosis.models import Diagnosis, ToolCall
from diagnosis.tools.answers import pack, question_hash, unpack
from jobs.handlers import JobContext

MOST_CALLS = 60
MOST_BYTES = 20 * 1024 * 1024
WALL_SECONDS = 300.0

Rows = tuple[Sequence[Any], bool]  # What was found, and whether there was more.


class Calls:
    """The calls of one attempt. What an earlier attempt asked is answered from its row, with the same number."""

    def __init__(self, diagnosis: Diagnosis, context: JobContext, log: DiagnosisLog) -> None:
        self.stage = ""
        self._diagnosis = diagnosis
        self._context = context
        self._log = log
        # On the clock of ``time.monotonic()``; passed on to every source.
        self.deadline = time.monotonic() + WALL_SECONDS
        stored = list(ToolCall.objects.filter(diagnosis=diagnosis))
        self._stored = {call.arguments_hash: call for call in stored}
        self._bytes = sum(call.bytes for call in stored)
        self._limits_said: set[str] = set()

    def ask(self, tool: str, arguments: Mapping[str, Any], find: Callable[[], Rows]) -> Answer:
        """The answer to a question: from store, or by ``find``. What a source does wrong is in ``Answer.error``.

        Raises ``JobCancelled`` before a new question when the job was cancelled.
        """
        key = question_hash(tool, arguments)
        call = self._stored.get(key)
        if call is None:
            limit = self._limit()
            if limit:
                self._say_limit(limit)
                return Answer(call=0, rows=(), error=limit)
            self._context.raise_if_cancelled()
            call = self._stored[key] = self._make(tool, arguments, key, find)
        return Answer(call=call.number, rows=unpack(bytes(call.answer)), error=call.error, truncated=call.truncated)

    def _limit(self) -> str:
        if len(self._stored) >= MOST_CALLS:
            return f"more than {MOST_CALLS} calls"
        if self._bytes >= MOST_BYTES:
            return f"more than {MOST_BYTES // 1024**2} MB of answers"
        if time.monotonic() > self.deadline:
            return f"longer than {WALL_SECONDS:g} s"
        return ""

    def _say_limit(self, limit: str) -> None:
        if limit not in self._limits_said:
            self._limits_said.add(limit)
            self._log.say("limit.reached", {"limit": limit, "stage": self.stage})

    def _make(self, tool: str, arguments: Mapping[str, Any], key: str, find: Callable[[], Rows]) -> ToolCall:
        number = len(self._stored) + 1
        self._log.say("tool.requested", {"call": number, "tool": tool, "arguments": arguments, "stage": self.stage})
        rows: Sequence[Any] = ()
        truncated, error = False, ""
        try:
            rows, truncated = find()
        except SourceFailed as failed:
            error = failed.sentence
        answer = pack(rows)
        call = ToolCall(
            diagnosis=self._diagnosis,
            number=number,
            stage=self.stage,
            tool=tool,
            arguments=dict(arguments),
            arguments_hash=key,
            status=ToolCall.Status.FAILED if error else ToolCall.Status.OK,
            error=error[:500],
            truncated=truncated,
            bytes=len(answer),
            answer=answer,
            created_at=timezone.now(),
        )
        with self._context.fenced():
            call.save(force_insert=True)
            self._log.say("tool.finished", _told(call, len(rows)))
        self._bytes += call.bytes
        return call


def _told(call: ToolCall, rows: int) -> dict[str, Any]:
    return {
        "call": call.number,
        "tool": call.tool,
        "status": call.status,
        "error": call.error,
        "rows": rows,
        "bytes": call.bytes,
        "truncated": call.truncated,
    }

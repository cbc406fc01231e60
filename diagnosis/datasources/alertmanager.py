"""The active alerts of an Alertmanager, by its interface v2."""

from typing import Any

from diagnosis.datasources.fetching import Endpoint, get_json
from diagnosis.datasources.protocol import BAD_ANSWER, SourceFailed


class Alertmanager:
    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def alerts(self, *, deadline: float | None = None) -> list[dict[str, Any]]:
        """What fires now: labels, annotations, startsAt, endsAt (when it would run out), fingerprint, generatorURL.

        Silenced and inhibited alerts are among them: nobody is told of these, but they fire.
        """
        found = get_json(self._endpoint, "/api/v2/alerts", {"active": "true"}, deadline=deadline).value
        if not isinstance(found, list) or not all(isinstance(alert, dict) for alert in found):
            raise SourceFailed(BAD_ANSWER, "The answer is none of an Alertmanager.")
        return found

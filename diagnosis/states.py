"""The statuses of alerts, incidents and diagnoses, and the stages of a diagnosis. Pure.

``diagnosis.alerts`` and ``diagnosis.incidents`` write the first two; ``diagnosis.transitions`` is the only writer of a
diagnosis' status.
"""

from typing import Final

# Alerts.
FIRING: Final = "firing"
RESOLVED: Final = "resolved"
STALE: Final = "stale"
ALERT_STATES: Final = (FIRING, RESOLVED, STALE)

# Incidents.
OPEN: Final = "open"
INCIDENT_STATES: Final = (OPEN, RESOLVED)

# Diagnoses.
PENDING: Final = "pending"
RUNNING: Final = "running"
SUCCEEDED: Final = "succeeded"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"
DIAGNOSIS_STATUSES: Final = (PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED)
DIAGNOSIS_ACTIVE: Final = frozenset({PENDING, RUNNING})

# What a job's status is called on its diagnosis.
DIAGNOSIS_STATUS_OF_JOB: Final = {
    "queued": PENDING,
    "running": RUNNING,
    "succeeded": SUCCEEDED,
    "failed": FAILED,
    "cancelled": CANCELLED,
}


class Stage:
    """The stages in their order; each commits its result once, and a second attempt goes on after the last one."""

    INTAKE: Final = "intake"
    FACTS: Final = "facts"
    SCOPE: Final = "scope"
    PLAN: Final = "plan"
    COLLECT: Final = "collect"
    ANALYSE: Final = "analyse"
    HYPOTHESISE: Final = "hypothesise"
    RETRIEVE: Final = "retrieve"
    CONCLUDE: Final = "conclude"
    PUBLISH: Final = "publish"

    ALL: Final = (INTAKE, FACTS, SCOPE, PLAN, COLLECT, ANALYSE, HYPOTHESISE, RETRIEVE, CONCLUDE, PUBLISH)


class Verdict:
    """What a report says of its root cause; words that are earned, never a percentage."""

    CONFIRMED: Final = "confirmed"
    LIKELY: Final = "likely"
    INCONCLUSIVE: Final = "inconclusive"
    NO_ANOMALY: Final = "no_anomaly"

    ALL: Final = (CONFIRMED, LIKELY, INCONCLUSIVE, NO_ANOMALY)

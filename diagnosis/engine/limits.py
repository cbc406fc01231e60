"""What one diagnosis may ask. A limit that is hit is said in the report."""

from typing import Final

MAX_CALLS: Final = 60
# Kept back for facts (rule, expression, alerts, changes, restarts) and for the runbook search.
CALLS_BESIDE_PROBES: Final = 6
MAX_PROBES: Final = MAX_CALLS - CALLS_BESIDE_PROBES
# Of one answer; beyond it those that moved most are judged, and that is said.
MAX_SERIES_JUDGED: Final = 100
MAX_POINTS: Final = 11_000
MAX_CHART_POINTS: Final = 300
MAX_CHARTS: Final = 12
MAX_CANDIDATES: Final = 5
MAX_ROWS_SAID: Final = 20
MAX_ALERTS: Final = 100
MAX_CHANGES: Final = 100
MAX_NAME: Final = 200
# What a report may hold of the alerts that it is about, in bytes of JSON.
MAX_SUBJECT_BYTES: Final = 60_000
CALLEE_HOPS: Final = 4
CALLER_HOPS: Final = 1
LOOK_BACK_SECONDS: Final = 7200.0
# A clock may be off by this much: so far the data are looked at around the window when nothing is seen inside.
CLOCK_SLACK_SECONDS: Final = 3600.0

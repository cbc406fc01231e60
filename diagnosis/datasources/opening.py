"""From a row to the source that it describes."""

from diagnosis.datasources.alertmanager import Alertmanager
from diagnosis.datasources.credentials import unseal
from diagnosis.datasources.fetching import Endpoint
from diagnosis.datasources.prometheus import Prometheus
from diagnosis.datasources.protocol import MetricSource
from diagnosis.datasources.recorded import Recorded
from diagnosis.models import DataSource


def source_for(row: DataSource) -> MetricSource:
    """The metrics of a Prometheus or a recording; ``ValueError`` for an Alertmanager, which has none.

    Raises ``SourceFailed`` when the row's secret or recording cannot be read.
    """
    if row.kind == DataSource.Kind.RECORDED:
        return Recorded(row.recording)
    if row.kind == DataSource.Kind.PROMETHEUS:
        return Prometheus(endpoint_of(row))
    raise ValueError(f"A source of kind {row.kind} has no metrics.")


def alertmanager_for(row: DataSource) -> Alertmanager:
    return Alertmanager(endpoint_of(row))


def endpoint_of(row: DataSource) -> Endpoint:
    return Endpoint(row.url.rstrip("/"), unseal(row.secret))

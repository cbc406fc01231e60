"""Which service an alert is about, told from its labels alone."""

from collections.abc import Mapping
from typing import Final

MOST_CHARACTERS: Final = 200
# The first of these labels that names a service of somebody's wins. What a team sets by hand comes first, then what
# an orchestrator knows, then what the scrape says.
ORDER: Final = (
    "service",
    "service_name",
    "app",
    "app_kubernetes_io_name",
    "application",
    "deployment",
    "statefulset",
    "daemonset",
    "container",
    "job",
)
# Whoever only measures others is not what broke, unless nothing else is named.
EXPORTERS: Final = ("kube-state-metrics", "node-exporter", "node_exporter", "cadvisor", "kubelet", "blackbox")


def service_of(labels: Mapping[str, str]) -> str:
    """The service's name, or ``""`` when no label names one."""
    named = [labels[name].strip()[:MOST_CHARACTERS] for name in ORDER if labels.get(name, "").strip()]
    own = [name for name in named if not any(exporter in name for exporter in EXPORTERS)]
    return next(iter([*own, *named]), "")

"""PromQL per metric family for what is commonly there. ``$selector`` stands inside braces, ``$range`` inside brackets.

Every selector looks back over ``$range`` explicitly: a bare one would repeat the last value for five minutes after a
series ended. Units: latency in seconds, availability and saturation and node cpu and memory as shares of one, traffic
and errors per second, memory of processes and containers in bytes, network in bytes per second; restarts is the start
time in seconds since the epoch, or a counter; version shows itself in labels.
"""

from typing import Final

FAMILIES: Final = (
    "latency",
    "availability",
    "errors",
    "traffic",
    "cpu",
    "memory",
    "saturation",
    "restarts",
    "version",
    "network",
)


def _red(metric: str, status: str) -> dict[str, str]:
    """Rate, errors and duration from one histogram; ``status`` is its label with the HTTP status."""
    count = f"{metric}_count"
    total = f"sum(rate({count}{{$selector}}[$range]))"
    # Without a single error there is no such series; then the errors are none, not unknown.
    failed = f'(sum(rate({count}{{$selector,{status}=~"5.."}}[$range])) or 0 * {total})'
    return {
        "latency": f"histogram_quantile(0.95, sum by (le) (rate({metric}_bucket{{$selector}}[$range])))",
        "availability": f"1 - {failed} / ({total} > 0)",
        "errors": failed,
        "traffic": total,
    }


PRESETS: Final[dict[str, dict[str, str]]] = {
    # Prometheus client libraries: http_request_duration_seconds with the label ``code``.
    "red": _red("http_request_duration_seconds", "code"),
    # The same with the label ``status``.
    "red-status": _red("http_request_duration_seconds", "status"),
    # OpenTelemetry's names.
    "red-otel": _red("http_server_request_duration_seconds", "http_response_status_code"),
    "process": {
        "cpu": "sum by (instance) (rate(process_cpu_seconds_total{$selector}[$range]))",
        "memory": "max by (instance) (max_over_time(process_resident_memory_bytes{$selector}[$range]))",
        "saturation": (
            "max by (instance) (max_over_time(process_open_fds{$selector}[$range])"
            " / max_over_time(process_max_fds{$selector}[$range]))"
        ),
        "restarts": "max by (instance) (max_over_time(process_start_time_seconds{$selector}[$range]))",
        "version": 'last_over_time({__name__=~".+_build_info",$selector}[$range])',
    },
    "kube-state-metrics": {
        "availability": (
            "sum(avg_over_time(kube_deployment_status_replicas_available{$selector}[$range]))"
            " / (sum(avg_over_time(kube_deployment_spec_replicas{$selector}[$range])) > 0)"
        ),
        "restarts": (
            "max by (namespace, pod, container)"
            " (max_over_time(kube_pod_container_status_restarts_total{$selector}[$range]))"
        ),
        # The generation counts changes of a deployment; as a label it comes and goes like an image.
        "version": (
            "max by (namespace, container, image) (last_over_time(kube_pod_container_info{$selector}[$range]))"
            ' or count_values by (namespace, deployment) ("generation",'
            " last_over_time(kube_deployment_status_observed_generation{$selector}[$range]))"
        ),
    },
    "node-exporter": {
        "cpu": '1 - avg by (instance) (rate(node_cpu_seconds_total{$selector,mode="idle"}[$range]))',
        "memory": (
            "1 - avg_over_time(node_memory_MemAvailable_bytes{$selector}[$range])"
            " / avg_over_time(node_memory_MemTotal_bytes{$selector}[$range])"
        ),
        "saturation": (
            "max by (instance, mountpoint)"
            ' (1 - avg_over_time(node_filesystem_avail_bytes{$selector,fstype!~"tmpfs|overlay|squashfs"}[$range])'
            ' / avg_over_time(node_filesystem_size_bytes{$selector,fstype!~"tmpfs|overlay|squashfs"}[$range]))'
        ),
        "restarts": "max by (instance) (max_over_time(node_boot_time_seconds{$selector}[$range]))",
        "version": "last_over_time(node_uname_info{$selector}[$range])",
        "network": (
            'sum by (instance) (rate(node_network_receive_bytes_total{$selector,device!="lo"}[$range])'
            ' + rate(node_network_transmit_bytes_total{$selector,device!="lo"}[$range]))'
        ),
    },
    "cadvisor": {
        "cpu": "sum by (namespace, pod, container) (rate(container_cpu_usage_seconds_total{$selector}[$range]))",
        "memory": (
            "max by (namespace, pod, container) (max_over_time(container_memory_working_set_bytes{$selector}[$range]))"
        ),
        # The share of periods in which the container was held back by its CPU limit.
        "saturation": (
            "sum by (namespace, pod, container) (rate(container_cpu_cfs_throttled_periods_total{$selector}[$range]))"
            " / (sum by (namespace, pod, container) (rate(container_cpu_cfs_periods_total{$selector}[$range])) > 0)"
        ),
        "restarts": (
            "max by (namespace, pod, container) (max_over_time(container_start_time_seconds{$selector}[$range]))"
        ),
        "network": (
            "sum by (namespace, pod) (rate(container_network_receive_bytes_total{$selector}[$range])"
            " + rate(container_network_transmit_bytes_total{$selector}[$range]))"
        ),
    },
}

from diagnosis.engine.facts import links_of


def test_http_and_https_links_of_the_alert_are_facts_and_others_are_dropped() -> None:
    alert = {
        "annotations": {
            "runbook_url": "https://runbooks.example.com/pool",
            "dashboard_url": "http://grafana.example.com/d/1",
            "evil": "javascript:alert(1)",
            "file": "file:///etc/passwd",
            "broken": "http://[::1",
            "summary": "p95 above 2 s",
        },
        "generatorUrl": "http://prometheus.example.com/graph",
    }
    assert links_of(alert) == [
        {"label": "dashboard", "url": "http://grafana.example.com/d/1"},
        {"label": "runbook", "url": "https://runbooks.example.com/pool"},
        {"label": "Alert rule", "url": "http://prometheus.example.com/graph"},
    ]

"""One order of labels says which service an alert is about; who only measures others is asked last."""

import pytest

from diagnosis.alert_service import ORDER, service_of


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_the_first_label_of_the_order_wins(place: int) -> None:
    assert service_of({name: f"the {name}" for name in ORDER[place:]}) == f"the {ORDER[place]}"


@pytest.mark.parametrize(
    ("labels", "service"),
    [
        ({}, ""),
        ({"instance": "db1:9100"}, ""),
        ({"service": " ", "app": "checkout"}, "checkout"),
        ({"service": "kube-state-metrics", "container": "payment"}, "payment"),
        ({"job": "node-exporter"}, "node-exporter"),
        ({"app": "支付"}, "支付"),
    ],
)
def test_whose_it_is(labels: dict[str, str], service: str) -> None:
    assert service_of(labels) == service

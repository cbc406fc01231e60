"""``ONCALL_ALLOWED_NETWORKS`` decides where we connect, so what cannot be read in it stops the start."""

from typing import Any

import pytest
from django.core.checks import run_checks


@pytest.mark.django_db
def test_it_is_named(settings: Any) -> None:
    settings.ONCALL_ALLOWED_NETWORKS = ["127.0.0.0/8", "10.1.2.3/8", "prometheus.internal"]
    errors = [str(message) for message in run_checks() if message.id == "oncall.E003"]
    assert len(errors) == 1 and "prometheus.internal" in errors[0]

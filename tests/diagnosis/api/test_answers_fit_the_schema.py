"""What the schema says of a diagnosis, its job and its report holds for diagnoses of every status."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from diagnosis.states import DIAGNOSIS_STATUSES
from oncall.models import User
from tests.diagnosis.factories import make_diagnosis

pytestmark = pytest.mark.django_db


@pytest.fixture
def faults(client: Client) -> Callable[[str, Any], list[str]]:
    components = client.get("/api/schema", headers={"accept": "application/json"}).json()["components"]

    def find(name: str, value: Any) -> list[str]:
        schema = {"$ref": f"#/components/schemas/{name}", "components": components}
        return [error.message for error in Draft202012Validator(schema).iter_errors(value)]

    return find


@pytest.mark.parametrize("status", DIAGNOSIS_STATUSES)
def test_of_every_status(
    status: str, alice: User, as_user: Callable[[User], Client], faults: Callable[[str, Any], list[str]]
) -> None:
    diagnosis = make_diagnosis(alice, status=status)
    client = as_user(alice)
    found = client.get(f"/aiops/diagnostics/{diagnosis.pk}").json()
    assert faults("Diagnosis", found) == []
    assert (found["verdict"] is None) == (status != "succeeded")
    assert faults("Job", client.get(f"/background-jobs/{diagnosis.job_id}").json()) == []

"""A deploy tool that tries again does not deploy twice."""

from functools import partial

import pytest

from diagnosis.changes import record_change
from diagnosis.models import Change
from oncall.models import User
from tests.diagnosis.alerts.deliveries import T0
from tests.jobs.threads import at_once


@pytest.mark.django_db
def test_one_row_each(alice: User, bob: User) -> None:
    values = {"service": "payment", "kind": "deploy", "at": T0, "version": "4.2.0"}
    first = record_change(owner_id=alice.pk, **values, url="https://ci.example/1")
    again = record_change(owner_id=alice.pk, **values)
    assert first == again and again.url == "https://ci.example/1"
    record_change(owner_id=alice.pk, **{**values, "version": "4.2.1"})
    record_change(owner_id=bob.pk, **values)
    assert Change.objects.count() == 3


@pytest.mark.django_db
def test_secrets_are_masked(alice: User) -> None:
    change = record_change(
        owner_id=alice.pk, service="payment", kind="flag", at=T0, version="token=hunter2", url="https://u:hunter2@ci/x"
    )
    assert "hunter2" not in change.version + change.url


@pytest.mark.django_db(transaction=True)
def test_at_the_same_moment(alice: User) -> None:
    made = at_once([partial(record_change, owner_id=alice.pk, service="payment", kind="deploy", at=T0)] * 4)
    assert len({change.pk for change in made}) == 1 and Change.objects.count() == 1

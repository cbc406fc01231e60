"""``alerts: [Name]`` in the front matter: a search for that alert finds the runbook first, whatever its text says."""

import pytest

from documents.alert_names import alert_names
from documents.bases import create_base
from documents.scope import scope_for
from documents.search import search
from documents.uploads import upload
from jobs.testing import run_until_idle
from oncall.models import User

pytestmark = pytest.mark.django_db


def test_it_comes_before_one_that_merely_sounds_like_it(alice: User, charlie: User) -> None:
    base = create_base(owner_id=alice.pk, name="Runbooks")
    named = b"---\nalerts: [CheckoutLatencyHigh, PoolFull]\n---\n# Connections\n\nRaise the pool.\n"
    upload(base, file_name="connections.md", data=named)
    upload(base, file_name="latency.md", data=b"# Checkout latency is high\n\nCheckout latency rises after a deploy.\n")
    run_until_idle()
    hits = search(scope_for([alice.pk]), "CheckoutLatencyHigh payment deploy", one_per_document=True)
    assert [hit.chunk.document.file_name for hit in hits] == ["connections.md", "latency.md"]
    assert search(scope_for([charlie.pk]), "CheckoutLatencyHigh") == []


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ({"alerts": ["A", "B"]}, ["A", "B"]),
        ({"alert": "A"}, ["A"]),
        ({"alerts": [1, ""]}, []),
        ({"alerts": 7}, []),
        ({}, []),
    ],
)
def test_what_makes_no_sense_names_nothing(metadata: dict[str, object], names: list[str]) -> None:
    assert alert_names(metadata) == names

"""``manage.py check`` has nothing to say about the project as it is shipped."""

import pytest
from django.core.checks import run_checks


@pytest.mark.django_db
def test_no_check_complains() -> None:
    assert [str(message) for message in run_checks(databases=["default"])] == []

"""An operator, who may do everything in the admin, and staff who may only look."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from oncall.models import User
from tests.factories import make_person


@pytest.fixture
def operator(as_user: Callable[[User], Client], db: None) -> Client:
    return as_user(make_person("olga", is_staff=True, is_superuser=True))


@pytest.fixture
def onlooker(as_user: Callable[[User], Client], db: None) -> Client:
    staff = make_person("otto", is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename__in=["view_job", "view_worker"]))
    return as_user(staff)

"""A schema change comes with its migration, and every migration can be taken back."""

import io

import pytest
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from tests.house.repository import APPS


@pytest.mark.django_db
def test_the_models_need_no_further_migration() -> None:
    out = io.StringIO()
    try:
        call_command("makemigrations", "--check", "--dry-run", stdout=out)
    except SystemExit:
        pytest.fail(f"The models have changed; run manage.py makemigrations:\n{out.getvalue()}")


def test_every_migration_can_be_reversed() -> None:
    loader = MigrationLoader(None)
    one_way = [
        f"{app}.{name}: {operation.describe()}"
        for (app, name), migration in loader.disk_migrations.items()
        if app in APPS
        for operation in migration.operations
        if not operation.reversible
    ]
    assert one_way == []

"""``bootstrap`` leads from a migrated or empty database to something to look at, once, however often it is run."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from diagnosis.models import Diagnosis
from documents.models import Document, KnowledgeBase
from jobs.models import Job
from jobs.testing import run_until_idle
from oncall.models import Membership, Team, User
from oncall.samples import TEAM_NAME

pytestmark = pytest.mark.django_db


def bootstrap() -> str:
    out = StringIO()
    call_command("bootstrap", verbosity=0, stdout=out)
    return out.getvalue()


def test_the_first_user_is_superuser_and_admin_of_the_sample_team() -> None:
    said = bootstrap()
    admin = User.objects.get(username="admin")
    assert admin.is_superuser and admin.is_staff
    password = said.split("password: ")[1].split()[0]
    assert admin.check_password(password)
    assert Membership.objects.get(user=admin, team__first_name=TEAM_NAME).role == "admin"


def test_the_password_of_the_environment_is_used_and_not_printed(settings: Any) -> None:
    settings.ONCALL_ADMIN_PASSWORD = "from-the-environment"
    assert "from-the-environment" not in bootstrap()
    assert User.objects.get(username="admin").check_password("from-the-environment")


def test_the_sample_runbooks_are_indexed_by_real_jobs() -> None:
    bootstrap()
    team = Team.objects.get(first_name=TEAM_NAME)
    assert set(Job.objects.values_list("kind", "status", "owner_user_id")) == {
        ("document_index", "queued", team.pk),
        ("aiops_diagnosis", "queued", team.pk),
    }
    run_until_idle()
    assert set(Document.objects.values_list("status", flat=True)) == {"indexed"}


def test_the_sample_incident_is_diagnosed_by_a_real_job_with_its_runbook() -> None:
    bootstrap()
    run_until_idle()
    run_until_idle(now=timezone.now() + timedelta(minutes=1))
    diagnosis = Diagnosis.objects.get()
    assert (diagnosis.status, diagnosis.incident.state) == ("succeeded", "resolved")
    assert diagnosis.report.body["rootCause"]["node"] == "payment"
    assert "roll it back first" in str(diagnosis.report.body["actions"])


def test_a_second_run_changes_nothing_and_prints_no_password() -> None:
    bootstrap()
    before = [list(model.objects.values()) for model in (User, KnowledgeBase, Document, Job)]
    assert "password" not in bootstrap()
    assert [list(model.objects.values()) for model in (User, KnowledgeBase, Document, Job)] == before


def test_a_sample_that_was_deleted_stays_deleted() -> None:
    bootstrap()
    from documents.transitions import delete_document

    delete_document(Document.objects.values_list("pk", flat=True)[0])
    count = Document.objects.count()
    bootstrap()
    assert Document.objects.count() == count


def test_samples_can_be_left_out() -> None:
    call_command("bootstrap", "--no-samples", verbosity=0, stdout=StringIO())
    assert User.objects.filter(username="admin").exists()
    assert not Team.objects.exists() and not Job.objects.exists()

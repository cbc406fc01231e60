"""In the admin an owner has its display name, a status one look, and a job leads to the task that it works for."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents.bases import default_base
from documents.models import IndexTask
from documents.uploads import Uploaded
from jobs.models import Job
from jobs.testing import run_until_idle
from oncall.models import Team, User
from tests.documents.factories import add

pytestmark = pytest.mark.django_db
TASK = "/admin/documents/indextask/"


@pytest.fixture
def operator(charlie: User, as_user: Callable[[User], Client]) -> Client:
    User.objects.filter(pk=charlie.pk).update(is_staff=True, is_superuser=True)
    charlie.refresh_from_db()
    return as_user(charlie)


@pytest.fixture
def found(team: Team) -> Uploaded:
    Team.objects.filter(pk=team.pk).update(first_name="Payments crew", username="team-x-1")
    found = add(default_base(team.pk), "a.md")
    run_until_idle()
    return found


def pages(found: Uploaded) -> dict[str, list[str]]:
    assert found.task and found.job
    rows = {"documents/document": found.document.pk, "documents/indextask": found.task.pk, "jobs/job": found.job.pk}
    rows |= {"documents/knowledgebase": found.document.knowledge_base_id}
    return {model: [f"/admin/{model}/", f"/admin/{model}/{pk}/change/"] for model, pk in rows.items()}


def test_an_owner_has_its_display_name_on_every_page(operator: Client, found: Uploaded) -> None:
    for paths in pages(found).values():
        for path in paths:
            page = operator.get(path).text
            assert "Payments crew" in page and "team-x-1" not in page, path


def mark(page: str, word: str) -> str:
    """The class of the mark that says ``word``."""
    (found,) = set(re.findall(rf'<span class="(inline-block [^"]*)"\s*>\s*{word}\s*</span>', page))
    return str(found)


@pytest.mark.parametrize(
    ("model", "word"),
    [("documents/document", "indexed"), ("documents/indextask", "succeeded"), ("jobs/job", "succeeded")],
)
def test_a_status_looks_the_same_in_the_list_and_on_the_page(
    operator: Client, found: Uploaded, model: str, word: str
) -> None:
    in_list, on_page = (mark(operator.get(path).text, word) for path in pages(found)[model])
    assert in_list == on_page
    assert "green" in in_list


def test_a_task_that_succeeded_is_at_no_stage_and_one_that_failed_says_where(operator: Client, found: Uploaded) -> None:
    for paths in pages(found).values():
        assert all(not re.search(r">\s*embed\s*<", operator.get(path).text) for path in paths if "/job/" not in path)
    IndexTask.objects.update(status="failed")
    assert re.search(r">\s*embed\s*<", operator.get(TASK).text)


def test_a_job_leads_to_its_task_and_the_task_to_its_job(operator: Client, found: Uploaded) -> None:
    assert found.task and found.job
    for path in pages(found)["jobs/job"]:
        assert f'href="{TASK}{found.task.pk.replace("_", "_5F")}/change/"' in operator.get(path).text.replace(
            found.task.pk, found.task.pk.replace("_", "_5F")
        )
    task_page = operator.get(f"{TASK}{found.task.pk}/change/").text
    assert f"/admin/jobs/job/{found.job.pk}/change/" in task_page
    Job.objects.all().delete()
    assert "/admin/jobs/job/job_" not in operator.get(f"{TASK}{found.task.pk}/change/").text


def test_a_kind_and_a_file_name_are_titles_as_they_are(operator: Client, found: Uploaded) -> None:
    for model, name in (("jobs/job", "document_index"), ("documents/document", "a.md")):
        page = operator.get(pages(found)[model][1]).text
        assert name in page and name.capitalize() not in page


def test_a_list_asks_no_more_for_many_rows(
    operator: Client, found: Uploaded, team: Team, django_assert_max_num_queries: Callable[[int], CaptureQueriesContext]
) -> None:
    base: Any = default_base(team.pk)
    for number in range(8):
        add(base, f"{number}.md", f"# {number}\n\nText.")
    for model in ("documents/document", "documents/indextask", "documents/knowledgebase"):
        with django_assert_max_num_queries(9):
            assert operator.get(f"/admin/{model}/").status_code == 200

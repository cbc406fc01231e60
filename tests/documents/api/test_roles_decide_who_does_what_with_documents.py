"""Readers read and search; responders upload, index, cancel, retry and delete; admins make and delete bases."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.models import Document, KnowledgeBase
from jobs.testing import run_until_idle
from oncall.models import Team, User
from tests.documents.factories import add

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]
JSON = "application/json"
WHO = ["alice", "bob", "rita", "charlie"]  # Admin, responder, reader, outsider.


@pytest.fixture
def people(alice: User, bob: User, rita: User, charlie: User, team: Team) -> dict[str, User]:
    return {"alice": alice, "bob": bob, "rita": rita, "charlie": charlie}


@pytest.fixture
def document(team_base: KnowledgeBase) -> Document:
    found = add(team_base).document
    run_until_idle()
    return found


def statuses(people: dict[str, User], as_user: As, call: Callable[[Client], Any]) -> dict[str, int]:
    """The outsider first, and the least role before the most: nobody profits from what another did."""
    return {name: call(as_user(people[name])).status_code for name in reversed(WHO)}


def test_reading(people: dict[str, User], as_user: As, document: Document) -> None:
    base = f"/knowledge-bases/{document.knowledge_base_id}"
    one = f"{base}/documents/{document.pk}"
    task = document.index_tasks.get().pk
    for path in [
        base,
        f"{base}/documents",
        one,
        f"{one}/content",
        f"{one}/chunks",
        f"{one}/index-tasks",
        f"{one}/index-tasks/{task}",
    ]:
        found = statuses(people, as_user, lambda client, path=path: client.get(path))
        assert found == {"alice": 200, "bob": 200, "rita": 200, "charlie": 403}, path
    found = statuses(
        people, as_user, lambda client: client.post(f"{base}:search", {"query": "redis"}, content_type=JSON)
    )
    assert found == {"alice": 200, "bob": 200, "rita": 200, "charlie": 403}


def test_the_lists_and_the_search_over_all_hold_the_scope(
    people: dict[str, User], as_user: As, document: Document
) -> None:
    for name, sees in {"alice": True, "bob": True, "rita": True, "charlie": False}.items():
        client = as_user(people[name])
        bases = {base["id"] for base in client.get("/knowledge-bases").json()["results"]}
        assert (document.knowledge_base_id in bases) is sees
        hits = client.post("/knowledge:search", {"query": "redis"}, content_type=JSON).json()["results"]
        assert bool(hits) is sees


def test_uploading(people: dict[str, User], as_user: As, team_base: KnowledgeBase) -> None:
    path = f"/knowledge-bases/{team_base.pk}/documents"
    for number, (name, status) in enumerate({"charlie": 403, "rita": 403, "bob": 201, "alice": 201}.items()):
        file = SimpleUploadedFile(f"{number}.md", f"# {number}".encode())
        assert as_user(people[name]).post(path, {"file": file}).status_code == status, name


def test_steering_index_tasks(people: dict[str, User], as_user: As, document: Document) -> None:
    tasks = f"/knowledge-bases/{document.knowledge_base_id}/documents/{document.pk}/index-tasks"
    for name, status in {"charlie": 403, "rita": 403, "bob": 202}.items():
        assert as_user(people[name]).post(tasks).status_code == status, name
    task = document.index_tasks.latest("created_at").pk
    for verb in ("cancel", "retry"):
        for name, status in {"charlie": 403, "rita": 403, "bob": 202}.items():
            assert as_user(people[name]).post(f"{tasks}/{task}:{verb}").status_code == status, (verb, name)


def test_deleting_a_document(people: dict[str, User], as_user: As, document: Document) -> None:
    path = f"/knowledge-bases/{document.knowledge_base_id}/documents/{document.pk}"
    for name, status in {"charlie": 403, "rita": 403, "bob": 204, "alice": 403}.items():
        assert as_user(people[name]).delete(path).status_code == status, name


def test_bases_of_a_team_are_its_admins(people: dict[str, User], as_user: As, team: Team) -> None:
    def make(client: Client) -> Any:
        return client.post("/knowledge-bases", {"name": "Ours", "ownerUserId": team.pk}, content_type=JSON)

    assert statuses(people, as_user, make) == {"alice": 201, "bob": 403, "rita": 403, "charlie": 403}
    path = f"/knowledge-bases/{KnowledgeBase.objects.get(name='Ours').pk}"
    changed = statuses(people, as_user, lambda client: client.patch(path, {"name": "Still ours"}, content_type=JSON))
    assert changed == {"alice": 200, "bob": 403, "rita": 403, "charlie": 403}
    deleted = statuses(people, as_user, lambda client: client.delete(path))
    assert deleted == {"alice": 204, "bob": 403, "rita": 403, "charlie": 403}


def test_a_base_of_ones_own_needs_no_role(people: dict[str, User], as_user: As) -> None:
    made = as_user(people["charlie"]).post("/knowledge-bases", {"name": "Mine"}, content_type=JSON)
    assert made.status_code == 201 and made.json()["ownerUserId"] == people["charlie"].pk

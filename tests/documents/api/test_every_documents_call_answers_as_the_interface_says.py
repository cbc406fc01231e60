"""A walk through every row of the interface's part "Documents", as its owner."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from jobs.testing import claim_one, run_until_idle
from oncall.models import User
from tests.documents.factories import RUNBOOK
from tests.factories import make_token

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]


def upload(client: Client, base: str, text: str = RUNBOOK, name: str = "redis.md", **fields: Any) -> Any:
    return client.post(
        f"/knowledge-bases/{base}/documents", {"file": SimpleUploadedFile(name, text.encode()), **fields}
    )


def default_base(client: Client) -> str:
    (base,) = client.get("/knowledge-bases").json()["results"]
    return str(base["id"])


def test_bases(as_user: As, alice: User) -> None:
    client = as_user(alice)
    listed = client.get("/knowledge-bases").json()
    assert set(listed) == {"next", "previous", "results"}
    (default,) = listed["results"]
    assert default["isDefault"] is True and default["ownerUserId"] == alice.pk

    made = client.post("/knowledge-bases", {"name": "Runbooks"}, content_type="application/json")
    assert made.status_code == 201
    address = f"/knowledge-bases/{made.json()['id']}"
    again = client.post("/knowledge-bases", {"name": "Runbooks"}, content_type="application/json")
    assert again.status_code == 409 and again.json()["errors"][0]["code"] == "CONFLICT"
    changed = client.patch(address, {"name": "Ours", "description": "x"}, content_type="application/json")
    assert (changed.status_code, changed.json()["name"], changed.json()["description"]) == (200, "Ours", "x")
    assert client.get(address).json() == changed.json()
    assert client.patch(address, {"name": default["name"]}, content_type="application/json").status_code == 409
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 403
    assert client.delete(f"/knowledge-bases/{default['id']}").status_code == 409


def test_a_document_from_upload_to_deletion(as_user: As, alice: User) -> None:
    client = as_user(alice)
    base = default_base(client)
    made = upload(client, base)
    assert made.status_code == 201
    body = made.json()
    assert set(body) == {"document", "indexTask", "backgroundJob"}
    assert (
        body["backgroundJob"]["kind"] == "document_index"
        and body["backgroundJob"]["resourceId"] == body["indexTask"]["id"]
    )
    assert body["document"]["status"] == "pending" and body["document"]["chunking"] == {"strategy": "auto"}
    assert "payload" not in body["backgroundJob"]
    address = f"/knowledge-bases/{base}/documents/{body['document']['id']}"
    assert client.get(f"{address}/chunks").json()["results"] == []

    run_until_idle()
    document = client.get(address).json()
    assert (document["status"], document["chunkCount"], document["errorCode"]) == ("indexed", 2, "")
    assert client.get(f"/knowledge-bases/{base}/documents?status=indexed").json()["results"] == [document]
    assert client.get(f"/knowledge-bases/{base}/documents?status=failed").json()["results"] == []
    chunks = client.get(f"{address}/chunks").json()["results"]
    assert [chunk["headingPath"][-1] for chunk in chunks] == ["Meaning", "Mitigation"]
    assert RUNBOOK[chunks[1]["start"] : chunks[1]["end"]] == chunks[1]["text"] and chunks[1]["lineStart"] == 7
    assert client.get(f"{address}/chunks?limit=1").json()["next"]

    tasks = client.get(f"{address}/index-tasks").json()["results"]
    assert [task["status"] for task in tasks] == ["succeeded"]
    assert client.get(f"{address}/index-tasks/{tasks[0]['id']}").json() == tasks[0]
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 403


def test_the_form(as_user: As, alice: User) -> None:
    client = as_user(alice)
    base = default_base(client)
    chunking = {"strategy": "fixed-character", "maxCharacters": 100, "overlapCharacters": 10}
    made = upload(client, base, index="false", chunking=json.dumps(chunking))
    assert made.status_code == 201
    assert (made.json()["indexTask"], made.json()["backgroundJob"]) == (None, None)
    assert made.json()["document"]["chunking"] == chunking
    other = RUNBOOK + "more"
    assert upload(client, base, other).status_code == 409
    replaced = upload(client, base, other, overwrite="true")
    assert replaced.status_code == 201 and replaced.json()["document"]["contentVersion"] == 2
    assert replaced.json()["document"]["id"] == made.json()["document"]["id"]


def test_index_tasks(as_user: As, alice: User) -> None:
    client = as_user(alice)
    base = default_base(client)
    document = upload(client, base, index="false").json()["document"]["id"]
    tasks = f"/knowledge-bases/{base}/documents/{document}/index-tasks"
    started = client.post(tasks)
    assert started.status_code == 202
    first = started.json()["indexTask"]["id"]
    second = client.post(tasks)
    assert second.status_code == 409 and first in second.json()["errors"][0]["detail"]
    assert client.post(f"{tasks}/{first}:retry").status_code == 409

    cancelled = client.post(f"{tasks}/{first}:cancel")
    assert cancelled.status_code == 202
    assert (cancelled.json()["indexTask"]["status"], cancelled.json()["backgroundJob"]["status"]) == ("cancelled",) * 2
    assert client.post(f"{tasks}/{first}:cancel").json() == cancelled.json()
    retried = client.post(f"{tasks}/{first}:retry")
    assert retried.status_code == 202 and retried.json()["indexTask"]["retryOfTaskId"] == first
    successor = retried.json()["indexTask"]["id"]
    again = client.post(f"{tasks}/{first}:retry")
    assert again.status_code == 409
    run_until_idle()
    assert client.get(f"{tasks}/{successor}").json()["status"] == "succeeded"
    named = client.post(f"{tasks}/{first}:retry")
    assert named.status_code == 409 and successor in named.json()["errors"][0]["detail"]


def test_cancel_of_a_running_task_asks_it_to_stop(as_user: As, alice: User) -> None:
    client = as_user(alice)
    made = upload(client, default_base(client)).json()
    claim_one()
    task, document = made["indexTask"], made["document"]
    verb = f"/knowledge-bases/{document['knowledgeBaseId']}/documents/{document['id']}/index-tasks/{task['id']}:cancel"
    answer = client.post(verb)
    assert answer.status_code == 202
    assert answer.json()["indexTask"]["status"] == "running"
    assert answer.json()["backgroundJob"]["cancelRequestedAt"]


def test_search_in_one_base_and_in_all(as_user: As, alice: User) -> None:
    client = as_user(alice)
    base = default_base(client)
    document = upload(client, base).json()["document"]["id"]
    run_until_idle()
    for address in (f"/knowledge-bases/{base}:search", "/knowledge:search"):
        answer = client.post(address, {"query": "leaking redis clients", "limit": 1}, content_type="application/json")
        assert answer.status_code == 200
        assert set(answer.json()) == {"next", "previous", "results"}
        (hit,) = answer.json()["results"]
        assert hit["document"] == {"id": document, "fileName": "redis.md", "title": "Redis connections exhausted"}
        assert hit["headingPath"] == ["Redis connections exhausted", "Mitigation"] and hit["page"] is None
        assert RUNBOOK[hit["start"] : hit["end"]].startswith("## Mitigation") and hit["lineStart"] == 7
        assert (hit["lexicalRank"], hit["denseRank"]) == (1, 1) and hit["score"] > 0
        words = {hit["excerpt"]["text"][match["start"] : match["end"]] for match in hit["excerpt"]["matches"]}
        assert {"Redis", "client"} & words or "client" in words
    narrowed = {"query": "redis", "documentIds": ["doc_other"]}
    assert client.post("/knowledge:search", narrowed, content_type="application/json").json()["results"] == []
    narrowed = {"query": "redis", "knowledgeBaseIds": [base], "documentIds": [document], "mode": "lexical"}
    assert len(client.post("/knowledge:search", narrowed, content_type="application/json").json()["results"]) == 2


def test_a_token_that_only_reads_may_search(as_token: Callable[[str], Client], alice: User) -> None:
    _, text = make_token(alice, scope="read")
    client = as_token(text)
    assert client.post("/knowledge:search", {"query": "x"}, content_type="application/json").status_code == 200
    assert upload(client, default_base(client)).status_code == 403

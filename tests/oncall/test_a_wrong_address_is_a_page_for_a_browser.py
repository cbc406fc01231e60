"""Whoever asks for HTML at an address that nothing has gets a page with a way home; the API and programs get JSON."""

import pytest
from django.test import Client

from oncall.models import User

pytestmark = pytest.mark.django_db
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize(
    "path", ["/nope", "/nope/deeper/", "/knowledgebase", "/knowledge/nothing/", "/incidents/x/y/z"]
)
def test_a_browser_sees_a_page(client: Client, alice: User, path: str) -> None:
    for _ in ("a visitor", "a user"):
        answer = client.get(path, headers=BROWSER)
        assert (answer.status_code, answer["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert "Nothing is here" in answer.text and '<a href="/">' in answer.text
        client.force_login(alice)


@pytest.mark.parametrize("accept", ["application/json", "*/*", ""])
def test_a_program_gets_json(client: Client, accept: str) -> None:
    answer = client.get("/nope", headers={"Accept": accept})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "path", ["/background-jobs/1/2/3", "/knowledge-bases:nothing", "/knowledge:nothing", "/api/nothing", "/health/x"]
)
def test_an_api_path_answers_json_to_a_browser_too(client: Client, path: str) -> None:
    answer = client.get(path, headers=BROWSER)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (404, "NOT_FOUND")


def test_a_wrong_verb_on_an_api_path_stays_json(client: Client) -> None:
    answer = client.post("/health", headers=BROWSER)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (405, "METHOD_NOT_ALLOWED")


def test_a_form_without_its_token_is_refused_as_a_page(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    answer = client.post("/nope", headers=BROWSER)
    assert answer["Content-Type"].startswith("text/html")
    assert answer.status_code in (403, 404)

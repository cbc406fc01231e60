"""A report is JSON, Markdown or a page by what is accepted; 409 before there is one; the page can do nothing."""

import base64
import hashlib
import re
from typing import Any

import pytest
from django.test import Client

from diagnosis.models import Diagnosis, Report
from diagnosis.states import CANCELLED, FAILED, PENDING, RUNNING
from oncall.models import User
from tests.diagnosis.factories import SUMMARIES, make_diagnosis

pytestmark = pytest.mark.django_db
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def get(client: Client, diagnosis: Diagnosis, accept: str = "*/*", **query: str) -> Any:
    return client.get(f"/aiops/diagnostics/{diagnosis.pk}/report", query, headers={"Accept": accept})


@pytest.mark.parametrize(
    ("accept", "type_"),
    [
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("text/markdown", "text/markdown; charset=utf-8"),
        ("text/html", "text/html; charset=utf-8"),
        (BROWSER, "text/html; charset=utf-8"),
    ],
)
def test_by_accept(client: Client, diagnosis: Diagnosis, accept: str, type_: str) -> None:
    answer = get(client, diagnosis, accept)
    assert (answer.status_code, answer["Content-Type"]) == (200, type_)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "Accept" in answer["Vary"]


@pytest.mark.parametrize(
    ("form", "start"), [("md", b"# "), ("html", b"<!doctype html>"), ("json", b'{"schemaVersion":1')]
)
def test_by_a_link(client: Client, diagnosis: Diagnosis, form: str, start: bytes) -> None:
    assert get(client, diagnosis, "*/*", format=form).content.startswith(start)


def test_json_is_the_stored_report(client: Client, diagnosis: Diagnosis) -> None:
    assert get(client, diagnosis).json() == Report.objects.get().body


def test_the_same_bytes_each_time(client: Client, diagnosis: Diagnosis) -> None:
    for accept in ("application/json", "text/markdown", "text/html"):
        assert get(client, diagnosis, accept).content == get(client, diagnosis, accept).content


def test_the_page_says_what_the_evidence_shows_and_can_do_nothing(client: Client, diagnosis: Diagnosis) -> None:
    answer = get(client, diagnosis, "text/html")
    text = answer.content.decode()
    for number, summary in enumerate(SUMMARIES, start=1):
        assert f'<li id="E{number}">' in text and summary in text
    policy = answer["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'sha256-")
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy
    assert answer["Content-Disposition"] == f'inline; filename="{diagnosis.pk}.html"'


@pytest.mark.parametrize("status", [PENDING, RUNNING, FAILED, CANCELLED])
def test_409_before_there_is_one(client: Client, alice: User, status: str) -> None:
    diagnosis = make_diagnosis(alice, status=status)
    for accept in ("*/*", "text/html", "text/markdown"):
        answer = get(client, diagnosis, accept)
        assert (answer.status_code, answer["Content-Type"]) == (409, "application/json")
        assert status in answer.json()["errors"][0]["detail"]


def test_other_forms_and_parameters_are_refused(client: Client, diagnosis: Diagnosis) -> None:
    answer = get(client, diagnosis, "image/png")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (406, "NOT_ACCEPTABLE")
    answer = get(client, diagnosis, "*/*", colour="red")
    assert (answer.status_code, answer.json()["errors"][0]["attr"]) == (400, "colour")

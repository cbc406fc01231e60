"""The content policy: strict everywhere, with what the admin and the docs page need, and nothing from outside."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from oncall.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.oncall.probe_urls")]


def policy(client: Client, path: str, **headers: str) -> dict[str, str]:
    text = client.get(path, headers=headers)["Content-Security-Policy"]
    return {words[0]: " ".join(words[1:]) for part in text.split(";") if (words := part.split())}


@pytest.mark.parametrize("path", ["/accounts/login/", "/jobs/nothing/", "/health", "/nothing"])
def test_strict(client: Client, path: str) -> None:
    found = policy(client, path)
    assert found["script-src"] == found["style-src"] == found["default-src"] == "'self'"
    assert found["frame-ancestors"] == found["object-src"] == found["base-uri"] == "'none'"


def test_the_admin_may_evaluate_but_not_fetch(as_user: Callable[[User], Client], alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    found = policy(as_user(alice), "/admin/")
    assert "'unsafe-eval'" in found["script-src"]
    assert not re.search(r"https?:|\*", " ".join(found.values()))


def test_the_docs_page_runs_no_inline_script(client: Client) -> None:
    found = policy(client, "/api/docs", Accept="text/html")
    assert found["script-src"] == "'self'"
    scripts = re.findall(r"<script(?![^>]*\bsrc=)", client.get("/api/docs", headers={"Accept": "text/html"}).text)
    assert scripts == []


@pytest.mark.parametrize("path", ["/accounts/login/", "/jobs/nothing/"])
def test_pages_carry_neither_script_nor_style(client: Client, path: str) -> None:
    page = client.get(path).text
    assert '<html lang="en">' in page
    assert not re.search(r"<script|<style|\sstyle=|\son[a-z]+=|javascript:|https?://", page)

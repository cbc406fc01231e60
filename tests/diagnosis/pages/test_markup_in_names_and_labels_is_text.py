"""Whatever alerts, changes, notes and evidence are called, it is text; only http and https become links."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.models import Change, Evidence
from diagnosis.states import RUNNING
from oncall.models import Team, User
from tests.diagnosis.factories import T0, make_alert, make_diagnosis, make_incident

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'\u202e{{ 7 }}"
BAD_URLS = ["javascript:alert(1)", "data:text/html,x", "//evil.example/x", "http:///x", "ftp://a.example", "http://a b"]


@pytest.fixture
def seen(as_user: Callable[[User], Client], alice: User, team: Team) -> str:
    """All pages of an incident in which every text is evil, in one text."""
    incident = make_incident(team, title=EVIL, opened_at=T0)
    annotations = {"summary": EVIL, EVIL: EVIL, **{f"url_{n}": url for n, url in enumerate(BAD_URLS)}}
    labels = {EVIL: EVIL}
    alert = make_alert(
        team, incident=incident, name=EVIL, service=EVIL, annotations=annotations, labels=labels, generator_url=EVIL
    )
    Change.objects.create(owner_user=team, service=EVIL, kind=EVIL[:50], at=T0, version=EVIL, url=BAD_URLS[0])
    incident.notes.create(author=alice, text=EVIL)
    events = [("evidence.added", {"evidence": "E1", "summary": EVIL}), ("facts.ready", {"alerts": [{"text": EVIL}]})]
    diagnosis = make_diagnosis(team, status=RUNNING, alert=alert, query=EVIL, job={"events": events})
    Evidence.objects.filter(diagnosis=diagnosis).update(
        summary=EVIL, node=EVIL, stats={EVIL: EVIL}, sample={"text": EVIL}
    )
    User.objects.filter(pk=team.pk).update(first_name=EVIL[:150])
    paths = ["/incidents/", f"/incidents/{incident.pk}/", f"/diagnoses/{diagnosis.pk}/"]
    return "".join(as_user(alice).get(path).content.decode() for path in paths)


def test_no_markup_of_theirs(seen: str) -> None:
    assert "<script>alert" not in seen and "<img" not in seen
    assert seen.count("&lt;script&gt;") > 15 and "{{ 7 }}" in seen


def test_no_link_of_theirs_but_http(seen: str) -> None:
    assert set(re.findall(r'href="([^"/#?]*)', seen)) == {""}


def test_neither_script_nor_style_in_the_page(seen: str) -> None:
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=[\"']", seen)


def test_links_of_alerts_are_shown_once(as_user: Callable[[User], Client], alice: User, team: Team) -> None:
    incident = make_incident(team, opened_at=timezone.now())
    for _ in range(2):
        annotations = {"runbook_url": "https://wiki.example/x", "dashboard": "http://grafana.example/d/1"}
        make_alert(team, incident=incident, annotations=annotations, generator_url="")
    page = as_user(alice).get(f"/incidents/{incident.pk}/").content.decode()
    assert page.count('href="https://wiki.example/x" rel="noopener noreferrer nofollow"><bdi>Runbook</bdi>') == 1
    assert page.count('href="http://grafana.example/d/1"') == 1

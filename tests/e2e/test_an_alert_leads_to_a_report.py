"""The journey: a real rule fires, a real Alertmanager posts, an incident opens, a job diagnoses, a phone shows it."""

import json
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon, alertmanager, free_port, prometheus
from tests.e2e import shop
from tests.e2e.worker_process import ROOT, Home, eventually

pytestmark = pytest.mark.e2e

SET_UP = """
import json
from django.contrib.auth import get_user_model
from diagnosis.models import DataSource, Rule, Service, ServiceEdge
from oncall.models import Membership
from oncall.teams import create_team
from oncall.tokens import create_token
make = get_user_model().objects.create_user
people = {name: make(name, password="a long pass phrase") for name in ("alice", "bob", "charlie")}
team = create_team("Shop")
Membership.objects.create(user=people["alice"], team=team, role="admin")
Membership.objects.create(user=people["bob"], team=team, role="responder")
given = json.loads('''GIVEN''')
DataSource.objects.create(owner_user=team, name="prometheus", kind="prometheus", url=given["prometheus"])
made = {}
for name, values in given["services"].items():
    made[name] = Service.objects.create(owner_user=team, name=name, **values)
for caller, callee in given["edges"]:
    ServiceEdge.objects.create(caller=made[caller], callee=made[callee])
Rule.objects.create(owner_user=team, name="pages", matchers={"alertname": "CheckoutLatencyHigh"})
print("TOKEN", create_token(people["alice"], name="alertmanager", scope="alerts:write", owner_id=team.pk)[1])
for name, user in people.items():
    print("TOKEN", create_token(user, name="api")[1])
"""


class Shop:
    """A served installation with its tokens: ingest, alice, bob, charlie."""

    def __init__(self, home: Home, port: int, tokens: list[str], prometheus: Daemon) -> None:
        self.home = home
        self.prometheus = prometheus
        self.url = f"http://127.0.0.1:{port}"
        self.ingest, self.alice, self.bob, self.charlie = tokens

    def get(self, path: str, token: str) -> Any:
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def diagnoses(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get("/aiops/diagnostics", self.alice)["results"]
        return found


@contextmanager
def served(home: Home, port: int) -> Iterator[None]:
    log = (home.folder / "serve.log").open("w")
    command = [sys.executable, "manage.py", "serve", "--port", str(port), "--concurrency", "2"]
    process = subprocess.Popen(command, env=home.environment(), cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    try:
        eventually(lambda: _answers(port), what=lambda: (home.folder / "serve.log").read_text())
        yield
    finally:
        process.terminate()
        process.wait(40)
        log.close()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture
def firing(home: Home, tmp_path: Path) -> Iterator[Shop]:
    """Everything up, with the alert on its way."""
    port = free_port()
    with ExitStack() as stack:
        # Alertmanager has to know the token, and the token needs the installation: so it is set up first.
        prometheus_port = free_port()
        given = {"prometheus": f"http://127.0.0.1:{prometheus_port}", "services": shop.SERVICES, "edges": shop.EDGES}
        done = home.run("shell", "--no-imports", "-c", SET_UP.replace("GIVEN", json.dumps(given)))
        assert done.returncode == 0, done.stderr
        tokens = re.findall(r"^TOKEN (\S+)$", done.stdout, re.MULTILINE)
        stack.enter_context(served(home, port))
        hook = f"http://127.0.0.1:{port}/aiops/alerts/alertmanager"
        am = stack.enter_context(alertmanager(tmp_path / "am", webhook=hook, token=tokens[0], group_by=["alertname"]))
        daemon = stack.enter_context(
            prometheus(
                tmp_path / "prom",
                metrics=shop.metrics(time.time()),
                rules=shop.RULES,
                alertmanagers=[f"127.0.0.1:{am.port}"],
                seconds=0.5,
                port=prometheus_port,
            )
        )
        yield Shop(home, port, tokens, daemon)


def test_from_the_rule_to_the_cited_report(firing: Shop) -> None:
    eventually(
        lambda: [one for one in firing.diagnoses() if one["status"] == "succeeded"],
        what=lambda: str(firing.diagnoses()),
    )
    (diagnosis,) = firing.diagnoses()
    report = firing.get(f"/aiops/diagnostics/{diagnosis['id']}/report", firing.bob)
    assert report["rootCause"]["node"] == "payment"
    assert report["verdict"] in ("likely", "confirmed")
    assert report["facts"]["expression"]["expr"] == shop.RULES["groups"][0]["rules"][0]["expr"]
    evidence = {
        one["id"]
        for one in firing.get(f"/aiops/diagnostics/{diagnosis['id']}/evidence-chain", firing.alice)["evidence"]
    }
    assert set(report["rootCause"]["evidence"]) <= evidence
    (incident,) = firing.get("/aiops/incidents", firing.bob)["results"]
    assert incident["state"] == "open"
    assert firing.get("/aiops/incidents", firing.charlie)["results"] == []


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium")
def test_a_phone_shows_it_live_and_after_a_reload(firing: Shop) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        problems: list[str] = []
        phone = signed_in(browser, firing, "bob", problems, width=390)
        eventually(firing.diagnoses, what=lambda: "a diagnosis")
        phone.goto(f"{firing.url}/diagnoses/{firing.diagnoses()[0]['id']}/")
        phone.reload()
        phone.wait_for_selector("text=payment", timeout=40_000)
        phone.wait_for_selector("text=likely", timeout=40_000)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        phone.goto(f"{firing.url}/incidents/")
        phone.click("text=CheckoutLatencyHigh")
        phone.click("text=Acknowledge")
        phone.wait_for_selector("text=bob", timeout=10_000)

        laptop = signed_in(browser, firing, "alice", problems, width=1280)
        laptop.goto(phone.url)
        laptop.wait_for_selector("text=bob")
        firing.prometheus.freeze()  # So that the second run is still there to be cancelled.
        laptop.click("text=Diagnose again")
        laptop.click("button:has-text('Cancel')")
        laptop.wait_for_selector("text=cancelled", timeout=60_000)
        firing.prometheus.thaw()
        outsider = signed_in(browser, firing, "charlie", problems, width=1280)
        assert outsider.goto(phone.url).status == 404
        browser.close()
    assert not problems
    (incident,) = firing.get("/aiops/incidents", firing.alice)["results"]
    assert incident["acknowledgedAt"]
    assert sorted(one["status"] for one in firing.diagnoses()) == ["cancelled", "succeeded"]


def signed_in(browser: Any, firing: Shop, name: str, problems: list[str], *, width: int) -> Any:
    """A device of its own; what goes wrong in its pages, and each request to another host, is put into ``problems``."""
    page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: None if r.url.startswith(firing.url) else problems.append(r.url))
    page.goto(f"{firing.url}/accounts/login/")
    page.fill("[name=username]", name)
    page.fill("[name=password]", "a long pass phrase")
    page.click("main button")
    page.wait_for_load_state()
    return page

"""``manage.py load_catalogue`` takes a whole file or nothing, names what is wrong, and may be run again and again."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from diagnosis.models import Service
from oncall.models import Team

pytestmark = pytest.mark.django_db
SHOP = """
services:
  - name: checkout
    selector: {job: checkout}
    presets: [red, {name: cadvisor, selector: {namespace: shop, "pod=~": "checkout-.*"}}]
    templates:
      saturation: max_over_time(db_pool_used{$selector}[$range]) / db_pool_size{$selector}
    calls: [payment, 支付]
  - {name: payment, kind: external}
  - name: 支付
    kind: own
"""


def load(tmp_path: Path, text: str | bytes, owner: str = "ops") -> str:
    file = tmp_path / "catalogue.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    out = StringIO()
    call_command("load_catalogue", str(file), owner=owner, stdout=out)
    return out.getvalue()


def test_services_templates_and_calls(tmp_path: Path, team: Team) -> None:
    assert load(tmp_path, SHOP) == "3 services are new, 0 were there and are as the file says.\n"
    checkout = Service.objects.get(owner_user=team, name="checkout")
    assert checkout.presets[1]["selector"] == {"namespace": "shop", "pod=~": "checkout-.*"}
    assert set(checkout.calls.values_list("callee__name", flat=True)) == {"payment", "支付"}
    assert Service.objects.get(owner_user=team, name="payment").kind == "external"


def test_again_is_the_same_and_what_the_file_no_longer_says_is_gone(tmp_path: Path, team: Team) -> None:
    load(tmp_path, SHOP)
    before = set(Service.objects.values_list("pk", "name"))
    assert load(tmp_path, SHOP) == "0 services are new, 3 were there and are as the file says.\n"
    load(tmp_path, "services: [{name: checkout, selector: {job: a}}]")
    assert set(Service.objects.values_list("pk", "name")) == before, "services that the file lacks stay"
    checkout = Service.objects.get(owner_user=team, name="checkout")
    assert (checkout.presets, checkout.templates, list(checkout.calls.all())) == ([], {}, [])


def test_each_owner_has_a_catalogue_of_its_own(tmp_path: Path, team: Team, charlie: object) -> None:
    load(tmp_path, SHOP)
    load(tmp_path, SHOP, owner="charlie")
    assert Service.objects.count() == 6
    for edge in Service.objects.get(owner_user__username="charlie", name="checkout").calls.all():
        assert edge.callee.owner_user.username == "charlie"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "one key, services"),
        ("services: {}", "one key, services"),
        ("services: []\nother: 1", "one key, services"),
        ("services: [checkout]", "Service 1: an object"),
        ("services: [{name: good}, {kind: own}]", "Service 2: name"),
        ("services: [{name: a}, {name: a}]", "two services named 'a'"),
        ("services: [{name: a, colour: red}]", "Service 'a': colour"),
        ("services: [{name: a, calls: [b]}]", "no service named 'b'"),
        ("services: [{name: a, presets: [blue]}]", "Known presets"),
        ("services: [{name: 5}]", "name"),
        ("services: [", "no plain YAML"),
        ("services: !!python/object/apply:os.system ['true']", "no plain YAML"),
        ("a: &a [x]\nservices: [*a]", "aliases are not taken"),
        (b"services: \xff\xfe", "cannot be read"),
        ("services: " + "[" * 5_000, "no plain YAML"),
    ],
)
def test_a_bad_file_is_named_and_leaves_nothing(tmp_path: Path, team: Team, text: str | bytes, told: str) -> None:
    with pytest.raises(CommandError, match=r"catalogue\.yaml") as caught:
        load(tmp_path, text)
    assert told in str(caught.value)
    assert Service.objects.count() == 0


def test_nobody_of_that_name_and_no_such_file(tmp_path: Path, team: Team) -> None:
    with pytest.raises(CommandError, match="no user or team named 'nobody'"):
        load(tmp_path, SHOP, owner="nobody")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("load_catalogue", str(tmp_path / "none.yaml"), owner="ops")

"""Users, teams and memberships are edited in the admin; nobody is deleted; lists never count without a bound."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from oncall import admin_site
from oncall.admin_site import BoundedPaginator
from oncall.models import Membership, Team, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(as_user: Callable[[User], Client], charlie: User) -> Client:
    charlie.is_staff = charlie.is_superuser = True
    charlie.save()
    return as_user(charlie)


def inline(prefix: str, **fields: Any) -> dict[str, Any]:
    counts = {"TOTAL_FORMS": 1 if fields else 0, "INITIAL_FORMS": 0, "MIN_NUM_FORMS": 0, "MAX_NUM_FORMS": 1000}
    return {f"{prefix}-{k}": v for k, v in counts.items()} | {f"{prefix}-0-{k}": v for k, v in fields.items()}


def test_an_outsider_has_no_admin(as_user: Callable[[User], Client], alice: User) -> None:
    answer = as_user(alice).get("/admin/oncall/user/")
    assert answer.status_code == 302 and "login" in answer["Location"]


@pytest.mark.parametrize("model", ["user", "team", "membership"])
def test_lists_and_forms_open(admin: Client, team: Team, alice: User, model: str) -> None:
    pk = {"user": alice.pk, "team": team.pk, "membership": Membership.objects.values_list("pk", flat=True)[0]}[model]
    for path in ("", "add/", f"{pk}/change/"):
        assert admin.get(f"/admin/oncall/{model}/{path}").status_code == 200, path
    assert admin.get(f"/admin/oncall/{model}/?q=a").status_code == 200


def test_a_new_person_signs_in(admin: Client) -> None:
    body = {"username": "dora", "password1": "a long pass phrase", "password2": "a long pass phrase"}
    answer = admin.post("/admin/oncall/user/add/", {**body, "usable_password": "true"})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    assert Client().login(username="dora", password="a long pass phrase")


def test_a_new_team_has_members_and_no_password(admin: Client, alice: User) -> None:
    body = {"first_name": "Ops & 运维", "is_active": "on"}
    members = inline("team_memberships", user=alice.pk, role="responder")
    answer = admin.post("/admin/oncall/team/add/", body | members)
    assert answer.status_code == 302, answer.context["errors"]
    team = Team.objects.get()
    assert team.username.startswith("team-ops-") and str(team) == "Ops & 运维"
    assert not team.has_usable_password() and team.is_team
    assert Membership.objects.get().role == "responder"


def test_the_form_of_a_team_speaks_of_no_user(admin: Client, team: Team) -> None:
    for path in ("add/", f"{team.pk}/change/"):
        page = admin.get(f"/admin/oncall/team/{path}").text
        form = page[page.index('id="team_form"') : page.index("</form>", page.index('id="team_form"'))]
        words = re.sub(r"<[^>]*>", " ", re.sub(r"<script.*?</script>", " ", form, flags=re.DOTALL))
        assert "Person" in words and "Name" in words
        assert not re.search(r"\busers?\b|account", words, re.IGNORECASE)


def test_persons_and_teams_are_apart(admin: Client, team: Team, alice: User) -> None:
    assert admin.get(f"/admin/oncall/user/{team.pk}/change/").status_code == 302
    assert admin.get(f"/admin/oncall/team/{alice.pk}/change/").status_code == 302


@pytest.mark.parametrize("model", ["user", "team"])
def test_no_owner_is_deleted(admin: Client, team: Team, alice: User, model: str) -> None:
    pk = {"user": alice.pk, "team": team.pk}[model]
    assert admin.post(f"/admin/oncall/{model}/{pk}/delete/", {"post": "yes"}).status_code == 403
    action = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
    admin.post(f"/admin/oncall/{model}/", action)
    assert User.objects.filter(pk=pk).exists()
    assert "never deleted" in admin.get(f"/admin/oncall/{model}/{pk}/change/").text


def test_a_membership_ends_here(admin: Client, team: Team, alice: User) -> None:
    row = Membership.objects.get(user=alice)
    assert admin.post(f"/admin/oncall/membership/{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Membership.objects.filter(user=alice).exists()


def test_the_side_bar_names_what_there_is(admin: Client) -> None:
    page = admin.get("/admin/").text
    for title in ("Users", "Teams", "Memberships"):
        assert title in page


def test_counts_stop(monkeypatch: pytest.MonkeyPatch, team: Team) -> None:
    monkeypatch.setattr(admin_site, "MOST_COUNTED", 2)
    paginator = BoundedPaginator(User.objects.order_by("pk"), 1)
    assert f"{paginator.count}" == str(paginator.count) == "2+"
    assert paginator.num_pages == 2


def test_few_rows_are_counted_exactly(team: Team) -> None:
    assert str(BoundedPaginator(User.objects.order_by("pk"), 1).count) == str(User.objects.count())


def test_only_a_superuser_gives_rights(as_user: Callable[[User], Client], bob: User, alice: User) -> None:
    bob.is_staff = True
    bob.save()
    bob.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user"]))
    alice.is_superuser = True
    alice.save()
    body = {"username": "bob", "is_active": "on", "is_staff": "on", "is_superuser": "on", **inline("memberships")}
    assert as_user(bob).post(f"/admin/oncall/user/{bob.pk}/change/", body).status_code == 302
    assert not User.objects.get(pk=bob.pk).is_superuser
    assert as_user(bob).post(f"/admin/oncall/user/{alice.pk}/change/", body).status_code == 403
    assert as_user(bob).get(f"/admin/oncall/user/{alice.pk}/password/").status_code == 403


def test_who_may_not_open_the_admin_is_told_so(as_user: Callable[[User], Client], alice: User) -> None:
    page = as_user(alice).get("/admin/", follow=True)
    assert "who may not open that page" in page.text

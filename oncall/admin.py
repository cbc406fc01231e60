"""Users, teams and memberships: the one place where they are edited.

Nobody is deleted here. Rows of every kind name their owner, so an owner who leaves is set inactive: then nothing opens
with the password or the tokens, and what the owner had stays where it is.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from oncall.admin_site import AdminPasswordChangeForm, ModelAdmin, TabularInline, UserChangeForm, UserCreationForm
from oncall.models import Membership, Team, User
from oncall.teams import username_for

NEVER_DELETED = "An owner is never deleted, since rows belong to it. Take “active” away instead: nothing opens then."

admin.site.unregister(Group)  # Rights come from memberships, not from Django's groups.


class NeverDeleted:
    """No delete button, no delete action; the form says what to do instead."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MembershipsOfUser(TabularInline):
    model = Membership
    fk_name = "user"
    autocomplete_fields = ["team"]


class MembershipsOfTeam(TabularInline):
    model = Membership
    fk_name = "team"
    autocomplete_fields = ["user"]
    verbose_name = "member"
    verbose_name_plural = "members"

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        person = formset.form.base_fields["user"]
        person.label = "Person"
        # Persons are made and changed on their own page; the links would speak of users.
        for what in ("add", "change", "delete", "view"):
            setattr(person.widget, f"can_{what}_related", False)
        return formset


@admin.register(User)
class UserAdmin(NeverDeleted, DjangoUserAdmin, ModelAdmin):  # type: ignore[misc]
    """Persons. Teams are users too, and have a page of their own."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    inlines = [MembershipsOfUser]
    list_display = ["username", "first_name", "last_name", "email", "is_active", "is_staff", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Person", {"fields": ["first_name", "last_name", "email"]}),
        (
            "Rights",
            {
                "fields": ["is_active", "is_staff", "is_superuser", "user_permissions"],
                "description": NEVER_DELETED,
            },
        ),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    readonly_fields = ["last_login", "date_joined"]
    filter_horizontal = ()

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Only a superuser gives rights: whoever may edit users could else make itself one."""
        found = super().get_readonly_fields(request, obj)
        return found if request.user.is_superuser else [*found, "is_staff", "is_superuser", "user_permissions"]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Nor does anybody else change a superuser, whose password it could set."""
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).filter(kind=User.Kind.PERSON)

    def get_inlines(self, request: HttpRequest, obj: User | None) -> list[Any]:
        return [] if obj is None else self.inlines


@admin.register(Team)
class TeamAdmin(NeverDeleted, ModelAdmin):
    """Teams: a name, and who is in it as what. A team has no password and no rights of its own."""

    inlines = [MembershipsOfTeam]
    list_display = ["name", "is_active", "date_joined"]
    list_filter = ["is_active"]
    search_fields = ["first_name", "username"]
    fieldsets = [(None, {"fields": ["first_name", "is_active"], "description": NEVER_DELETED})]

    @admin.display(ordering="first_name", description="Name")
    def name(self, team: Team) -> str:
        return str(team)

    def get_form(self, request: HttpRequest, obj: Team | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        form.base_fields["first_name"].label = "Name"
        form.base_fields["first_name"].required = True
        form.base_fields[
            "is_active"
        ].help_text = "Without it the team's rows are in nobody's sight and its tokens open nothing."
        return form

    def save_model(self, request: HttpRequest, obj: Team, form: Any, change: bool) -> None:
        if not change:
            obj.username = username_for(obj.first_name)
        super().save_model(request, obj, form, change)


@admin.register(Membership)
class MembershipAdmin(ModelAdmin):
    """Who may do what in which team. Leaving a team is deleting this row: the next request sees it."""

    list_display = ["user", "team", "role", "created_at"]
    list_filter = ["role"]
    list_select_related = ["user", "team"]
    search_fields = ["user__username", "team__username", "team__first_name"]
    autocomplete_fields = ["user", "team"]

"""Who owns rows: a person, or a team of persons. Both are users, so that an owner's id is one column everywhere."""

from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models import Q
from knox.models import AbstractAuthToken

from oncall.api.ids import new_id


class User(AbstractUser):
    """An owner. A person signs in; a team cannot, and is reached through its memberships."""

    class Kind(models.TextChoices):
        PERSON = "person"
        TEAM = "team"

    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PERSON, editable=False)

    # Set by the authenticator when the request came with a team's token: then only that team's rows are in scope.
    only_owner_id: int | None = None

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["person", "team"]), name="user_kind_known"),
            models.CheckConstraint(
                condition=~Q(kind="team") | Q(is_staff=False, is_superuser=False), name="user_team_has_no_rights"
            ),
        ]

    def __str__(self) -> str:
        """How people know the owner: the full name of a person or team, the user name where there is none."""
        return self.get_full_name() or self.get_username()

    @property
    def is_team(self) -> bool:
        return self.kind == self.Kind.TEAM


class TeamManager(UserManager["Team"]):
    def get_queryset(self) -> models.QuerySet["Team"]:
        return super().get_queryset().filter(kind=User.Kind.TEAM)


class Team(User):
    """A user row of kind ``team``; its password is unusable for good."""

    objects: ClassVar[TeamManager] = TeamManager()

    class Meta:
        proxy = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.kind = User.Kind.TEAM
        # Whatever was set: nobody signs in as a team.
        self.set_unusable_password()
        super().save(*args, **kwargs)


class Membership(models.Model):
    """What one person may do in one team."""

    class Role(models.TextChoices):
        READER = "reader"
        RESPONDER = "responder"
        ADMIN = "admin"

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships", limit_choices_to={"kind": "person"})
    team = models.ForeignKey(Team, models.CASCADE, related_name="team_memberships", limit_choices_to={"kind": "team"})
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.READER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "team"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=["reader", "responder", "admin"]), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team} as {self.role}"


class Token(AbstractAuthToken, models.Model):
    """A program's key, hashed at rest (knox). ``user`` made it and is who acts; ``owner`` is whose rows it sees:
    the user's own scope, or one team's.
    """

    class Scope(models.TextChoices):
        FULL = "full"
        READ = "read"
        ALERTS_WRITE = "alerts:write"
        CHANGES_WRITE = "changes:write"

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "tok"), editable=False)
    digest = models.CharField(max_length=128, unique=True)
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=20, choices=Scope.choices, default=Scope.FULL)
    owner = models.ForeignKey(User, models.CASCADE, related_name="owned_tokens")
    last_used_at = models.DateTimeField(null=True, blank=True)

    # Not knox's manager: rows are made by ``oncall.tokens.create_token`` alone.
    objects: ClassVar[models.Manager["Token"]] = models.Manager()

    class Meta:
        ordering = ["-created", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["full", "read", "alerts:write", "changes:write"]), name="token_scope_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.scope})"

    def expired(self, now: datetime) -> bool:
        return self.expiry is not None and self.expiry <= now


class SignInAttempts(models.Model):
    """Failed sign-ins of one user name from one address. The key is a keyed hash: neither is stored in the clear."""

    key = models.CharField(primary_key=True, max_length=64)
    failures = models.PositiveIntegerField(default=0)
    blocked_until = models.DateTimeField()
    updated_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.failures} since {self.updated_at}"

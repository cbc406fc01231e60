"""Who owns rows: a person, or a team of persons. Both are users, so that an owner's id is one column everywhere."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models import Q


class User(AbstractUser):
    """An owner. A person signs in; a team cannot, and is reached through its memberships."""

    class Kind(models.TextChoices):
        PERSON = "person"
        TEAM = "team"

    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PERSON, editable=False)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["person", "team"]), name="user_kind_known"),
            models.CheckConstraint(
                condition=~Q(kind="team") | Q(is_staff=False, is_superuser=False), name="user_team_has_no_rights"
            ),
        ]

    @property
    def is_team(self) -> bool:
        return self.kind == self.Kind.TEAM


class TeamManager(UserManager["Team"]):
    def get_queryset(self) -> models.QuerySet["Team"]:
        return super().get_queryset().filter(kind=User.Kind.TEAM)


class Team(User):
    """A user row of kind ``team``; its password is unusable for good."""

    objects: ClassVar[TeamManager] = TeamManager()  # type: ignore[assignment]

    class Meta:
        proxy = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.kind = User.Kind.TEAM
        if not self.password:
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
            models.CheckConstraint(condition=Q(role__in=["reader", "responder", "admin"]), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team} as {self.role}"

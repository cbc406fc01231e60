"""``manage.py bootstrap``: from an empty folder to an installation that can be served. Run it as often as you like."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from oncall.models import User
from oncall.samples import load_samples

ADMIN = "admin"


class Command(BaseCommand):
    help = "Migrate, make the keys and the first user, load the samples. What is there already is left as it is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-samples", action="store_true", help="No sample team and runbooks.")

    def handle(self, *, no_samples: bool, verbosity: int, **options: Any) -> None:
        try:
            call_command("migrate", verbosity=max(0, verbosity - 1), interactive=False)
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {error}") from None
        admin = self._first_user()
        self.stdout.write(f"Data folder: {settings.ONCALL_HOME}")
        if not no_samples and (count := load_samples(admin)):
            self.stdout.write(f"Samples: {count} runbooks and an incident are queued for a worker.")

    def _first_user(self) -> User:
        """The user ``admin``; the password is printed this once when it was made here."""
        admin = User.objects.filter(username=ADMIN).first()
        if admin is not None:
            return admin
        password = settings.ONCALL_ADMIN_PASSWORD or secrets.token_urlsafe(12)
        admin = User.objects.create_superuser(ADMIN, password=password)
        said = "the password of ONCALL_ADMIN_PASSWORD" if settings.ONCALL_ADMIN_PASSWORD else f"password: {password}"
        self.stdout.write(f"First user: {ADMIN}, {said}")
        return admin

"""``manage.py load_catalogue FILE --owner USERNAME``: the service catalogue of a person or team from a YAML file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from diagnosis.catalogue.files import BadCatalogue, load_catalogue
from oncall.models import User


class Command(BaseCommand):
    help = "Make or change the services that a YAML file lists. Others of the owner stay; all of the file or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", required=True, help="the name of the user or team whose catalogue it is")

    def handle(self, *, file: Path, owner: str, **options: Any) -> None:
        user = User.objects.filter(username=owner).first()
        if user is None:
            raise CommandError(f"There is no user or team named {owner!r}.")
        try:
            new, known = load_catalogue(owner_id=user.pk, text=file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}") from None
        except BadCatalogue as bad:
            raise CommandError(f"{file}: {bad}") from None
        self.stdout.write(f"{new} services are new, {known} were there and are as the file says.")

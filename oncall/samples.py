"""What a fresh installation starts with: a team, runbooks that a real job indexes, an incident that one diagnoses."""

from pathlib import Path

from django.conf import settings
from django.db import transaction

from diagnosis.samples.load import load_sample_incident
from documents.bases import create_base
from documents.models import KnowledgeBase
from documents.uploads import upload
from oncall.models import Membership, Team, User
from oncall.teams import create_team

TEAM_NAME = "Sample team"
BASE_NAME = "Sample runbooks"
RUNBOOKS = Path(settings.BASE_DIR) / "documents" / "samples"


def load_samples(admin: User) -> int:
    """Make the sample team with ``admin`` as its admin and queue its runbooks and the diagnosis of its incident.

    All or nothing; returns how many runbooks there are.

    Does nothing where a team of that name was ever made: what people delete stays deleted.
    """
    if Team.objects.filter(first_name=TEAM_NAME).exists():
        return 0
    with transaction.atomic():
        team = create_team(TEAM_NAME)
        Membership.objects.create(user=admin, team=team, role=Membership.Role.ADMIN)
        count = _upload_runbooks(create_base(owner_id=team.pk, name=BASE_NAME))
        load_sample_incident(team.pk)
    return count


def _upload_runbooks(base: KnowledgeBase) -> int:
    files = sorted(RUNBOOKS.glob("*.md"))
    for file in files:
        upload(base, file_name=file.name, data=file.read_bytes())
    return len(files)

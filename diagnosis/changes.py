"""Changes that a deploy tool reports. One that is reported again is the same change."""

from datetime import datetime

from diagnosis.models import Change
from jobs.masking import mask_text


def record_change(*, owner_id: int, service: str, kind: str, at: datetime, version: str = "", url: str = "") -> Change:
    """The change with these values, made now unless it was reported before; secrets in it are masked."""
    identity = {
        "owner_user_id": owner_id,
        "service": mask_text(service)[:200],
        "kind": mask_text(kind)[:50],
        "at": at,
        "version": mask_text(version)[:200],
    }
    # Two at once: the constraint decides, and both get the row that stands.
    Change.objects.bulk_create([Change(**identity, url=mask_text(url)[:2_000])], ignore_conflicts=True)
    return Change.objects.get(**identity)

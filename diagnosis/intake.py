"""When an owner's alerts last came in, and the lock under which they are filed."""

from collections.abc import Collection
from datetime import datetime

from diagnosis.models import AlertIntake


def lock_intake(owner_id: int) -> AlertIntake:
    """The owner's lock over alerts and incidents, held to the end of the transaction."""
    AlertIntake.objects.bulk_create([AlertIntake(owner_user_id=owner_id)], ignore_conflicts=True)
    return AlertIntake.objects.select_for_update().get(owner_user_id=owner_id)


def note_webhook(intake: AlertIntake, *, heartbeat: bool, now: datetime) -> None:
    """A webhook came; ``heartbeat``: with the Watchdog in it."""
    intake.webhook_at = max(intake.webhook_at or now, now)
    if heartbeat:
        intake.heartbeat_at = max(intake.heartbeat_at or now, now)
    intake.save(update_fields=["webhook_at", "heartbeat_at"])


def last_webhook(owner_ids: Collection[int]) -> dict[int, AlertIntake]:
    """By owner, when the last webhook (``webhook_at``) and the last Watchdog (``heartbeat_at``) came, if ever."""
    return {intake.owner_user_id: intake for intake in AlertIntake.objects.filter(owner_user_id__in=owner_ids)}

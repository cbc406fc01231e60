"""Back-off for failed sign-ins, by address and user name together.

Never by the account alone: whoever guesses at an account from one address cannot lock its owner out at another.
"""

import hmac
import math
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from oncall.models import SignInAttempts

FREE_FAILURES = 5
FIRST_PAUSE = timedelta(seconds=2)
LONGEST_PAUSE = timedelta(minutes=15)
FORGET_AFTER = timedelta(hours=1)
CLEANED_AT_ONCE = 100


def admit(address: str, username: str, *, now: datetime | None = None) -> int:
    """0: the attempt may go on, and is counted as failed until ``forget`` says otherwise; else the seconds to wait.

    Counting first means that attempts sent in parallel cannot all pass before the first has failed.
    """
    now = now or timezone.now()
    key = _key(address, username)
    _clean_up(now)
    with transaction.atomic():
        SignInAttempts.objects.get_or_create(key=key, defaults={"blocked_until": now, "updated_at": now})
        row = SignInAttempts.objects.select_for_update().get(key=key)
        if row.blocked_until > now:
            return math.ceil((row.blocked_until - now).total_seconds())
        row.failures = 1 if row.updated_at < now - FORGET_AFTER else row.failures + 1
        row.blocked_until, row.updated_at = now + pause_after(row.failures), now
        row.save()
    return 0


def forget(address: str, username: str) -> None:
    """The sign-in went well: its failures are forgotten."""
    SignInAttempts.objects.filter(key=_key(address, username)).delete()


def pause_after(failures: int) -> timedelta:
    """None for the first failures, then 2, 4, 8 … seconds, at most 15 minutes."""
    if failures < FREE_FAILURES:
        return timedelta(0)
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failures - FREE_FAILURES, 20))


def _clean_up(now: datetime) -> None:
    """Rows of long ago go, a hundred at a time, past those that another attempt has locked."""
    old = SignInAttempts.objects.filter(updated_at__lt=now - FORGET_AFTER, blocked_until__lt=now)
    with transaction.atomic():
        keys = list(old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:CLEANED_AT_ONCE])
        if keys:
            SignInAttempts.objects.filter(pk__in=keys).delete()


def _key(address: str, username: str) -> str:
    text = f"{address}\n{username}".encode("utf-8", "surrogatepass")
    return hmac.new(settings.SECRET_KEY.encode(), text, "sha256").hexdigest()

"""A database error that passes is nobody's fault: no attempt fails of it, no job is put off, all of it is repeated."""

from collections.abc import Callable

import pytest
from django.db import OperationalError, connection, transaction

from jobs import endings
from jobs.claim import reclaim
from jobs.claimed import ClaimedJob
from jobs.passing import passes
from jobs.runtime.finishing import finish_one
from jobs.testing import run_of
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import NOON, everything, queue_for_picture, take, take_one

pytestmark = pytest.mark.django_db
only_postgres = pytest.mark.skipif(connection.vendor == "sqlite", reason="raises PostgreSQL's own errors")
AFTER_EXPIRY = NOON.replace(hour=13)


def raise_in_database(code: str) -> Exception:
    """What PostgreSQL itself says, as it would in a hook that met a rival."""
    with connection.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'by the test' USING ERRCODE = '{code}'; END $$")
    raise AssertionError("not reached")


def claim_it(job: ClaimedJob | None) -> object:
    return take(now=NOON)


def reclaim_it(job: ClaimedJob | None) -> object:
    return reclaim(now=AFTER_EXPIRY)


def finish_it(job: ClaimedJob | None) -> object:
    assert job is not None
    run = run_of(job)
    run.settle(endings.succeeded())
    return finish_one(run, now=NOON)


@only_postgres
@pytest.mark.parametrize("code", ["40P01", "40001", "55P03", "57P01"])
@pytest.mark.parametrize(("step", "running"), [(claim_it, False), (reclaim_it, True), (finish_it, True)])
def test_the_whole_transaction_is_to_be_repeated(
    album: Album, step: Callable[[ClaimedJob | None], object], running: bool, code: str
) -> None:
    job, _ = queue_for_picture()
    claimed = take_one() if running else None
    before = everything(job), list(Picture.objects.values())
    album.refuse("running", "queued", "succeeded")
    album.error = lambda: raise_in_database(code)
    with pytest.raises(OperationalError), transaction.atomic():
        step(claimed)
    assert (everything(job), list(Picture.objects.values())) == before
    album.refuse()
    step(claimed)
    assert everything(job) != before[0]


def test_a_wrong_statement_of_the_domain_is_a_refusal(album: Album) -> None:
    """SQLite calls it an operational error too."""
    job, _ = queue_for_picture()
    album.refuse("running")

    def nonsense() -> Exception:
        with connection.cursor() as cursor:
            cursor.execute("SELECT x FROM no_such_table")
        raise AssertionError("not reached")

    album.error = nonsense
    assert take(now=NOON) == []
    job.refresh_from_db()
    assert job.error_message.startswith("Put off for 30 s")


def test_what_passes() -> None:
    assert not passes(ValueError("locked"))
    assert not passes(OperationalError("raised by hand, no driver behind it"))

"""A version becomes visible in the transaction that finishes the job: a death before leaves the old index whole."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from documents.indexing import index_document
from documents.models import Chunk, Document, IndexVersion
from documents.scope import scope_for
from documents.search import search
from jobs.claim import reclaim
from jobs.handlers import JobContext
from jobs.models import Job
from jobs.testing import claim_one, run_of, run_one, run_until_idle
from oncall.models import User
from tests.documents.factories import add, indexed, long_text

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """Nothing of ours runs after it."""


def lexicon_rows() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM documents_lexicon")
        return int(cursor.fetchone()[0])


def interrupted(alice: User, watch: Callable[..., object]) -> Document:
    """A document with an old index that serves, and a new one left half-way by a worker that died."""
    document = indexed(alice)
    add(document.knowledge_base, text=long_text(), overwrite=True)

    def die(batch: int) -> None:
        if batch == 3:
            raise Killed

    watch(die)
    job = claim_one(now=timezone.now() - timedelta(hours=1))
    with pytest.raises(Killed):
        index_document(JobContext(run_of(job)))
    watch()
    return document


def test_the_half_version_is_invisible_and_the_old_one_serves(alice: User, watch: Callable[..., object]) -> None:
    document = interrupted(alice, watch)
    assert set(Chunk.objects.values_list("version", flat=True)) == {1, 2}
    hits = search(scope_for([alice.pk]), "restart unit1 client list", limit=50)
    assert {hit.chunk.version for hit in hits} == {1}
    document.refresh_from_db()
    assert document.active_version == 1


def test_the_next_attempt_finishes_and_sweeps(alice: User, watch: Callable[..., object]) -> None:
    document = interrupted(alice, watch)
    reclaim()
    run_until_idle()
    document.refresh_from_db()
    job = Job.objects.latest("created_at")
    assert (job.status, job.attempt) == ("succeeded", 2)
    assert (document.status, document.active_version) == ("indexed", 2)
    assert Chunk.objects.count() == 100 == lexicon_rows()
    assert list(IndexVersion.objects.values_list("version", flat=True)) == [2]


def test_a_worker_that_lost_its_lease_writes_no_chunk_and_cannot_flip(
    alice: User, watch: Callable[..., object]
) -> None:
    document = indexed(alice)
    add(document.knowledge_base, text=long_text(), overwrite=True)
    slow = claim_one(worker="worker_slow", now=timezone.now() - timedelta(hours=1))
    seen: list[int] = []

    def taken_over(batch: int) -> None:
        if batch == 2:
            watch()
            reclaim()
            run_until_idle()  # Another worker finishes the job.
            seen.extend(Chunk.objects.order_by("pk").values_list("pk", flat=True))

    watch(taken_over)
    assert run_one(slow) is None
    assert list(Chunk.objects.order_by("pk").values_list("pk", flat=True)) == seen and len(seen) == 100
    document.refresh_from_db()
    assert document.status == "indexed"

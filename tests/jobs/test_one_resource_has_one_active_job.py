"""A resource of an owner has one queued or running job; who asks again gets that one."""

from collections.abc import Sequence
from typing import Any

import pytest

import jobs.enqueue as enqueue_module
from jobs.enqueue import ActiveJobExists, enqueue_many
from jobs.models import Job
from oncall.models import User
from tests.jobs.album import Album
from tests.jobs.steps import ENDINGS, KIND, NOON, OTHER_KIND, end, queue, row, take_one

pytestmark = pytest.mark.django_db
RESOURCE = ("picture", "7")


def test_the_second_call_gets_the_first_job_and_changes_nothing(album: Album, alice: User) -> None:
    first = queue(owner=alice, resource=RESOURCE)
    before = row(first)
    album.forget()
    second = queue(OTHER_KIND, owner=alice, resource=RESOURCE, payload={"width": 1}, priority=9)
    assert (second.pk, second.created) == (first.pk, False)
    assert (row(first), album.told, Job.objects.count()) == (before, [], 1)


def test_a_running_job_is_in_the_way_too(kinds: None, alice: User) -> None:
    first = queue(owner=alice, resource=RESOURCE)
    take_one()
    second = queue(owner=alice, resource=RESOURCE)
    assert (second.pk, second.created, second.status) == (first.pk, False, "running")


def test_who_asks_for_it_is_told_by_an_error(kinds: None, alice: User) -> None:
    first = queue(owner=alice, resource=RESOURCE)
    with pytest.raises(ActiveJobExists) as caught:
        queue(owner=alice, resource=RESOURCE, raise_if_active=True)
    assert caught.value.job.pk == first.pk
    assert Job.objects.count() == 1


@pytest.mark.parametrize("ending", ["succeeded", "failed", "cancelled"])
def test_a_finished_job_is_not_in_the_way(kinds: None, alice: User, ending: str) -> None:
    queue(owner=alice, resource=RESOURCE)
    end(take_one(), ending)
    assert queue(owner=alice, resource=RESOURCE, raise_if_active=True).created


@pytest.mark.parametrize("ending", sorted(set(ENDINGS) - {"succeeded", "failed", "cancelled"}))
def test_a_job_that_is_back_in_the_queue_is(kinds: None, alice: User, ending: str) -> None:
    first = queue(owner=alice, resource=RESOURCE)
    end(take_one(), ending)
    assert queue(owner=alice, resource=RESOURCE).pk == first.pk


def test_the_system_counts_as_an_owner(kinds: None) -> None:
    first = queue(owner=None, resource=RESOURCE)
    second = queue(owner=None, resource=RESOURCE)
    assert (second.pk, second.created) == (first.pk, False)


def test_each_owner_has_a_job_of_their_own(kinds: None, alice: User, bob: User, charlie: User) -> None:
    jobs = [queue(owner=owner, resource=RESOURCE) for owner in (alice, bob, charlie, None)]
    assert all(job.created for job in jobs)
    assert [job.owner_user_id for job in jobs] == [alice.pk, bob.pk, charlie.pk, None]
    again = [queue(owner=owner, resource=RESOURCE) for owner in (alice, bob, charlie, None)]
    assert [job.pk for job in again] == [job.pk for job in jobs]


def test_a_job_that_ends_at_that_very_moment_is_not_in_the_way(
    kinds: None, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was in the way of the insert, and is gone when we look which one it was."""
    first = queue(owner=alice, resource=RESOURCE)
    claimed = take_one()
    write = enqueue_module._write

    def write_and_end(rows: Sequence[dict[str, Any]]) -> None:
        write(rows)
        end(claimed, "succeeded")

    monkeypatch.setattr(enqueue_module, "_write", write_and_end)
    second = queue(owner=alice, resource=RESOURCE, raise_if_active=True)
    assert (second.created, second.pk != first.pk, second.status) == (True, True, "queued")
    assert Job.objects.filter(status="queued").count() == 1


def test_another_type_or_id_is_another_resource(kinds: None, alice: User) -> None:
    resources = [("picture", "7"), ("picture", "70"), ("film", "7")]
    assert all(queue(owner=alice, resource=resource).created for resource in resources)


def test_jobs_without_a_resource_are_never_in_each_others_way(kinds: None, alice: User) -> None:
    assert queue(owner=alice).created
    assert queue(owner=alice).created


def test_one_call_with_the_same_resource_twice_makes_one_job(album: Album, alice: User) -> None:
    items = [{"resource": ("picture", name), "payload": {"n": n}} for n, name in enumerate("1212")]
    a, b, a_again, b_again = enqueue_many(KIND, owner=alice, items=items, now=NOON)
    assert (a.created, b.created, a_again.created, b_again.created) == (True, True, False, False)
    assert (a_again.pk, b_again.pk) == (a.pk, b.pk)
    assert [a_again.payload, b_again.payload] == [{"n": 0}, {"n": 1}]
    assert [change.job_id for change in album.told[0]] == [a.pk, b.pk]
    assert len(album.told) == 1


def test_one_call_beside_an_active_job_makes_only_the_others(album: Album, alice: User) -> None:
    busy = queue(owner=alice, resource=("picture", "2"))
    album.forget()
    items = [{"resource": ("picture", name)} for name in "123"]
    a, b, c = enqueue_many(KIND, owner=alice, items=items, now=NOON)
    assert [(job.pk == busy.pk, job.created) for job in (a, b, c)] == [(False, True), (True, False), (False, True)]
    assert [change.resource_id for change in album.told[0]] == ["1", "3"]

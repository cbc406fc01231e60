"""A worker's memory does not grow with its concurrency: a second large file waits, unharmed, while small ones go on."""

from collections.abc import Callable

import pytest

from documents import large_files
from documents.models import Document, KnowledgeBase
from jobs.models import Job
from jobs.testing import run_until_idle
from tests.documents.factories import add, long_text

pytestmark = pytest.mark.django_db


def test_the_second_one_waits(
    base: KnowledgeBase, watch: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_files, "LARGE_BYTES", 1_000)
    first = add(base, "first.md", long_text(40))
    others: list[tuple[str, int, str]] = []

    def meanwhile(batch: int) -> None:
        if batch == 1:
            watch()
            add(base, "second.md", long_text(41))
            add(base, "small.md", "# Small")
            run_until_idle()
            jobs = Job.objects.exclude(pk=first.job.pk if first.job else "").order_by("created_at")
            others.extend(jobs.values_list("status", "attempt", "error_message"))

    watch(meanwhile)
    run_until_idle()
    assert others == [("queued", 0, ""), ("succeeded", 1, "")]
    assert Document.objects.get(file_name="first.md").status == "indexed"


def test_the_place_is_free_again_after_a_failure(
    base: KnowledgeBase, watch: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_files, "LARGE_BYTES", 1_000)

    def fail(batch: int) -> None:
        raise OSError("away")

    watch(fail)
    add(base, "first.md", long_text(40))
    run_until_idle()
    watch()
    add(base, "second.md", long_text(41))
    run_until_idle()
    assert Document.objects.get(file_name="second.md").status == "indexed"

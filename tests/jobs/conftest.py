"""Kinds and a domain for the tests of the state machine; each is gone again after its test."""

from collections.abc import Iterator

import pytest

from jobs.handlers import JobContext
from jobs.resources import register_resource, unregister_resource
from jobs.testing import registered
from tests.jobs.album import Album
from tests.jobs.steps import KIND, OTHER_KIND


def do_nothing(context: JobContext) -> None:
    """A handler for rules in which no handler runs."""


@pytest.fixture
def kinds() -> Iterator[None]:
    """Two kinds: ``thumbnail`` and ``poster``."""
    with registered(KIND) as thumbnail, registered(OTHER_KIND) as poster:
        thumbnail(do_nothing)
        poster(do_nothing)
        yield


@pytest.fixture
def album(kinds: None) -> Iterator[Album]:
    """The domain behind resource type ``picture``."""
    album = Album()
    register_resource("picture", album.on_change, lambda resource_id: album.prepare_retry(resource_id))
    yield album
    unregister_resource("picture")

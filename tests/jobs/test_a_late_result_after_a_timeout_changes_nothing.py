"""At the deadline the outcome is ``timed_out``; whatever the handler returns afterwards is not recorded."""

from datetime import timedelta

import pytest

from jobs.handlers import LeaseLost
from tests.jobs.album import Album
from tests.jobs.steps import ENDINGS, NOON, end, everything, queue_for_picture, take

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(seconds=2)
LATE = sorted(set(ENDINGS) - {"timed_out"})


@pytest.mark.parametrize("max_attempts", [1, 2])
@pytest.mark.parametrize("taken_again", [False, True])
@pytest.mark.parametrize("ending", LATE)
def test_a_late_end(album: Album, ending: str, max_attempts: int, taken_again: bool) -> None:
    queue_for_picture(max_attempts=max_attempts)
    (claimed,) = take()
    end(claimed, "timed_out")
    if taken_again:
        take(now=LATER)
    before = everything(claimed)
    album.forget()
    with pytest.raises(LeaseLost):
        end(claimed, ending, now=LATER)
    assert (everything(claimed), album.told) == (before, [])

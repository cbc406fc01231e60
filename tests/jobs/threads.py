"""Run functions at the same moment, each in a thread with a connection of its own."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection

PATIENCE_SECONDS = 30


def at_once(functions: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each returned, or the exception that it raised, in their order."""
    barrier = threading.Barrier(len(functions))
    results: list[Any] = [None] * len(functions)

    def run(place: int, function: Callable[[], Any]) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(PATIENCE_SECONDS)
            results[place] = function()
        except Exception as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert not any(thread.is_alive() for thread in threads), "A thread is stuck."
    return results

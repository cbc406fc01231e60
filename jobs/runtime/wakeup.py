"""Telling the runtimes of this process that something was committed. A hint only: polling stays the truth."""

from collections.abc import Callable

from django.db import transaction

_listeners: set[Callable[[], None]] = set()


def listen(callback: Callable[[], None]) -> None:
    _listeners.add(callback)


def unlisten(callback: Callable[[], None]) -> None:
    _listeners.discard(callback)


def wake() -> None:
    for callback in list(_listeners):
        callback()


def wake_after_commit() -> None:
    """Wake when the caller's transaction stands; before that there is nothing to see."""
    if _listeners:
        transaction.on_commit(wake)

"""Database errors that pass: the connection is lost, a lock or a deadlock, a full disk. Nothing is wrong with the job,
the whole transaction is repeated as it was. A wrong statement is none of them, also where the database's class is."""

from typing import Final

from django.db import InterfaceError, OperationalError

DATABASE_AWAY: Final = (OperationalError, InterfaceError)

_PASSING_CODES: Final = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_FULL", "08", "40", "53", "55", "57")


def passes(error: BaseException) -> bool:
    """Whether a database error that struck a domain's code is one of these."""
    if not isinstance(error, DATABASE_AWAY):
        return False
    driver = error.__cause__
    code = getattr(driver, "sqlite_errorname", None) or getattr(driver, "sqlstate", None) or ""
    return driver is not None and (not code or code.startswith(_PASSING_CODES))

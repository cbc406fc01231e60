"""Settings with a SQLite that is not in WAL mode."""

from oncall.settings import *  # noqa: F403
from oncall.settings import DATABASES

DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=DELETE"

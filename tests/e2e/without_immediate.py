"""Settings with a SQLite whose transactions begin without the write lock."""

from oncall.settings import *  # noqa: F403
from oncall.settings import DATABASES

del DATABASES["default"]["OPTIONS"]["transaction_mode"]

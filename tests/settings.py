"""The project's own settings, and one more app: a small domain whose rows follow their jobs."""

from oncall.settings import *  # noqa: F403
from oncall.settings import INSTALLED_APPS as _PROJECT

INSTALLED_APPS = [*_PROJECT, "tests.domain"]

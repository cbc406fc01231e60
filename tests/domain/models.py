"""One table of a domain that knows nothing of the runtime but its hooks."""

from typing import ClassVar

from django.db import models


class Picture(models.Model):
    """``status`` is its job's, as its hook was told; ``writes`` counts what was written to it."""

    status = models.CharField(max_length=20, blank=True, default="")
    writes = models.PositiveIntegerField(default=0)

    objects: ClassVar[models.Manager["Picture"]] = models.Manager()

    def __str__(self) -> str:
        return f"picture {self.pk}: {self.status}"

"""What ``diagnosis`` gives the runtime: the kind ``aiops_pull`` (``diagnosis.pulling``)."""

from diagnosis import pulling

__all__ = ["pulling"]

"""How a declared name looks in JSON: ``created_at`` is ``createdAt``."""

import re


def camel_case(name: str) -> str:
    """``retry_of_job_id`` → ``retryOfJobId``; a name without underscores stays as it is."""
    return re.sub(r"(?<=[a-z0-9])_+([a-z0-9])", lambda match: match[1].upper(), name)

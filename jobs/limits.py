"""What limits a job may have: those that every database stores and every clock reaches. Pure."""

from typing import Final

MOST_ATTEMPTS: Final = 1_000_000
LONGEST_SECONDS: Final = 366 * 86_400
HIGHEST_PRIORITY: Final = 1_000_000


def check_limits(*, max_attempts: int, timeout_seconds: float, priority: int) -> None:
    """Raises ``ValueError`` with a sentence about the first limit that makes no sense."""
    if not isinstance(max_attempts, int) or not 1 <= max_attempts <= MOST_ATTEMPTS:
        raise ValueError(f"max_attempts is a whole number from 1 to {MOST_ATTEMPTS}, not {max_attempts!r}.")
    if not 0 < timeout_seconds <= LONGEST_SECONDS:
        raise ValueError(f"timeout_seconds is above 0 and at most {LONGEST_SECONDS}, not {timeout_seconds!r}.")
    if not isinstance(priority, int) or abs(priority) > HIGHEST_PRIORITY:
        raise ValueError(f"priority is a whole number within ±{HIGHEST_PRIORITY}, not {priority!r}.")

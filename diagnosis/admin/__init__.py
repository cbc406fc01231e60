"""Diagnosis for operators: what is set up, what fired and what was found, of all owners, to read."""

from diagnosis.admin import catalogue

__all__ = ["catalogue"]

"""Diagnosis for operators: what is set up, what fired and what was found, of all owners, to read."""

from diagnosis.admin import alerts, catalogue, diagnoses

__all__ = ["alerts", "catalogue", "diagnoses"]

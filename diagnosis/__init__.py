"""Alerts, incidents and diagnoses: evidence in, a cited report out. Knowledge is found through ``documents.search``."""

"""Recorded incidents: the folder format, the engine over it without a database, and converters for labelled sets."""

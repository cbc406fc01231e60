"""Jobs over HTTP: read them, cancel, retry, follow their events."""

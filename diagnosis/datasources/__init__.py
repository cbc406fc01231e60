"""Data sources: what is asked over the network or read from a recording, each behind one protocol."""

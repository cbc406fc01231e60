"""Signing in, for people and programs: one throttle and one function, whatever the door."""

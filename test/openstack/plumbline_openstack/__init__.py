"""Runs the real OpenStack services for tests: `up` and `down` are the programs, `service` is what runs inside the services."""

"""Runs the real OpenStack services for tests. `up` and `down` are the programs. `service` contains the code that runs in the services."""

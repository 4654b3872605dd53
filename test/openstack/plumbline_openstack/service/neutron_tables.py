"""neutron_tables CONFIGURATION URL: Neutron's tables, made from its models.

Its migrations alter constraints, which SQLite cannot; so the newest tables are made at once and the database is marked as current.
"""
import sys

import sqlalchemy
from neutron.db.migration import cli
from neutron.db.migration.models import head

if __name__ == "__main__":
    configuration, url = sys.argv[1:]
    head.get_metadata().create_all(sqlalchemy.create_engine(url))
    sys.argv = ["neutron-db-manage", "--config-file", configuration, "stamp", "heads"]
    cli.main()

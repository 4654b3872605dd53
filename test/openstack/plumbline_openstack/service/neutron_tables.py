"""neutron_tables CONFIGURATION URL: creates Neutron's tables from its models and marks the database as current.

Neutron's migrations alter constraints, which SQLite does not support.
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

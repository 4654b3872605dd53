"""nova_cells CONFIGURATION CELL0_URL CELL1_URL: creates Nova's API database, and two cells with one database each."""
import sys
import uuid

from nova import config, context, objects
from nova.db import migration


def main(configuration, cell0, cell1):
    config.parse_args(["nova", "--config-file", configuration])
    objects.register_all()
    migration.db_sync(database="api")
    admin = context.get_admin_context()
    cells = (
        ("cell0", objects.CellMapping.CELL0_UUID, "none:///", cell0),
        ("cell1", str(uuid.uuid4()), "fake:///", cell1),
    )
    for name, identifier, transport, database in cells:
        cell = objects.CellMapping(admin, name=name, uuid=identifier, transport_url=transport, database_connection=database)
        cell.create()
        with context.target_cell(admin, cell) as within:
            migration.db_sync(context=within)


if __name__ == "__main__":
    main(*sys.argv[1:])

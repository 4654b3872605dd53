"""ML2 mechanism driver for a cloud whose hosts have no agents. Every port is bound to the requested host and is active."""
from neutron.services.trunk.drivers import base
from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class UnattendedTrunks(base.DriverBase):
    """Driver for the trunk plugin, which does not start without a loaded driver."""

    is_loaded = True


class UnattendedMechanismDriver(api.MechanismDriver):
    def initialize(self):
        """Registers the trunk driver."""
        self._trunks = UnattendedTrunks("unattended", (portbindings.VIF_TYPE_OVS,), ("vlan",))

    def bind_port(self, context):
        segment = next(iter(context.segments_to_bind), None)
        if segment is not None:
            details = {portbindings.CAP_PORT_FILTER: True}
            context.set_binding(segment[api.ID], portbindings.VIF_TYPE_OVS, details, status=constants.PORT_STATUS_ACTIVE)

"""Volume driver that stores no data. Volumes exist only in Cinder's database."""
from cinder.volume import driver

GIGABYTES = 100_000


class NoDisksDriver(driver.VolumeDriver):
    VERSION = "1"

    def check_for_setup_error(self):
        """Required by Cinder. There is no storage to check."""

    def get_volume_stats(self, refresh=False):
        capacity = {"total_capacity_gb": GIGABYTES, "free_capacity_gb": GIGABYTES, "allocated_capacity_gb": 0}
        name = self.configuration.safe_get("volume_backend_name")
        return {"volume_backend_name": name, "vendor_name": "none", "driver_version": self.VERSION, "storage_protocol": "none", **capacity}

    def create_volume(self, volume):
        return {}

    def create_volume_from_snapshot(self, volume, snapshot):
        return {}

    def create_cloned_volume(self, volume, source):
        return {}

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        return {}, True

    def delete_volume(self, volume):
        pass

    def extend_volume(self, volume, size):
        pass

    def create_snapshot(self, snapshot):
        return {}

    def delete_snapshot(self, snapshot):
        pass

    def ensure_export(self, context, volume):
        return {}

    def create_export(self, context, volume, connector):
        return {}

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector, **kwargs):
        return {"driver_volume_type": "fake", "data": {}}

    def terminate_connection(self, volume, connector, **kwargs):
        pass

    def retype(self, context, volume, new_type, diff, host):
        return True, None

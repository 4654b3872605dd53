"""compute nova PORT STATE: Nova's API, conductor, scheduler and compute in one process, because their messages stay in memory."""
import nova.cmd  # noqa: F401  patches the standard library before anything else is imported
import sys

import nova.conf
import os_vif
from nova import config, objects, service
from oslo_log import log as logging
from oslo_service import service as oslo_service

from .run_time import adjustable, override

CONF = nova.conf.CONF


def main(state):
    config.parse_args(["nova", "--config-file", f"{state}/configuration/nova.conf"])
    logging.setup(CONF, "nova")
    objects.register_all()
    os_vif.initialize()
    objects.Service.enable_min_version_cache()
    launcher = oslo_service.ServiceLauncher(CONF, restart_method="mutate")
    for name in ("conductor", "scheduler", "compute"):
        launcher.launch_service(service.Service.create(binary=f"nova-{name}", topic=name))
    api = service.WSGIService("osapi_compute")
    api.server.app = adjustable(api.server.app, lambda settings, _environ: override(CONF, "max_limit", "api", settings.get("pageMaximum")))
    launcher.launch_service(api)
    launcher.wait()


if __name__ == "__main__":
    main(sys.argv[3])

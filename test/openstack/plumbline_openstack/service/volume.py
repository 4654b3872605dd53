"""volume cinder PORT STATE: Cinder's API, scheduler and volume service in one process, because their messages stay in memory."""
import eventlet

eventlet.monkey_patch()
import sys  # noqa: E402

from cinder import objects, service  # noqa: E402
from cinder.common import config  # noqa: E402,F401  registers the options
from oslo_config import cfg  # noqa: E402
from oslo_log import log as logging  # noqa: E402
from oslo_service import service as oslo_service  # noqa: E402

from .run_time import adjustable, override  # noqa: E402

CONF = cfg.CONF
BACKEND = "unattended"


def main(state):
    CONF(["--config-file", f"{state}/configuration/cinder.conf"], project="cinder")
    logging.setup(CONF, "cinder")
    objects.register_all()
    launcher = oslo_service.ServiceLauncher(CONF, restart_method="mutate")
    launcher.launch_service(service.Service.create(binary="cinder-scheduler"))
    launcher.launch_service(service.Service.create(binary="cinder-volume", host=f"{CONF.host}@{BACKEND}", service_name=BACKEND, coordination=True))
    api = service.WSGIService("osapi_volume")
    api.server.app = adjustable(api.server.app, lambda settings, _environ: override(CONF, "osapi_max_limit", None, settings.get("pageMaximum")))
    launcher.launch_service(api)
    launcher.wait()


if __name__ == "__main__":
    main(sys.argv[3])

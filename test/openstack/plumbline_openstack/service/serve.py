"""serve SERVICE PORT STATE: runs one WSGI service with waitress.

Uses one thread, because oslo.db controls the transactions and several threads would block each other on one SQLite file.
"""
import sys

import waitress

from .run_time import adjustable, override, sent_json

SERVICE_USERS = ("placement", "glance", "neutron", "nova", "cinder")


def keystone():
    import keystone.conf
    from keystone.server.wsgi import initialize_public_application

    def lifetime(settings, environ):
        # keystoneauth renews a token in every call if it expires in less than two minutes. Short tokens would slow down the services.
        seconds = settings.get("tokenLifetime")
        if seconds is not None and environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/v3/auth/tokens":
            seconds = None if _user_name(sent_json(environ)) in SERVICE_USERS else seconds
        override(keystone.conf.CONF, "expiration", "token", seconds)
    return adjustable(initialize_public_application(), lifetime)


def placement():
    from placement.wsgi import init_application
    return init_application()


def glance():
    from glance.common.wsgi_app import init_app
    return init_app()


def neutron():
    from neutron import server
    from neutron.server.api_eventlet import eventlet_api_server
    from oslo_config import cfg
    application = server.boot_server(eventlet_api_server)

    def page(settings, _environ):
        maximum = settings.get("pageMaximum")
        override(cfg.CONF, "pagination_max_limit", None, None if maximum is None else str(maximum))
    return adjustable(application, page)


def _user_name(body):
    try:
        return body["auth"]["identity"]["password"]["user"]["name"]
    except (KeyError, TypeError):
        return None


if __name__ == "__main__":
    name, port = sys.argv[1:3]
    sys.argv = [f"plumbline_openstack_{name}"]
    application = {"keystone": keystone, "placement": placement, "glance": glance, "neutron": neutron}[name]()
    waitress.serve(application, host="127.0.0.1", port=int(port), threads=1, ident=None, channel_timeout=300)

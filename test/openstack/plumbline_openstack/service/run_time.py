"""Settings that a test changes while a service runs. The service reads the file before each request.

    {"tokenLifetime": 6, "pageMaximum": 2}

Lifetime of a user's token in seconds, and maximum number of objects per page. Other settings keep their configured value.
"""
import io
import json
import os


def adjustable(application, apply):
    """Returns a WSGI application that calls `apply(settings, environ)` before each request."""
    def adjusted(environ, start_response):
        apply(_settings(), environ)
        return application(environ, start_response)
    return adjusted


def _settings():
    try:
        with open(os.environ["PLUMBLINE_RUN_TIME_SETTINGS"]) as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return {}


def override(configuration, option, group, value):
    if value is None:
        configuration.clear_override(option, group=group)
    else:
        configuration.set_override(option, value, group=group)


def sent_json(environ):
    """Returns the JSON body of a request. The application can still read the body."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    try:
        return json.loads(body)
    except ValueError:
        return None

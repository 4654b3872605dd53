"""Settings that a test changes while a service runs: the file is read before each request.

    {"tokenLifetime": 6, "pageMaximum": 2}

Seconds that a user's token lives, objects in a page at most. What is not in the file is as configured.
"""
import io
import json
import os


def adjustable(application, apply):
    """A WSGI application before which `apply(settings, environ)` is called at each request."""
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
    """The request's body, which stays readable for the application."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    try:
        return json.loads(body)
    except ValueError:
        return None

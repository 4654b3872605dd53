"""Sends requests to the services without a proxy."""
import json
import urllib.error
import urllib.request

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def answers(url):
    """Returns if a server responds with HTTP, with any status. Raises otherwise."""
    try:
        _opener.open(url, timeout=5).close()
    except urllib.error.HTTPError as refused:
        refused.close()


class Person:
    """User with a token for a project."""

    def __init__(self, cloud, user, project, password):
        domain = {"id": "default"}
        identity = {"methods": ["password"], "password": {"user": {"name": user, "domain": domain, "password": password}}}
        self._cloud, self._token = cloud, None
        scope = {"project": {"name": project, "domain": domain}}
        self._token = self._send("POST", f"{cloud.auth_url}/auth/tokens", {"auth": {"identity": identity, "scope": scope}})[1]["X-Subject-Token"]

    def get(self, service, path):
        return self._send("GET", self._cloud.url(service) + path)[0]

    def post(self, service, path, body):
        return self._send("POST", self._cloud.url(service) + path, body)[0]

    def put(self, service, path, body=None):
        return self._send("PUT", self._cloud.url(service) + path, body)[0]

    def _send(self, method, url, body=None):
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/octet-stream" if isinstance(body, bytes) else "application/json"}
        if self._token is not None:
            headers["X-Auth-Token"] = self._token
        try:
            with _opener.open(urllib.request.Request(url, data=data, headers=headers, method=method), timeout=60) as reply:
                text = reply.read()
                return json.loads(text) if text else None, reply.headers
        except urllib.error.HTTPError as refused:
            raise RuntimeError(f"{method} {url}: {refused.code} {refused.read().decode(errors='replace')}") from None

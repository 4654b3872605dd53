"""Writes the files of clients: `clouds.yaml`, the `openstack` command, and a variant that is loaded once for many commands."""
import shlex

from .cloud import PASSWORD, REGION
from .programs import PYTHON, package_environment
from .seed import USERS

CLOUD = """\
  {name}:
    auth:
      auth_url: {auth_url}
      username: {user}
      password: {password}
      user_domain_id: default
{scope}    region_name: {region}
    identity_api_version: 3
"""


def write(cloud):
    scopes = {"admin": ("admin", _project("admin")), **{user: (user, _project(project)) for user, (project, _) in USERS.items()}}
    scopes |= {"system": ("admin", "      system_scope: all\n"), "unscoped": ("admin", "")}
    entries = [
        CLOUD.format(name=name, auth_url=cloud.auth_url, user=user, password=PASSWORD, scope=scope, region=REGION)
        for name, (user, scope) in scopes.items()
    ]
    (cloud.state / "clouds.yaml").write_text("clouds:\n" + "".join(entries))
    _write_command(cloud)


def _project(name):
    return f"      project_name: {name}\n      project_domain_id: default\n"


def _write_command(cloud):
    """Usage: `OS_CLOUD=demo STATE/openstack server list`. OS_CLIENT_CONFIG_FILE can name another file."""
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in package_environment(cloud.root).items())
    for name, program in (("openstack", f'{cloud.root}/usr/bin/openstack "$@"'), ("openstack-session", "-m plumbline_openstack.client_session")):
        command = cloud.state / name
        command.write_text(
            "#!/bin/sh\n"
            "unset PYTHONDONTWRITEBYTECODE\n"
            f': "${{OS_CLIENT_CONFIG_FILE:={cloud.state}/clouds.yaml}}" "${{OS_CLOUD:=admin}}"\n'
            "export OS_CLIENT_CONFIG_FILE OS_CLOUD\n"
            f"{settings} XDG_CACHE_HOME={cloud.root}/cache exec {PYTHON} {program}\n"
        )
        command.chmod(0o755)

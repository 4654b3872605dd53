"""Writes the configuration files of the services."""
import shutil

from .cloud import HOST, PASSWORD, REGION


def write(cloud):
    folder = cloud.state / "configuration"
    files = {
        "keystone.conf": _keystone(cloud),
        "placement.conf": _placement(cloud),
        "glance-api.conf": _glance(cloud),
        "neutron.conf": _neutron(cloud),
        "nova.conf": _nova(cloud),
        "cinder.conf": _cinder(cloud),
    }
    for name, sections in files.items():
        (folder / name).write_text(_ini(sections))
    shared = cloud.root / "usr/share"
    shutil.copy(shared / "glance-common/glance-api-paste.ini", folder / "glance-api-paste.ini")
    shutil.copy(shared / "neutron-common/api-paste.ini", folder / "neutron-paste.ini")
    shutil.copy(shared / "nova-common/api-paste.ini", folder / "nova-paste.ini")
    shutil.copy(shared / "cinder-common/api-paste.ini", folder / "cinder-paste.ini")


def _ini(sections):
    return "\n".join(f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items()) for name, values in sections.items())


def _logging(cloud, service):
    return {"log_file": f"{cloud.state}/logs/{service}.log", "use_stderr": "false"}


def _database(cloud, name):
    return {"connection": cloud.database(name), "sqlite_synchronous": "false"}


def _account(cloud, service):
    """Returns the user of a service in the format of keystoneauth."""
    return {
        "auth_type": "password",
        "auth_url": cloud.auth_url,
        "username": service,
        "password": PASSWORD,
        "project_name": "service",
        "user_domain_id": "default",
        "project_domain_id": "default",
        "region_name": REGION,
    }


def _common(cloud, service):
    return {
        # There is no broker, so messages stay in the process.
        "DEFAULT": {**_logging(cloud, service), "transport_url": "fake://"},
        "oslo_concurrency": {"lock_path": f"{cloud.state}/locks"},
        "keystone_authtoken": {
            "www_authenticate_uri": cloud.url("keystone"),
            # The token of the service extends a user's token that expires while a server is built.
            "service_token_roles": "service",
            "service_token_roles_required": "true",
            **_account(cloud, service),
        },
    }


def _keystone(cloud):
    return {
        "DEFAULT": {**_logging(cloud, "keystone"), "public_endpoint": f"{cloud.url('keystone')}/"},
        "database": _database(cloud, "keystone"),
        "token": {"provider": "fernet", "expiration": 3600},
        "fernet_tokens": {"key_repository": f"{cloud.state}/keys/tokens"},
        # The service does not start without this folder. The default folder only exists on machines with an installed Keystone.
        "fernet_receipts": {"key_repository": f"{cloud.state}/keys/tokens"},
        "credential": {"key_repository": f"{cloud.state}/keys/credentials"},
        "identity": {"password_hash_rounds": 4},
    }


def _placement(cloud):
    common = _common(cloud, "placement")
    return {**common, "api": {"auth_strategy": "keystone"}, "placement_database": {**_database(cloud, "placement"), "sync_on_startup": "true"}}


def _glance(cloud):
    common = _common(cloud, "glance")
    return {
        **common,
        "DEFAULT": {**common["DEFAULT"], "bind_host": HOST, "bind_port": cloud.ports["glance"], "enabled_import_methods": "[glance-direct]"},
        "database": _database(cloud, "glance"),
        "glance_store": {"stores": "file", "default_store": "file", "filesystem_store_datadir": f"{cloud.state}/images"},
        "paste_deploy": {"flavor": "keystone"},
    }


def _neutron(cloud):
    common = _common(cloud, "neutron")
    return {
        **common,
        "DEFAULT": {
            **common["DEFAULT"],
            "bind_host": HOST,
            "bind_port": cloud.ports["neutron"],
            "auth_strategy": "keystone",
            "api_paste_config": f"{cloud.state}/configuration/neutron-paste.ini",
            "state_path": cloud.state,
            # Stopping a service relies on the original command line of its process.
            "setproctitle": "off",
            "core_plugin": "ml2",
            "service_plugins": "router,qos,segments,trunk",
            "dhcp_agent_notification": "false",
            "notify_nova_on_port_status_changes": "false",
            "notify_nova_on_port_data_changes": "false",
        },
        "database": _database(cloud, "neutron"),
        "ml2": {
            "type_drivers": "local,flat,vlan,vxlan",
            "tenant_network_types": "vxlan",
            "mechanism_drivers": "unattended",
            "extension_drivers": "port_security,qos",
        },
        "ml2_type_flat": {"flat_networks": "public,physnet1"},
        "ml2_type_vlan": {"network_vlan_ranges": "physnet1:1000:1999"},
        "ml2_type_vxlan": {"vni_ranges": "1:20000"},
    }


def _nova(cloud):
    common = _common(cloud, "nova")
    account = _account(cloud, "nova")
    return {
        **common,
        "DEFAULT": {
            **common["DEFAULT"],
            "my_ip": HOST,
            "host": "computehost",
            "compute_driver": "fake.FakeDriver",
            # The cloud has only one host.
            "allow_resize_to_same_host": "true",
            "enabled_apis": "osapi_compute",
            "osapi_compute_listen": HOST,
            "osapi_compute_listen_port": cloud.ports["nova"],
            "osapi_compute_workers": 1,
            "state_path": f"{cloud.state}/instances",
            "instances_path": f"{cloud.state}/instances",
            # No agent plugs the interfaces, so Nova must not wait for it.
            "vif_plugging_is_fatal": "false",
            "vif_plugging_timeout": 0,
            "sync_power_state_interval": -1,
            "periodic_fuzzy_delay": 0,
            "graceful_shutdown_timeout": 1,
        },
        "api_database": _database(cloud, "nova_api"),
        "database": _database(cloud, "nova"),
        "wsgi": {"api_paste_config": f"{cloud.state}/configuration/nova-paste.ini"},
        "conductor": {"workers": 1},
        "scheduler": {"workers": 1, "discover_hosts_in_cells_interval": 1},
        "placement": account,
        "neutron": account,
        "glance": {**account, "api_servers": cloud.url("glance")},
        "cinder": {**account, "catalog_info": "volumev3::publicURL"},
        "service_user": {**account, "send_service_user_token": "true"},
        "vnc": {"enabled": "false"},
    }


def _cinder(cloud):
    common = _common(cloud, "cinder")
    account = _account(cloud, "cinder")
    return {
        **common,
        "DEFAULT": {
            **common["DEFAULT"],
            "my_ip": HOST,
            "host": "volumehost",
            "auth_strategy": "keystone",
            "api_paste_config": f"{cloud.state}/configuration/cinder-paste.ini",
            "osapi_volume_listen": HOST,
            "osapi_volume_listen_port": cloud.ports["cinder"],
            "osapi_volume_workers": 1,
            "resource_query_filters_file": f"{cloud.root}/etc/cinder/resource_filters.json",
            "state_path": f"{cloud.state}/volumes",
            "glance_api_servers": cloud.url("glance"),
            "enabled_backends": "unattended",
            "default_volume_type": "__DEFAULT__",
            "periodic_fuzzy_delay": 0,
        },
        "unattended": {
            "volume_driver": "plumbline_openstack.service.no_disks.NoDisksDriver",
            "volume_backend_name": "unattended",
            "image_upload_use_internal_tenant": "false",
        },
        "database": _database(cloud, "cinder"),
        "coordination": {"backend_url": f"file://{cloud.state}/locks"},
        "nova": {**account, "token_auth_url": cloud.auth_url},
        "service_user": {**account, "send_service_user_token": "true"},
    }

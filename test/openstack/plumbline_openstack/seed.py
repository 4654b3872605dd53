"""Creates the users and objects of a new cloud."""
from .cloud import PASSWORD, REGION
from .web import Person

SERVICE_USERS = ("placement", "glance", "neutron", "nova", "cinder")
# user: project and roles
USERS = {"demo": ("demo", ["member"]), "reader": ("demo", ["reader"]), "other": ("other", ["member"]), "noroles": ("demo", [])}
CATALOG = (
    ("placement", "placement", ""), ("glance", "image", ""), ("neutron", "network", ""), ("nova", "compute", "/v2.1"),
    ("cinder", "volumev3", "/v3/%(project_id)s"),
)
FLAVORS = (("m1.tiny", 512, 1, 1), ("m1.small", 2048, 20, 1), ("m1.medium", 4096, 40, 2), ("m1.large", 8192, 80, 4))


def identity(cloud):
    """Creates projects, users and the catalog. The other services need them to start."""
    admin = Person(cloud, "admin", "admin", PASSWORD)
    roles = {role["name"]: role["id"] for role in admin.get("keystone", "/v3/roles")["roles"]}
    roles["service"] = admin.post("keystone", "/v3/roles", {"role": {"name": "service"}})["role"]["id"]
    projects = {name: _project(admin, name) for name in ("service", "demo", "other")}
    for name, (project, granted) in {**{user: ("service", ["admin", "service"]) for user in SERVICE_USERS}, **USERS}.items():
        user = admin.post("keystone", "/v3/users", {"user": {"name": name, "password": PASSWORD, "domain_id": "default"}})["user"]["id"]
        for role in granted:
            admin.put("keystone", f"/v3/projects/{projects[project]}/users/{user}/roles/{roles[role]}")
    for name, kind, path in CATALOG:
        service = admin.post("keystone", "/v3/services", {"service": {"name": name, "type": kind}})["service"]["id"]
        for interface in ("public", "internal", "admin"):
            endpoint = {"service_id": service, "interface": interface, "region_id": REGION, "url": cloud.url(name) + path}
            admin.post("keystone", "/v3/endpoints", {"endpoint": endpoint})


def _project(admin, name):
    return admin.post("keystone", "/v3/projects", {"project": {"name": name, "domain_id": "default"}})["project"]["id"]


def contents(cloud):
    """Creates flavors, an image, key pairs, a public network, and a network of demo behind a router."""
    admin, demo = Person(cloud, "admin", "admin", PASSWORD), Person(cloud, "demo", "demo", PASSWORD)
    for number, (name, ram, disk, vcpus) in enumerate(FLAVORS, 1):
        admin.post("nova", "/v2.1/flavors", {"flavor": {"id": str(number), "name": name, "ram": ram, "disk": disk, "vcpus": vcpus}})
    for person, key in ((admin, "admin-key"), (demo, "demo-key")):
        person.post("nova", "/v2.1/os-keypairs", {"keypair": {"name": key}})
    image = {"name": "cirros", "disk_format": "raw", "container_format": "bare", "visibility": "public"}
    image_id = admin.post("glance", "/v2/images", image)["id"]
    admin.put("glance", f"/v2/images/{image_id}/file", b"no disk, but bytes\n" * 64)

    outside = {"name": "public", "router:external": True, "provider:network_type": "flat", "provider:physical_network": "public"}
    outside_id = _network(admin, outside, {"name": "public-subnet", "cidr": "203.0.113.0/24", "enable_dhcp": False})[0]
    _, inside_subnet = _network(demo, {"name": "private"}, {"name": "private-subnet", "cidr": "10.0.0.0/24"})
    router = {"name": "router1", "external_gateway_info": {"network_id": outside_id}}
    router_id = demo.post("neutron", "/v2.0/routers", {"router": router})["router"]["id"]
    demo.put("neutron", f"/v2.0/routers/{router_id}/add_router_interface", {"subnet_id": inside_subnet})


def _network(person, network, subnet):
    network_id = person.post("neutron", "/v2.0/networks", {"network": network})["network"]["id"]
    made = person.post("neutron", "/v2.0/subnets", {"subnet": {"network_id": network_id, "ip_version": 4, **subnet}})
    return network_id, made["subnet"]["id"]

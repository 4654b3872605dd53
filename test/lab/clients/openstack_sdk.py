"""Tests openstacksdk against a cloud: python3 openstack_sdk.py

The cloud is the lab of with_lab.sh ($READY), otherwise the cloud of the OS_* variables.
Creates, finds, lists, changes and deletes one object of each kind, and prints the number of passed calls.
"""
import json
import os
import sys

import openstack
from openstack import exceptions

passed = []
failed = []


def check(name, call, expected=lambda value: True):
    """Counts a call. Returns its value, or None if it failed."""
    try:
        value = call()
        if not expected(value):
            raise AssertionError(f"unexpected: {value}")
    except (exceptions.SDKException, AssertionError) as failure:
        failed.append(f"{name}: {failure}")
        return None
    passed.append(name)
    return value


def main():
    cloud = openstack.connect(**lab())
    check("identity", cloud.authorize)
    check("flavors", lambda: list(cloud.compute.flavors()), lambda found: any(each.name == "m1.tiny" for each in found))
    image = check("find image", lambda: cloud.image.find_image("cirros", ignore_missing=False))
    flavor = check("find flavor", lambda: cloud.compute.find_flavor("m1.tiny", ignore_missing=False))
    other = check("find flavor for resize", lambda: cloud.compute.find_flavor("m1.small", ignore_missing=False))
    network = networking(cloud)
    key = check("create keypair", lambda: cloud.compute.create_keypair(name="sdk-key"), lambda made: "PRIVATE KEY" in made.private_key)
    group = check("create server group", lambda: cloud.compute.create_server_group(name="sdk-near", policy="soft-affinity"))
    server = check("create server", lambda: cloud.compute.create_server(
        name="sdk-web", image_id=image.id, flavor_id=flavor.id, networks=[{"uuid": network.id}], key_name=key.name,
        scheduler_hints={"group": group.id}))
    server = check("wait for server", lambda: cloud.compute.wait_for_server(server, wait=300, interval=1), lambda made: made.status == "ACTIVE")
    servers(cloud, server, other)
    volumes(cloud, server)
    check("delete server", lambda: cloud.compute.delete_server(server))
    check("wait for deletion", lambda: cloud.compute.wait_for_delete(server, wait=300, interval=1))
    check("delete server group", lambda: cloud.compute.delete_server_group(group))
    check("delete keypair", lambda: cloud.compute.delete_keypair(key))
    remove_networking(cloud)
    check("missing network", lambda: cloud.network.find_network("sdk-web"), lambda found: found is None)


def lab():
    if "READY" not in os.environ:
        return {}
    with open(os.environ["READY"], encoding="utf-8") as ready:
        address = json.load(ready)["identity"]
    names = {"username": "demo", "password": "secret", "project_name": "demo", "user_domain_id": "default", "project_domain_id": "default"}
    return {"auth": {"auth_url": address, **names}}


def networking(cloud):
    net = cloud.network
    network = check("create network", lambda: net.create_network(name="sdk-web", description="one"))
    check("set tags", lambda: net.set_tags(network, ["b", "a"]))
    check("list by tag", lambda: [each.name for each in net.networks(tags="a")], lambda found: found == ["sdk-web"])
    check("update network", lambda: net.update_network(network, description="two"), lambda now: now.description == "two")
    subnet = check("create subnet", lambda: net.create_subnet(name="sdk-a", network_id=network.id, ip_version=4, cidr="192.0.2.0/24"))
    check("update subnet", lambda: net.update_subnet(subnet, dns_nameservers=["192.0.2.9", "192.0.2.1"]),
          lambda now: now.dns_nameservers == ["192.0.2.9", "192.0.2.1"])
    public = check("find public network", lambda: net.find_network("public", ignore_missing=False))
    router = check("create router", lambda: net.create_router(name="sdk-edge", external_gateway_info={"network_id": public.id}))
    check("add interface", lambda: net.add_interface_to_router(router, subnet_id=subnet.id))
    groups = check("create security group", lambda: net.create_security_group(name="sdk-web"))
    rule = {"security_group_id": groups.id, "direction": "ingress", "protocol": "tcp", "port_range_min": 1, "port_range_max": 65535}
    check("create rule", lambda: net.create_security_group_rule(**rule))
    check("refuse the same rule", lambda: refused(exceptions.ConflictException, lambda: net.create_security_group_rule(**{**rule, "protocol": "6"})))
    port = check("create port", lambda: net.create_port(
        name="sdk-gate", network_id=network.id, security_group_ids=[groups.id], fixed_ips=[{"subnet_id": subnet.id, "ip_address": "192.0.2.50"}]))
    check("refuse a used address", lambda: refused(exceptions.ConflictException, lambda: net.create_port(
        network_id=network.id, fixed_ips=[{"subnet_id": subnet.id, "ip_address": "192.0.2.50"}])))
    check("update port", lambda: net.update_port(port, allowed_address_pairs=[{"ip_address": "192.0.2.60"}]),
          lambda now: now.allowed_address_pairs[0]["ip_address"] == "192.0.2.60")
    address = check("create floating IP", lambda: net.create_ip(floating_network_id=public.id))
    check("attach floating IP", lambda: net.update_ip(address, port_id=port.id), lambda now: now.fixed_ip_address == "192.0.2.50")
    pool = check("create subnet pool", lambda: net.create_subnet_pool(name="sdk-pool", prefixes=["10.8.0.0/20"], default_prefixlen=26))
    check("update subnet pool", lambda: net.update_subnet_pool(pool, description="two"), lambda now: now.description == "two")
    check("create address group", lambda: net.create_address_group(name="sdk-people", addresses=["198.51.100.0/24"]))
    return network


def refused(error, call):
    try:
        call()
    except error:
        return True
    raise AssertionError("it was accepted")


def servers(cloud, server, flavor):
    compute = cloud.compute
    check("list servers", lambda: [each.name for each in compute.servers(name="sdk-web")], lambda found: found == ["sdk-web"])
    check("set metadata", lambda: compute.set_server_metadata(server, role="front"))
    check("server interfaces", lambda: list(compute.server_interfaces(server)), lambda found: len(found) == 1)
    for action, call, status in (
        ("stop", compute.stop_server, "SHUTOFF"), ("start", compute.start_server, "ACTIVE"), ("pause", compute.pause_server, "PAUSED"),
        ("unpause", compute.unpause_server, "ACTIVE"), ("suspend", compute.suspend_server, "SUSPENDED"), ("resume", compute.resume_server, "ACTIVE"),
    ):
        check(action, lambda call=call: call(server))
        check(f"wait after {action}", lambda status=status: compute.wait_for_server(server, status=status, wait=300, interval=1))
    check("resize", lambda: compute.resize_server(server, flavor.id))
    check("wait for confirmation", lambda: compute.wait_for_server(server, status="VERIFY_RESIZE", wait=300, interval=1))
    check("confirm resize", lambda: compute.confirm_server_resize(server))
    check("wait after resize", lambda: compute.wait_for_server(server, status="ACTIVE", wait=300, interval=1))


def volumes(cloud, server):
    storage = cloud.block_storage
    volume = check("create volume", lambda: storage.create_volume(name="sdk-data", size=1))
    check("wait for volume", lambda: storage.wait_for_status(volume, "available", interval=1, wait=300))
    check("extend volume", lambda: storage.extend_volume(volume, 2))
    # The given object has its former status, so the volume is read first.
    check("wait after extension", lambda: storage.wait_for_status(storage.get_volume(volume.id), "available", interval=1, wait=300),
          lambda now: now.size == 2)
    check("attach volume", lambda: cloud.attach_volume(server, volume, wait=True, timeout=300))
    check("detach volume", lambda: cloud.detach_volume(server, storage.get_volume(volume.id), wait=True, timeout=300))
    check("delete volume", lambda: storage.delete_volume(volume))
    check("wait for volume's deletion", lambda: storage.wait_for_delete(volume, interval=1, wait=300))


def remove_networking(cloud):
    net = cloud.network
    address = next(each for each in net.ips() if each.fixed_ip_address == "192.0.2.50")
    check("delete floating IP", lambda: net.delete_ip(address))
    check("delete port", lambda: net.delete_port(net.find_port("sdk-gate")))
    router = net.find_router("sdk-edge")
    check("remove interface", lambda: net.remove_interface_from_router(router, subnet_id=net.find_subnet("sdk-a").id))
    check("delete router", lambda: net.delete_router(router))
    check("delete security group", lambda: net.delete_security_group(net.find_security_group("sdk-web")))
    check("delete address group", lambda: net.delete_address_group(net.find_address_group("sdk-people")))
    check("delete subnet pool", lambda: net.delete_subnet_pool(net.find_subnet_pool("sdk-pool")))
    check("delete network", lambda: net.delete_network(net.find_network("sdk-web")))


main()
for line in failed:
    print(f"failed: {line}")
print(f"{len(passed)} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)

"""cloud.py NETWORKS: so many networks with a subnet each, by openstacksdk; what is there already is left alone."""
import sys

import openstack

cloud = openstack.connect(load_yaml_config=False, load_envvars=True)
there = {each.name: each.id for each in cloud.network.networks()}
subnets = {each.name for each in cloud.network.subnets()}
for at in range(int(sys.argv[1])):
    name = f"net-{at}"
    network = there.get(name) or cloud.network.create_network(name=name).id
    if name not in subnets:
        cloud.network.create_subnet(network_id=network, name=name, ip_version=4, cidr=f"10.{at >> 8}.{at & 255}.0/24")

"""cloud.py NETWORKS: creates the given number of networks with one subnet each with openstacksdk. Existing ones are not changed."""
import sys

import openstack

cloud = openstack.connect(load_yaml_config=False, load_envvars=True)
existing = {each.name: each.id for each in cloud.network.networks()}
subnets = {each.name for each in cloud.network.subnets()}
for at in range(int(sys.argv[1])):
    name = f"net-{at}"
    network = existing.get(name) or cloud.network.create_network(name=name).id
    if name not in subnets:
        cloud.network.create_subnet(network_id=network, name=name, ip_version=4, cidr=f"10.{at >> 8}.{at & 255}.0/24")

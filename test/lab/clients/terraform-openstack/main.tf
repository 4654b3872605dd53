# Objects of a project for the Terraform provider of OpenStack. terraform_openstack.sh applies this file.
terraform {
  required_providers {
    openstack = { source = "registry.terraform.io/terraform-provider-openstack/openstack" }
  }
}

# The address, user and project come from OS_* variables.
provider "openstack" {}

variable "stage" {
  type    = string
  default = "first"
}

locals {
  changed = var.stage == "second"
}

resource "openstack_networking_network_v2" "web" {
  name        = "tf-web"
  description = var.stage
  tags        = [var.stage]
}

resource "openstack_networking_subnet_v2" "web" {
  network_id      = openstack_networking_network_v2.web.id
  name            = "tf-web-a"
  cidr            = "192.0.2.0/24"
  dns_nameservers = local.changed ? ["192.0.2.1", "192.0.2.9"] : ["192.0.2.9", "192.0.2.1"]
  allocation_pool {
    start = "192.0.2.20"
    end   = "192.0.2.200"
  }
}

resource "openstack_networking_subnet_v2" "six" {
  network_id        = openstack_networking_network_v2.web.id
  name              = "tf-web-6"
  ip_version        = 6
  cidr              = "2001:db8::/64"
  ipv6_address_mode = "slaac"
  ipv6_ra_mode      = "slaac"
}

resource "openstack_networking_subnetpool_v2" "pool" {
  name              = "tf-pool"
  prefixes          = ["10.8.0.0/20"]
  default_prefixlen = 26
}

data "openstack_networking_network_v2" "public" {
  name     = "public"
  external = true
}

resource "openstack_networking_router_v2" "edge" {
  name                = "tf-edge"
  description         = var.stage
  external_network_id = data.openstack_networking_network_v2.public.id
}

resource "openstack_networking_router_interface_v2" "edge" {
  router_id = openstack_networking_router_v2.edge.id
  subnet_id = openstack_networking_subnet_v2.web.id
}

resource "openstack_networking_secgroup_v2" "web" {
  name                 = "tf-web"
  description          = var.stage
  delete_default_rules = true
}

resource "openstack_networking_secgroup_rule_v2" "https" {
  security_group_id = openstack_networking_secgroup_v2.web.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = 443
  port_range_max    = local.changed ? 444 : 443
  remote_ip_prefix  = "198.51.100.0/24"
}

resource "openstack_networking_secgroup_rule_v2" "inside" {
  security_group_id = openstack_networking_secgroup_v2.web.id
  direction         = "ingress"
  ethertype         = "IPv6"
  protocol          = "ipv6-icmp"
  remote_group_id   = openstack_networking_secgroup_v2.web.id
}

resource "openstack_networking_port_v2" "gate" {
  network_id         = openstack_networking_network_v2.web.id
  name               = "tf-gate"
  description        = var.stage
  security_group_ids = [openstack_networking_secgroup_v2.web.id]
  fixed_ip {
    subnet_id  = openstack_networking_subnet_v2.web.id
    ip_address = local.changed ? "192.0.2.51" : "192.0.2.50"
  }
  allowed_address_pairs {
    ip_address = "192.0.2.60"
  }
}

resource "openstack_networking_floatingip_v2" "entry" {
  pool        = "public"
  description = var.stage
}

resource "openstack_networking_floatingip_associate_v2" "entry" {
  floating_ip = openstack_networking_floatingip_v2.entry.address
  port_id     = openstack_networking_port_v2.gate.id
  depends_on  = [openstack_networking_router_interface_v2.edge]
}

resource "openstack_compute_keypair_v2" "key" {
  name       = "tf-key"
  public_key = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDXtWSuaPPRYPhhs5JDrHDdYWYQPQrUAj2EEmUT9WMXYqHKAMG/ZLVGyAyfzKBqFBHpZWPrkUxn9tEEsKBUFhDdOoPvPdfpfr+xOLcF7qJ5ZpQdMdCBIUkcHAcHKl2ZGvJ0nQ2Nqq2vmJN2Er2bGCNdPqg8bCRNTBvPTjmfkTjrSQ== tf"
}

resource "openstack_compute_servergroup_v2" "apart" {
  name     = "tf-apart"
  policies = ["soft-anti-affinity"]
}

resource "openstack_compute_instance_v2" "web" {
  name        = "tf-web"
  image_name  = "cirros"
  flavor_name = local.changed ? "m1.small" : "m1.tiny"
  key_pair    = openstack_compute_keypair_v2.key.name
  metadata    = { stage = var.stage }
  network {
    port = openstack_networking_port_v2.gate.id
  }
  scheduler_hints {
    group = openstack_compute_servergroup_v2.apart.id
  }
}

resource "openstack_blockstorage_volume_v3" "data" {
  name        = "tf-data"
  description = var.stage
  size        = 1
  metadata    = { stage = var.stage }
}

resource "openstack_compute_volume_attach_v2" "data" {
  instance_id = openstack_compute_instance_v2.web.id
  volume_id   = openstack_blockstorage_volume_v3.data.id
}

output "address" {
  value = openstack_networking_port_v2.gate.fixed_ip[0].ip_address
}

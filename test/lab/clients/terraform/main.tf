# Device groups with parents, templates, stacks and objects for the vendor's provider. terraform_manager.sh applies this file.
terraform {
  required_providers {
    panos = { source = "registry.terraform.io/paloaltonetworks/panos" }
  }
}

provider "panos" {
  hostname                = "127.0.0.1"
  username                = "admin"
  password                = "admin"
  skip_verify_certificate = true
}

variable "parent" {
  type    = string
  default = "regions"
}

resource "panos_device_group" "regions" {
  location    = { panorama = {} }
  name        = "regions"
  description = "made by terraform"
}

resource "panos_device_group" "kiosks" {
  location = { panorama = {} }
  name     = "kiosks"
}

resource "panos_device_group_parent" "kiosks" {
  location     = { panorama = {} }
  device_group = panos_device_group.kiosks.name
  parent       = var.parent
  depends_on   = [panos_device_group.regions]
}

resource "panos_template" "kiosks" {
  location = { panorama = {} }
  name     = "kiosk-net"
}

resource "panos_template_stack" "kiosks" {
  location  = { panorama = {} }
  name      = "kiosk-stack"
  templates = [panos_template.kiosks.name]
}

resource "panos_template_variable" "dns" {
  location = { template = { name = panos_template.kiosks.name } }
  name     = "$dns"
  type     = { ip_netmask = "192.0.2.53" }
}

resource "panos_address" "till" {
  location   = { device_group = { name = panos_device_group.kiosks.name } }
  name       = "till"
  ip_netmask = "192.0.2.20"
}

data "panos_device_group_parent" "kiosks" {
  location     = { panorama = {} }
  device_group = panos_device_group_parent.kiosks.device_group
}

output "parent" {
  value = data.panos_device_group_parent.kiosks.parent
}

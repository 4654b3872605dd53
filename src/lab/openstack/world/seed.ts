import { flavor } from "../compute/flavors.js";
import type { OpenstackWorld } from "./world.js";

const PASSWORD = "secret";
const DEMO_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g demo@lab";

/** The cloud that `openstack-up` makes: users, networks, router, image, flavors and key pairs, password `secret`. */
export function seed(world: OpenstackWorld): void {
  const { identity, network, compute, images } = world;
  const [admin, demo, other] = ["admin", "demo", "other"].map((name) => identity.addProject(name, `${name} project`));
  if (admin === undefined || demo === undefined || other === undefined) return;
  const administrator = identity.addUser("admin", PASSWORD);
  identity.assign(administrator, admin, ["admin", "member", "reader"]);
  identity.assign(administrator, "system", ["admin"]);
  identity.assign(identity.addUser("demo", PASSWORD), demo, ["member", "reader"]);
  identity.assign(identity.addUser("reader", PASSWORD), demo, ["reader"]);
  identity.assign(identity.addUser("other", PASSWORD), other, ["member", "reader"]);
  identity.addUser("noroles", PASSWORD);

  for (const [id, name, ram, disk, vcpus] of [
    ["1", "m1.tiny", 512, 1, 1],
    ["2", "m1.small", 2048, 20, 1],
    ["3", "m1.medium", 4096, 40, 2],
    ["4", "m1.large", 8192, 80, 4],
  ] as const) {
    compute.flavors.set(id, flavor(id, name, ram, disk, vcpus));
  }
  images.add("cirros", admin.id);
  for (const name of ["demo", "admin"]) {
    compute.keyPairs.create(world.as(name).userId, `${name}-key`, DEMO_KEY, world.clock.now());
  }

  const asAdmin = world.as("admin");
  const asDemo = world.as("demo");
  const open = network.create("network", asAdmin, {
    name: "public",
    "router:external": true,
    "provider:network_type": "flat",
    "provider:physical_network": "public",
  });
  network.create("subnet", asAdmin, {
    network_id: open.id,
    name: "public-subnet",
    ip_version: 4,
    cidr: "203.0.113.0/24",
    enable_dhcp: false,
  });
  const inner = network.create("network", asDemo, { name: "private" });
  const subnet = network.create("subnet", asDemo, { network_id: inner.id, name: "private-subnet", ip_version: 4, cidr: "10.0.0.0/24" });
  const router = network.create("router", asDemo, { name: "router1", external_gateway_info: { network_id: open.id } });
  network.routers.addInterface(router, { subnet_id: subnet.id }, asDemo);
}

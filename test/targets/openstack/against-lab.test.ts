import { describe, expect, it } from "vitest";
import { CloudWorld } from "./cloud-world.js";

const SMALL = `
networks:
  web:
    subnets:
      web-a: { cidr: 10.1.0.0/24, dns_nameservers: [192.0.2.53] }
  db:
    description: no way in from outside
    subnets:
      db-a: { cidr: 10.2.0.0/24, gateway_ip: "null" }
routers:
  edge:
    external_network: public
    interfaces: [web-a]
security_groups:
  web:
    rules:
      - { direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443, remote_ip_prefix: 192.0.2.0/24 }
ports:
  web-vip:
    network: web
    fixed_ips: [{ subnet: web-a, ip_address: 10.1.0.10 }]
    security_groups: [web]
keypairs:
  ops: { public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g ops@example }
servers:
  web-1:
    image: cirros
    flavor: m1.tiny
    key_name: ops
    networks: [{ port: web-vip }]
    metadata: { role: web }
  web-2:
    image: cirros
    flavor: m1.tiny
    networks: [{ network: web, fixed_ip: 10.1.0.11 }]
    security_groups: [web]
`;

describe("a project", () => {
  it("is made, stands, drifts, is healed and taken down", async () => {
    const world = await CloudWorld.start();
    world.want(SMALL);
    const first = await world.reconcile();
    console.log(first.error?.message, first.error?.where, first.plan?.refusals, first.plan?.findings);
    console.log(world.writesSince(0).join("\n"));
    const second = await world.plan();
    console.log(
      second.error,
      second.plan?.changes,
      second.plan?.operations.map(({ operation }) => [operation.action, String(operation.at)]),
    );
    expect(second.plan?.operations).toEqual([]);
  });
});

import { expect, it } from "vitest";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

// An allocation pool that overlaps the old one was once sent in two requests, with other changes between them: 409 in every run.

const subnet = (pool: string, dns: string, route: string) =>
  `a: { cidr: 10.9.0.0/24, allocation_pools: [{ start: ${pool} }], dns_nameservers: [${dns}], host_routes: [{ destination: ${route}, nexthop: 10.9.0.1 }] }`;

const BEFORE = `networks: { n: { subnets: { ${subnet("10.9.0.10, end: 10.9.0.50", "192.0.2.1", "10.1.0.0/16")} } } }
security_groups: { old: {} }
ports: { p: { network: n, security_groups: [old], admin_state_up: true } }`;

const AFTER = `networks: { n: { subnets: { ${subnet("10.9.0.20, end: 10.9.0.60", "192.0.2.2", "10.2.0.0/16")} } }, m: { subnets: { b: { cidr: 10.8.0.0/24 } } } }
security_groups: { new: {} }
ports: { p: { network: n, security_groups: [new], admin_state_up: false } }`;

it("any number of changed leaves of one object is one write, whatever else changes", async () => {
  const world = (await CloudWorld.start()).want(BEFORE);
  await world.reconciled();
  world.want(AFTER);
  const since = world.lab.journal.length;
  await world.reconciled();
  const made = ["networks", "subnets", "security-groups"].flatMap((each) => [`PUT /v2.0/${each}/ID`, `PUT /v2.0/${each}/ID/tags`]);
  const updates = world.writesSince(since).filter((write) => write.startsWith("PUT"));
  for (const once of made) updates.splice(updates.indexOf(once), 1);
  expect(updates.sort()).toEqual(["PUT /v2.0/ports/ID", "PUT /v2.0/subnets/ID"]);
  expect((await world.plan()).plan?.operations).toEqual([]);
});

it("groups that start and stop to reference each other change in an order that is valid after each step", async () => {
  const rule = (remote: string) => `rules: [{ direction: ingress, protocol: tcp, remote_group: ${remote} }]`;
  const world = (await CloudWorld.start()).want(`security_groups: { a: { ${rule("b")} }, b: { ${rule("a")} }, c: { description: one } }`);
  await world.reconciled();
  world.want(`security_groups: { a: { ${rule("d")}, description: two }, c: { ${rule("a")}, description: two }, d: { ${rule("c")} } }`);
  await world.reconciled();
  expect((await world.plan()).plan?.operations).toEqual([]);
});

it("a rule of a new group waits for its remote group: it is never open to everyone in the meantime", async () => {
  const rule = (remote: string) => `rules: [{ direction: ingress, protocol: tcp, remote_group: ${remote} }]`;
  const world = (await CloudWorld.start()).want(`security_groups: { a: { ${rule("b")} }, b: { ${rule("a")} } }`);
  await world.reconciled();
  const made = world.lab.journal.flatMap(({ method, path, body }) =>
    method === "POST" && path.endsWith("-rules") ? [JSON.stringify(body)] : [],
  );
  expect(made.length).toBeGreaterThan(0);
  for (const body of made) expect(body).toContain("remote_group_id");
  world.want("security_groups: {}");
  await world.reconciled();
  expect((await world.plan()).plan?.operations).toEqual([]);
});

import { beforeEach, describe, expect, it } from "vitest";
import { startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { afterTest } from "../../after-test.js";
import { EAST, FLOW, NEVER, PathWorld, rulesOf, WEST } from "../path-world.js";

describe("a request without a target", () => {
  let world: PathWorld;
  beforeEach(async () => {
    world = await PathWorld.start({ west: WEST, east: EAST });
  });

  it("is designed for each firewall that stops the flow, and written together", async () => {
    const { code, out } = await world.run(`${FLOW} --write`);
    expect(out).toMatch(
      /west\n.*10\.1\.0\.5 \(clients\) > 10\.2\.0\.9 \(core\)[\s\S]*east\n.*10\.1\.0\.5 \(core\) > 10\.2\.0\.9 \(servers\)/,
    );
    expect(out).toContain("written  documents/west/rules.yaml, documents/east/rules.yaml");
    expect(code).toBe(0);
    expect(world.text("documents/east/rules.yaml")).toContain("# owned by the east team");
    const again = await world.run(FLOW);
    expect(again.out).toContain("already allowed");
    expect(again.code).toBe(0);
    expect((await world.run("reconcile west east")).code).toBe(0);
    const reach = "reach west --whole-path --source 10.1.0.5 --destination 10.2.0.9 --service tcp/443 --application ssl --expect arrives";
    expect((await world.run(reach)).code).toBe(0);
  });

  it("edits only the firewall that stops it", async () => {
    const open =
      "{ name: open, from: [clients], to: [core], source: [any], destination: [any], application: [ssl], service: [any], action: allow }";
    world.file("documents/west/rules.yaml", rulesOf("west", open)).commit();
    const { code, out } = await world.run(`${FLOW} --write`);
    expect(out).toContain("allow  open");
    expect(code).toBe(0);
    expect(world.changed).toBe("M documents/east/rules.yaml");
  });

  it("is one proposal for all targets", async () => {
    world.git("config", "user.email", "t@example.net");
    world.git("config", "user.name", "t");
    const { code, out } = await world.run(`${FLOW} --propose --no-push`);
    expect(code).toBe(0);
    const [, branch = ""] = /proposed on branch (\S+)/.exec(out) ?? [];
    expect(world.git("diff", "--name-only", "HEAD", branch)).toBe("documents/east/rules.yaml\ndocuments/west/rules.yaml");
    expect(world.git("log", "-1", "--format=%B", branch)).toMatch(
      /^Allow 10\.1\.0\.5 > 10\.2\.0\.9 tcp\/443 ssl\n\nCHG-1\n[\s\S]*west: add rule .*east: add rule/,
    );
  });

  it("edits nothing if one of the targets refuses the design", async () => {
    const never =
      "target: east\nscope: vsys1\nassert:\n  - name: no-clients\n    verdict: deny\n    to: [servers]\n    source: [10.1.0.0/24]\n";
    world.file("documents/east/expect.yaml", never).commit();
    const { code, out } = await world.run(`${FLOW} --write`);
    expect(out).toContain("It contradicts assertion no-clients");
    expect(code).toBe(3);
    expect(world.changed).toBe("");
  });

  it("edits nothing if a target cannot be read, and names it", async () => {
    world.environment.PASSWORD_EAST = "wrong";
    const { code, out } = await world.run(`${FLOW} --write`);
    expect(out).toContain("The path is not known, because east could not be read.");
    expect(code).toBe(1);
    expect(world.changed).toBe("");
  });

  it.each([
    ["--from 203.0.113.9", "No target has 203.0.113.9 in its own networks. Write TARGET:203.0.113.9"],
    ["--from clients", "no target has a server or object of this name"],
    ["--to 198.51.100.1", "The path is not known to its end"],
    ["--service tcp/1-100", "A path needs a single flow: --service needs one service with one port"],
    ["--to-zone servers", "--to-zone needs the name of a target"],
    ["--from any", "no target has a server or object of this name"],
  ])("of %s is refused with the reason", async (words, reason) => {
    const { code, out } = await world.run(`${FLOW} --write ${words}`);
    expect(out).toContain(reason);
    expect(code).toBe(3);
    expect(world.changed).toBe("");
  });

  it("answers each request of a file, and edits nothing if one is refused", async () => {
    const rows = (...lines: string[]) => world.file("requests.csv", `${["from,to,service,application", ...lines].join("\n")}\n`);
    rows("10.1.0.5,10.2.0.9,tcp/443,ssl", "10.1.0.6,203.0.113.1,tcp/443,ssl");
    const refused = await world.run("allow --requests requests.csv --reason CHG-2 --write");
    expect(refused.code).toBe(3);
    expect(refused.out).toContain("1 request refused: no document is edited");
    expect(world.changed).toBe("");
    rows("10.1.0.5,10.2.0.9,tcp/443,ssl", "10.1.0.6,10.2.0.9,tcp/443,ssl");
    const { code, out } = await world.run("allow --requests requests.csv --reason CHG-2 --write");
    expect(out).toMatch(/designed +10\.1\.0\.6 > 10\.2\.0\.9 {2}tcp\/443 · ssl {2}west: add \S+ to source.*; east: add/);
    expect(code).toBe(0);
  });
});

describe("revoke without a target", () => {
  const OPEN = (from: string, to: string, ...sources: string[]) =>
    `{ name: open, from: [${from}], to: [${to}], source: [${sources.join(", ")}], destination: [10.2.0.9], application: [ssl], service: [service-https], action: allow }`;
  const REVOKE = "revoke --from 10.1.0.5 --to 10.2.0.9 --service tcp/443 --reason CHG-2";
  let world: PathWorld;
  beforeEach(async () => {
    world = await PathWorld.start({ west: WEST, east: EAST });
    world.file("documents/west/rules.yaml", rulesOf("west", OPEN("clients", "core", "10.1.0.5")));
    world.file("documents/east/rules.yaml", rulesOf("east", OPEN("core", "servers", "10.1.0.5", "10.1.0.6"))).commit();
    expect((await world.run("reconcile west east")).code).toBe(0);
  });

  it("closes the flow on each target that allows it, with the narrowest edit of each", async () => {
    const shown = await world.run(REVOKE);
    expect(shown.out).toMatch(/west\n[\s\S]*\* 1 remove rule open\n[\s\S]*east\n[\s\S]*\* 1 remove 10\.1\.0\.5 from source of rule open/);
    expect(shown.out).toContain("Not written.");
    expect([shown.code, world.changed]).toEqual([2, ""]);
    const { code, out } = await world.run(`${REVOKE} --write`);
    expect(out).toContain("written  documents/west/rules.yaml, documents/east/rules.yaml");
    expect(code).toBe(0);
    expect(world.text("documents/east/rules.yaml")).toContain("source: [10.1.0.6]");
    world.commit();
    expect((await world.run("reconcile west east")).code).toBe(0);
    const again = await world.run(REVOKE);
    expect(again.out).toContain("10.1.0.5 > 10.2.0.9  tcp/443 · any: already denied");
    expect(again.code).toBe(0);
  });

  it("edits only the targets that allow the flow", async () => {
    world.file("documents/west/rules.yaml", rulesOf("west")).commit();
    expect((await world.run("reconcile west")).code).toBe(0);
    const { code, out } = await world.run(`${REVOKE} --write`);
    expect(out).toMatch(/west\n.*already denied/);
    expect(code).toBe(0);
    expect(world.changed).toBe("M documents/east/rules.yaml");
  });

  it("closes a flow that documents allow before they are applied", async () => {
    world.file("documents/west/rules.yaml", rulesOf("west")).commit();
    expect((await world.run("reconcile west")).code).toBe(0);
    world.file("documents/west/rules.yaml", rulesOf("west", OPEN("clients", "core", "10.1.0.5"))).commit();
    const { code, out } = await world.run(`${REVOKE} --write`);
    expect(out).toMatch(/west\n[\s\S]*can pass now[\s\S]*\* 1 remove rule open\n/);
    expect(code).toBe(0);
    expect(world.changed).toBe("M documents/east/rules.yaml\n M documents/west/rules.yaml");
  });

  it("edits nothing if one target refuses", async () => {
    const needed =
      "target: east\nscope: vsys1\nassert:\n  - name: web\n    verdict: allow\n    some: true\n    to: [servers]\n    source: [10.1.0.5]\n    service: [tcp/443]\n    application: [ssl]\n";
    world.file("documents/east/expect.yaml", needed).commit();
    const { code, out } = await world.run(`${REVOKE} --write`);
    expect(out).toContain("It contradicts assertion web");
    expect(code).toBe(3);
    expect(world.changed).toBe("");
  });

  it("is one proposal for all targets, and --scope needs a target", async () => {
    world.git("config", "user.email", "t@example.net");
    world.git("config", "user.name", "t");
    const { code, out } = await world.run(`${REVOKE} --propose --no-push`);
    expect(code).toBe(0);
    const [, branch = ""] = /proposed on branch (\S+)/.exec(out) ?? [];
    expect(world.git("diff", "--name-only", "HEAD", branch)).toBe("documents/east/rules.yaml\ndocuments/west/rules.yaml");
    expect(world.git("log", "-1", "--format=%B", branch)).toContain(
      "- west: remove rule open\n- east: remove 10.1.0.5 from source of rule open",
    );
    expect((await world.run(`${REVOKE} --scope vsys1`)).err).toContain("--scope and --choose are about one target.");
  });
});

describe("a path that is not certain", () => {
  it("through one of two firewalls with the same next hop is refused with both", async () => {
    const world = await PathWorld.start({ west: WEST, east: EAST, spare: EAST });
    const { code, out } = await world.run(`${FLOW} --write`);
    expect(out).toContain("Several paths are possible: west vsys1, east vsys1");
    expect(code).toBe(3);
    expect(world.changed).toBe("");
  });

  it("from an address that two tenants have is refused, until the target is named", async () => {
    const world = await PathWorld.start({ west: WEST, east: EAST, spare: { zones: { lab: "10.1.0.1/24" }, routes: {} } });
    const { code, out } = await world.run(`${FLOW} --write`);
    expect(out).toContain("Several targets have 10.1.0.5: west vsys1, spare vsys1. Write TARGET:10.1.0.5");
    expect(code).toBe(3);
    expect(world.changed).toBe("");
    const named = await world.run(FLOW.replace("--from ", "--from west:"));
    expect(named.out).toContain("+        - name: ");
    expect(named.code).toBe(2);
  });
});

/** A firewall refuses pushed rules with zones that it does not have, so both have all zones. */
const MANAGED = {
  west: { ...WEST, zones: { ...WEST.zones, servers: "10.3.0.1/24" } },
  east: { ...EAST, zones: { ...EAST.zones, clients: "10.4.0.1/24" } },
};

describe("a pre-rule of a manager on the path", () => {
  it("is answered by an edit on the manager, together with the edits of the firewalls", async () => {
    const world = await PathWorld.startManaged(MANAGED, NEVER);
    const named = await world.run(`${FLOW.replace("allow", "allow west")}`);
    expect(named.out).toContain('Rule "never" of device-group/edge decides it before any rule of vsys1.');
    expect(named.out).toContain("Design it on the manager: `plumbline allow manager --scope device-group/edge`.");
    expect(named.code).toBe(3);
    const { code, out } = await world.run(`${FLOW} --write`);
    expect(out).toMatch(/manager\n.*10\.1\.0\.5 \(clients\) > 10\.2\.0\.9 \(core\)/);
    expect(out).toMatch(/\* 1 add rule \S+ above rule never in pre-rules of device-group\/edge/);
    expect(out).toContain("The edit reaches west when manager pushes it.");
    expect(out).toContain("written  documents/manager/rules.yaml");
    expect(code).toBe(0);
    world.commit();
    expect((await world.run("reconcile manager")).code).toBe(0);
    const unpushed = await world.run(FLOW);
    expect([unpushed.code, unpushed.out]).toEqual([
      2,
      expect.stringContaining("The rules of manager allow the flow, but west does not have them"),
    ]);
    world.push();
    const again = await world.run(FLOW);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("already allowed")]);
  });
});

it("a manager whose group no longer has a firewall does not answer for it", async () => {
  const world = await PathWorld.startManaged(MANAGED, NEVER);
  const group = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='edge']";
  const manager = world.labs.get("manager")?.device;
  const xpath = `${group}/devices/entry[@name='007000000000001']`;
  expect(manager?.act("plumbline", { type: "config", action: "delete", xpath })).toMatchObject({ status: "success" });
  expect(manager?.act("plumbline", { type: "commit", cmd: "<commit/>" })).toMatchObject({ status: "success" });
  const { code, out } = await world.run(`${FLOW} --write`);
  expect(out).toContain("manager pushes no rules of device-group/edge to firewall 007000000000001.");
  expect(code).toBe(3);
  expect(world.changed).toBe("");
});

it("a flow that a rule of a manager allows is revoked on the manager", async () => {
  const world = await PathWorld.startManaged(MANAGED, NEVER.replace("never", "open").replace("deny", "allow"));
  const { code, out } = await world.run("revoke --from 10.1.0.5 --to 10.2.0.9 --service tcp/443 --reason CHG-2 --write");
  expect(out).toContain("Design it on the manager: `plumbline revoke manager --scope device-group/edge`.");
  expect(code).toBe(3);
  expect(world.changed).toBe("");
});

describe("a cloud on the path", () => {
  it("that stops the flow is edited together with the firewalls, also to close it again", async () => {
    const cloud = await startOpenstackLab({ ports: "free", compute: { buildDuration: 0, deleteDuration: 0 } });
    afterTest(() => cloud.close());
    const target = `  cloud: { kind: openstack, url: "${cloud.authUrl}", project: { name: demo, domain: Default }, credentials: { username: demo, userDomain: Default, password: "\${env:CLOUD_PASSWORD}" }, mode: enforce }\n`;
    const world = await PathWorld.start({ west: WEST, east: EAST }, target);
    world.environment.CLOUD_PASSWORD = "secret";
    const servers = (port: number) => `target: cloud
scope: project
config:
  networks:
    servers: { subnets: { servers-a: { cidr: 10.2.0.0/24, gateway_ip: 10.2.0.1 } } }
  security_groups:
    web: { rules: [{ direction: ingress, protocol: tcp, port_range_min: ${port}, port_range_max: ${port}, remote_ip_prefix: 0.0.0.0/0 }] }
  servers:
    web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: servers, fixed_ip: 10.2.0.9 }], security_groups: [web] }
`;
    world.file("documents/cloud/cloud.yaml", servers(80)).commit();
    expect((await world.run("reconcile cloud")).code).toBe(0);
    const line = FLOW.replace("10.2.0.9", "web-1");
    const { code, out } = await world.run(`${line} --write`);
    expect(out).toContain("* 1 add ingress tcp/443 from 10.1.0.5/32 to security group web");
    expect(out).toContain("written  documents/west/rules.yaml, documents/east/rules.yaml, documents/cloud/cloud.yaml");
    expect(code).toBe(0);
    world.commit();
    expect((await world.run("reconcile")).code).toBe(0);
    const closed = await world.run(`revoke${line.slice("allow".length)} --write`);
    expect(closed.out).toContain("remove ingress tcp/443 from 10.1.0.5/32 from security group web");
    expect(closed.out).toContain("documents/cloud/cloud.yaml");
    expect(closed.code).toBe(0);
    world.commit();
    expect((await world.run("reconcile")).code).toBe(0);
    world.file("documents/cloud/cloud.yaml", servers(443)).commit();
    expect((await world.run("reconcile cloud")).code).toBe(0);
    expect((await world.run(`${line} --write`)).out).toContain("written  documents/west/rules.yaml, documents/east/rules.yaml");
  });
});

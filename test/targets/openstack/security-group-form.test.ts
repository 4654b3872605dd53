import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const BASE = `networks:
  n: { subnets: { s: { cidr: 10.9.1.0/24 } } }
  bare: { port_security_enabled: false, subnets: { t: { cidr: 10.9.2.0/24 } } }
security_groups: { front: {}, back: {} }
`;
const config = (vip: string, networks: string, more: string) =>
  `${BASE}ports: { vip: { network: n${vip} } }
servers: { web: { image: cirros, flavor: m1.tiny, saveTo: web.password, ${networks}${more} } }`;
const VIP = "networks: [{ port: vip }]";
const FRONT = ", security_groups: [front]";
const TOLD = `"web" has no interface for its security_groups: declared ports have their own. Declare them in security_groups of "vip", and remove them here.`;

const told = ({ plan }: TargetOutcome) => plan?.refusals.map(({ guard, path, message }) => `${guard} ${path}: ${message}`);
const changed = ({ plan }: TargetOutcome) => plan?.changes.map(({ kind, path }) => `${kind} ${path}`);
const SERVER = "/openstack/servers/entry[@name='web']";

function portsOf({ lab }: CloudWorld) {
  return lab.world.network.all("port").filter(({ device_owner }) => device_owner.startsWith("compute"));
}

describe("security_groups of a server on declared ports", () => {
  it("are reported before the server, which waits, and the rest is created", async () => {
    const world = (await CloudWorld.start()).want(config(", security_groups: [back]", VIP, FRONT));
    const planned = await world.plan();
    expect(told(planned)).toEqual([`unfit ${SERVER}: ${TOLD}`]);
    expect(exitCode([planned])).toBe(3);
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect([world.lab.world.network.all("port").flatMap(({ name }) => name || []), portsOf(world)]).toEqual([["vip"], []]);
    await world.want(config(FRONT, VIP, FRONT)).reconciled();
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("of an existing server are not planned, in later runs either, and everything else is", async () => {
    const world = (await CloudWorld.start()).want(config(", security_groups: [back]", VIP, ""));
    await world.reconciled();
    world.want(config(", security_groups: [back]", VIP, `${FRONT}, description: d`));
    for (const changes of [[`differs ${SERVER}/description`], []]) {
      const outcome = await world.reconcile();
      expect([told(outcome), changed(outcome)]).toEqual([[`unfit ${SERVER}/security_groups: ${TOLD}`], changes]);
      expect([outcome.error?.code, exitCode([outcome])]).toEqual(["plan-refused", 3]);
    }
    expect(exitCode([await world.drift()])).toBe(3);
  });

  it("follow those of the ports if both are equal, and are reported once they differ", async () => {
    const world = (await CloudWorld.start()).want(config(FRONT, VIP, FRONT));
    await world.reconciled();
    await world.want(config(FRONT.replace("front", "back"), VIP, FRONT.replace("front", "back"))).reconciled();
    expect(exitCode([await world.plan()])).toBe(0);
    const [{ id } = { id: "" }] = portsOf(world);
    world.act("PUT", `/v2.0/ports/${id}`, { port: { security_groups: [] } });
    expect(changed(await world.plan())).toEqual(["missing /openstack/ports/entry[@name='vip']/security_groups"]);
    await world.reconciled();
    world.want(config(FRONT, VIP, FRONT.replace("front", "back")));
    expect(told(await world.plan())).toEqual([`unfit ${SERVER}/security_groups: ${TOLD}`]);
    world.want(config("", VIP, FRONT.replace("front", "back")));
    const left = await world.plan();
    expect(changed(left)).toEqual(["differs /openstack/ports/entry[@name='vip']/security_groups"]);
    expect(told(left)).toEqual([`unfit ${SERVER}/security_groups: ${TOLD}`]);
  });

  it("are applied once it gets an interface of its own, and reported when the last one is removed", async () => {
    const world = (await CloudWorld.start()).want(config("", VIP, ""));
    await world.reconciled();
    await world.want(config("", "networks: [{ port: vip }, { network: n }]", FRONT)).reconciled();
    const groups = portsOf(world).flatMap(({ name, security_groups }) => (name === "" ? [security_groups.length] : []));
    expect([groups, exitCode([await world.plan()])]).toEqual([[1], 0]);
    world.want(config("", VIP, `${FRONT}, $down: true`));
    expect(told(await world.plan())).toEqual([`unfit ${SERVER}/security_groups: ${TOLD}`]);
  });
});

describe("security_groups of a server without a suitable interface", () => {
  it("are reported if it lost its only one and no document declares networks", async () => {
    const world = (await CloudWorld.start()).want(config("", "networks: [{ network: n }]", FRONT));
    await world.reconciled();
    world.want(config("", "description: d", FRONT));
    expect(exitCode([await world.plan()])).toBe(2);
    const [{ id } = { id: "" }] = portsOf(world);
    world.act("DELETE", `/v2.0/ports/${id}`);
    const outcome = await world.reconcile();
    expect(told(outcome)).toEqual([
      `unfit ${SERVER}/security_groups: "web" has no interface for its security_groups. Declare its networks, or remove security_groups.`,
    ]);
    expect(outcome.error?.code).toBe("plan-refused");
  });

  it("are reported if its interfaces have no port security", async () => {
    const world = (await CloudWorld.start()).want(config("", "networks: [{ network: bare }]", ""));
    await world.reconciled();
    world.want(config("", "networks: [{ network: bare }]", FRONT));
    const outcome = await world.reconcile();
    expect(told(outcome)).toEqual([
      `unfit ${SERVER}/security_groups: "web" has no port security on its interfaces, so security_groups has no effect. Remove it.`,
    ]);
    expect(outcome.error?.code).toBe("plan-refused");
  });

  it("are reported if the planned interface will have no port security", async () => {
    const world = (await CloudWorld.start()).want(config("", VIP, ""));
    await world.reconciled();
    world.want(config("", "networks: [{ port: vip }, { network: bare }]", FRONT));
    expect(told(await world.plan())).toEqual([`unfit ${SERVER}/security_groups: ${TOLD}`]);
    world.want(config("", "networks: [{ network: bare }]", `${FRONT}, $replace: true`).replace("web:", "app:"));
    expect(told(await world.plan())).toEqual([expect.stringMatching(/^unfit .*'app'\]: "app" has no port security/)]);
  });

  it("are accepted if ignored", async () => {
    const world = (await CloudWorld.start()).want(config("", VIP, ""));
    await world.reconciled();
    const ignored = `target: cloud
scope: project
ignore: [{ path: "servers/entry[@name='web']/security_groups", owner: them, reason: theirs }]
config:
${config("", VIP, FRONT).replace(/^/gm, "  ")}
`;
    expect(told(await world.wantText(ignored).plan())).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const web = (flavor: string, more = "$down: true") =>
  `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }
servers: { web: { image: cirros, flavor: ${flavor}, networks: [{ network: n }], saveTo: web.password, ${more} } }`;

function live(world: CloudWorld) {
  const [found, ...others] = world.lab.world.compute.servers(undefined, true).filter((each) => each.name === "web");
  if (found === undefined || others.length > 0) throw new Error(`${others.length} servers beside ${found?.id}`);
  return { ...found, flavor: found.flavor.name };
}

async function made(more?: string): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(web("m1.tiny", more));
  await world.reconciled();
  return world;
}

const act = (world: CloudWorld, body: object, user = "demo") => {
  const { status } = world.act("POST", `/v2.1/servers/${live(world).id}/action`, body, user);
  expect(status).toBeLessThan(300);
};

/** Action requests for the server, without those of others. */
const writes = (world: CloudWorld, since: number) => world.writesSince(since).filter((words) => words.endsWith("/action")).length;

const changes = async (world: CloudWorld) => (await world.plan()).plan?.changes.map(({ kind, path }) => `${kind} ${path.tag}`);
const SMALL = { resize: { flavorRef: "2" } };

describe("a server's flavor", () => {
  it("is changed by resize and its confirmation, in one run, and the plan reports it", async () => {
    const world = await made();
    const { id } = live(world);
    world.want(web("m1.small"));
    const { plan } = await world.plan();
    expect(plan?.findings).toMatchObject([{ kind: "down", message: expect.stringContaining("by resize: it is unchanged, and is down") }]);
    expect(plan?.refusals).toEqual([]);
    const since = world.lab.journal.length;
    const said: string[] = [];
    await world.reconciled({ progress: (_target, text) => said.push(text) });
    expect(said).toEqual(expect.arrayContaining(["making, job web resize_prep", "making, job web VERIFY_RESIZE"]));
    expect(live(world)).toMatchObject({ id, flavor: "m1.small", vmState: "active" });
    expect(writes(world, since)).toBe(2);
    expect(await changes(world)).toEqual([]);
    expect(world.lab.world.compute.used(live(world).projectId)).toMatchObject({ ram: 2048, instances: 1 });
  });

  it("is refused by guard down if neither the document nor the run permits it", async () => {
    const world = await made("config_drive: false");
    world.want(web("m1.small", "config_drive: false"));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals).toMatchObject([{ guard: "down", allow: "--allow down" }]);
    await world.reconciled({ allow: new Map([["down", ""]]) });
    expect(live(world)).toMatchObject({ flavor: "m1.small" });
  });

  it("is that of a new server if the document requests it", async () => {
    const world = await made("$replace: true");
    const { id } = live(world);
    world.want(web("m1.small", "$replace: true"));
    const { plan } = await world.plan();
    expect(plan?.findings.map(({ kind }) => kind)).toEqual(["made-again"]);
    await world.reconciled();
    expect(live(world).flavor).toBe("m1.small");
    expect(live(world).id).not.toBe(id);
  });

  it("of a stopped server keeps it stopped, with tags, metadata and power set after it", async () => {
    const world = await made("$down: true, power: off");
    world.want(web("m1.small", "$down: true, power: off, tags: [a], metadata: { role: db }"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ flavor: "m1.small", vmState: "stopped", tags: ["a"], metadata: { role: "db" } });
    world.want(web("m1.medium", "$down: true, power: on, tags: [b]"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ flavor: "m1.medium", vmState: "active", tags: ["b"] });
    expect(await changes(world)).toEqual([]);
  });

  it.each(["before", "after"] as const)("is finished by the next run where one was killed %s its confirmation was sent", async (when) => {
    const world = await made();
    world.want(web("m1.small"));
    world.death = { atWrite: 2, when };
    await world.reconcile();
    if (when === "before") expect(live(world)).toMatchObject({ vmState: "resized" });
    world.resurrect();
    if (when === "before") expect(await changes(world)).toEqual(["extra resizing"]);
    await world.reconciled();
    expect(live(world)).toMatchObject({ flavor: "m1.small", vmState: "active" });
    expect(await changes(world)).toEqual([]);
  });

  it("is completed by the next run if one was killed during it", async () => {
    const world = await made();
    world.want(web("m1.small"));
    world.death = { atWrite: 1, when: "after" };
    await world.reconcile();
    expect(live(world)).toMatchObject({ flavor: "m1.tiny", taskState: "resize_prep" });
    const since = world.lab.journal.length;
    await world.resurrect().reconciled();
    expect(writes(world, since)).toBe(1);
    expect(live(world)).toMatchObject({ flavor: "m1.small", vmState: "active" });
  });

  it("is requested once if the reply is lost", async () => {
    const world = await made();
    world.want(web("m1.small"));
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: { kind: "drop-reply" } });
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(writes(world, since)).toBe(2);
    expect(live(world)).toMatchObject({ flavor: "m1.small", vmState: "active" });
  });

  it("that ends in ERROR is reported with the service's text", async () => {
    const world = await made();
    world.want(web("m1.small"));
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: { kind: "server-fails", message: "No space left on host." } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("No space left on host.");
    expect((await world.plan()).plan?.refusals).toMatchObject([{ guard: "replace" }]);
  });

  it("that the host reverts (a smaller disk) is reported with the reason, at the line of the flavor", async () => {
    const world = (await CloudWorld.start()).want(web("m1.small"));
    await world.reconciled();
    world.want(web("m1.tiny"));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error).toMatchObject({
      message: expect.stringContaining("Unable to resize disk down."),
      where: { file: expect.stringContaining("project.yaml"), line: 5 },
    });
    expect(live(world)).toMatchObject({ flavor: "m1.small", vmState: "active" });
  });

  it("that exceeds a quota is reported, and does not block anything else", async () => {
    const world = await made();
    world.lab.world.compute.setLimits(live(world).projectId, { ram: 1000 });
    world.want(`${web("m1.small")}\nkeypairs: { k: { saveTo: k.pem } }`);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("Quota exceeded for ram: Requested 1536, but already used 512 of 1000 ram");
    expect(live(world)).toMatchObject({ flavor: "m1.tiny", vmState: "active" });
  });

  it("to which another user resizes it is neither confirmed nor reverted, but reported", async () => {
    const world = await made();
    world.clock.advance(1000);
    act(world, SMALL, "admin");
    world.clock.advance(5000);
    world.want(web("m1.small"));
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(1);
    expect(outcome.error?.message).toContain(`${world.lab.world.as("admin").userId} did that (req-`);
    expect(writes(world, since)).toBe(0);
    act(world, { confirmResize: null }, "admin");
    world.clock.advance(5000);
    expect(await changes(world)).toEqual([]);
  });

  it("that another user changes just before is left to them, and reported", async () => {
    const world = await made();
    world.want(web("m1.small"));
    const run = () => {
      world.clock.advance(1000);
      act(world, { resize: { flavorRef: "3" } }, "admin");
    };
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: { kind: "call", run } });
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("resize_prep");
    world.clock.advance(5000);
    const again = await world.reconcile();
    expect(exitCode([again])).toBe(1);
    expect(again.error?.message).toContain("did that");
    expect(live(world)).toMatchObject({ flavor: "m1.medium", vmState: "resized" });
  });

  it("that another user confirms just before is as desired, and a revert is reported", async () => {
    const world = await made();
    world.want(web("m1.small"));
    const first = (body: object) => () => act(world, body);
    const confirmation = { method: "POST", path: "/action", body: "confirmResize" };
    world.lab.fault({ match: confirmation, effect: { kind: "call", run: first({ confirmResize: null }) } });
    await world.reconciled();
    expect(live(world)).toMatchObject({ flavor: "m1.small", vmState: "active" });
    world.want(web("m1.medium"));
    world.lab.fault({ match: confirmation, effect: { kind: "call", run: first({ revertResize: null }) } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("is not resized to m1.medium");
    expect(live(world)).toMatchObject({ flavor: "m1.small" });
  });

  it("of many servers is waited for once", async () => {
    const world = await CloudWorld.start();
    const many = (flavor: string) => `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }
servers: { w: { $count: 5, $down: true, image: cirros, flavor: ${flavor}, networks: [{ network: n }] } }`;
    world.lab.world.compute.setLimits(world.lab.world.as("demo").projectId ?? "", { ram: -1, cores: -1, instances: -1 });
    world.want(many("m1.tiny"));
    await world.reconciled();
    world.lab.world.compute.resizeDuration = 60_000;
    world.want(many("m1.small"));
    const from = world.clock.now();
    await world.reconciled();
    expect(world.clock.now() - from).toBeLessThan(100_000);
    expect(world.lab.world.compute.servers(undefined, true).map(({ flavor }) => flavor.name)).toEqual(Array(5).fill("m1.small"));
  });

  it("is not requested while a list omits the server", async () => {
    const world = await made();
    world.want(web("m1.small"));
    world.lab.fault({ match: { method: "GET", path: "/servers/detail" }, effect: { kind: "leave-out", text: live(world).id }, count: 9 });
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(writes(world, since)).toBe(0);
    expect(live(world)).toMatchObject({ flavor: "m1.tiny" });
  });
});

import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { declarablePart } from "../../../src/import/declarable.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { openstackKind } from "../../../src/targets/openstack/kind.js";
import { CloudWorld } from "./cloud-world.js";

const server = (more: string, name = "web") =>
  `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }
servers: { ${name}: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], saveTo: ${name}.password${more === "" ? "" : `, ${more}`} } }`;

function live(world: CloudWorld, name = "web") {
  const [found, ...others] = world.lab.world.compute.servers(undefined, true).filter((each) => each.name === name);
  if (found === undefined || others.length > 0) throw new Error(`${others.length} servers beside ${found?.id}`);
  return found;
}

const action = (world: CloudWorld, body: object, user = "demo") => {
  expect(world.act("POST", `/v2.1/servers/${live(world).id}/action`, body, user).status).toBe(202);
  world.clock.advance(5000);
};

/** Another user's request, sent right before the first matching one of Plumbline. */
const before = (world: CloudWorld, match: object, path: string, body: object | undefined, method = "POST") =>
  world.lab.fault({ match, effect: { kind: "act", act: { service: "compute", method, path, user: "demo", body: body as never } } });

const changes = async (world: CloudWorld) => (await world.plan()).plan?.changes.map(({ kind, path }) => `${kind} ${path.tag}`);

describe("a server's description and tags", () => {
  it("are set with its create, and changed in place", async () => {
    const world = (await CloudWorld.start()).want(server("description: front, tags: [a, b]"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ description: "front", tags: ["a", "b"] });
    expect(await changes(world)).toEqual([]);
    const { id } = live(world);
    world.want(server("description: back, tags: [b, c]"));
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(live(world)).toMatchObject({ id, description: "back", tags: ["b", "c"] });
    const [put, ...others] = world.writesSince(since).map((words) => words.replace("/v2.1/servers/ID", ""));
    expect([put, ...others]).toEqual(["PUT ", "DELETE /tags/a", "PUT /tags/c"]);
    expect(await changes(world)).toEqual([]);
  });

  it("are ignored if not declared, and emptied if declared empty", async () => {
    const world = (await CloudWorld.start()).want(server(""));
    await world.reconciled();
    expect(live(world).description).toBe("web");
    live(world).tags = ["theirs"];
    expect(await changes(world)).toEqual([]);
    world.want(server('description: ""'));
    expect(await changes(world)).toEqual(["differs description"]);
    await world.reconciled();
    expect(live(world)).toMatchObject({ description: null, tags: ["theirs"] });
    expect(await changes(world)).toEqual([]);
  });

  it("keep a tag that another user adds just before", async () => {
    const world = (await CloudWorld.start()).want(server("tags: [a]"));
    await world.reconciled();
    world.want(server("tags: [c]"));
    const run = () => {
      live(world).tags = ["a", "theirs"];
    };
    world.lab.fault({ match: { method: "DELETE", path: "/tags/a" }, effect: { kind: "call", run } });
    await world.reconcile();
    expect(live(world).tags).toEqual(["theirs", "c"]);
    expect(await changes(world)).toEqual(["differs tags"]);
  });

  it("are reported as unsupported by an old service, which is read anyway", async () => {
    const world = (await CloudWorld.start()).want(server(""));
    await world.reconciled();
    const old = { kind: "refuse", status: 406, type: "computeFault", message: "Version 2.26 is not supported by the API." } as const;
    world.lab.fault({ match: { path: "/v2.1/servers" }, effect: old });
    expect(await changes(world)).toEqual([]);
    world.lab.fault({ match: { method: "GET", path: "/v2.1/servers" }, effect: old, count: 2 });
    world.lab.fault({ match: { method: "PUT", path: "/tags/" }, effect: old });
    world.want(server("tags: [a]"));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(1);
    expect(outcome.error?.message).toContain("2.26");
  });
});

describe("a server's power", () => {
  it("is off from the first run on if declared, and follows the document", async () => {
    const world = (await CloudWorld.start()).want(server("power: off"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ vmState: "stopped", taskState: null });
    expect(await changes(world)).toEqual([]);
    const { id } = live(world);
    world.want(server("power: on"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ id, vmState: "active" });
    expect(await changes(world)).toEqual([]);
  });

  it("is off also if the run that created the server was killed before it stopped it", async () => {
    const world = (await CloudWorld.start()).want(server("power: off, tags: [a]"));
    world.death = { atWrite: 7, when: "after" };
    await world.reconcile();
    expect(live(world)).toMatchObject({ tags: ["a"] });
    world.clock.advance(5000);
    await world.resurrect().reconciled();
    expect(live(world).vmState).toBe("stopped");
    expect(await changes(world)).toEqual([]);
  });

  it("is ignored if not declared, also for one that Plumbline stopped", async () => {
    const world = (await CloudWorld.start()).want(server("power: off"));
    await world.reconciled();
    world.want(server(""));
    expect(await changes(world)).toEqual([]);
    action(world, { "os-start": null });
    expect(await changes(world)).toEqual([]);
  });

  it("is not imported, while description and tags are", () => {
    const leaves = "<description>d</description><tags><member>t</member></tags><power>on</power>";
    const live = parseXml(`<openstack><servers><entry name='web'>${leaves}</entry></servers></openstack>`);
    const [web] = declarablePart(live, openstackKind, "netops").tree.children[0]?.children ?? [];
    expect(web?.children.map(({ tag }) => tag)).toEqual(["description", "tags"]);
  });

  it("that was switched manually is drift with its author, and is restored", async () => {
    const world = (await CloudWorld.start()).want(server("power: on"));
    await world.reconciled();
    action(world, { "os-stop": null }, "admin");
    const [item, ...others] = (await world.drift()).drift?.items ?? [];
    expect(item?.attribution).toMatchObject({ admin: world.lab.world.as("admin").userId, request: expect.stringMatching(/^req-/) });
    expect(others).toEqual([]);
    await world.reconciled();
    expect(live(world).vmState).toBe("active");
  });

  it("of a locked server is reported, and kept", async () => {
    const world = (await CloudWorld.start()).want(server("power: on"));
    await world.reconciled();
    action(world, { lock: null });
    world.want(server("power: off"));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(1);
    expect(outcome.error?.message).toContain("is locked");
    expect(live(world).vmState).toBe("active");
    action(world, { unlock: null });
    await world.reconciled();
    expect(live(world).vmState).toBe("stopped");
  });

  it("of a paused server is reported, and kept", async () => {
    const world = (await CloudWorld.start()).want(server("power: on"));
    await world.reconciled();
    action(world, { pause: null });
    expect(await changes(world)).toEqual(["differs power"]);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(1);
    expect(outcome.error?.message).toContain("vm_state paused");
    expect(live(world).vmState).toBe("paused");
  });

  it("of a server that another user is stopping is waited for, and not requested again", async () => {
    const world = (await CloudWorld.start()).want(server("power: on"));
    await world.reconciled();
    world.want(server("power: off"));
    world.act("POST", `/v2.1/servers/${live(world).id}/action`, { "os-stop": null });
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(world.writesSince(since)).toEqual([]);
    expect(live(world).vmState).toBe("stopped");
  });

  it("is requested once if the reply is lost", async () => {
    const world = (await CloudWorld.start()).want(server("power: on"));
    await world.reconciled();
    world.want(server("power: off"));
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: { kind: "drop-reply" } });
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(world.writesSince(since)).toHaveLength(1);
    expect(live(world).vmState).toBe("stopped");
  });

  it("that is immediately reverted is reported, without a fight", async () => {
    const world = (await CloudWorld.start()).want(server("power: on"));
    await world.reconciled();
    const { compute } = world.lab.world;
    compute.actionDuration = 0;
    world.want(server("power: off"));
    before(world, { method: "GET", path: `/servers/${live(world).id}`, nth: 2 }, `/v2.1/servers/${live(world).id}/action`, {
      "os-start": null,
    });
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("is not stopped");
    expect(exitCode([outcome])).toBe(4);
    // Theirs is the other one.
    expect(world.writesSince(since)).toHaveLength(2);
  });
});

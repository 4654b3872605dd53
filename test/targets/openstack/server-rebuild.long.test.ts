import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const web = (image: string, more = "$rebuild: true") =>
  `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }
ports: { p: { network: n } }
servers: { web: { image: ${image}, flavor: m1.tiny, networks: [{ port: p }], ${more} } }`;

function live({ lab }: CloudWorld) {
  const { compute, images } = lab.world;
  const [found, ...others] = compute.servers(undefined, true).filter((each) => each.name === "web");
  if (found === undefined || others.length > 0) throw new Error(`${others.length} servers beside ${found?.id}`);
  return { ...found, image: images.get(found.imageId ?? "", found.projectId, true)?.name };
}

async function made(more?: string): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(web("cirros", more));
  const admin = world.lab.world.as("admin").projectId ?? "";
  world.lab.world.images.add("second", admin);
  world.lab.world.images.add("large", admin, { min_disk: 900 });
  world.lab.world.images.add("foreign", admin, { hw_architecture: "ppc64" });
  await world.reconciled();
  return world;
}

const act = (world: CloudWorld, body: object, user = "demo") => {
  const { status } = world.act("POST", `/v2.1/servers/${live(world).id}/action`, body, user);
  expect(status).toBeLessThan(300);
};

const idOf = ({ lab }: CloudWorld, image: string) => lab.world.images.visible(undefined, true).find(({ name }) => name === image)?.id ?? "";

/** Action requests for the server, without those of others. */
const writes = (world: CloudWorld, since: number) => world.writesSince(since).filter((words) => words.endsWith("/action")).length;

const changes = async (world: CloudWorld) => (await world.plan()).plan?.changes.map(({ kind, path }) => `${kind} ${path.tag}`);

const told = ({ error, plan }: TargetOutcome) =>
  [error?.message, error?.next, ...(plan?.refusals ?? []).map(({ message }) => message)].join("\n");

describe("a server's image", () => {
  it("is exchanged by rebuild if the document permits it; id, port and address stay, and the plan lists the loss", async () => {
    const world = await made();
    const { id, ...before } = live(world);
    const [port] = world.lab.world.network.ports.ofDevice(id);
    world.want(web("second"));
    const { plan } = await world.plan();
    expect(plan?.findings).toMatchObject([
      {
        kind: "down",
        message:
          '"image" of "web" is changed by rebuild: it keeps its id, ports and volumes, and loses the content of its root disk, and is down in the meantime.',
      },
    ]);
    expect(plan?.refusals).toEqual([]);
    const since = world.lab.journal.length;
    const said: string[] = [];
    await world.reconciled({ progress: (_target, text) => said.push(text) });
    expect(said).toContain("making, job web rebuilding");
    const metadata = { ...before.metadata, plumbline_image: expect.stringMatching(/ second$/) };
    expect(live(world)).toMatchObject({ id, image: "second", vmState: "active", metadata });
    expect(world.lab.world.network.ports.ofDevice(id)).toEqual([port]);
    expect(writes(world, since)).toBe(1);
    expect(await changes(world)).toEqual([]);
  });

  it("is noted by the next change of a server that an earlier version created", async () => {
    const world = await made("");
    const note = live(world).metadata.plumbline_image;
    expect(world.act("DELETE", `/v2.1/servers/${live(world).id}/metadata/plumbline_image`).status).toBe(204);
    expect(live(world).metadata).not.toHaveProperty("plumbline_image");
    world.want(web("cirros", "description: noted"));
    await world.reconciled();
    expect(live(world).metadata.plumbline_image).toBe(note);
    expect(await changes(world)).toEqual([]);
  });

  it("is not noted on a server of which only a part is managed", async () => {
    const world = await CloudWorld.start();
    const network = world.lab.world.network.all("network").find(({ name }) => name === "private");
    const server = { name: "web", imageRef: idOf(world, "cirros"), flavorRef: "1", networks: [{ uuid: network?.id }] };
    expect(world.act("POST", "/v2.1/servers", { server }).status).toBe(202);
    world.want("servers: { web: { $partial: true, description: ours } }");
    await world.reconciled();
    expect(live(world)).toMatchObject({ description: "ours" });
    expect(live(world).metadata).not.toHaveProperty("plumbline_image");
  });

  it("is refused without that directive, which is named next to $replace", async () => {
    const world = await made("$down: true");
    world.want(web("second", "$down: true"));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals).toMatchObject([{ guard: "replace" }]);
    expect(told(refused)).toContain("$rebuild: true replaces it in place, and the content of the root disk is lost");
    expect(live(world).image).toBe("cirros");
  });

  it("is that of a new server if another field requires a replacement, too", async () => {
    const world = await made("$rebuild: true, $replace: true");
    const { id } = live(world);
    world.want(web("second", "$rebuild: true, $replace: true"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ id, image: "second" });
    world.want(web("cirros", "$rebuild: true, $replace: true, key_name: k").concat("\nkeypairs: { k: { saveTo: k.pem } }"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ image: "cirros", keyName: "k" });
    expect(live(world).id).not.toBe(id);
  });

  it("of a stopped server keeps it stopped, with other changes after it and a resize before", async () => {
    const world = await made("$rebuild: true, power: off");
    world.want(web("second", "$rebuild: true, power: off, tags: [a], metadata: { role: db }"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ image: "second", vmState: "stopped", tags: ["a"], metadata: { role: "db" } });
    const { id } = live(world);
    world.want(web("cirros", "$rebuild: true, $down: true, power: on").replace("m1.tiny", "m1.small"));
    await world.reconciled();
    expect(live(world)).toMatchObject({ id, image: "cirros", vmState: "active", flavor: { name: "m1.small" } });
    expect(await changes(world)).toEqual([]);
  });

  it("is not in sync during a rebuild that a killed run started: the next one waits for it", async () => {
    const world = await made();
    world.want(web("second"));
    world.death = { atWrite: 1, when: "after" };
    await world.reconcile();
    world.resurrect();
    expect(live(world)).toMatchObject({ image: "second", taskState: "rebuilding" });
    expect(await changes(world)).toEqual(["extra rebuilding"]);
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(writes(world, since)).toBe(0);
    expect(live(world)).toMatchObject({ image: "second", vmState: "active", taskState: null });
    expect(await changes(world)).toEqual([]);
  });

  it("is exchanged after the attachment and detachment of its volumes", async () => {
    const world = await made();
    const data = "\nvolumes: { data: { size: 1 } }";
    world.want(web("second", "$rebuild: true, volumes: [data]") + data);
    await world.reconciled();
    expect(live(world)).toMatchObject({ image: "second", vmState: "active", volumes: [{}] });
    world.want(
      web("cirros", "$rebuild: true, $down: true, volumes: []").replace(", volumes: []", ", volumes: { $exclude: [data] }") + data,
    );
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(live(world)).toMatchObject({ image: "cirros", vmState: "active", volumes: [] });
    const sent = world.writesSince(since).map((words) => words.split("/").at(-2));
    expect(sent.indexOf("os-volume_attachments")).toBeLessThan(sent.indexOf("ID"));
    expect(await changes(world)).toEqual([]);
  });

  it("that another user exchanges just before is left to them, reported, and fixed by the next run", async () => {
    const world = await made();
    world.want(web("second"));
    const run = () => act(world, { rebuild: { imageRef: idOf(world, "cirros") } }, "admin");
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: { kind: "call", run } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).not.toBe(0);
    expect(told(outcome)).toContain("task_state rebuilding");
    await world.reconciled();
    expect(live(world).image).toBe("second");
  });

  it("is requested once if the reply is lost", async () => {
    const world = await made();
    world.want(web("second"));
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: { kind: "drop-reply" } });
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(writes(world, since)).toBe(1);
    expect(live(world)).toMatchObject({ image: "second", vmState: "active" });
  });

  it("of a rebuild that ended in ERROR is reported with the service's text, and rebuilt again by the next run", async () => {
    const world = await made();
    const { id } = live(world);
    world.want(web("second"));
    const fails = { kind: "server-fails", message: "No space left on host." } as const;
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: fails, count: 2 });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(told(outcome)).toContain("is not rebuilt on second: its status is ERROR: No space left on host.");
    const drifted = (await world.drift()).drift?.items.map(
      ({ change }) => change.kind === "differs" && `${change.path.tag} ${change.before.text}`,
    );
    expect(drifted).toEqual(["image second, after a rebuild that failed: No space left on host."]);
    const { plan } = await world.plan();
    expect([plan?.refusals, plan?.findings]).toMatchObject([
      [],
      [{ kind: "down", message: expect.stringContaining("loses the content of its root") }],
    ]);
    expect(exitCode([await world.reconcile()])).toBe(4);
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(writes(world, since)).toBe(1);
    expect(live(world)).toMatchObject({ id, image: "second", vmState: "active" });
    expect(await changes(world)).toEqual([]);
  });

  it("of another user's rebuild that ended in ERROR requires that directive, and continues from a new clone", async () => {
    const world = await made("description: ours");
    const { id } = live(world);
    act(world, { rebuild: { imageRef: idOf(world, "foreign") } });
    world.clock.advance(5000);
    const since = world.lab.journal.length;
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(told(refused)).toContain('"image" of "web", which is "foreign, after a rebuild that failed: No valid host was found.');
    expect(told(refused)).toContain("$rebuild: true replaces it in place");
    expect(writes(world, since)).toBe(0);
    world.want(web("cirros"));
    await world.cloneAnew().reconciled();
    expect(live(world)).toMatchObject({ id, image: "cirros", vmState: "active" });
  });

  it("of a server in ERROR for another reason, after a successful rebuild, is not rebuilt over its disk", async () => {
    const world = await made();
    world.want(web("second"));
    await world.reconciled();
    act(world, { "os-resetState": { state: "error" } }, "admin");
    const since = world.lab.journal.length;
    const refused = await world.reconcile();
    expect(refused.plan?.refusals).toMatchObject([
      { guard: "replace", message: expect.stringContaining('"web" has an undeclared part that cannot be removed (fault: ERROR)') },
    ]);
    expect(writes(world, since)).toBe(0);
    act(world, { "os-resetState": { state: "active" } }, "admin");
    expect(await changes(world)).toEqual([]);
  });

  it("whose rebuild failed, with an unknown author, is a failed server", async () => {
    const world = await made();
    world.want(web("second"));
    world.lab.fault({ match: { method: "POST", path: "/action" }, effect: { kind: "server-fails", message: "No space left on host." } });
    await world.reconcile();
    world.lab.fault({ match: { path: "os-instance-actions" }, effect: { kind: "status", status: 403 }, count: 9 });
    expect((await world.plan()).plan?.refusals).toMatchObject([
      { guard: "replace", message: expect.stringContaining("(fault: No space left on host.)") },
    ]);
  });

  it("that does not fit, does not exist, or is for a locked server is reported, and nothing is sent twice", async () => {
    const world = await made();
    world.want(web("large"));
    expect(told(await world.reconcile())).toContain("Flavor's disk is smaller than the minimum size");
    world.want(web("nowhere"));
    expect(told(await world.reconcile())).toContain('there is no image called "nowhere"');
    act(world, { lock: null }, "admin");
    world.want(web("second"));
    expect(told(await world.reconcile())).toContain("The server is locked");
    expect(live(world)).toMatchObject({ image: "cirros", vmState: "active" });
  });

  it("that another user exchanged is drift with its author, and is restored by rebuild", async () => {
    const world = await made();
    world.clock.advance(1000);
    act(world, { rebuild: { imageRef: idOf(world, "second") } }, "admin");
    world.clock.advance(5000);
    const { drift } = await world.drift();
    expect(drift?.items.map(({ change, attribution }) => `${change.path.tag} ${attribution?.admin}`)).toEqual([
      `image ${world.lab.world.as("admin").userId}`,
    ]);
    await world.reconciled();
    expect(live(world).image).toBe("cirros");
  });

  it("is the volume's if it boots from one: refused before a request", async () => {
    const disk = "volumes: { root: { size: 2, image: cirros } }\n";
    const world = (await CloudWorld.start()).want(`${disk}${web("x").replace("image: x", "boot_volume: root")}`);
    await world.reconciled();
    const since = world.lab.journal.length;
    world.want(`${disk}${web("cirros")}`);
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(told(refused)).toContain("a rebuild gives another one, never the first");
    expect(world.writesSince(since)).toEqual([]);
  });
});

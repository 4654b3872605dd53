import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { wholeServerNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const web = (more: string) =>
  `networks: { n: { subnets: { s: { cidr: 192.0.2.0/24 } } } }\nservers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], ${more} } }`;

onEachCloud("a server that changes in place", (open) => {
  it("has description, tags and power as declared, keeps its id, and a manual stop is reported with its author", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(web("description: front, tags: [a, b], power: off")) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const before = await wholeServerNamed(rig.user, "web");
    expect(before).toMatchObject({ description: "front", status: "SHUTOFF", tags: expect.arrayContaining(["a", "b"]) });
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });

    repository.declare(web("description: back, tags: [b, c], power: on"));
    const changed = await repository.plumbline("reconcile");
    expect(changed, changed.err + changed.out).toMatchObject({ code: 0 });
    const after = await wholeServerNamed(rig.user, "web");
    expect(after).toMatchObject({ id: before.id, description: "back", status: "ACTIVE", tags: expect.arrayContaining(["b", "c"]) });
    expect(after.tags).toHaveLength(2);

    await rig.somebody.switchServer("web", "stop");
    await rig.somebody.tagServer("web", "theirs");
    const drift = await repository.plumbline("drift", "--format", "json");
    const { items } = JSON.parse(drift.out).targets[0].drift;
    const power = items.find(({ xpath }: { xpath: string }) => xpath.endsWith("/power"));
    expect(power.attribution).toMatchObject({ admin: rig.access.username, request: expect.stringMatching(/^req-/) });
    const healed = await repository.plumbline("reconcile");
    expect(healed, healed.err + healed.out).toMatchObject({ code: 0 });
    expect(await wholeServerNamed(rig.user, "web")).toMatchObject({ id: before.id, status: "ACTIVE" });
    expect((await wholeServerNamed(rig.user, "web")).tags).toHaveLength(2);
  });

  it("is unchanged while it is locked or paused, with a message", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(web("power: on")) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    await rig.somebody.switchServer("web", "lock");
    repository.declare(web("power: off"));
    const locked = await repository.plumbline("reconcile");
    expect(locked, locked.err + locked.out).toMatchObject({ code: 1, out: expect.stringContaining("is locked") });
    await rig.somebody.switchServer("web", "unlock");
    await rig.somebody.switchServer("web", "pause");
    const paused = await repository.plumbline("reconcile");
    expect(paused, paused.err + paused.out).toMatchObject({ code: 1, out: expect.stringContaining("vm_state paused") });
    expect(await wholeServerNamed(rig.user, "web")).toMatchObject({ status: "PAUSED" });
    await rig.somebody.switchServer("web", "unpause");
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await wholeServerNamed(rig.user, "web")).toMatchObject({ status: "SHUTOFF" });
  });

  it("is resized and confirmed if the document permits the interruption, and keeps its id and addresses", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(web("power: off")) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const before = await wholeServerNamed(rig.user, "web");
    repository.declare(web("power: off").replace("m1.tiny", "m1.small"));
    const held = await repository.plumbline("plan");
    expect(held, held.err + held.out).toMatchObject({ code: 3, out: expect.stringContaining("is down in the meantime") });
    repository.declare(web("power: off, tags: [big], $down: true").replace("m1.tiny", "m1.small"));
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    const after = await wholeServerNamed(rig.user, "web");
    expect(after).toMatchObject({ id: before.id, status: "SHUTOFF", flavor: { id: "2" }, tags: ["big"] });
    expect(after.addresses).toEqual(before.addresses);
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });

    await rig.somebody.resizeServer("web", "m1.medium");
    const drift = await repository.plumbline("drift", "--format", "json");
    const { items } = JSON.parse(drift.out).targets[0].drift;
    expect(items.map(({ xpath }: { xpath: string }) => xpath.replace(/^.*\//, "")).sort()).toEqual(["flavor", "resizing"]);
    for (const { attribution } of items) expect(attribution).toMatchObject({ admin: rig.access.username });
    // By Plumbline's own account, and outside the declarations: reported, not confirmed.
    const told = await repository.plumbline("reconcile");
    expect(told, told.err + told.out).toMatchObject({ code: 4, out: expect.stringContaining("VERIFY_RESIZE") });
    await rig.somebody.revertResize("web");
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
    expect(await wholeServerNamed(rig.user, "web")).toMatchObject({ id: before.id, flavor: { id: "2" } });
  });

  it("is rebuilt on another image if the document permits it, and keeps its id and addresses", async () => {
    const rig = await open();
    await rig.addImage("second");
    const repository = Repository.create(rig, { "cloud/main.yaml": document(web("")) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const before = await wholeServerNamed(rig.user, "web");
    repository.declare(web("").replace("cirros", "second"));
    const held = await repository.plumbline("plan");
    expect(held, held.err + held.out).toMatchObject({ code: 3, out: expect.stringContaining("$rebuild: true replaces it in place") });
    repository.declare(web("$rebuild: true, metadata: { role: db }").replace("cirros", "second"));
    const plan = await repository.plumbline("plan");
    expect(plan, plan.err + plan.out).toMatchObject({ code: 2, out: expect.stringContaining("loses the content of its root disk") });
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    const after = await wholeServerNamed(rig.user, "web");
    expect(after).toMatchObject({ id: before.id, status: "ACTIVE", addresses: before.addresses });
    expect([after.image.id === before.image.id, after.metadata.role]).toEqual([false, "db"]);
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
  });

  it("that waits for the confirmation of a declared resize gets it from the next run", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(web("$down: true")) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    await rig.somebody.resizeServer("web", "m1.small");
    repository.declare(web("$down: true").replace("m1.tiny", "m1.small"));
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await wholeServerNamed(rig.user, "web")).toMatchObject({ status: "ACTIVE", flavor: { id: "2" } });
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
  });

  it("is created from an image by its properties, a flavor by its size and a zone that is up", async () => {
    const rig = await open();
    await rig.addImage("ours", "x86_64");
    const chosen = (path: string) => `"\${cloud:${path}/@name}"`;
    const said = web(`availability_zone: ${chosen("availability_zones/entry[available='true']")}`)
      .replace("image: cirros", `image: ${chosen("images/entry[hw_architecture='x86_64']")}`)
      .replace("flavor: m1.tiny", `flavor: ${chosen("flavors/entry[ram='512'][vcpus='1']")}`);
    const repository = Repository.create(rig, { "cloud/main.yaml": document(said) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    expect(await wholeServerNamed(rig.user, "web")).toMatchObject({ status: "ACTIVE", flavor: { id: "1" } });
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
  });
});

import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { disksOf, serverNamed, volumeNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";
import type { Run } from "../harness/run.js";

const NETWORK = "networks: { n: { subnets: { s: { cidr: 192.0.2.0/24 } } } }";
const web = (more = "") => `${NETWORK}\nservers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }]${more} } }`;

async function standing(rig: Rig, config: string): Promise<Repository> {
  const repository = Repository.create(rig, { "cloud/main.yaml": document(config) });
  await reconciled(repository);
  return repository;
}

/** Runs it, and then expects an empty plan. */
async function reconciled(repository: Repository): Promise<void> {
  const done = await repository.plumbline("reconcile");
  expect(done, said(done)).toMatchObject({ code: 0 });
  const plan = await repository.plumbline("plan");
  expect(plan, said(plan)).toMatchObject({ code: 0 });
}

const said = ({ err, out }: Run): string => err + out;

async function planned(repository: Repository, code: number, ...words: readonly string[]): Promise<void> {
  const plan = await repository.plumbline("plan");
  expect(plan.code, said(plan)).toBe(code);
  for (const each of words) expect(plan.out).toContain(each);
}

/** Only administrators can set the state of an object, so the test creates stuck and failed ones here. */
async function setServerState({ admin, user }: Rig, name: string, state: "active" | "error"): Promise<void> {
  const { id } = await serverNamed(user, name);
  await admin.demand("compute", "POST", `/servers/${id}/action`, { "os-resetState": { state } });
}

async function rebuiltBySomebody({ user }: Rig, name: string, image: string): Promise<void> {
  const { id } = await serverNamed(user, name);
  const images = await user.list("image", "/v2/images", "images");
  const imageRef = images.find((each) => each.name === image)?.id;
  await user.demand("compute", "POST", `/servers/${id}/action`, { rebuild: { imageRef } });
  const ended = async () => (await serverNamed(user, name)).status !== "REBUILD";
  await expect.poll(ended, { timeout: 60_000 }).toBe(true);
}

onEachCloud("a quota of servers that fills during a run", (open) => {
  it("is reported with the service's text, keeps created ones, and the next run completes it", async () => {
    const rig = await open();
    const quota = async (instances: number) =>
      await rig.admin.demand("compute", "PUT", `/os-quota-sets/${await rig.user.projectId()}`, { quota_set: { instances } });
    await quota(1);
    // The real service takes a second one while it schedules the first, and finds out behind that: the server is in ERROR.
    const replace = ", $replace: true";
    const db = `db: { image: cirros, flavor: m1.tiny, networks: [{ network: n }]${replace} }`;
    const two = web(replace).replace("servers: {", `servers: { ${db},`);
    const built = async () => (await rig.user.list("compute", "/servers/detail", "servers")).filter(({ status }) => status === "ACTIVE");
    const repository = Repository.create(rig, { "cloud/main.yaml": document(two) });
    await planned(repository, 2, 'The quota leaves 1 of "instances" (1, 0 used), and this plan takes 2 more.');
    const full = await repository.plumbline("reconcile");
    expect(full.code, said(full)).toBe(4);
    expect(said(full)).toContain("Quota exceeded for instances: Requested 1, but already used 1 of 1 instances");
    const [first, ...others] = await built();
    expect(others).toEqual([]);
    await quota(10);
    await reconciled(repository);
    expect((await built()).map(({ id }) => id)).toEqual(expect.arrayContaining([first.id, expect.any(String)]));
  });
});

onEachCloud("a volume that the service does not finish", (open) => {
  it("is not in sync in creating and in a hanging detach, is recreated in error, and nothing is done twice", async () => {
    const rig = await open();
    const config = `${web(", volumes: [data]")}\nvolumes: { data: { size: 1 }, logs: { size: 1 } }`;
    const repository = await standing(rig, config);
    const reset = async (name: string, status: string) => {
      const { id } = await volumeNamed(rig.user, name);
      await rig.admin.demand("volumev3", "POST", `/volumes/${id}/action`, { "os-reset_status": { status } });
    };
    const data = (await volumeNamed(rig.user, "data")).id;
    await reset("data", "detaching");
    await reset("logs", "creating");
    await planned(repository, 2, "unready: detaching", "unready: creating");
    await reset("data", "in-use");
    await reset("logs", "available");
    await planned(repository, 0);
    expect(await disksOf(rig.user, "web")).toEqual(["b data"]);
    expect((await volumeNamed(rig.user, "data")).id).toBe(data);

    const logs = (await volumeNamed(rig.user, "logs")).id;
    await reset("logs", "error");
    await planned(repository, 3, "fault: error", "$replace: true");
    repository.declare(config.replace("logs: { size: 1", "logs: { $replace: true, size: 1"));
    await reconciled(repository);
    expect((await volumeNamed(rig.user, "logs")).id).not.toBe(logs);
  });
});

onEachCloud("a hanging detach of a volume", (open) => {
  it("is waited for and reported, left to its result, and nothing is done twice", async () => {
    const rig = await open();
    const volumes = "\nvolumes: { data: { size: 1 } }";
    const repository = await standing(rig, `${web()}${volumes}`);
    const { id } = await volumeNamed(rig.user, "data");
    const attachments = `/servers/${(await serverNamed(rig.user, "web")).id}/os-volume_attachments`;
    await rig.user.demand("compute", "POST", attachments, { volumeAttachment: { volumeId: id } });
    await expect.poll(async () => (await volumeNamed(rig.user, "data")).status, { timeout: 60_000 }).toBe("in-use");
    const reset = (status: string) => rig.admin.demand("volumev3", "POST", `/volumes/${id}/action`, { "os-reset_status": { status } });
    await reset("detaching");
    await planned(repository, 2, "unready: detaching");
    const hung = await repository.plumblineUntil("job data detaching", () => reset("in-use"), "reconcile");
    expect(hung, said(hung)).toMatchObject({ code: 0 });
    await planned(repository, 0);
    expect(await disksOf(rig.user, "web")).toEqual(["b data"]);
    repository.declare(`${web(", $down: true, volumes: { $exclude: [data] }")}${volumes}`);
    await reconciled(repository);
    expect([await disksOf(rig.user, "web"), await volumeNamed(rig.user, "data")]).toMatchObject([[], { id, status: "available" }]);
  });
});

onEachCloud("a server that ended in ERROR", (open) => {
  it("of a resize is reported, requires a replacement, and gets it", async () => {
    const rig = await open();
    const repository = await standing(rig, web());
    const { id } = await serverNamed(rig.user, "web");
    await rig.somebody.resizeServer("web", "m1.small");
    await setServerState(rig, "web", "error");
    const small = web(", $down: true").replace("m1.tiny", "m1.small");
    repository.declare(small);
    await planned(repository, 3, "fault: ERROR", "$replace: true");
    repository.declare(small.replace("$down: true", "$replace: true"));
    await reconciled(repository);
    const made = await serverNamed(rig.user, "web");
    expect([made.id === id, made.status, made.flavor.id]).toEqual([false, "ACTIVE", "2"]);
  });

  it("of a rebuild is reported with the service's text, and rebuilt again if the document permits it; of another cause it is not", async () => {
    const rig = await open();
    await rig.addImage("foreign", "ppc64");
    const repository = await standing(rig, web());
    const { id } = await serverNamed(rig.user, "web");
    await setServerState(rig, "web", "error");
    await planned(repository, 3, "fault: ERROR");
    await setServerState(rig, "web", "active");
    await planned(repository, 0);

    await rebuiltBySomebody(rig, "web", "foreign");
    expect(await serverNamed(rig.user, "web")).toMatchObject({ status: "ERROR" });
    await planned(repository, 3, "after a rebuild that failed: No valid host was found", "$rebuild: true replaces it in place");
    repository.declare(web(", $rebuild: true"));
    await planned(repository, 2, "loses the content of its root disk");
    await reconciled(repository);
    expect(await serverNamed(rig.user, "web")).toMatchObject({ id, status: "ACTIVE" });
  });
});

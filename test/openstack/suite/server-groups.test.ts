import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { serverNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const NETWORK = "networks: { n: { subnets: { s: { cidr: 192.0.2.0/24 } } } }";
const APART = "apart: { policy: anti-affinity, rules: { max_server_per_host: 2 } }";
const NEAR = "near: { policy: soft-affinity }";
const groups = (...each: string[]) => `server_groups: { ${each.join(", ")} }`;
const web = (more = "") => `servers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }]${more} } }`;
const config = (...parts: string[]) => [NETWORK, ...parts].join("\n");

const groupNamed = async ({ user }: Rig, name: string) => {
  const { json } = await user.request("compute", "GET", "/os-server-groups", undefined, "2.64");
  return json.server_groups.find((each: { name: string }) => each.name === name);
};

onEachCloud("server groups", (open) => {
  it("are created before their servers, changed manually, healed, taken over, kept while in use, and deleted after them", async () => {
    const rig = await open();
    await rig.somebody.createServerGroup("near", "soft-affinity");
    const declared = (near: string, server: string) => document(config(groups(APART, near), web(server)));
    const repository = Repository.create(rig, { "cloud/main.yaml": declared(NEAR, ", server_group: apart") });
    const ends = async (code: number, words = "") => {
      const done = await repository.plumbline("reconcile", "--allow", "empty-list=1");
      expect(done, done.err + done.out).toMatchObject({ code, out: expect.stringContaining(words) });
    };
    await ends(3, 'An object named "near" exists');
    repository.write({ "cloud/main.yaml": declared("near: { policy: soft-affinity, $adopt: true }", ", server_group: apart") });
    await ends(0);
    const { id } = await serverNamed(rig.user, "web");
    expect(await groupNamed(rig, "apart")).toMatchObject({ policy: "anti-affinity", rules: { max_server_per_host: 2 }, members: [id] });
    const again = await repository.plumbline("plan");
    expect(again, again.err + again.out).toMatchObject({ code: 0 });

    repository.declare(config(groups(APART.replace("anti-", "").replace(/, rules.*?}/, ""), NEAR), web(", server_group: apart")));
    await ends(3, "$replace: true deletes the object");
    repository.declare(config(groups(NEAR)));
    await rig.somebody.deleteServerGroup("near");
    await ends(0);
    expect([await groupNamed(rig, "apart"), await serverNamed(rig.user, "web")]).toEqual([undefined, undefined]);
    expect(await groupNamed(rig, "near")).toMatchObject({ policy: "soft-affinity", members: [] });
    repository.declare(NETWORK);
    await ends(0);
    expect(await groupNamed(rig, "near")).toBeUndefined();
  });

  it("that are full, or too many, are reported, and the rest is created", async () => {
    const rig = await open();
    const quota = async (quota_set: object) =>
      await rig.admin.demand("compute", "PUT", `/os-quota-sets/${await rig.user.projectId()}`, { quota_set });
    await quota({ server_groups: 1, server_group_members: 0 });
    const repository = Repository.create(rig, { "cloud/main.yaml": document(config(groups(APART), web(", server_group: apart"))) });
    const full = await repository.plumbline("reconcile");
    expect(full, full.err + full.out).toMatchObject({ code: 4, out: expect.stringContaining("Quota exceeded, too many servers in group") });
    repository.declare(config(groups(APART, NEAR)));
    const many = await repository.plumbline("reconcile");
    expect(many.out + many.err).toContain("Quota exceeded, too many server groups.");
    await quota({ server_groups: 2, server_group_members: 10 });
    repository.declare(config(groups(APART, NEAR), web(", server_group: apart")));
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
  });
});

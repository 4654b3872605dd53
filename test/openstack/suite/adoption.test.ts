import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { networkNamed, ownNetworks } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const WEB = "networks: { web: { description: front, subnets: { web-a: { cidr: 192.0.2.0/24 } } } }";
const ADOPTED = "networks: { web: { $adopt: true, description: front, subnets: { web-a: { $adopt: true, cidr: 192.0.2.0/24 } } } }";

onEachCloud("objects of others", (open) => {
  it("are taken over only with $adopt, and keep their identity", async () => {
    const rig = await open();
    await rig.somebody.createNetwork("web");
    await rig.somebody.createSubnet("web", "web-a", "192.0.2.0/24");
    const { id } = await networkNamed(rig.user, "web");
    const repository = Repository.create(rig, { "cloud/main.yaml": document(WEB) });
    const refused = await repository.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(3);
    expect(refused.err + refused.out).toContain("$adopt: true");
    expect(await networkNamed(rig.user, "web")).toMatchObject({ id, description: "" });

    repository.declare(ADOPTED);
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await networkNamed(rig.user, "web")).toMatchObject({ id, description: "front" });
    const again = await repository.plumbline("plan");
    expect(again, again.out + again.err).toMatchObject({ code: 0 });
  });

  it("with one name are not guessed between", async () => {
    const rig = await open();
    await rig.somebody.createNetwork("web");
    await rig.somebody.createNetwork("web");
    const repository = Repository.create(rig, { "cloud/main.yaml": document(WEB) });
    const refused = await repository.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(3);
    expect(refused.err + refused.out).toContain("web~");
    expect(await ownNetworks(rig.user)).toEqual(["web", "web"]);
  });

  it("with the name of an owned one stay when that is deleted", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(WEB) });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    const ours = (await networkNamed(rig.user, "web")).id;
    await rig.somebody.createNetwork("web");
    const second = await repository.plumbline("plan");
    expect(second, second.out + second.err).toMatchObject({ code: 0 });

    repository.declare("networks: { other: {} }");
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await ownNetworks(rig.user)).toEqual(["other", "web"]);
    expect((await networkNamed(rig.user, "web")).id).not.toBe(ours);
  });

  it("are not read with a token that sees nothing", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(WEB) });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    const { authUrl: auth_url, username, password } = rig.access;
    const lab = { auth: { auth_url, username, password, user_domain_id: "default" }, region_name: "RegionOne" };
    writeFileSync(rig.cloudsFile, JSON.stringify({ clouds: { lab } }));
    const blind = await repository.plumbline("reconcile");
    expect(blind.code, blind.err + blind.out).toBe(1);
    expect(blind.err + blind.out).toContain("token-not-scoped");
    expect(await ownNetworks(rig.user)).toEqual(["web"]);
  });
});

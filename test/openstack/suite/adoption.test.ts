import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { networkNamed, ownNetworks, portsOfServer } from "../harness/look.js";
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

  it("that were attached to a running server are adopted without a detachment, and import omits names that no mark can hold", async () => {
    const rig = await open();
    const server = (networks: string) => `${WEB}\nservers: { own: { image: cirros, flavor: m1.tiny, networks: [{ ${networks} }] } }\n`;
    const repository = Repository.create(rig, { "cloud/main.yaml": document(server("network: web")) });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    const [id = ""] = await portsOfServer(rig.user, "own");
    await rig.user.demand("network", "PUT", `/v2.0/ports/${id}`, { port: { name: "vip" } });
    const long = "n".repeat(90);
    await rig.user.demand("network", "POST", "/v2.0/networks", { network: { name: long } });
    repository.declare(`${server("port: vip")}ports: { vip: { $adopt: true, network: web } }\n`);
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await portsOfServer(rig.user, "own")).toEqual([id]);
    const again = await repository.plumbline("plan");
    expect(again, again.out + again.err).toMatchObject({ code: 0 });
    const imported = await repository.plumbline("import", "cloud", "--out", "mine");
    expect(imported, imported.err + imported.out).toMatchObject({ code: 0 });
    const folder = join(repository.folder, "mine/cloud");
    const text = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("");
    expect(text).toContain("vip");
    expect(text).not.toContain(long);
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

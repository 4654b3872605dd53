import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { interfacesOf, serverNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const BASE = `networks:
  n: { subnets: { s: { cidr: 192.0.2.0/24 } } }
  m: { subnets: { t: { cidr: 198.51.100.0/24 } } }
security_groups: { front: {}, back: {} }
ports: { vip: { network: m, security_groups: [back] }, spare: { network: m, security_groups: [back] } }
`;
const server = (name: string, networks: string, more = "") =>
  `${name}: { image: cirros, flavor: m1.tiny, networks: [${networks}], security_groups: [front]${more} }`;
const config = (...servers: string[]) => `${BASE}servers: { ${servers.join(", ")} }`;
const N = "{ network: n }";
const VIP = "{ port: vip }";

onEachCloud("interfaces of a server", (open) => {
  it("are added and removed while it runs, move to another one, changed manually and healed; the server is unchanged", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(config(server("web", N), server("app", N))) });
    const reconciled = async () => {
      const done = await repository.plumbline("reconcile");
      expect(done, done.err + done.out).toMatchObject({ code: 0 });
      const then = await repository.plumbline("plan");
      expect(then, then.err + then.out).toMatchObject({ code: 0 });
    };
    await reconciled();
    const { id } = await serverNamed(rig.user, "web");

    repository.declare(config(server("web", `${N}, ${VIP}, { network: m, fixed_ip: 198.51.100.77 }`), server("app", N)));
    await reconciled();
    expect(await interfacesOf(rig.user, "web")).toEqual(["m front", "n front", "vip back"]);
    expect(JSON.stringify((await serverNamed(rig.user, "web")).addresses)).toContain("198.51.100.77");

    const fewer = config(server("web", `${N}, { network: m }`), server("app", `${N}, ${VIP}`));
    repository.declare(fewer);
    const held = await repository.plumbline("plan");
    expect(held, held.err + held.out).toMatchObject({ code: 3, out: expect.stringContaining('"vip" in networks of "web" goes by detach') });
    repository.declare(fewer.replace("web: {", "web: { $down: true,").replaceAll("[front]", "[front, back]"));
    await reconciled();
    expect(await interfacesOf(rig.user, "web")).toEqual(["m back front", "n back front"]);
    expect(await interfacesOf(rig.user, "app")).toEqual(["n back front", "vip back"]);

    await rig.somebody.detachPort("app", "vip");
    await expect.poll(async () => await interfacesOf(rig.user, "app"), { timeout: 60_000 }).toHaveLength(1);
    await rig.somebody.attachPort("web", "spare");
    await rig.somebody.attachNetwork("web", "n");
    const drift = await repository.plumbline("drift", "--format", "json");
    const { items } = JSON.parse(drift.out).targets[0].drift;
    const told = items.map(({ xpath }: { xpath: string }) => xpath.replace(/^.*\/servers\//, "")).sort();
    expect(told).toEqual([
      "entry[@name='app']/networks/entry[@name='* vip']",
      "entry[@name='web']/networks/entry[@name='* spare']",
      "entry[@name='web']/networks/entry[@name='n * #2']",
      "entry[@name='web']/security_groups",
    ]);
    for (const { attribution, xpath } of items)
      if (!xpath.endsWith("security_groups"))
        expect(attribution).toMatchObject({ admin: rig.access.username, request: expect.stringMatching(/^req-/) });
    await reconciled();
    expect(await interfacesOf(rig.user, "web")).toEqual(["m back front", "n back front"]);
    expect(await interfacesOf(rig.user, "app")).toEqual(["n back front", "vip back"]);
    expect((await serverNamed(rig.user, "web")).id).toBe(id);
  });

  it("that another server has, with an address in use, or of a locked server, are reported, and created afterwards", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(config(server("web", N))) });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const { id: n } = (await rig.user.list("network", "/v2.0/networks", "networks")).find(({ name }) => name === "n");
    const { id: m } = (await rig.user.list("network", "/v2.0/networks", "networks")).find(({ name }) => name === "m");
    const { id: image } = (await rig.user.list("image", "/v2/images", "images")).find(({ name }) => name === "cirros");
    const theirs = { name: "theirs", imageRef: image, flavorRef: "1", networks: [{ uuid: n }] };
    await rig.user.demand("compute", "POST", "/servers", { server: theirs });
    await expect.poll(async () => (await serverNamed(rig.user, "theirs")).status, { timeout: 60_000 }).toBe("ACTIVE");
    await rig.somebody.attachPort("theirs", "vip");
    const taken = { network_id: m, name: "taken", fixed_ips: [{ ip_address: "198.51.100.77" }] };
    await rig.user.demand("network", "POST", "/v2.0/ports", { port: taken });

    const refused = async (words: RegExp) => {
      const done = await repository.plumbline("reconcile");
      expect([1, 4], done.err + done.out).toContain(done.code);
      expect(done.out).toMatch(words);
    };
    repository.declare(config(server("web", `${N}, ${VIP}`)));
    await refused(/port "vip" is attached to server "theirs"/);
    await rig.somebody.detachPort("theirs", "vip");
    await expect.poll(async () => await interfacesOf(rig.user, "theirs"), { timeout: 60_000 }).toHaveLength(1);
    repository.declare(config(server("web", `${N}, ${VIP}, { network: m, fixed_ip: 198.51.100.77 }`)));
    await refused(/198\.51\.100\.77/);
    await rig.somebody.deletePort("taken");
    await rig.somebody.switchServer("web", "lock");
    await refused(/is locked/);
    await rig.somebody.switchServer("web", "unlock");
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await interfacesOf(rig.user, "web")).toEqual(["m front", "n front", "vip back"]);
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
  });

  it("that are all declared ports leave no interface for security_groups: reported before a create, and the rest is created", async () => {
    const rig = await open();
    const asked = config(server("web", VIP));
    const repository = Repository.create(rig, { "cloud/main.yaml": document(asked) });
    const told = expect.stringContaining('"web" has no interface for its security_groups');
    const plan = await repository.plumbline("plan");
    expect(plan, plan.err + plan.out).toMatchObject({ code: 3, out: told });
    const held = await repository.plumbline("reconcile");
    expect(held, held.err + held.out).toMatchObject({ code: 3, out: told });
    expect([await serverNamed(rig.user, "web"), (await rig.user.list("network", "/v2.0/ports?name=vip", "ports")).length]).toEqual([
      undefined,
      1,
    ]);

    repository.declare(asked.replace(", security_groups: [front] }", " }"));
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    expect(await interfacesOf(rig.user, "web")).toEqual(["vip back"]);
    repository.declare(asked);
    for (const command of ["reconcile", "reconcile", "drift"]) {
      const again = await repository.plumbline(command);
      expect(again, again.err + again.out).toMatchObject({ code: 3, out: told });
    }
    repository.declare(asked.replace("vip: { network: m, security_groups: [back]", "vip: { network: m, security_groups: [front]"));
    const same = await repository.plumbline("reconcile");
    expect(same, same.err + same.out).toMatchObject({ code: 0 });
    expect(await interfacesOf(rig.user, "web")).toEqual(["vip front"]);
    expect(await repository.plumbline("plan")).toMatchObject({ code: 0 });
  });
});

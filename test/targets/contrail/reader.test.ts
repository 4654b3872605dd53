import { describe, expect, it } from "vitest";
import { childByTag, childEntry, find } from "../../../src/core/tree/lookup.js";
import { Path } from "../../../src/core/tree/path.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { ContrailReader } from "../../../src/targets/contrail/reader.js";
import { failure } from "../panos/fixtures.js";
import { connection, dependencies, networkDocument, scripted, startLab } from "./fixtures.js";

const NETWORKS = Path.root.child("contrail").child("virtual-networks");

async function opened(count = 3) {
  const lab = await startLab();
  for (let i = 0; i < count; i++) lab.world.create("virtual-network", networkDocument(`net-${i}`, `10.${i}.0.0/24`));
  const reader = new ContrailReader(connection(lab.url), dependencies());
  return { lab, reader };
}

describe("reading", () => {
  it.each([10, 200])("needs one request per type, for any number of networks (%i)", async (count) => {
    const { lab, reader } = await opened(count);
    const root = await reader.read([Path.root.child("contrail")]);
    expect(root.children.map(({ tag }) => tag)).toEqual([
      "projects",
      "network-ipams",
      "network-policys",
      "security-groups",
      "route-tables",
      "virtual-networks",
      "logical-routers",
      "floating-ip-pools",
      "floating-ips",
    ]);
    expect(childByTag(root, "virtual-networks")?.children.length).toBe(count + 4);
    expect(lab.journal.length).toBe(9);
    await reader.close();
  });

  it("reads only the project if single objects are requested, and shows nothing else", async () => {
    const { lab, reader } = await opened();
    lab.world.create("project", { fq_name: ["default-domain", "other"], parent_type: "domain" });
    const wanted = ["default-domain:demo:net-0", "default-domain:demo:net-1", "default-domain:other:none"].map((name) =>
      NETWORKS.entry(name),
    );
    const root = await reader.read(wanted);
    expect(
      childByTag(root, "virtual-networks")
        ?.children.map(({ name }) => name)
        .sort(),
    ).toEqual(["default-domain:demo:net-0", "default-domain:demo:net-1"]);
    expect(lab.journal.map(({ url }) => /parent_fq_name_str=[^&]*/.exec(url)?.[0]).sort()).toEqual([
      "parent_fq_name_str=default-domain%3Ademo",
      "parent_fq_name_str=default-domain%3Aother",
    ]);
    await reader.close();
  });

  it("shows referrers of a network only on request", async () => {
    const { lab, reader } = await opened();
    lab.world.create("instance-ip", { fq_name: ["ip-1"], virtual_network_refs: [{ to: ["default-domain", "demo", "net-0"], attr: null }] });
    const entry = NETWORKS.entry("default-domain:demo:net-0");
    const plain = await reader.read([entry]);
    expect(find(plain, entry.child("instance_ip_back_refs"))).toBeUndefined();
    const asked = await reader.read([entry.child("instance_ip_back_refs")]);
    expect(find(asked, parsePath(`${entry}/instance_ip_back_refs/entry[@name='ip-1']/uuid`))?.text).toMatch(/^[0-9a-f-]{36}$/);
    await reader.close();
  });

  it("names the creator of an object as the author only until the object changes", async () => {
    const { lab, reader } = await opened();
    const entry = NETWORKS.entry("default-domain:demo:made");
    const id_perms = { enable: true, creator: "alice" };
    const made = lab.world.create("virtual-network", { fq_name: ["default-domain", "demo", "made"], parent_type: "project", id_perms });
    await reader.read([NETWORKS]);
    expect(await reader.attribution(entry)).toMatchObject({ admin: "alice" });
    lab.world.update("virtual-network", made.uuid, { is_shared: true });
    await reader.read([NETWORKS]);
    expect(await reader.attribution(entry)).toMatchObject({ admin: "unknown" });
    await reader.close();
  });

  it("shows the time of a change, and the controller's capabilities", async () => {
    const { reader } = await opened();
    await reader.read([NETWORKS]);
    const entry = NETWORKS.entry("default-domain:demo:net-0");
    expect(await reader.attribution(entry.child("is_shared"))).toMatchObject({
      admin: "unknown",
      time: expect.stringMatching(/^\.\.\/\d{4}-/),
    });
    expect(await reader.attribution(NETWORKS.entry("a:b:none"))).toBeUndefined();
    expect(Object.fromEntries(await reader.status())).toMatchObject({ authentication: "none", watch: "yes" });
    expect((await reader.open()).capabilities).toMatchObject({ candidate: false, independentObjects: true });
    await reader.close();
  });

  it("names an entry as the controller does, and its owner only by its mark", async () => {
    const { lab, reader } = await opened(0);
    const annotations = (name: string) => ({
      annotations: {
        key_value_pair: [
          { key: "plumbline_owner", value: "netops" },
          { key: "plumbline_key", value: name },
          { key: "team", value: "red" },
        ],
      },
    });
    lab.world.create("virtual-network", { ...networkDocument("ours"), ...annotations("default-domain:demo:ours") });
    lab.world.create("virtual-network", { ...networkDocument("copy"), ...annotations("default-domain:demo:ours") });
    const networks = childByTag(await reader.read([NETWORKS]), "virtual-networks");
    const owner = (name: string) =>
      childByTag(childEntry(networks ?? ({ children: [] } as never), name) ?? ({ children: [] } as never), "owner")?.text;
    expect(owner("default-domain:demo:ours")).toBe("netops");
    expect(owner("default-domain:demo:copy")).toBeUndefined();
    const pairs = find(
      networks ?? ({ children: [] } as never),
      parsePath("/virtual-networks/entry[@name='default-domain:demo:ours']/annotations/key_value_pair"),
    );
    expect(pairs?.children.map(({ name }) => name)).toEqual(["team"]);
    await reader.close();
  });

  it("does not accept another service as a controller", async () => {
    const { url } = await scripted(() => ({ body: '{"versions": {"values": []}}' }));
    const reader = new ContrailReader(connection(url), dependencies());
    expect((await failure(reader.open())).code).toBe("controller-reply-unexpected");
    await reader.close();
  });
});

import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/core/operation.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { unshared } from "../../../src/engine/apply/fences.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { ContrailWriter } from "../../../src/targets/contrail/writer.js";
import { handsOn } from "../hands-on.js";
import { failure } from "../panos/fixtures.js";
import { connection, dependencies, networkDocument, startLab } from "./fixtures.js";

const NETWORKS = Path.root.child("contrail").child("virtual-networks");
const BLUE = NETWORKS.entry("default-domain:demo:blue");
const leaf = (tag: string, text: string): TreeNode => new TreeNode(tag, undefined, text);
const blue = (...children: TreeNode[]): TreeNode => new TreeNode("entry", BLUE.name, "", children);
const making = (...children: TreeNode[]): Operation => ({ action: "set", at: NETWORKS, element: blue(...children) });

async function opened() {
  const lab = await startLab();
  const writer = handsOn(new ContrailWriter(connection(lab.url), dependencies()));
  const network = () => lab.world.store.named("virtual-network", ["default-domain", "demo", "blue"]);
  return { lab, writer, network };
}

describe("writing", () => {
  it("creates several objects of one operation, one request each", async () => {
    const { lab, writer, network } = await opened();
    const list = new TreeNode("virtual-networks", undefined, "", [
      blue(leaf("owner", "netops")),
      new TreeNode("entry", "default-domain:demo:green", "", [leaf("owner", "netops")]),
    ]);
    await writer.write([{ action: "set", at: NETWORKS.parent ?? NETWORKS, element: list }]);
    expect(network()?.fqName).toEqual(["default-domain", "demo", "blue"]);
    expect(lab.journal.map(({ method, url }) => `${method} ${url}`)).toEqual(["POST /virtual-networks", "POST /virtual-networks"]);
    await writer.close();
  });

  it("changes objects that it has just created, and sends nothing without a difference", async () => {
    const { lab, writer, network } = await opened();
    await writer.write([making(leaf("owner", "netops")), { action: "set", at: BLUE, element: leaf("router_external", "true") }]);
    expect(network()?.properties.router_external).toBe(true);
    const since = lab.journal.length;
    await writer.write([{ action: "set", at: BLUE, element: leaf("router_external", "true") }]);
    expect(lab.journal.slice(since).map(({ method }) => method)).toEqual(["GET"]);
    await writer.write([{ action: "delete", at: BLUE.child("router_external") }]);
    expect(network()?.properties.router_external).toBe(false);
    await writer.write([{ action: "delete", at: BLUE }]);
    expect(network()).toBeUndefined();
    await writer.close();
  });

  it("reads an object again just before the write, by its ETag", async () => {
    const { lab, writer } = await opened();
    await writer.write([making(leaf("owner", "netops"))]);
    await writer.read([NETWORKS]);
    const since = lab.journal.length;
    await writer.write([{ action: "set", at: BLUE, element: leaf("display_name", "azure") }]);
    expect(lab.journal.slice(since).map(({ method, status }) => `${method} ${status}`)).toEqual(["GET 304", "PUT 200"]);
    await writer.close();
  });

  it("replaces an entry of another kind by deleting it first", async () => {
    const { lab, writer, network } = await opened();
    await writer.write([making(leaf("owner", "netops"), leaf("router_external", "true"))]);
    await writer.read([NETWORKS]);
    const first = network()?.properties.virtual_network_network_id;
    await writer.write([{ action: "edit", at: BLUE, element: blue(leaf("owner", "netops")) }]);
    expect(network()?.properties.virtual_network_network_id).not.toBe(first);
    expect(lab.journal.filter(({ method }) => method !== "GET").map(({ method }) => method)).toEqual(["POST", "DELETE", "POST"]);
    await writer.close();
  });

  it("never creates an object without a mark, for any plan", async () => {
    const { lab, writer } = await opened();
    expect((await failure(writer.write([making(leaf("router_external", "true"))]))).code).toBe("controller-object-missing");
    expect(lab.journal).toEqual([]);
    await writer.close();
  });

  it("never deletes an object without the owner's mark, for any plan", async () => {
    const { lab, writer, network } = await opened();
    lab.world.create("virtual-network", networkDocument("blue"));
    const error = await failure(writer.write([{ action: "delete", at: BLUE }]));
    expect(error).toMatchObject({ code: "controller-not-ours", severity: "refused" });
    expect(network()).toBeDefined();
    await writer.close();
  });

  it("changes no system object, and no list as such", async () => {
    const { lab, writer } = await opened();
    const fabric = NETWORKS.entry("default-domain:default-project:ip-fabric");
    expect((await failure(writer.write([{ action: "delete", at: fabric }]))).code).toBe("controller-system-object");
    const list = new TreeNode("virtual-networks");
    for (const operation of [
      { action: "delete", at: NETWORKS },
      { action: "edit", at: NETWORKS, element: list },
    ] as const)
      expect((await failure(writer.write([operation]))).code).toBe("operation-not-possible");
    expect(lab.journal).toEqual([]);
    await writer.close();
  });

  it("reports an object to change that was deleted, and accepts a deleted one to delete", async () => {
    const { lab, writer, network } = await opened();
    await writer.write([making(leaf("owner", "netops"))]);
    await writer.read([NETWORKS]);
    lab.world.delete("virtual-network", network()?.uuid ?? "");
    const change: Operation = { action: "set", at: BLUE, element: leaf("mtu", "1500") };
    expect((await failure(writer.write([change]))).code).toBe("controller-object-changed");
    await writer.write([{ action: "delete", at: BLUE }]);
    await writer.close();
  });

  it("understands the reason why an object cannot be deleted, and a quota refusal", async () => {
    const { lab, writer, network } = await opened();
    await writer.write([making(leaf("owner", "netops"))]);
    lab.world.create("virtual-machine-interface", {
      fq_name: ["default-domain", "demo", "port"],
      parent_type: "project",
      virtual_network_refs: [{ to: BLUE.name?.split(":") ?? [], attr: null }],
    });
    await writer.read([NETWORKS]);
    expect((await failure(writer.write([{ action: "delete", at: BLUE }]))).code).toBe("controller-still-referred");
    expect(network()).toBeDefined();
    const project = lab.world.store.named("project", ["default-domain", "demo"]);
    lab.world.update("project", project?.uuid ?? "", { quota: { virtual_network: 1 } });
    const green = new TreeNode("entry", "default-domain:demo:green", "", [leaf("owner", "netops")]);
    expect((await failure(writer.write([{ action: "set", at: NETWORKS, element: green }]))).code).toBe("controller-quota");
    await writer.close();
  });

  it("has no locks, no candidate and no jobs", async () => {
    const { writer } = await opened();
    const whole: WriteTarget = writer;
    const { locks, commits, snapshots, builds } = whole.writer.behind(unshared);
    expect([locks, commits, snapshots, builds, whole.pendingAndLocks]).toEqual(Array(5).fill(undefined));
    expect(await writer.administrator()).toBe("plumbline");
    await writer.close();
  });
});

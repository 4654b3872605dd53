import { describe, expect, it } from "vitest";
import { find } from "../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { OpenstackReader } from "../../../src/targets/openstack/reader.js";
import { bench, closing, configuration, demoAccess, requestsOf } from "./fixtures.js";

async function reading(options: Parameters<typeof bench>[0] = {}) {
  const made = await bench(options);
  const reader = closing(new OpenstackReader(configuration(demoAccess(made.lab.authUrl)), made.injected));
  const read = (...paths: string[]) => reader.read(paths.map((path) => parsePath(path)));
  return { ...made, reader, read };
}

function text(tree: TreeNode, path: string): string | undefined {
  return find(tree, parsePath(path))?.text;
}

function names(tree: TreeNode, path: string): (string | undefined)[] | undefined {
  return find(tree, parsePath(path))?.children.map((child) => child.name ?? child.text);
}

const PRIVATE = "/openstack/networks/entry[@name='private']";

describe("reading a project", () => {
  it("shows networks with their subnets, as cidr and as address with length", async () => {
    const { read } = await reading();
    const tree = await read("/openstack/networks");
    expect(names(tree, "/openstack/networks")).toEqual(["public", "private"]);
    expect(text(tree, `${PRIVATE}/mtu`)).toBe("1450");
    const subnet = `${PRIVATE}/subnets/entry[@name='private-subnet']`;
    expect(text(tree, `${subnet}/cidr`)).toBe("10.0.0.0/24");
    expect(text(tree, `${subnet}/address`)).toBe("10.0.0.0");
    expect(text(tree, `${subnet}/prefix-len`)).toBe("24");
    expect(text(tree, `${subnet}/gateway_ip`)).toBe("10.0.0.1");
  });

  it("requests each list once, and only the needed ones", async () => {
    const { lab, read } = await reading();
    await read("/openstack/networks");
    expect(requestsOf(lab).filter((request) => request.includes("GET /v2.0/"))).toEqual([
      "network GET /v2.0/networks",
      "network GET /v2.0/subnets",
      "network GET /v2.0/rbac-policies",
    ]);
  });

  it("shows the parts of a router by key", async () => {
    const { read } = await reading();
    const tree = await read("/openstack/routers");
    expect(text(tree, "/openstack/routers/entry[@name='router1']/external_network")).toBe("public");
    expect(names(tree, "/openstack/routers/entry[@name='router1']/interfaces")).toEqual(["private-subnet"]);
  });

  it("shows images, flavors with the specification's columns, key pairs and projects", async () => {
    const { read } = await reading();
    const tree = await read("/openstack");
    expect(text(tree, "/openstack/images/entry[@name='cirros']/status")).toBe("active");
    expect(text(tree, "/openstack/images/entry[@name='cirros']/checksum")).toMatch(/^[0-9a-f]{32}$/);
    const flavor = "/openstack/flavors/entry[@name='m1.small']";
    const columns = ["id", "ram", "disk", "OS-FLV-EXT-DATA:ephemeral", "swap", "vcpus", "rxtx_factor", "os-flavor-access:is_public"];
    expect(columns.map((tag) => text(tree, `${flavor}/${tag}`))).toEqual(["2", "2048", "20", "0", "0", "1", "1", "true"]);
    expect(text(tree, "/openstack/keypairs/entry[@name='demo-key']/fingerprint")).toMatch(/^[0-9a-f:]+$/);
    expect(names(tree, "/openstack/projects")).toEqual(["demo"]);
  });

  it("names objects with one name by name and id, and marks the shared name", async () => {
    const { lab, read } = await reading();
    for (let count = 0; count < 2; count++)
      lab.act({ service: "network", method: "POST", path: "/v2.0/networks", user: "demo", body: { network: { name: "twin" } } });
    const tree = await read("/openstack/networks");
    const twins = find(tree, parsePath("/openstack/networks"))?.children.filter((entry) => entry.attributes?.get("shared-name") === "twin");
    expect(twins?.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^twin~[0-9a-f]{8}$/),
      expect.stringMatching(/^twin~[0-9a-f]{8}$/),
    ]);
  });

  it("reads the same with and without pages", async () => {
    const whole = await reading();
    const paged = await reading({ network: { pageMaximum: 1 }, compute: { pageMaximum: 1 } });
    const count = async ({ read }: typeof whole) => {
      const tree = await read("/openstack");
      return tree.children.map(({ tag, children }) => [tag, children.length]);
    };
    expect(await count(paged)).toEqual(await count(whole));
  });

  it("fails completely if one list fails", async () => {
    const { lab, read } = await reading();
    lab.fault({ match: { path: "/subnets" }, effect: { kind: "html", status: 200 }, count: 10 });
    await expect(read("/openstack/networks")).rejects.toMatchObject({ code: "reply-html" });
  });

  it("returns an image's checksum by its name, and nothing for a missing image", async () => {
    const { reader } = await reading();
    expect(await reader.images.checksum("cirros")).toMatch(/^[0-9a-f]{32}$/);
    expect(await reader.images.checksum("nope")).toBeUndefined();
  });
});

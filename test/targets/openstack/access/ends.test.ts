import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../../src/core/errors.js";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { openstackDesigner } from "../../../../src/targets/openstack/access/designer.js";

const leaf = (tag: string, text: string) => new TreeNode(tag, undefined, text);
const list = (tag: string, ...children: TreeNode[]) => new TreeNode(tag, undefined, "", children);
const members = (tag: string, ...texts: string[]) => list(tag, ...texts.map((text) => leaf("member", text)));
const entry = (name: string, ...children: TreeNode[]) => new TreeNode("entry", name, "", [leaf("project_id", "1"), ...children]);

const server = (name: string, groups: string[], ...rows: readonly (readonly [tag: "network" | "port", name: string, address?: string])[]) =>
  entry(
    name,
    members("security_groups", ...groups),
    list(
      "networks",
      ...rows.map(([tag, of, address]) =>
        entry(`${of} ${address}`, leaf(tag, of), ...(address === undefined ? [] : [leaf("fixed_ip", address)])),
      ),
    ),
  );
const port = (name: string, network: string, addresses: string[], ...more: TreeNode[]) =>
  entry(name, leaf("network", network), list("fixed_ips", ...addresses.map((each) => entry(each, leaf("ip_address", each)))), ...more);

const TREE = list(
  "openstack",
  list("networks", entry("app"), entry("lab")),
  list("routers", entry("edge")),
  list("security_groups", entry("web", list("rules")), entry("db", list("rules"))),
  list(
    "ports",
    port("vip", "app", ["10.0.0.9"], members("security_groups", "db")),
    port("tap", "app", ["10.0.0.7", "fd00::7"], leaf("port_security_enabled", "false")),
    port(
      "ha",
      "app",
      ["10.0.0.8"],
      members("security_groups", "db"),
      list("allowed_address_pairs", entry("pair", leaf("ip_address", "10.0.0.100/31"))),
    ),
  ),
  list(
    "servers",
    server("web", ["web"], ["network", "app", "10.0.0.11"]),
    server("db-1", ["db"], ["network", "app", "10.0.0.21"], ["port", "vip"]),
    server("six", ["web"], ["network", "app", "10.0.0.31"], ["network", "app", "fd00::31"]),
    server("new", ["web"], ["network", "app"]),
    server("one", ["web"], ["network", "app", "10.9.0.1"]),
    server("other", ["db"], ["network", "lab", "10.9.0.1"]),
  ),
  list(
    "floatingips",
    entry("front", leaf("floating_ip_address", "203.0.113.9"), leaf("server", "web")),
    entry("spare", leaf("floating_ip_address", "203.0.113.10")),
  ),
);

function asked(
  from: string,
  to: string,
  service = "tcp/22",
  zones: { readonly fromZone?: string; readonly toZone?: string } = {},
): readonly string[] {
  try {
    const { fromZone, toZone, notes } = openstackDesigner.request(TREE, { from, to, service, ...zones }, {});
    return [fromZone, toZone, ...notes.filter((note) => !note.startsWith("Not checked: port tap"))];
  } catch (error) {
    if (error instanceof PlumblineError) return [[error.message, error.next ?? ""].join(" ").trim()];
    throw error;
  }
}

describe("the ends of a request in a cloud", () => {
  it("are servers, ports, groups, and addresses inside and outside", () => {
    expect(asked("server:web", "vip")).toEqual(["server web", "port vip"]);
    expect(asked("10.0.0.11", "10.0.0.9")).toEqual(["server web", "port vip"]);
    expect(asked("group:web", "10.0.0.16/28")).toEqual(["group web", "anywhere"]);
    expect(asked("198.51.100.0/24", "db")).toEqual(["anywhere", "group db"]);
  });

  it("are the server behind a floating IP", () => {
    const note = "Floating IP 203.0.113.9 leads to 10.0.0.11. Security groups see this address.";
    expect(asked("198.51.100.1", "203.0.113.9")).toEqual(["anywhere", "server web", note]);
    expect(asked("198.51.100.1", "front")).toEqual(["anywhere", "server web", note]);
    expect(asked("198.51.100.1", "spare")).toEqual(["Floating IP 203.0.113.10 is attached to no port."]);
  });

  it.each([
    ["web", "vip", '"web" is a server and a group. Write server:web or group:web.'],
    ["db-1", "server:web", 'The ports of server "db-1" have different groups. Name one address: 10.0.0.9, 10.0.0.21.'],
    ["new", "vip", 'The addresses of server "new" are not known. Apply its documents first, or declare its address.'],
    ["10.9.0.1", "vip", "Several ports of the project have 10.9.0.1. Name a port or server."],
    ["10.0.0.100", "vip", "10.0.0.100 is an allowed address pair of port ha. Name a port or server."],
    ["::/0", "vip", '"::/0" is every address: name fewer addresses.'],
    ["ha", "port:vop", 'There is no port "vop" in this project. Did you mean "vip"?'],
  ])("are refused: %s to %s", (from, to, reason) => {
    const [said = ""] = asked(from, to);
    expect(said.replace(/10\.0\.0\.21, 10\.0\.0\.9/, "10.0.0.9, 10.0.0.21")).toBe(reason);
  });

  it("are found by the port or server of a path", () => {
    expect(asked("10.9.0.1", "vip", "tcp/22", { fromZone: "server other" })).toEqual(["server other", "port vip"]);
    expect(asked("198.51.100.1", "10.0.0.9", "tcp/22", { fromZone: "router edge", toZone: "server db-1 (port vip)" })).toEqual([
      "anywhere",
      "port vip",
    ]);
    expect(asked("198.51.100.1", "198.51.100.2", "tcp/22", { fromZone: "router edge", toZone: "router edge" })).toEqual([
      "anywhere",
      "anywhere",
    ]);
    expect(asked("10.0.0.11", "vip", "tcp/22", { fromZone: "router core" })[0]).toMatch(
      /^There is no port, server, network or router "router core"/,
    );
  });

  it("have notes about port security and IP versions", () => {
    expect(asked("server:web", "tap")).toContain("No group decides at port tap: there is no port security.");
    expect(asked("six", "tap")).toContain("The request is about IPv4 and IPv6. Name an address for one of them.");
    expect(asked("six", "tap", "icmp")).not.toContain("The request is about IPv4 and IPv6. Name an address for one of them.");
    expect(asked("fd00::31", "vip")[0]).toBe("server six and port vip have no addresses of the same IP version.");
  });
});

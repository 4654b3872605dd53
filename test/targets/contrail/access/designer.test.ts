import { describe, expect, it } from "vitest";
import type { DesignPlace } from "../../../../src/access/designer.js";
import { withEdits } from "../../../../src/access/edit.js";
import { designsForFlow, type RequestWords, revocationsForFlow } from "../../../../src/access/flow-designer.js";
import { find } from "../../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import { contrailDesigner } from "../../../../src/targets/contrail/access/designer.js";
import { sequenceBefore } from "../../../../src/targets/contrail/access/sequence.js";
import { treeOf } from "../policy/fabric.js";

const IPAM = ["default-domain", "default-project", "default-network-ipam"];
const named = (name: string, project = "demo") => ["default-domain", project, name];
const full = (name: string, project = "demo") => named(name, project).join(":");

interface Attached {
  readonly [policy: string]: readonly [major: number, minor: number];
}

function network(name: string, cidr: string, policies: Attached = {}, project = "demo"): object {
  const [ip_prefix = "", length] = cidr.split("/");
  const refs = Object.entries(policies).map(([policy, [major, minor]]) => ({ to: named(policy), attr: { sequence: { major, minor } } }));
  const ipam_subnets = [{ subnet: { ip_prefix, ip_prefix_len: Number(length) }, default_gateway: ip_prefix.replace(/0$/, "1") }];
  return { fq_name: named(name, project), network_ipam_refs: [{ to: IPAM, attr: { ipam_subnets } }], network_policy_refs: refs };
}

const rule = (from: string, to: string, port: number, simple_action = "pass", direction = ">") => ({
  direction,
  protocol: "tcp",
  src_addresses: [{ virtual_network: full(from) }],
  src_ports: [{ start_port: -1, end_port: -1 }],
  dst_addresses: [{ virtual_network: full(to) }],
  dst_ports: [{ start_port: port, end_port: port }],
  action_list: { simple_action },
});
const policy = (name: string, ...policy_rule: readonly object[]) => ({ fq_name: named(name), network_policy_entries: { policy_rule } });

const WEB_DB = [network("web", "10.1.0.0/24", { p: [0, 0] }), network("db", "10.2.0.0/24", { p: [0, 0] })];
const TREE = treeOf({ networks: WEB_DB as never, policies: [policy("p", rule("web", "db", 5432, "pass", "<>"))] as never });
const APART = treeOf({ networks: [network("web", "10.1.0.0/24"), network("db", "10.2.0.0/24")] as never, policies: [] });

const request = (tree: TreeNode, words: Partial<RequestWords>) =>
  contrailDesigner.request(tree, { from: "web", to: "db", service: "tcp/22", ...words }, {});

function design(
  tree: TreeNode,
  words: Partial<RequestWords> = {},
  { note = "CHG-1", declared = tree, ...place }: Partial<DesignPlace> & { note?: string } = {},
) {
  const own = request(tree, words);
  return designsForFlow(
    { designer: contrailDesigner, place: { scope: "controller", tree, declared, ...place }, request: own, options: {} },
    note,
  );
}

const exact = ({ designs }: ReturnType<typeof design>) => designs.filter(({ proof }) => proof.excess.length === 0);

describe("ends of a request", () => {
  const more = treeOf(
    {
      networks: [...WEB_DB, network("web", "10.9.0.0/24", {}, "other"), network("copy", "10.2.0.0/16")] as never,
      policies: [] as never,
    },
    { "floating-ips": [{ fq_name: ["d", "p", "n", "pool", "door"], floating_ip_address: "198.51.100.7" }] },
  );
  it.each([
    [{ from: "10.1.0.5" }, "demo:web"],
    [{ from: "default-domain:demo:web" }, "demo:web"],
    [{ from: "10.1.0.0/25" }, "demo:web"],
    [{ from: "10.2.0.7", fromZone: "db", to: "10.1.0.5" }, "db"],
    [{ from: "192.0.2.7" }, "anywhere"],
  ])("are found: %o", (words, zone) => {
    expect(request(more, words).fromZone).toBe(zone);
  });

  it.each([
    [{ from: "web" }, /web.*Write one of: demo:web, other:web/],
    [{ from: "wbe" }, /There is no network "wbe"/],
    [{ from: "10.2.0.7" }, /in several networks: db, copy\. Set --from-zone to one of them/],
    [{ from: "10.0.0.0/8" }, /not inside one subnet: it contains addresses of demo:web, db, other:web, copy/],
    [{ from: "0.0.0.0/0" }, /is every address/],
    [{ from: "198.51.100.7" }, /floating IP door.*fixed address/],
    [{ from: "door" }, /is a floating IP/],
    [{ from: "anywhere" }, /Name an address/],
    [{ from: "192.0.2.7", to: "198.51.100.9" }, /Neither .* is in a network of the controller/],
    [{ from: "demo:web", fromZone: "copy" }, /--from is network demo:web, and --from-zone is copy/],
    [{ from: "demo:web", to: "10.1.0.7", toZone: "db" }, /is in network demo:web, in which the controller delivers it/],
    [{ from: "demo:web", service: "sctp/22" }, /a rule for service "sctp\/22".*Write tcp\/443/],
    [{ from: "demo:web", service: "tcp" }, /Write tcp\/443/],
  ])("are refused with the reason and the next step: %o", (words, text) => {
    const message = () => {
      try {
        return request(more, words).fromZone;
      } catch (error) {
        const { message, next } = error as Error & { next?: string };
        return `${message} ${next}`;
      }
    };
    expect(message()).toMatch(text);
  });
});

describe("a design", () => {
  it("adds a port to a rule of both networks if that opens nothing else", () => {
    const tree = treeOf({ networks: WEB_DB as never, policies: [policy("p", rule("web", "db", 5432, "pass", ">"))] as never });
    const [first] = exact(design(tree));
    expect(first?.summary).toBe("add port 22 to dst_ports of rule p: tcp/5432 web > db");
    const rows = find(withEdits(tree, first?.edits ?? []), parsePath("/contrail/network-policys/entry[@name='default-domain:demo:p']"));
    expect(JSON.stringify(rows)).toContain('"22"');
  });

  it("adds a rule, because a wider mirrored rule would also open the way back", () => {
    expect(exact(design(TREE)).map(({ summary }) => summary)).toEqual([
      "add rule tcp/22 web > db to policy p, at the end",
      "add policy web-to-db (tcp/22 web > db), attached to web and db (sequence 0.1)",
    ]);
    expect(exact(design(TREE, { from: "10.1.0.5", to: "10.2.0.7" }))[0]?.summary).toBe(
      "add rule tcp/22 10.1.0.5 of web > 10.2.0.7 of db to policy p, at the end",
    );
  });

  it("is above the rule that denies the request", () => {
    const denied = treeOf({
      networks: WEB_DB as never,
      policies: [policy("p", rule("web", "db", 80), rule("web", "db", 22, "deny"), rule("db", "web", 1, "deny"))] as never,
    });
    expect(exact(design(denied, { from: "10.1.0.5" }))[0]?.summary).toMatch(/above rule tcp\/22 web > db/);
  });

  it("connects two networks by a new policy that allows nothing else", () => {
    const [first] = exact(design(APART, { from: "10.1.0.5" }));
    expect(first?.summary).toBe(
      "add policy 10.1.0.5-to-db (tcp/22 10.1.0.5 of web > db and deny db > web), attached to web and db (sequence 0.0)",
    );
    const made = find(
      withEdits(APART, first?.edits ?? []),
      parsePath("/contrail/network-policys/entry[@name='default-domain:demo:10.1.0.5-to-db']"),
    );
    expect(made?.children.find(({ tag }) => tag === "id_perms")?.children[0]).toMatchObject({ tag: "description", text: "CHG-1" });
  });

  it("connects two networks that have many policies each", () => {
    const names = Array.from({ length: 8 }, (_, at) => `n${at}`);
    const all = Object.fromEntries(names.slice(2).map((name, at) => [name, [0, at] as const]));
    const networks = names.map((name, at) => network(name, `10.${at}.0.0/24`, at === 0 ? all : { [name]: [0, 0] }));
    const policies = names.slice(1).map((name) => policy(name, ...[80, 443, 22].map((port) => rule("n0", name, port))));
    const tree = treeOf({ networks: networks as never, policies: policies as never });
    expect(exact(design(tree, { from: "n0", to: "n1", service: "tcp/5432" }))[0]?.summary).toBe(
      "add policy n0-to-n1 (tcp/5432 n0 > n1 and deny n1 > n0), attached to n0 and n1 (sequence 0.6 and sequence 0.1)",
    );
  });

  it("attaches a policy whose rule the other network lacks", () => {
    const networks = [network("web", "10.1.0.0/24", { p: [0, 0] }), network("db", "10.2.0.0/24")];
    const tree = treeOf({
      networks: networks as never,
      policies: [policy("p", rule("db", "web", 1, "deny"), rule("web", "db", 22))] as never,
    });
    expect(exact(design(tree))[0]?.summary).toBe("attach policy p to network db (sequence 0.0)");
  });

  it("with an end date is a new policy, because only policies have a description", () => {
    const found = design(TREE, {}, { note: "CHG-1 [until 2999-12-31]" });
    expect(found.designs.every(({ summary }) => summary.startsWith("add policy"))).toBe(true);
    expect(found.reasons).toContain("Only a new policy has a description for the end date: rules of network policies have none.");
  });

  it("that is not possible has few reasons, those about no single edit first", () => {
    const networks = [network("web", "10.1.0.0/24", { p: [0, 0] }), network("db", "10.2.0.0/24")];
    const tree = treeOf({ networks: networks as never, policies: [policy("p", rule("web", "db", 22, "deny"))] as never });
    const { designs, reasons } = design(tree);
    expect(designs).toEqual([]);
    expect(reasons[0]).toBe("A policy cannot be attached before the policies that stop the request, because no sequence is free.");
    expect(reasons.length).toBeLessThanOrEqual(9);
  });

  it("has a free name by the conventions", () => {
    const [first] = exact(design(APART, {}, { conventions: { ruleName: "{reason}-{from}" }, note: "CHG-7 jane" }));
    expect(first?.summary).toContain("add policy CHG-7-web (");
    const taken = treeOf({
      networks: [network("web", "10.1.0.0/24"), network("db", "10.2.0.0/24")] as never,
      policies: [policy("web-to-db")] as never,
    });
    expect(exact(design(taken))[0]?.summary).toContain("add policy web-to-db-2 (");
  });

  it("is refused for what no document declares, and for flows whose routes are not known", () => {
    const nothing = new TreeNode("contrail");
    const found = design(TREE, {}, { declared: nothing });
    expect(found.designs).toEqual([]);
    expect(found.reasons).toEqual([
      "No document declares the rules of policy p.",
      "A policy cannot be attached: no document declares network web and db.",
    ]);
    const fenced = treeOf({ networks: [network("web", "10.1.0.0/24"), network("db", "10.2.0.0/24")] as never, policies: [] });
    expect(design(fenced, { to: "192.0.2.9" }).reasons).toEqual([
      "Whether routes lead out of the networks is not known, so no edit of policies certainly allows it.",
    ]);
  });
});

describe("flows that never pass", () => {
  const opens = (tree: TreeNode) => {
    const own = request(tree, { from: "10.1.0.5", to: "10.2.0.7" });
    const { impossible = [] } = contrailDesigner.compare(tree, tree, [own], {});
    return impossible.map(({ key }) => key.name);
  };

  it("have a destination in the other network, or a source that reverse path forwarding drops", () => {
    expect(opens(TREE)).toEqual(["routed to db", "not of web", "routed to web", "not of db"]);
    const [web, ...others] = WEB_DB;
    const networks = [{ ...web, virtual_network_properties: { rpf: "disable" } }, ...others];
    const open = treeOf({ networks: networks as never, policies: [] });
    expect(opens(open)).toEqual(["routed to db", "routed to web", "not of db"]);
    expect(() => request(TREE, { from: "10.2.0.7", fromZone: "web", to: "db" })).toThrow(/reverse path forwarding drops it in web/);
    expect(request(open, { from: "10.2.0.7", fromZone: "web", to: "db" }).notes).toEqual(['"10.2.0.7" is in no subnet of web.']);
  });
});

describe("a revocation", () => {
  const revoked = (tree: TreeNode, words: Partial<RequestWords> = {}) => {
    const own = request(tree, words);
    const place = { scope: "controller", tree, declared: tree };
    return revocationsForFlow({ designer: contrailDesigner, place, request: own, options: {} });
  };
  const stepsOf = (found: ReturnType<typeof revoked>) => found.designs.map(({ steps, excess }) => [...steps, excess.length]);
  const both = (...rules: readonly object[]) => treeOf({ networks: WEB_DB as never, policies: [policy("p", ...rules)] as never });

  it("removes a port, or adds a rule above that denies it", () => {
    const ports = [22, 80].map((port) => ({ start_port: port, end_port: port }));
    const tree = both({ ...rule("web", "db", 22), dst_ports: ports }, rule("db", "web", 1, "deny"));
    expect(stepsOf(revoked(tree))).toEqual([
      ["remove the entry of the request from dst_ports of rule p: tcp/22,80 web > db", 0],
      ["add rule deny tcp/22 web > db to policy p, above rule tcp/22,80 web > db", 0],
    ]);
  });

  it("that nothing allows is denied already", () => {
    expect(revoked(APART).state).toBe("denied");
  });
});

describe("a policy that ends", () => {
  const ended = (...policies: readonly object[]) =>
    treeOf({
      networks: WEB_DB as never,
      policies: [{ ...policy("p"), id_perms: { description: "CHG-1 [until 2021-03-31]" } }, ...policies] as never,
    });
  const endings = (tree: TreeNode, declared = tree) => contrailDesigner.endings?.({ scope: "controller", tree, declared });

  it("is removed from its networks", () => {
    expect(endings(ended())).toEqual([
      expect.objectContaining({
        name: "network policy p",
        until: "2021-03-31",
        edits: [expect.anything(), expect.anything(), expect.objectContaining({ kind: "remove" })],
      }),
    ]);
  });

  it("stays if other documents or rules need it, and is left out if no document declares it", () => {
    const [policies] = ended().children;
    expect(endings(ended(), new TreeNode("contrail", undefined, "", policies === undefined ? [] : [policies]))).toMatchObject([
      { edits: "no document declares that web has it" },
    ]);
    const naming = { ...rule("web", "db", 22), src_addresses: [{ network_policy: full("p") }] };
    expect(endings(ended(policy("q", naming)))).toMatchObject([{ edits: "a rule of policy q names it" }]);
    expect(endings(ended(), new TreeNode("contrail"))).toEqual([]);
  });
});

describe("a sequence", () => {
  const at = (...sequences: readonly string[]) =>
    ({ attached: sequences.map((sequence) => ({ policy: "p", isTimed: false, sequence })) }) as never;
  it.each([
    [[], 0, "0.0"],
    [["0.0"], 1, "0.1"],
    [["0.0"], 0, undefined],
    [["0.0", "0.1"], 1, undefined],
    [["0.0", "0.3"], 1, "0.1"],
    [["0.4"], 0, "0.3"],
    [["2.0"], 0, "1.0"],
    [["0.7", "1.0"], 1, "0.8"],
  ])("of %j before %i is %s", (sequences, index, wanted) => {
    const found = sequenceBefore(at(...sequences), index);
    expect(found && `${found.major}.${found.minor}`).toBe(wanted);
  });
});

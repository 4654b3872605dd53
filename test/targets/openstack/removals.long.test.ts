import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const BASE = `
networks: { n: { subnets: { s: { cidr: 10.9.3.0/24 } } } }
`;
const ROUTER = "routers: { r: { external_network: public, interfaces: [s] } }\n";
const PORT = "ports: { p: { network: n } }\n";

async function changedTo(before: string, after: string) {
  const world = (await CloudWorld.start()).want(before);
  await world.reconciled();
  world.want(after);
  const outcome = await world.reconcile();
  return { world, outcome };
}

function report({ plan, error }: TargetOutcome): unknown[] {
  const refusals = (plan?.refusals ?? []).map(({ guard, message }) => `${guard}: ${message}`);
  return [...refusals, ...(error === undefined ? [] : [error.message])];
}

const settled = async ({ world, outcome }: Awaited<ReturnType<typeof changedTo>>) => {
  expect(report(outcome)).toEqual([]);
  expect(exitCode([outcome])).toBe(0);
  expect((await world.plan()).plan?.changes).toEqual([]);
};

describe("a removal converges in one run", () => {
  it.each([
    [
      "a floating IP and the interface of its router",
      `${BASE}${ROUTER}${PORT}floatingips: { f: { pool: public, port: p } }`,
      `${BASE}routers: { r: { external_network: public } }\n${PORT}`,
    ],
    [
      "the port of a floating IP and the interface of its router",
      `${BASE}${ROUTER}${PORT}floatingips: { f: { pool: public, port: p } }`,
      `${BASE}routers: { r: { external_network: public } }\n${PORT}floatingips: { f: { pool: public } }`,
    ],
    [
      "a floating IP and the gateway of its router",
      `${BASE}${ROUTER}${PORT}floatingips: { f: { pool: public, port: p } }`,
      `${BASE}routers: { r: { interfaces: [s] } }\n${PORT}`,
    ],
    [
      "a router and the port of a floating IP",
      `${BASE}${ROUTER}${PORT}floatingips: { f: { pool: public, port: p } }`,
      `${BASE}${PORT}floatingips: { f: { pool: public } }`,
    ],
    [
      "a router, and the port with its floating IP",
      `${BASE}${ROUTER}${PORT}floatingips: { f: { pool: public, port: p } }`,
      `${BASE}floatingips: { f: { pool: public } }`,
    ],
    [
      "the interface and the route of a router",
      `${BASE}routers: { r: { interfaces: [s], routes: [{ destination: 10.20.0.0/16, nexthop: 10.9.3.9 }] } }\n${PORT}`,
      `${BASE}routers: { r: {} }\n${PORT}`,
    ],
    [
      "the security group of a port and the group",
      `${BASE}security_groups: { g: {} }\nports: { p: { network: n, security_groups: [g] } }\n`,
      `${BASE}${PORT}`,
    ],
    ["the list of subnets of a network", BASE, "networks: { n: {} }"],
  ])("%s", async (_, before, after) => {
    await settled(await changedTo(before, after));
  });
});

/** Yes or no for each optional line of a project, and for whether it is removed. */
type Choice = (name: string) => boolean;

interface Project {
  readonly routers: readonly string[];
  readonly subnets: readonly string[];
  readonly groups: readonly string[];
  readonly ports: readonly string[];
}

const NAMES: Project = { routers: ["r0", "r1"], subnets: ["s0", "s1", "s2"], groups: ["g0", "g1", "g2"], ports: ["p0", "p1", "p2", "p3"] };

const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;
const list = (items: readonly string[]) => `[${items.join(", ")}]`;
const map = (items: readonly string[]) => `{ ${items.join(", ")} }`;

/** Returns a document. It contains an object if `has` is true for its name and for all names that it refers to. */
function documentOf(has: Choice): string {
  const subnets = NAMES.subnets.filter((name) => has(`subnet ${name}`));
  const groups = NAMES.groups.filter((name) => has(`group ${name}`));
  const routers = NAMES.routers.filter((name) => has(`router ${name}`));
  const ports = NAMES.ports.filter((name, index) => has(`port ${name}`) && subnets.includes(at(NAMES.subnets, index)));
  const interfaces = (router: string) =>
    subnets.filter((subnet) => has(`interface ${subnet}`) && at(NAMES.routers, NAMES.subnets.indexOf(subnet)) === router);
  const isReached = (port: string) => {
    const subnet = at(NAMES.subnets, NAMES.ports.indexOf(port));
    const router = routers.find((each) => interfaces(each).includes(subnet));
    return router !== undefined && has(`gateway ${router}`);
  };
  const networks = NAMES.subnets.map((name, index) => {
    const held = subnets.includes(name) ? `subnets: { ${name}: { cidr: 10.9.${index}.0/24 } }` : "";
    return `n${index}: { ${held} }`;
  });
  const portEntries = ports.map((name) => {
    const index = NAMES.ports.indexOf(name);
    const own = [at(NAMES.groups, index), at(NAMES.groups, index + 1)].filter((group) => groups.includes(group));
    const held = own.length > 0 && has(`groups of ${name}`) ? `, security_groups: ${list(own)}` : "";
    return `${name}: { network: n${index % 3}, fixed_ips: [{ subnet: ${at(NAMES.subnets, index)}, ip_address: 10.9.${index % 3}.${50 + index} }]${held} }`;
  });
  const routerEntries = routers.map((name) => {
    const own = interfaces(name);
    const [first] = own;
    const hop = first === undefined ? "" : `10.9.${NAMES.subnets.indexOf(first)}.99`;
    const lines = [
      ...(has(`gateway ${name}`) ? ["external_network: public"] : []),
      ...(own.length > 0 ? [`interfaces: ${list(own)}`] : []),
      ...(hop !== "" && has(`route ${name}`) ? [`routes: [{ destination: 10.77.0.0/16, nexthop: ${hop} }]`] : []),
    ];
    return `${name}: ${map(lines)}`;
  });
  const groupEntries = groups.map((name) => {
    const other = at(NAMES.groups, NAMES.groups.indexOf(name) + 1);
    const rules = groups.includes(other) && has(`rules ${name}`) ? `rules: [{ direction: ingress, remote_group: ${other} }]` : "";
    return `${name}: { ${rules} }`;
  });
  const floating = ports.flatMap((name) => {
    if (!has(`floating ${name}`)) return [];
    const target = isReached(name) && has(`target ${name}`) ? `, port: ${name}` : "";
    return [`f-${name}: { pool: public${target} }`];
  });
  const isTrunked = ports.includes("p0") && ports.includes("p1") && has("trunk");
  const trunked = isTrunked ? ["t: { port: p0, sub_ports: [{ port: p1, segmentation_id: 7 }] }"] : [];
  return [
    `networks: ${map(networks)}`,
    `security_groups: ${map(groupEntries)}`,
    `ports: ${map(portEntries)}`,
    `routers: ${map(routerEntries)}`,
    `floatingips: ${map(floating)}`,
    `trunks: ${map(trunked)}`,
  ].join("\n");
}

it("random projects converge in one run after a random subset is removed", { timeout: 120_000 }, async () => {
  const bits = fc.infiniteStream(fc.boolean());
  await fc.assert(
    fc.asyncProperty(bits, bits, async (kept, removed) => {
      const [wanted, gone] = [new Map<string, boolean>(), new Map<string, boolean>()];
      const draw = (known: Map<string, boolean>, stream: Iterator<boolean>, name: string, share: boolean) => {
        if (!known.has(name))
          known.set(name, share ? stream.next().value === true || stream.next().value === true : stream.next().value === true);
        return known.get(name) === true;
      };
      const first: Choice = (name) => draw(wanted, kept, name, true);
      const second: Choice = (name) => first(name) && draw(gone, removed, name, true);
      await settled(await changedTo(documentOf(first), documentOf(second)));
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

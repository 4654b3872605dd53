import { expect, it } from "vitest";
import { DataCentre } from "./data-centre.js";

const network = (name: string, third: number) =>
  `target: cloud\nscope: project\nconfig: { networks: { ${name}: { subnets: { ${name}-a: { cidr: 10.9.${third}.0/24 } } } } }\n`;
const FOLLOWS = `target: edge
scope: vsys1
config:
  address:
    $entries:
      - $forEach: { in: cloud, select: networks/entry/subnets/entry, name: "net-\${name}", allowEmpty: true }
        ip-netmask: "\${cidr}"
`;
const THEIRS = ["private", "public"];

const addresses = (world: DataCentre): string[] =>
  [...world.running("address").matchAll(/name="(net-[ab]-a|[^"]*subnet[^"]*)"/g)].map(([, name]) => name ?? "").sort();

/** Two subnets, each in its own document, and firewall objects that use them, are applied. Then one document is deleted. */
async function oneDocumentGone(): Promise<DataCentre> {
  const world = await DataCentre.start();
  world.file("documents/a.yaml", network("a", 1)).file("documents/b.yaml", network("b", 2)).file("documents/edge.yaml", FOLLOWS).push();
  const { code, out, err } = await world.run("reconcile");
  expect(code, out + err).toBe(0);
  expect(addresses(world)).toEqual(["net-a-a", "net-b-a"]);
  return world.remove("documents/b.yaml").push();
}

async function expectAllThere(world: DataCentre): Promise<void> {
  expect(world.networks).toEqual(["a", "b", ...THEIRS]);
  expect(addresses(world)).toEqual(["net-a-a", "net-b-a"]);
}

it("objects of a deleted document and $forEach are deleted from cloud and firewall, and nothing else, from a shallow clone", async () => {
  const world = (await oneDocumentGone()).cloneAnew();
  const before = world.running();
  const plan = await world.run("plan");
  expect([plan.code, ...plan.out.matchAll(/^ {2}[-+~] .*$/gm)].map(String)).toEqual([
    "2",
    expect.stringContaining("- b"),
    expect.stringContaining("- net-b-a"),
  ]);
  expect((await world.run("reconcile")).code).toBe(0);
  expect(world.networks).toEqual(["a", ...THEIRS]);
  expect(world.running()).toBe(before.replace(/<entry name="net-b-a"[\s\S]*?<\/entry>/, ""));
  expect((await world.run("plan")).code).toBe(0);
});

it("the last document takes its objects along, and opens nothing of others", async () => {
  const world = (await oneDocumentGone()).remove("documents/a.yaml").push().cloneAnew();
  const { code, out, err } = await world.run("reconcile");
  expect(code, out + err).toBe(0);
  expect(out).toContain("no document declares anything for this target");
  expect(world.networks).toEqual(THEIRS);
  expect(addresses(world)).toEqual([]);
  expect((await world.run("reconcile")).code).toBe(0);
  expect(addresses(world)).toEqual([]);
});

it("without a ledger nothing is deleted, and the plan reports deletions as unknown", async () => {
  const world = (await oneDocumentGone()).cloneAnew();
  for (const target of ["cloud", "edge"]) world.git("push", "-q", "origin", `:refs/plumbline/netops/${target}`);
  const plan = await world.run("plan");
  // A finding that both have is printed once.
  expect([plan.code, plan.out]).toEqual([0, expect.stringMatching(/^cloud, edge: 2 targets {2}no differences\n[\s\S]*No ledger yet/)]);
  expect((await world.run("reconcile")).code).toBe(0);
  await expectAllThere(world);
});

it("after a force-push it refuses", async () => {
  const world = await oneDocumentGone();
  world.git("checkout", "-q", "--orphan", "anew");
  world.push("--force").cloneAnew();
  for (const command of ["plan", "reconcile"]) {
    const { code, out } = await world.run(command);
    expect(code, out).toBe(3);
    expect(out.match(/^ {2}refused non-descendant {2}/gm)).toHaveLength(2);
  }
  await expectAllThere(world);
});

it("with a document that does not load it does nothing", async () => {
  const world = (await oneDocumentGone()).file("documents/a.yaml", "target: cloud\nscope: project\nconfig: {\n").push().cloneAnew();
  const { code, err } = await world.run("reconcile");
  expect([code, err.includes("documents/a.yaml:")]).toEqual([1, true]);
  await expectAllThere(world);
});

it.each([
  ["is refused", { kind: "refuse", status: 403, type: "PolicyNotAuthorized", message: "no" } as const, 1],
  ["is a page of a proxy", { kind: "html", status: 200 } as const, 1],
])("where the list of networks %s, it deletes nothing on either", async (_, effect, expected) => {
  const world = (await oneDocumentGone()).cloneAnew();
  world.cloud.fault({ match: { method: "GET", path: "/networks" }, effect, count: 100 });
  const { code, out } = await world.run("reconcile");
  expect(code, out).toBe(expected);
  expect(out).toContain("cloud, which this target follows, is not finished. Deletions on this target wait for it");
  await expectAllThere(world);
});

it("if a token sees none of the managed objects, it refuses", async () => {
  const world = (await oneDocumentGone()).cloneAnew();
  const { network: store } = world.cloud.world;
  const elsewhere = world.cloud.world.as("other").projectId;
  for (const each of [...store.all("network"), ...store.all("subnet")])
    if (/^[ab](-a)?$/.test(each.name)) Object.assign(each, { project_id: elsewhere });
  const since = world.cloud.journal.length;
  const { code, out } = await world.run("reconcile");
  expect(code, out).toBe(3);
  expect(out).toContain("refused empty-live");
  expect(out).toContain("refused follows");
  expect(addresses(world)).toEqual(["net-a-a", "net-b-a"]);
  expect(world.cloud.journal.slice(since).filter(({ method, service }) => method !== "GET" && service !== "identity")).toEqual([]);
});

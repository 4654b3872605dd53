import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { ownNetworks, subnetNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const NETWORK = (name: string, cidr: string) => document(`networks: { ${name}: { subnets: { ${name}-a: { cidr: ${cidr} } } } }`);

/** Addresses of another target, one for each subnet of the cloud. */
const ADDRESSES = `target: edge
scope: vsys1
config:
  address:
    nets: { $forEach: { in: cloud, select: networks/entry/subnets/entry, name: "net-\${name}" }, ip-netmask: "\${cidr}" }
`;

const EDGE =
  '<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><address><entry name="printer"><ip-netmask>10.9.9.9</ip-netmask></entry></address></entry></vsys></entry></devices></config>';

/** A repository with a cloud and a firewall whose configuration is a file that git ignores. */
function withEdge(rig: Rig): Repository {
  const repository = Repository.create(rig, {
    ".gitignore": "edge.xml\n",
    "plumbline.yaml": `format: 1
owner: conformance
documents: [cloud, edge]
targets:
  cloud: { kind: openstack, cloud: lab, mode: enforce }
  edge: { kind: memory, file: edge.xml, mode: enforce }
`,
    "cloud/a.yaml": NETWORK("a", "192.0.2.0/24"),
    "cloud/b.yaml": NETWORK("b", "198.51.100.0/24"),
    "edge/nets.yaml": ADDRESSES,
  });
  writeFileSync(join(repository.folder, "edge.xml"), EDGE);
  return repository;
}

/** A fresh clone for the same cloud and the current firewall. */
function secondClone(repository: Repository): Repository {
  const clone = repository.freshClone("second");
  copyFileSync(join(repository.folder, "edge.xml"), join(clone.folder, "edge.xml"));
  return clone;
}

/** The names of the firewall's addresses, in order. */
function addressesOf(repository: Repository): string[] {
  const text = readFileSync(join(repository.folder, "edge.xml"), "utf8");
  return [...text.matchAll(/<entry name="(net-[^"]*|printer)"/g)].map(([, name]) => name ?? "").sort();
}

onEachCloud("objects of deleted documents", (open) => {
  it("are deleted, also from a new clone with an empty state folder, and nothing else is", async () => {
    const rig = await open();
    const repository = withEdge(rig);
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    expect(addressesOf(repository)).toEqual(["net-a-a", "net-b-a", "printer"]);
    await rig.somebody.createNetwork("theirs");

    repository.write({ "cloud/b.yaml": undefined });
    const clone = secondClone(repository);
    const plan = await clone.plumbline("plan");
    expect(plan, plan.err + plan.out).toMatchObject({ code: 2 });
    expect(plan.out).toContain("b-a");
    const done = await clone.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await ownNetworks(rig.user)).toEqual(["a", "theirs"]);
    expect(await subnetNamed(rig.user, "b-a")).toBeUndefined();
    expect(addressesOf(clone)).toEqual(["net-a-a", "printer"]);
    const again = await clone.plumbline("plan");
    expect(again, again.out + again.err).toMatchObject({ code: 0 });
  });

  it("stay without the ledger", async () => {
    const rig = await open();
    const repository = withEdge(rig);
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    repository.write({ "cloud/b.yaml": undefined });
    repository.git("push", "-q", "origin", ":refs/plumbline/conformance/cloud", ":refs/plumbline/conformance/edge");
    const clone = secondClone(repository);
    await clone.plumbline("reconcile");
    expect(await ownNetworks(rig.user)).toEqual(["a", "b"]);
    expect(addressesOf(clone)).toEqual(["net-a-a", "net-b-a", "printer"]);
  });

  it("stay after a rewritten history", async () => {
    const rig = await open();
    const repository = withEdge(rig);
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    repository.git("checkout", "-q", "--orphan", "other");
    repository.git("rm", "-q", "-f", "cloud/b.yaml");
    repository.git("commit", "-q", "-m", "another history");
    repository.git("push", "-q", "-f", "origin", "other:main");
    const clone = secondClone(repository);
    const refused = await clone.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(3);
    expect(refused.err + refused.out).toContain("--allow non-descendant");
    expect(await ownNetworks(rig.user)).toEqual(["a", "b"]);
    expect(addressesOf(clone)).toContain("net-b-a");
  });

  it("stay if a document does not load", async () => {
    const rig = await open();
    const repository = withEdge(rig);
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    repository.write({ "cloud/b.yaml": "target: cloud\nscope: project\nconfig:\n  networks: [\n" });
    expect(await repository.plumbline("reconcile")).toMatchObject({ code: 1 });
    expect(await ownNetworks(rig.user)).toEqual(["a", "b"]);
    expect(addressesOf(repository)).toContain("net-b-a");
  });

  it("stay while in use, are named, and are deleted afterwards", async () => {
    const rig = await open();
    const repository = Repository.create(rig, {
      "cloud/a.yaml": NETWORK("a", "192.0.2.0/24"),
      "cloud/b.yaml": NETWORK("b", "198.51.100.0/24"),
    });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    await rig.somebody.createPort("b", "theirs");
    repository.write({ "cloud/b.yaml": undefined });
    const refused = await repository.plumbline("reconcile");
    expect([1, 3, 4], refused.err + refused.out).toContain(refused.code);
    expect(refused.err + refused.out).toMatch(/in use|theirs/i);
    expect(await ownNetworks(rig.user)).toEqual(["a", "b"]);
    await rig.somebody.deletePort("theirs");
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(await ownNetworks(rig.user)).toEqual(["a"]);
  });
});

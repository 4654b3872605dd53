import { describe, expect, it } from "vitest";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { PlannedOperation } from "../../src/plan/model.js";
import { bytesForOperations, operationBytes, pack, splitOversize } from "../../src/plan/pack-requests.js";
import { addresses, numbered, vsys } from "../guards/support.js";
import { firewallCapabilities, plan } from "./support/planned.js";

const LIST = parsePath("/config/vsys/entry[@name='v1']/address");
const limits = { atomicBatch: true, maxRequestBytes: 5_000_000, maxBatchOperations: 10_000, maxPendingChanges: undefined };
const deleting = (count: number): PlannedOperation[] =>
  numbered(count).map((name) => ({ operation: { action: "delete", at: LIST.entry(name) }, phase: "delete", changes: [] }));
const sizes = (count: number, more: object): number[] => pack(deleting(count), { ...limits, ...more }).batches.map((batch) => batch.length);

describe("pack", () => {
  it("fills requests up to the limits of number and size, in order", () => {
    expect(sizes(7, { maxBatchOperations: 3 })).toEqual([3, 3, 1]);
    expect(sizes(3, { atomicBatch: false })).toEqual([1, 1, 1]);
    const [one] = deleting(1) as [PlannedOperation];
    const room = limits.maxRequestBytes - bytesForOperations(limits);
    expect(sizes(5, { maxRequestBytes: room + 2 * operationBytes(one.operation) })).toEqual([2, 2, 1]);
    expect(pack(deleting(5), { ...limits, maxBatchOperations: 2 }).batches.flat()).toEqual(deleting(5));
    expect(pack([], limits)).toEqual({ batches: [], commitAfter: [] });
  });

  it("commits before a limit of pending changes is exceeded", () => {
    const packed = pack(deleting(7), { ...limits, maxBatchOperations: 2, maxPendingChanges: 4 });
    expect([packed.batches.map((batch) => batch.length), packed.commitAfter]).toEqual([
      [2, 2, 2, 1],
      [1, 3],
    ]);
    expect(pack(deleting(600), { ...limits, maxPendingChanges: 250 }).commitAfter).toEqual([0, 1, 2]);
    expect(pack(deleting(600), limits).commitAfter).toEqual([0]);
  });

  it("never counts fewer bytes than the form encoding of path and element", () => {
    const element = new TreeNode("entry", "ü/\"'&<é😀", "", [new TreeNode("ip", undefined, "a b\n&<>\u20ac", [])]);
    const xml = '<entry name="ü/&quot;\'&amp;&lt;é😀"><ip>a b&#10;&amp;&lt;&gt;€</ip></entry>';
    const wire = new URLSearchParams({ xpath: LIST.toString(), element: xml }).toString();
    expect(operationBytes({ action: "set", at: LIST, element })).toBeGreaterThanOrEqual(wire.length - "xpath=&element=".length);
  });
});

describe("operations larger than a request", () => {
  const small = { ...firewallCapabilities, maxRequestBytes: 4_000 };

  it("a set is split at its entries, without losing one", () => {
    const children = numbered(100).map((name) => new TreeNode("entry", name, "", [new TreeNode("ip", undefined, "10.0.0.1", [])]));
    const element = new TreeNode("address", undefined, "", children);
    const operation = { action: "set" as const, at: LIST.parent ?? LIST, element };
    const parts = splitOversize([{ operation, phase: "create", changes: [0] }], small);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(operationBytes(part.operation)).toBeLessThanOrEqual(bytesForOperations(small));
    expect(parts.flatMap((part) => ("element" in part.operation ? part.operation.element.children : []))).toEqual(children);
  });

  it("an edit is written as deletes and sets", () => {
    const rule = (names: readonly string[]): string =>
      `<rules><entry name="r"><source>${names.map((name) => `<member>${name}</member>`).join("")}</source><destination><member>any</member></destination></entry></rules>`;
    const objects = addresses(numbered(120));
    const live = vsys(objects + rule(numbered(60)));
    const wanted = vsys(objects + rule(numbered(120).slice(60)));
    const usual = plan(live, wanted).operations.map(({ operation }) => operation.action);
    const rewritten = plan(live, wanted, { capabilities: { ...small, maxRequestBytes: 1_600 } });
    expect(usual).toEqual(["edit"]);
    expect(rewritten.refusals).toEqual([]);
    expect(new Set(rewritten.operations.map(({ operation }) => operation.action))).toEqual(new Set(["set", "delete"]));
  });

  it("one that cannot be split is refused with key and value", () => {
    const text = "x".repeat(5_000);
    const made = plan(vsys("<address></address>"), vsys(addresses(["a"], () => text)), { capabilities: small });
    expect(made.refusals).toEqual([
      expect.objectContaining({ guard: "request-size", message: expect.stringContaining("4000 (maxRequestBytes)") }),
    ]);
  });
});

describe("requests of large plans", () => {
  it("10,000 new addresses need as few as the limit allows", () => {
    const made = plan(vsys("<address></address>"), vsys(addresses(numbered(10_000))), {
      capabilities: { ...firewallCapabilities, maxRequestBytes: 400_000 },
    });
    const bytes = made.operations.reduce((sum, { operation }) => sum + operationBytes(operation), 0);
    expect(made.batches.length).toBe(Math.ceil(bytes / (400_000 - 512)));
    expect(plan(vsys("<address></address>"), vsys(addresses(numbered(10_000)))).batches.map((batch) => batch.length)).toEqual([1]);
  });

  it("1,000 reversed rules need one, with 999 moves", () => {
    const rules = (names: readonly string[]): string =>
      vsys(`<rules>${names.map((name) => `<entry name="${name}"><action>allow</action></entry>`).join("")}</rules>`);
    const made = plan(rules(numbered(1_000)), rules(numbered(1_000).reverse()));
    expect([made.batches.length, made.operations.length, new Set(made.operations.map(({ operation }) => operation.action))]).toEqual([
      1,
      999,
      new Set(["move"]),
    ]);
  });
});

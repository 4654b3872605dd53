import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/core/operation.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../../src/desired/model.js";
import { onlyFillsPlaceholders } from "../../../src/engine/pass/placeholders-only.js";
import type { Plan } from "../../../src/plan/model.js";

const LIST = "/config/shared/address";
const facts = { origin: -1, prunes: true, declared: true };

function leaf(text: string, unresolved = false): DesiredNode {
  return new DesiredNode("ip-netmask", undefined, text, [], { ...facts, handling: unresolved ? { unresolved: text } : undefined });
}

function set(name: string, value: TreeNode): Operation {
  return { action: "set", at: parsePath(LIST), element: new TreeNode("entry", name, "", [value]) };
}

function plan(operations: readonly Operation[], awaited: readonly string[] = []): Plan {
  const findings = awaited.map((path) => ({ kind: "place-missing", path: parsePath(path), refuses: false, message: "", origin: -1 }));
  return { operations: operations.map((operation) => ({ operation, phase: "create", changes: [] })), findings } as unknown as Plan;
}

const OPEN = set("a", leaf("${cloud:x}", true));

describe("a later wave may only fill in open parts of a plan", () => {
  it("values of references", () => {
    expect(onlyFillsPlaceholders(plan([OPEN]), plan([set("a", leaf("10.0.0.1"))]))).toBe(true);
  });

  it("not other values, entries, kinds of change, or more of it", () => {
    const known = set("a", leaf("10.0.0.1"));
    expect(onlyFillsPlaceholders(plan([known]), plan([set("a", leaf("10.0.0.2"))]))).toBe(false);
    expect(onlyFillsPlaceholders(plan([OPEN]), plan([set("b", leaf("10.0.0.1"))]))).toBe(false);
    expect(onlyFillsPlaceholders(plan([OPEN]), plan([{ action: "delete", at: parsePath(`${LIST}/entry[@name='a']`) }]))).toBe(false);
    expect(onlyFillsPlaceholders(plan([OPEN]), plan([OPEN, set("b", leaf("10.0.0.1"))]))).toBe(false);
    expect(onlyFillsPlaceholders(plan([known]), plan([]))).toBe(true);
  });

  it("parts of objects that others create first", () => {
    const after = plan([set("web", leaf("x")), { action: "delete", at: parsePath(`${LIST}/entry[@name='web']/tag`) }]);
    expect(onlyFillsPlaceholders(plan([], [`${LIST}/entry[@name='web']`]), after)).toBe(true);
    expect(onlyFillsPlaceholders(plan([], [`${LIST}/entry[@name='db']`]), after)).toBe(false);
  });

  it("names that references create", () => {
    const unnamed = new DesiredNode("entry", "${cloud:x}", "", [], { ...facts, handling: { unresolved: "${cloud:x}" } });
    const before: Operation = { action: "set", at: parsePath("/config/ip"), element: unnamed };
    const after: Operation = { action: "set", at: parsePath("/config/ip"), element: new TreeNode("entry", "10.0.0.1/24") };
    expect(onlyFillsPlaceholders(plan([before]), plan([after]))).toBe(true);
  });
});

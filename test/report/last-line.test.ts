import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import { lastLine } from "../../src/report/last-line.js";
import { outcome, planOf } from "./outcomes.js";

const clean = planOf({ changes: [], operations: [] });
const applied = { operations: 7, requests: 1, job: "5", commit: "committed", proven: true, lines: [] } as const;
const named = (target: string, over: Partial<TargetOutcome>): TargetOutcome => outcome({ target, ...over });
const refused = planOf({ refusals: [{ guard: "deletes", message: "m", path: undefined, allow: undefined }] });
const failed = new PlumblineError("transport-refused", "nobody answers");

describe("the last line of a run", () => {
  it("reports that everything is in sync, with the verb of each command", () => {
    const two = [named("a", { plan: clean }), named("b", { plan: clean })];
    expect(lastLine("plan", two)).toBe("In sync, nothing to do: 2 targets.\n");
    expect(lastLine("reconcile", two)).toBe("In sync, no changes were needed: 2 targets.\n");
    expect(lastLine("drift", [named("a", { drift: { items: [], findings: [], pending: [] } })])).toBe("No drift: 1 target.\n");
    expect(lastLine("plan", [])).toBe("");
  });

  it("counts the changes of a plan, and reports that nothing was written", () => {
    const line = lastLine("plan", [named("a", { plan: planOf() }), named("b", { plan: clean }), named("c", { plan: refused })]);
    expect(line).toMatch(/^Plan: 1 target to change \(.*to create.*\), 1 in sync; 1 refused \(c\)\. Nothing was written\.\n$/);
  });

  it("counts the changes of a run, and gives the reason for every other target", () => {
    const outcomes = [
      named("a", { plan: clean, applied, mode: "enforce" }),
      named("b", { plan: clean, mode: "enforce" }),
      named("c", { plan: planOf(), mode: "observe" }),
      named("d", { plan: refused, mode: "enforce" }),
      named("e", { error: failed }),
      named("f", { error: new PlumblineError("partly-applied", "m", { severity: "partial" }), applied }),
      named("g", { error: new PlumblineError("plan-refused", "m", { severity: "refused" }) }),
    ];
    expect(lastLine("reconcile", outcomes)).toBe(
      "Result: 1 target changed (7 operations), 1 in sync; not done: 1 failed (e), 1 partly applied (f), 2 refused (d, g), 1 only observed (c).\n",
    );
  });

  it("never calls a failed or refused target in sync, and counts names that do not fit", () => {
    const many = Array.from({ length: 8 }, (_, index) => named(`fw-${index}`, { error: failed }));
    expect(lastLine("reconcile", many)).toBe("Result: not done: 8 failed (fw-0, fw-1, fw-2, fw-3, fw-4 and 3 more).\n");
  });
});

import { expect, it } from "vitest";
import type { AccessDesign } from "../../src/outcome/access.js";
import { accessLines } from "../../src/report/access.js";

const text = (isPartial: boolean): string => {
  const design: AccessDesign = { summary: "add web-01 to source of rule web", isPartial, excess: [], notes: [] };
  const request = { from: "web-01", to: "db-01", service: "tcp/22", application: "ssh" };
  const answer = { request, scope: "vsys1", state: "designed" as const, now: undefined, designs: [design], reasons: [], notes: [] };
  return accessLines({ answers: [answer], files: [], faults: [] }, 1, (_, words) => words).join("\n");
};

it("a design is called exact only if no rule can still deny a part of the request", () => {
  expect(text(false)).toContain("opens exactly the request");
  expect(text(true)).toContain("opens a part of the request, and nothing else");
  expect(text(true)).not.toContain("exactly");
});

it("many answers list the refused requests last, and name designs that open more", () => {
  const flow = { from: "a", to: "b", source: "any", destination: "any", service: "tcp/22", application: "any", users: "any" };
  const answer = (from: string, state: "designed" | "refused", excess: AccessDesign["excess"] = []) => ({
    request: { from, to: "db-01", service: "tcp/22", application: "ssh" },
    ...{ scope: "vsys1", state, now: undefined, notes: [] },
    designs: state === "refused" ? [] : [{ summary: "add rule", isPartial: false, excess, notes: [] }],
    reasons: state === "refused" ? ["There is no zone."] : [],
  });
  const answers = [answer("one", "refused"), answer("two", "designed"), answer("three", "designed", [flow as never])];
  expect(accessLines({ answers, files: [], faults: [] }, 1, (_, words) => words)).toEqual([
    "  designed    two > db-01  tcp/22 · ssh  add rule",
    "  designed    three > db-01  tcp/22 · ssh  add rule (also opens other flows)",
    "  refused     one > db-01  tcp/22 · ssh  There is no zone.",
    "  1 request refused: no document is edited",
  ]);
});

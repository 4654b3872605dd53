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

import { describe, expect, it } from "vitest";
import type { Edit, ScopeInsight, SummaryRow } from "../../src/outcome/insight.js";
import { insightLines, rowText } from "../../src/report/insight.js";
import { plain } from "../../src/report/style.js";

const flow = { from: "web", to: "db", source: "any", destination: "db-01", service: "tcp/5432", application: "", user: "any" };
const allowed = { verdict: "allow", rules: [{ name: "web-in", where: {} }], more: 0 };
const denied = { verdict: "deny", rules: [{ name: "cleanup", where: {} }], more: 0 };
const edit: Edit = {
  subject: "rule web-in",
  where: { file: "security.yaml", line: 543 },
  changes: [{ kind: "added", items: ["source zone tv", "service tcp_8081"] }],
};
const row: SummaryRow = {
  change: "opened",
  flow,
  addresses: { source: "1", destination: "768" },
  parts: 1,
  conditions: [],
  was: denied,
  now: allowed,
  example: { from: "web", to: "db", source: "198.51.100.7", destination: "10.0.0.1", service: "tcp/5432" },
};
const scope: ScopeInsight = {
  scope: "vsys1",
  rules: 3,
  exact: true,
  rows: [],
  edits: [{ edit, rows: [row] }],
  dependsOn: [],
  idle: [],
  notes: [],
  undecided: [],
  doubts: [],
  beside: [],
};
const linesOf = (given: Partial<ScopeInsight>) => insightLines({ scopes: [{ ...scope, ...given }] }, "plan", plain).slice(1);

describe("a row", () => {
  it("has three lines: zones and addresses, services and the rule before, an example", () => {
    expect(rowText(row, edit)).toEqual([
      "+ web > db   any > db-01 (768 addresses)",
      "tcp/5432   before: denied by cleanup",
      "for example 198.51.100.7 > 10.0.0.1 tcp/5432",
    ]);
  });

  it("names the deciding rule if it is not the edited one, and shows that it contains more than the flows", () => {
    const [, second, third] = rowText({ ...row, parts: 12, example: { ...row.example, from: "dmz" } }, { ...edit, subject: "object web" });
    expect(second).toBe("tcp/5432   in 12 parts   before: denied by cleanup   now: allowed by web-in");
    expect(third).toBe("for example dmz > db  198.51.100.7 > 10.0.0.1 tcp/5432");
  });

  it("shows the destination of a redirected flow", () => {
    const [was, now] = ["10.1.0.11 in db", "10.1.0.12 in db"];
    const last = (given: Partial<SummaryRow>) => rowText({ ...row, ...given }, edit)[2]?.split("   ")[1];
    expect(last({ change: "redirected", reaches: { was, now } })).toBe(`now reaches ${now}, was ${was}`);
    expect(last({ reaches: { now } })).toBe(`now reaches ${now}`);
    expect(last({ change: "closed", reaches: { was } })).toBe(`reached ${was}`);
  });

  it("shows at most two conditions", () => {
    const conditions = ["the source is in a (FQDN), and the user is ops (group)", "b (schedule) holds", "c (schedule) holds"];
    expect(rowText({ ...row, conditions }, edit)[1]).toContain(
      "if the source is in a (FQDN), and the user is ops (group), or if b (schedule) holds, or 1 more condition: plumbline reach   before",
    );
  });
});

describe("the section", () => {
  it("has one header, the rows, and the edit that causes them", () => {
    expect(linesOf({})).toEqual([
      "  What becomes reachable  vsys1  1 opening · 0 closings · exact",
      "    + web > db   any > db-01 (768 addresses)",
      "        tcp/5432   before: denied by cleanup",
      "        for example 198.51.100.7 > 10.0.0.1 tcp/5432",
      "    by rule web-in (security.yaml:543): source zone tv, service tcp_8081 added",
    ]);
  });

  it("reports the precision", () => {
    const first = (given: Partial<ScopeInsight>) => linesOf(given)[0];
    expect(first({ dependsOn: [{ kind: "FQDN", names: ["a", "b", "c"] }] })).toContain("upper bound: depends on 3 FQDNs");
    expect(first({ exact: false, doubts: ["x"] })).toContain("not exact: 1 reason");
  });

  it("shows 15 rows and counts the others", () => {
    const edits = [{ edit, rows: Array.from({ length: 18 }, () => row) }];
    const lines = linesOf({ edits });
    expect(lines.filter((line) => line.includes(" + "))).toHaveLength(15);
    expect(lines.at(-1)).toBe("    and 3 more rows: use --format json");
  });

  it("links to the general limits once, and prints assumptions that can be configured", () => {
    const beside = ["Standing limit.", "Another limit.", "Assumed order [?]."];
    const rows = [{ change: "opened" as const, cause: "", was: denied, now: allowed, conditions: [], flows: [flow], more: 0 }];
    expect(linesOf({ rows, beside }).slice(-2)).toEqual(["    Assumed order [?].", "    Limits of every result: docs/insight.md#limits"]);
  });

  it("prints no alarm about a rule that a row names as deciding", () => {
    const idle = ["web-in", "old"].map((rule) => ({
      kind: "shadowed" as const,
      isNew: false,
      rule,
      where: {},
      by: [{ name: "top", where: {} }],
    }));
    const rows = [{ change: "opened" as const, cause: "", was: denied, now: allowed, conditions: [], flows: [flow], more: 0 }];
    const alarms = linesOf({ rows, idle }).filter((line) => line.includes("!"));
    expect(alarms).toEqual(["    ! rule old no longer decides any flow: top decides all of its flows"]);
  });
});

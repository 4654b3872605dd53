import { describe, expect, it } from "vitest";
import { rowText } from "../../src/report/insight.js";

const flow = { from: "web", to: "db", source: "any", destination: "db-01", service: "tcp/5432", application: "", user: "any" };

describe("a row", () => {
  it("shows the old and the new destination of flows", () => {
    const decided = { verdict: "allow", rules: [{ name: "web-in", where: {} }], more: 0 };
    const row = { cause: "NAT rule publish changes", was: decided, now: decided, conditions: [], flows: [flow], more: 0 };
    const rules = "was: web-in   now: web-in   (NAT rule publish changes)";
    const first = "web > db  any > db-01  tcp/5432";
    const [was, now] = ["10.1.0.11 in db", "10.1.0.12 in db"];
    expect(rowText({ ...row, change: "redirected", reaches: { was, now } })).toEqual([
      `~ elsewhere  ${first}`,
      `now reaches ${now}, was ${was}`,
      rules,
    ]);
    expect(rowText({ ...row, change: "opened", reaches: { now } })[1]).toBe(`now reaches ${now}`);
    expect(rowText({ ...row, change: "closed", reaches: { was } })[1]).toBe(`reached ${was}`);
  });

  it("shows each alternative condition on a separate line", () => {
    const decided = { verdict: "deny", rules: [], more: 0 };
    const conditions = ["the source is in a.example (FQDN), and the user is ops (group)", "the source is in b.example (FQDN)"];
    expect(rowText({ change: "opened", cause: "rule new is new", was: decided, now: decided, conditions, flows: [flow], more: 0 })).toEqual(
      [
        "+ allowed  web > db  any > db-01  tcp/5432",
        "was: deny   now: deny   (rule new is new)",
        "if the source is in a.example (FQDN), and the user is ops (group)",
        "or if the source is in b.example (FQDN)",
      ],
    );
  });
});

import { describe, expect, it } from "vitest";
import { rowText } from "../../src/report/insight.js";

const flow = { from: "web", to: "db", source: "any", destination: "db-01", service: "tcp/5432", application: "", user: "any" };

describe("a row", () => {
  it("says each way in which it holds on a line of its own, since each may ask for several things", () => {
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

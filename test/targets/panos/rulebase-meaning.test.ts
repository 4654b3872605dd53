import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { rulebaseMeaning } from "../../../src/targets/panos/rulebase-meaning.js";

const RULES = parsePath("/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules");

const rule = (name: string, action: string, inside = "") => `<entry name="${name}"><action>${action}</action>${inside}</entry>`;
const from = (zone: string) => `<from><member>${zone}</member></from>`;
const denyAll = rule("deny-all", "deny", from("any"));
const web = rule("web", "allow", from("untrust"));
const mail = rule("mail", "allow", from("untrust"));
const rules = (...entries: string[]) => parseXml(`<rules>${entries.join("")}</rules>`);

const meanings = (before: string[], after: string[]): string[] =>
  rulebaseMeaning(RULES, rules(...before), rules(...after)).map(({ path, message }) => `${path.name}: ${message}`);

describe("the rule that closes a rulebase", () => {
  it.each([
    ["goes", [web]],
    ["is narrowed", [web, rule("deny-all", "deny", from("office"))]],
    ["is disabled", [web, rule("deny-all", "deny", "<disabled>yes</disabled>")]],
    ["allows", [web, rule("deny-all", "allow")]],
    ["is negated", [web, rule("deny-all", "deny", "<negate-source>yes</negate-source>")]],
  ])("is missed when it %s", (_, after) => {
    expect(meanings([web, denyAll], after)).toEqual([expect.stringMatching(/^deny-all: .*unmatched traffic may pass/)]);
  });

  it("is not missing if another one closes, or if none did before", () => {
    expect(meanings([web, denyAll], [web, rule("drop-all", "drop")])).toEqual([]);
    expect(meanings([web], [mail])).toEqual([]);
    expect(meanings([web, denyAll], [web, denyAll, mail])).toEqual([]);
  });
});

describe("a rule that denies everything", () => {
  it("is reported if it is added above rules that allow traffic", () => {
    expect(meanings([web, mail, denyAll], [rule("stop", "drop"), web, mail, denyAll])).toEqual([
      'stop: Rule "stop" denies everything, above 2 rules that let traffic through and no longer match.',
    ]);
    expect(meanings([web, mail], [web, rule("stop", "deny"), mail])).toEqual([
      'stop: Rule "stop" denies everything, above rule "mail", which allows traffic and no longer matches.',
    ]);
  });

  it("is reported if it is moved there, or widened", () => {
    expect(meanings([web, denyAll], [denyAll, web])).toHaveLength(1);
    expect(meanings([rule("stop", "deny", from("office")), web], [rule("stop", "deny"), web])).toHaveLength(1);
  });

  it("is not reported at the end, above disabled or new rules, or if it was there before", () => {
    expect(meanings([web], [web, denyAll])).toEqual([]);
    expect(meanings([web, denyAll], [web, denyAll, mail])).toEqual([]);
    expect(meanings([denyAll, web], [denyAll, web])).toEqual([]);
    expect(
      meanings([rule("off", "allow", "<disabled>yes</disabled>")], [denyAll, rule("off", "allow", "<disabled>yes</disabled>")]),
    ).toEqual([]);
  });
});

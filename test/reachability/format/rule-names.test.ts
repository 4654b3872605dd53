import { expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { insightBetween } from "../../../src/reachability/changes/format-difference.js";
import { ANY_FLOW } from "../../../src/reachability/flows/policy.js";
import { withDistinctNames } from "../../../src/reachability/format/rule-names.js";
import { reachIn } from "../../../src/reachability/questions/format-reach.js";
import { policiesOf } from "../../../src/targets/panos/policy/policies.js";

const rule = (name: string, action: string) =>
  `<entry name="${name}"><source><member>any</member></source><destination><member>any</member></destination><action>${action}</action></entry>`;
const rulebase = (level: string, ...rules: string[]) =>
  `<${level}-rulebase><security><rules>${rules.join("")}</rules></security></${level}-rulebase>`;

/** A manager with the rule `web` in `shared` and in a device group. */
const manager = (shared: string) =>
  parseXml(
    `<config><shared>${rulebase("pre", rule("web", shared), rule("other", "deny"))}</shared><devices><entry name="localhost.localdomain">` +
      `<device-group><entry name="dg">${rulebase("post", rule("web", "allow"))}</entry></device-group></entry></devices></config>`,
  );

function versions(before: string, after: string) {
  const [[one] = [], [other] = []] = policiesOf([manager(before), manager(after)]);
  if (one === undefined || other === undefined) throw new Error("both versions have a policy");
  return [one, other] as const;
}

it("names the level of a rule whose name is on two levels, and of no other rule", () => {
  const [before, after] = versions("deny", "allow");
  const { rows, edits } = insightBetween(before, after);
  const names = rows.flatMap(({ was, now }) => [...was.rules, ...now.rules].map(({ name }) => name));
  expect(new Set(names)).toEqual(new Set(["web (pre of shared)"]));
  expect(edits.map(({ edit }) => edit.subject)).toEqual(["rule web (pre of shared)"]);
  expect(reachIn(after, ANY_FLOW_EVERYWHERE).answers.map((answer) => answer.rule)).toEqual(["web (pre of shared)"]);
  const all = withDistinctNames([after] as const)[0].rules.map(({ key }) => key.name);
  expect(all).toEqual(["web (pre of shared)", "other", "web (post of device-group/dg)", "intrazone-default", "interzone-default"]);
});

const ANY_FLOW_EVERYWHERE = { ...ANY_FLOW, zones: { type: "universal", from: "any", to: "any" } } as const;

it("keeps the names if they are on one level", () => {
  const [policy] = versions("allow", "allow");
  const alone = { ...policy, rules: policy.rules.filter(({ key }) => key.level !== "post") };
  const [kept] = withDistinctNames([alone]);
  expect(kept).toBe(alone);
});

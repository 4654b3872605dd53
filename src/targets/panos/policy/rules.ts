import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Rule, Verdict, ZonePairs } from "../../../reachability/flows/policy.js";
import { DEFAULTS, isDisabled, isPass, textOf } from "../security-rule.js";
import type { Addresses } from "./addresses.js";
import type { Applications } from "./applications.js";
import { conditionsOf, holds, meantFor, usersIn } from "./conditions.js";
import { matchedBy, type NameScopes } from "./name-scopes.js";
import type { Reading } from "./reading.js";
import type { Services } from "./services.js";
import type { EffectiveSystem, RuleLayer } from "./systems.js";
import { trafficOf } from "./traffic.js";

/** Names of one rulebase. Each is resolved once. */
export interface Names {
  readonly scopes: NameScopes;
  readonly addresses: Addresses;
  readonly services: Services;
  readonly applications: Applications;
}

/** Returns the enabled security rules from top to bottom, default rules last. */
export function securityRules(system: EffectiveSystem, names: Names, reading: Reading): Rule[] {
  const explicit = system.layers.flatMap((layer) => rulesOf(layer, "security").flatMap((rule) => ruleOf(rule, layer, names, reading)));
  return [...explicit, ...DEFAULTS.map((rule) => defaultRule(rule, system, reading))];
}

/** Returns the keys of the disabled security rules. */
export function disabledRules({ layers }: EffectiveSystem): Rule["key"][] {
  return layers.flatMap((layer) =>
    rulesOf(layer, "security")
      .filter(isDisabled)
      .map(({ name = "" }) => ({ level: layer.level, group: layer.group, name })),
  );
}

export function rulesOf({ rulebase }: RuleLayer, tag: string): readonly TreeNode[] {
  const part = childByTag(rulebase, tag);
  const list = part === undefined ? undefined : childByTag(part, "rules");
  return list?.children.filter(({ name }) => name !== undefined) ?? [];
}

function ruleOf(rule: TreeNode, layer: RuleLayer, names: Names, reading: Reading): Rule[] {
  if (isDisabled(rule)) return [];
  const target = layer.level === "local" ? true : meantFor(rule, undefined);
  if (target === false) return [];
  const { level, group } = layer;
  const actionText = textOf(rule, "action");
  if (actionText === undefined) reading.doubts.add(`Rule "${rule.name}" has no action, and is assumed to allow [?].`);
  const action = actionText ?? "allow";
  return [
    {
      key: { level, group, name: rule.name ?? "", uuid: rule.attributes?.get("uuid") },
      origin: reading.where(ruleAt(layer.path, "security", rule)),
      zones: zonesOf(rule),
      source: names.addresses.match(rule, "source"),
      destination: names.addresses.match(rule, "destination"),
      traffic: trafficOf(rule, names.applications, names.services),
      users: usersIn(matchedBy(rule, "source-user"), names.scopes),
      conditions: [...conditionsOf(rule, names.scopes), ...(target === true ? [] : [[holds(target)]])],
      verdict: verdictOf(action),
      action,
      ...treatmentOf(rule, action, true),
    },
  ];
}

/** Children of a rule that define the handling of allowed sessions. */
const OF_PASSED = ["profile-setting", "qos", "option"];

/**
 * Returns the handling of sessions in addition to the verdict. `logsUnasked`: whether a rule without the setting logs the end of sessions.
 */
function treatmentOf(rule: TreeNode | undefined, action: string, logsUnasked: boolean): Pick<Rule, "isLogged" | "treatment"> {
  const leaf = (tag: string): string | undefined => (rule === undefined ? undefined : textOf(rule, tag));
  const isLogged = (leaf("log-end") ?? (logsUnasked ? "yes" : "no")) !== "no";
  const logs = [...(isLogged ? ["end"] : []), ...(leaf("log-start") === "yes" ? ["start"] : [])];
  const to = logs.length === 0 ? [] : [leaf("log-setting") ?? ""];
  const passed =
    rule === undefined || !isPass(action)
      ? []
      : rule.children.filter(({ tag, children }) => OF_PASSED.includes(tag) && children.length > 0).map(unordered);
  return { isLogged, treatment: [...logs, ...to, ...passed.sort()].join("\n") };
}

/** Equal for nodes with equal content in any order. */
function unordered({ tag, name = "", text = "", children }: TreeNode): string {
  return `${tag} ${name} ${text} (${children.map(unordered).sort().join(", ")})`;
}

/** Returns the path of a rule in a rulebase. */
export function ruleAt(rulebase: Path, tag: string, rule: TreeNode): Path {
  return rulebase
    .child(tag)
    .child("rules")
    .entry(rule.name ?? "");
}

function verdictOf(action: string): Verdict {
  return isPass(action) ? "allow" : "deny";
}

function zonesOf(rule: TreeNode): ZonePairs {
  const type = textOf(rule, "rule-type");
  return {
    type: type === "intrazone" || type === "interzone" ? type : "universal",
    from: matchedBy(rule, "from"),
    to: matchedBy(rule, "to"),
  };
}

/** Returns a default rule with the settings of the nearest scope that configures it. */
function defaultRule({ name, type, action }: (typeof DEFAULTS)[number], { layers }: EffectiveSystem, reading: Reading): Rule {
  const nearest = [...layers].sort((a, b) => Number(b.level === "local") - Number(a.level === "local"));
  const settings = nearest.flatMap((layer) =>
    rulesOf(layer, "default-security-rules")
      .filter((rule) => rule.name === name)
      .map((rule) => ({ rule, at: ruleAt(layer.path, "default-security-rules", rule) })),
  )[0];
  const own = (settings === undefined ? undefined : textOf(settings.rule, "action")) ?? action;
  return {
    key: { level: "default", group: "", name },
    origin: settings === undefined ? {} : reading.where(settings.at),
    zones: { type, from: "any", to: "any" },
    source: "any",
    destination: "any",
    traffic: [{ applications: "any", services: "any" }],
    users: "any",
    conditions: [],
    verdict: verdictOf(own),
    action: own,
    ...treatmentOf(settings?.rule, own, false),
  };
}

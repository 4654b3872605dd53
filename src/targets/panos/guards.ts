import { childByTag } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { KindGuards } from "../../plan/model.js";
import { deviceGroupParents } from "./device-groups.js";
import { doubtfulValues } from "./doubtful-values.js";
import { panosManagementPath } from "./management-path.js";
import { missingFields } from "./required-fields.js";
import { rulebaseMeaning } from "./rulebase-meaning.js";
import { DEFAULTS, isAny, isDisabled, isPass, MATCH_FIELDS, passes, textOf } from "./security-rule.js";

/**
 * Parts of the configuration that can cut Plumbline's access: management address, administrators, and the high-availability pair. Patterns
 * match the tags of a path.
 */
const MANAGEMENT: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /\/deviceconfig\/system\/(type|ip-address|netmask|default-gateway|ipv6-address|ipv6-default-gateway|mtu)(\/|$)/,
    "the address of the management interface",
  ],
  [/\/deviceconfig\/system\/(non-ui-)?authentication-profile(\/|$)/, "how administrators log in"],
  [/\/deviceconfig\/system\/permitted-ip(\/|$)/, "the addresses that may manage the device"],
  [/\/deviceconfig\/system\/service(\/|$)/, "the services of the management interface"],
  [/\/deviceconfig\/system\/route(\/|$)/, "the service routes of the device"],
  [/\/deviceconfig\/system\/(ssl-tls-service-profile|device-group|panorama)(\/|$)/, "how the device is managed"],
  [/\/deviceconfig\/setting\/management\/(api|admin-lockout|idle-timeout|permitted-ip)(\/|$)/, "the management settings of the device"],
  [/\/deviceconfig\/high-availability(\/|$)/, "the high-availability pair"],
  [
    /^\/config\/mgt-config\/(users|access-domain|password-profile)(\/|$)/,
    "the administrators of the device, including Plumbline's account",
  ],
  [/\/(shared|vsys\/entry)\/admin-role(\/|$)/, "the roles of administrators"],
  [/\/(shared|vsys\/entry)\/(authentication-profile|authentication-sequence)(\/|$)/, "how administrators log in"],
  [/\/network\/profiles\/interface-management-profile(\/|$)/, "the management profiles of interfaces"],
  [/\/interface-management-profile$/, "the management profile of an interface"],
];

/** Predefined entries that the device itself needs. */
const SYSTEM_ENTRIES: readonly (readonly [list: RegExp, names: ReadonlySet<string>])[] = [
  [/\/default-security-rules\/rules$/, new Set(["intrazone-default", "interzone-default"])],
  [/\/mgt-config\/users$/, new Set(["admin"])],
  [/^\/config\/devices$/, new Set(["localhost.localdomain"])],
  [/\/network\/(ike\/crypto-profiles\/(ike|ipsec)-crypto-profiles|qos\/profile)$/, new Set(["default"])],
  [/\/network\/virtual-wire$/, new Set(["default-vwire"])],
];

/** A rule that allows any value in all these fields is wide. */
const WIDE_FIELDS = ["source", "destination", "application"];

/** Dangerous changes on a firewall (docs/guards.md#guards: lock-out guard, meaning guard, kinds that are never pruned). */
export const panosGuards: KindGuards = {
  management(path) {
    const tags = tagsOf(path);
    return MANAGEMENT.find(([pattern]) => pattern.test(tags))?.[1];
  },
  meaning(path, live, desired) {
    return isRule(path) ? ruleMeaning(path.name ?? "", withDefault(path, live), desired, withDefault(path, undefined)) : undefined;
  },
  ownPath: panosManagementPath,
  meaningOfList(list, before, after) {
    return isSecurityRulebase(list) ? rulebaseMeaning(list, before, after) : [];
  },
  neverPruned(entry) {
    const list = entry.parent === undefined ? "" : tagsOf(entry.parent);
    return entry.name !== undefined && SYSTEM_ENTRIES.some(([pattern, names]) => pattern.test(list) && names.has(entry.name ?? ""));
  },
  scopeParents: deviceGroupParents,
  missingFields,
  notes: doubtfulValues,
};

/** Returns a path without names, for example `/config/devices/entry/vsys/entry/address`. */
function tagsOf(path: Path): string {
  return path
    .steps()
    .map((step) => `/${step.tag}`)
    .join("");
}

function isRule(path: Path): boolean {
  return path.name !== undefined && /rulebase\/(security|default-security-rules)\/rules\/entry$/.test(tagsOf(path));
}

/** Adds the defaults of a default rule: it always exists, has a predefined action, and does not log unless the configuration sets this. */
function withDefault(path: Path, live: TreeNode | undefined): TreeNode | undefined {
  const rule = path.parent?.parent?.tag === "default-security-rules" ? DEFAULTS.find(({ name }) => name === path.name) : undefined;
  if (rule === undefined) return live;
  const defaults = { action: rule.action, "log-end": "no" };
  const missing = Object.entries(defaults).filter(([tag]) => live === undefined || textOf(live, tag) === undefined);
  return new TreeNode("entry", rule.name, "", [
    ...(live?.children ?? []),
    ...missing.map(([tag, text]) => new TreeNode(tag, undefined, text)),
  ]);
}

function isSecurityRulebase(list: Path): boolean {
  return /\/(pre-|post-)?rulebase\/security\/rules$/.test(tagsOf(list));
}

/** `rest` is the rule that remains if no document and no configuration contains it. */
function ruleMeaning(
  name: string,
  live: TreeNode | undefined,
  desired: DesiredNode | undefined,
  rest: TreeNode | undefined,
): string | undefined {
  if (desired === undefined) return rest !== undefined && !passes(rest) ? undefined : removedMeaning(name, live);
  if (live === undefined) return createdMeaning(name, desired);
  const words: string[] = [];
  const after = (tag: string) => childByTag(desired, tag)?.text ?? (desired.prunes ? undefined : textOf(live, tag));
  const removed = (tag: string) => desired.prunes && childByTag(desired, tag) === undefined && childByTag(live, tag) !== undefined;
  if (!passes(live) && isPass(after("action"))) words.push(`${textOf(live, "action") ?? "no action"} becomes allow`);
  if (isPass(after("action"))) {
    for (const field of MATCH_FIELDS) if (becomesAny(field, live, desired)) words.push(`${field} becomes any`);
  }
  if (after("disabled") === "yes" && !isDisabled(live)) words.push("it is disabled");
  for (const tag of ["log-setting", "profile-setting"]) if (removed(tag)) words.push(`its ${tag} is removed`);
  if (after("log-end") === "no" && textOf(live, "log-end") !== "no") words.push("it no longer logs");
  for (const tag of ["negate-source", "negate-destination"]) {
    if ((textOf(live, tag) ?? "no") !== (after(tag) ?? "no")) words.push(`${tag} becomes ${after(tag) ?? "no"}`);
  }
  return words.length === 0 ? undefined : `Rule "${name}": ${words.join(", ")}.`;
}

function becomesAny(field: string, live: TreeNode, desired: DesiredNode): boolean {
  const declared = childByTag(desired, field) !== undefined;
  return !isAny(live, field) && (declared || desired.prunes) && isAny(desired, field);
}

function createdMeaning(name: string, desired: TreeNode): string | undefined {
  const wide = passes(desired) && !isDisabled(desired) && WIDE_FIELDS.every((field) => isAny(desired, field));
  if (!wide) return undefined;
  const narrower = MATCH_FIELDS.filter((field) => !isAny(desired, field)).map((field) => `${field} ${membersIn(desired, field)}`);
  const words = `Rule "${name}" is new and allows any source to any destination with any application`;
  return `${[words, ...(narrower.length === 0 ? [] : [narrower.join(", ")])].join(": ")}.`;
}

function membersIn(rule: TreeNode, field: string): string {
  const members = childByTag(rule, field)?.children.map(({ text }) => text) ?? [];
  return members.length > 3 ? `${members.slice(0, 2).join(" or ")} or ${members.length - 2} more` : members.join(" or ");
}

/** Traffic that a deny or drop rule stopped may pass after its deletion. */
function removedMeaning(name: string, live: TreeNode | undefined): string | undefined {
  if (live === undefined || passes(live) || isDisabled(live)) return undefined;
  return `Rule "${name}" with action ${textOf(live, "action") ?? "none"} is deleted: its traffic may pass.`;
}
